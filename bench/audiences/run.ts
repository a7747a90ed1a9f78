/**
 * Counts audiences over millions of devices: `npm run bench:audiences -- [--devices N] [--runs N] [--seed N] [--keep
 * DIRECTORY]`, which keeps the loaded database for the next run. With `--imports`, it imports this many devices instead
 * and reports the cost of a line; with `--console` it counts in the builder of the console, in Chromium. In each round,
 * a count is compared with a scan of `device_targets` by the same condition, with DuckDB, and from time to time with a
 * scan of the wide `devices`; all must return the same number. Prints a table and writes it as JSON.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { countDevices } from '../../src/targeting/count-devices.ts';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { describeMachine, readCommit } from '../support/report.ts';
import { median, percentile } from '../support/statistics.ts';
import { type Columnar, openColumnar } from './columnar.ts';
import { openDatabase } from './database.ts';
import { NOW } from './generate.ts';
import { measureImports } from './imports.ts';
import { type BenchAudience, benchAudiences } from './lists.ts';
import { measureLiveCounts } from './live-count.ts';
import { load, readSizes } from './load.ts';
import { measureRegistrations } from './registrations.ts';
import { countSequentially } from './sequential.ts';

const number = z.coerce.number().int().positive();
const optionsSchema = z.object({ devices: number, runs: number, seed: number, keep: z.string().optional() });

/** The targets in milliseconds: `belowMs` if at most this share is selected, `anywhereMs` in any case. */
const REACH = { share: 0.01, belowMs: 60, anywhereMs: 250, ofSequential: 1.1 };
/** Comparisons that take longer than the limit are measured only this often. */
const SLOW = { runs: 2, overMs: 1_000 };
const RESULTS_DIR = fileURLToPath(new URL('../results/', import.meta.url));

/** Milliseconds per round. */
type Samples = Record<'count' | 'narrow' | 'wide' | 'columnar', number[]>;

interface Line {
  name: string;
  devices: number;
  share: number;
  countMs: number;
  count95Ms: number;
  narrowMs: number;
  wideMs: number;
  columnarMs: number;
  reached: boolean;
}

async function main(opened: AsyncDisposableStack): Promise<void> {
  const { values } = parseArgs({
    options: {
      devices: { type: 'string', default: '2000000' },
      runs: { type: 'string', default: '15' },
      seed: { type: 'string', default: '1' },
      keep: { type: 'string' },
      imports: { type: 'boolean', default: false },
      console: { type: 'boolean', default: false },
    },
  });
  const options = optionsSchema.parse(values);
  const startedAt = new Date().toISOString();
  const { name: postgres, database } = await openDatabase(opened, options.keep);
  const machine = describeMachine();
  const commit = await readCommit();
  say(`Carillon ${commit}, ${postgres} with its default settings, ${options.runs} rounds`);
  say(
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB; ${formatted(options.devices)} devices, seed ${options.seed}`,
  );
  if (values.imports) {
    say('', row(['imports', 'per second', 'Carillon', 'Postgres']));
    for (const figure of await measureImports(opened, database, options, (line) => console.error(line))) {
      const { name, perSecond, carillonMicroseconds, postgresMicroseconds } = figure;
      say(
        row([
          name,
          formatted(perSecond),
          `${formatted(carillonMicroseconds)} µs`,
          `${formatted(postgresMicroseconds)} µs`,
        ]),
      );
    }
    return;
  }
  const { appId, bundleId } = await load(database, options, (line) => console.error(line));
  if (values.console) {
    say('', row(['from the last key to the number', 'devices', 'median', 'p95', 'worst', 'aborted']));
    await measureLiveCounts(opened, database, { appId, bundleId, runs: options.runs }, (line) => {
      const times = [line.medianMs, line.p95Ms, line.worstMs].map(milliseconds);
      say(row([line.name, formatted(line.devices), ...times, `${line.aborted} of ${line.superseded}`]));
    });
    return;
  }
  const columnar = await openColumnar(database.sql, await makeDir({ opened }), availableParallelism());
  opened.defer(() => columnar.close());

  say(
    '',
    row([
      'audience',
      'share',
      'median',
      'p95',
      'narrow',
      'ratio',
      'wide',
      'ratio',
      'DuckDB',
      'ratio',
      'reached',
    ]),
  );
  const lines: Line[] = [];
  for (const audience of benchAudiences(options.seed, options.devices)) {
    const line = await measure(audience, { database, columnar, appId, ...options });
    say(row([line.name, ...cellsOf(line)]));
    lines.push(line);
  }
  const worst = lines.reduce((left, right) => (toColumnar(right) > toColumnar(left) ? right : left));
  say(`The worst against DuckDB: ${toColumnar(worst).toFixed(1)}, ${worst.name}`);
  say(`Reached: ${lines.filter(({ reached }) => reached).length} of ${lines.length}`, '');

  const sizes = await readSizes(database.sql);
  for (const { part, bytes } of sizes) say(row([part, `${(bytes / options.devices).toFixed(0)} B`]));
  const rates = await measureRegistrations(database);
  say('', row(['registrations per second', 'with', 'without']));
  for (const [kind, title] of Object.entries({
    imported: 'imported',
    fresh: 'new, one a call',
    again: 'known, one a call',
  })) {
    const of = (which: Record<string, number>): string => formatted(which[kind] ?? Number.NaN);
    say(row([title, of({ ...rates.kept }), of({ ...rates.without })]));
  }
  await mkdir(RESULTS_DIR, { recursive: true });
  const file = path.join(RESULTS_DIR, `audiences-${startedAt.replaceAll(':', '-')}.json`);
  const report = { startedAt, commit, postgres, ...machine, options, lines, sizes, rates };
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  say(`Written to ${path.relative(process.cwd(), file)}`);
}

async function measure(
  { name, filters, columnar: condition }: BenchAudience,
  context: { database: BenchDatabase; columnar: Columnar; appId: string; devices: number; runs: number },
): Promise<Line> {
  const parsed = parseFilters(filters, 'filters');
  if (!parsed.ok) throw new Error(`${name}: ${parsed.faults[0]?.path} ${parsed.faults[0]?.message}`);
  const { db } = context.database;
  const request = { appId: context.appId, filters: parsed.filters, now: NOW };
  const timed: Record<keyof Samples, () => Promise<number>> = {
    count: async () => (await countDevices(db, request)).devices,
    narrow: async () => countSequentially(db, 'device_targets', request),
    wide: async () => countSequentially(db, 'devices', request),
    columnar: async () => context.columnar.count(condition),
  };
  const samples: Samples = { count: [], narrow: [], wide: [], columnar: [] };
  const counts = new Set<number>();
  // The first round is a warm-up.
  for (let round = 0; round <= context.runs; round++) {
    for (const kind of ['count', 'narrow', 'wide', 'columnar'] as const) {
      if (kind !== 'count' && round > SLOW.runs && median(samples[kind]) > SLOW.overMs) continue;
      const startedMs = performance.now();
      counts.add(await timed[kind]());
      if (round > 0) samples[kind].push(performance.now() - startedMs);
    }
  }
  const [devices = 0, ...others] = counts;
  if (others.length > 0) throw new Error(`${name}: counted ${[...counts].join(', ')}`);
  return judge(name, devices, samples, context.devices);
}

function judge(name: string, devices: number, samples: Samples, all: number): Line {
  const share = devices / all;
  const countMs = median(samples.count);
  const narrowMs = median(samples.narrow);
  const limitMs = share < REACH.share ? REACH.belowMs : REACH.anywhereMs;
  return {
    name,
    devices,
    share,
    countMs,
    count95Ms: percentile(samples.count, 95),
    narrowMs,
    wideMs: median(samples.wide),
    columnarMs: median(samples.columnar),
    reached: countMs <= limitMs && countMs <= REACH.ofSequential * narrowMs,
  };
}

function toColumnar({ countMs, columnarMs }: Line): number {
  return countMs / columnarMs;
}

function cellsOf(line: Line): string[] {
  const { share, countMs, count95Ms, narrowMs, wideMs, columnarMs, reached } = line;
  return [
    `${(share * 100).toFixed(3)} %`,
    milliseconds(countMs),
    milliseconds(count95Ms),
    milliseconds(narrowMs),
    (countMs / narrowMs).toFixed(2),
    milliseconds(wideMs),
    (countMs / wideMs).toFixed(3),
    milliseconds(columnarMs),
    toColumnar(line).toFixed(1),
    reached ? 'yes' : 'no',
  ];
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function formatted(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

function row([first = '', ...cells]: readonly string[]): string {
  return `${first.padEnd(52)}${cells.map((cell) => cell.padStart(10)).join('')}`;
}

function say(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

await using opened = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void opened.disposeAsync().finally(() => process.exit(1));
  });
}
await main(opened);
