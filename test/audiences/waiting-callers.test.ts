import { expect, test } from 'vitest';
import { openWaitingCallers } from '../../src/audiences/waiting-callers.ts';

/** Work that ends when the test says so, and remembers its signal. */
function controlledWork() {
  const started: AbortSignal[] = [];
  const ends: ((result: string) => void)[] = [];
  const work = async (signal: AbortSignal): Promise<string> => {
    started.push(signal);
    return new Promise((resolve, reject) => {
      ends.push(resolve);
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  return { started, ends, work };
}

const turn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('work is aborted when the last of its callers hangs up, and not before', async () => {
  const callers = openWaitingCallers();
  const { started, work } = controlledWork();
  const first = new AbortController();
  const second = new AbortController();
  const ended = Promise.allSettled([
    callers.wait('key', first.signal, work),
    callers.wait('key', second.signal, work),
  ]);
  await turn();
  first.abort();
  expect(started.map(({ aborted }) => aborted)).toEqual([false, false]);
  second.abort();
  expect(started.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a caller after the abort starts with a signal of its own, once the aborted work has ended', async () => {
  const callers = openWaitingCallers();
  const { started, ends, work } = controlledWork();
  const first = new AbortController();
  const aborted = Promise.allSettled([callers.wait('key', first.signal, work)]);
  await turn();
  first.abort();
  const second = callers.wait('key', new AbortController().signal, work);
  await aborted;
  await turn();
  expect(started.map((signal) => signal.aborted)).toEqual([true, false]);
  ends[1]?.('counted');
  expect(await second).toBe('counted');
});

test('a caller that has its answer no longer keeps the work of others', async () => {
  const callers = openWaitingCallers();
  const { started, ends, work } = controlledWork();
  const first = callers.wait('key', new AbortController().signal, work);
  const second = new AbortController();
  const ended = Promise.allSettled([callers.wait('key', second.signal, work)]);
  await turn();
  ends[0]?.('counted');
  await first;
  second.abort();
  expect(started[1]?.aborted).toBe(true);
  await ended;
});

test('different keys are different work', async () => {
  const callers = openWaitingCallers();
  const { started, ends, work } = controlledWork();
  const first = new AbortController();
  const ended = Promise.allSettled([callers.wait('a', first.signal, work)]);
  const other = callers.wait('b', new AbortController().signal, work);
  await turn();
  first.abort();
  expect(started.map(({ aborted }) => aborted)).toEqual([true, false]);
  ends[1]?.('counted');
  expect(await other).toBe('counted');
  await ended;
});
