/**
 * Measures the delivery engine: `npm run bench -- [scenario …] [--devices N] [--runs N] [--seconds N] [--tuned] [--quick]
 * [--sink nginx|simulator|counting] [--kill N] [--only NAME]`. Prints a table and writes it as JSON; docs/benchmarks.md says how to
 * read it. Scenarios: fan-out, waiting-person, neighbours, round-trip, memory, singles, web-push; console, growth, ten-million,
 * old-snapshot and peers run only if they are named. `--quick` is `--devices 50000 --runs 1`; `--only` measures peers with this in their names.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { consoleLoad } from './scenarios/console.ts';
import { fanOut } from './scenarios/fan-out.ts';
import { growth } from './scenarios/growth.ts';
import { memory } from './scenarios/memory.ts';
import { neighbours } from './scenarios/neighbours.ts';
import { oldSnapshot } from './scenarios/old-snapshot.ts';
import { peers } from './scenarios/peers.ts';
import { roundTrip } from './scenarios/round-trip.ts';
import { singles } from './scenarios/singles.ts';
import { tenMillion } from './scenarios/ten-million.ts';
import { waitingPerson } from './scenarios/waiting-person.ts';
import { webPush } from './scenarios/web-push.ts';
import { measureCeiling } from './support/ceiling.ts';
import { type BenchContext, keepOpen } from './support/context.ts';
import { makeDir } from './support/directory.ts';
import { openFigures } from './support/figures.ts';
import { openPostgresServer } from './support/postgres.ts';
import { openRedisServer } from './support/redis.ts';
import {
  describeMachine,
  figureLines,
  headLines,
  readCommit,
  type Report,
  writeReport,
} from './support/report.ts';
import { openSink } from './sinks/open-sink.ts';

const scenarios: Readonly<Record<string, (context: BenchContext) => Promise<void>>> = {
  'fan-out': fanOut,
  'waiting-person': waitingPerson,
  neighbours,
  'round-trip': roundTrip,
  memory,
  singles,
  'web-push': webPush,
  console: consoleLoad,
  growth,
  'ten-million': tenMillion,
  'old-snapshot': oldSnapshot,
  peers,
};
/** They take long or are not about delivery, so they run only if they are named. */
const NAMED_ONLY: ReadonlySet<string> = new Set([
  'console',
  'growth',
  'ten-million',
  'old-snapshot',
  'peers',
]);

const count = z.coerce.number().int().positive();
const optionsSchema = z.object({
  devices: count,
  runs: count,
  seconds: count,
  sink: z.enum(['nginx', 'simulator', 'counting']).optional(),
  kill: z.coerce.number().int().min(0),
  only: z.string().optional(),
  tuned: z.boolean(),
});

/** @param stopped rejects when the run is interrupted */
async function main(opened: AsyncDisposableStack, stopped: Promise<never>): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      devices: { type: 'string' },
      runs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      sink: { type: 'string' },
      kill: { type: 'string', default: '0' },
      tuned: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  });
  const usual = values.quick ? { devices: '50000', runs: '1' } : { devices: '200000', runs: '5' };
  const { sink: sinkName, only, ...options } = optionsSchema.parse({ ...usual, ...values });
  const names =
    positionals.length === 0 ? Object.keys(scenarios).filter((name) => !NAMED_ONLY.has(name)) : positionals;
  const chosen = names.map((name) => {
    const measure = scenarios[name];
    if (measure === undefined)
      throw new Error(`there is no scenario ${name}: ${Object.keys(scenarios).join(', ')}`);
    return { name, measure };
  });

  const dir = await makeDir({ opened });
  const sink = keepOpen({ opened }, await openSink(sinkName, dir));
  const { DATABASE_URL: databaseUrl } = process.env;
  const postgres = keepOpen(
    { opened },
    await openPostgresServer(databaseUrl, await makeDir({ opened }), options.tuned),
  );
  const head = {
    startedAt: new Date().toISOString(),
    commit: await readCommit(),
    ...describeMachine(),
    postgres: postgres.name,
    sink: { name: sink.name, ceilingRequestsPerSecond: await measureCeiling(sink, dir) },
    options,
  };
  say(...headLines(head));
  const report: Report = { ...head, scenarios: {} };
  for (const { name, measure } of chosen) {
    const figures = openFigures();
    const own = opened.use(new AsyncDisposableStack());
    const redis = await openRedisServer();
    if (redis !== undefined) keepOpen({ opened: own }, redis);
    const context = { ...options, only, sink, postgres, redis, figures, opened: own };
    const measured = measure({ ...context, say: (line) => console.error(`${name}: ${line}`) });
    await Promise.race([measured, stopped]);
    await own.disposeAsync();
    report.scenarios[name] = figures.results();
    say('', ...figureLines(name, figures.results()));
  }
  say('', `Written to ${path.relative(process.cwd(), await writeReport(report))}`);
}

function say(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

const opened = new AsyncDisposableStack();
const interruption = Promise.withResolvers<never>();
interruption.promise.catch(() => undefined); // resources that are being opened are opened first, and then closed in order
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // npm passes Ctrl-C on a second time; open resources are closed in any case.
  process.on(signal, () => interruption.reject(new Error(`stopped by ${signal}`)));
}
// Such as a call that nobody waits for any more, to a server that is being stopped: the process would leave servers behind.
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => interruption.reject(error));
}
try {
  await main(opened, interruption.promise);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await opened.disposeAsync();
}
