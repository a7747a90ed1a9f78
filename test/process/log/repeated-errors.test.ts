import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Observation } from '../../../src/observe.ts';
import { boundRepeats } from '../../../src/process/log/repeated-errors.ts';
import { collectObservations } from '../../support/database.ts';

function bounded() {
  const time = { ms: Date.parse('2026-11-21T12:00:00.000Z') };
  const { seen, observe } = collectObservations();
  const log = boundRepeats({ observe, clock: () => new Date(time.ms) });
  /** What is logged above `debug`. */
  const logged = (): Observation[] => seen.filter((observation) => !('isRepeat' in observation));
  return { time, seen, log, logged };
}

const failed = (message: string): Observation => ({ kind: 'database_error', message });

function word(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => String('abcdefghij'[Number(digit)]));
}

test('an error of every second is logged once a minute with the number of repeats, which are marked', () => {
  const { time, seen, log, logged } = bounded();
  for (let second = 0; second < 150; second++) {
    log(failed('sweep: no such function'));
    time.ms += 1_000;
  }
  const repeated = (repeats: number): Observation =>
    Object.assign(failed('sweep: no such function'), { repeats });
  expect(logged()).toEqual([failed('sweep: no such function'), repeated(59), repeated(59)]);
  expect(seen).toHaveLength(150);
});

test('errors that differ by ids and numbers alone count as one, and other errors and kinds do not', () => {
  const { log, logged } = bounded();
  for (let wave = 0; wave < 1_000; wave++) log(failed(`start wave ${wave} of ${randomUUID()}: no`));
  log(failed('prune: no'));
  log({ kind: 'queue_error', message: 'prune: no' });
  expect(logged().map((observation) => observation.kind)).toEqual([
    'database_error',
    'database_error',
    'queue_error',
  ]);
});

test('an error of an outage, or an event that is no error, is passed on as it is', () => {
  const { seen, log } = bounded();
  const others: Observation[] = [
    { kind: 'database_error', condition: 'unreachable', message: 'no' },
    { kind: 'database_error', condition: 'unreachable', message: 'no' },
    { kind: 'stopped' },
    { kind: 'stopped' },
  ];
  others.forEach(log);
  expect(seen).toEqual(others);
});

test('a thousand different errors a minute are a hundred lines, and a clock that is set back silences none', () => {
  const { time, log, logged } = bounded();
  for (let number = 0; number < 1_000; number++) log(failed(word(number)));
  expect(logged()).toHaveLength(101); // the last stands for all others
  time.ms -= 3_600_000;
  log(failed(word(1)));
  expect(logged()).toHaveLength(102);
});
