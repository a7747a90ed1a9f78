/** What a process gets of its machine: the time of day, descriptors, memory. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { RunningProcess } from '../../support/processes.ts';
import { faultsOf, lasts } from '../fault.ts';
import type { Stage } from '../stage.ts';
import { insideSettings, order } from './inside.ts';

const run = promisify(execFile);
/** Longer than a lease. */
const SECONDS = 12;
const HALF_AN_HOUR_MS = 30 * 60_000;

function everyProcess(stage: Stage): RunningProcess[] {
  return [...stage.running('api'), ...stage.running('worker')];
}

function clock(name: string, aheadMs: number, ofWhom = everyProcess) {
  return {
    name: `${name} by 30 min, for ${SECONDS} s`,
    settings: insideSettings(),
    strike: async (stage: Stage) => {
      const ends = ofWhom(stage).map(({ pid }) => order(pid, { aheadMs }));
      await lasts(SECONDS);
      for (const end of ends) end();
    },
  };
}

const oneWorker = (stage: Stage): RunningProcess[] => stage.running('worker').slice(0, 1);

/** Below what each process has open from its start: nothing more can be opened. */
const DESCRIPTORS = 16;
const HEAP_MB = 160;

async function limitDescriptors(stage: Stage, count: number): Promise<void> {
  await Promise.all(
    everyProcess(stage).map(async ({ pid }) => run('prlimit', [`--pid=${pid}`, `--nofile=${count}:`])),
  );
}

export const machineFaults = faultsOf('machine', [
  clock('all clocks ahead', HALF_AN_HOUR_MS),
  clock('all clocks behind', -HALF_AN_HOUR_MS),
  clock('the clock of one worker ahead', HALF_AN_HOUR_MS, oneWorker),
  clock('the clock of one worker behind', -HALF_AN_HOUR_MS, oneWorker),
  {
    name: `no free descriptors for ${SECONDS} s`,
    refusal: async () => run('prlimit', ['--version']).then(() => undefined, String),
    strike: async (stage) => {
      await limitDescriptors(stage, DESCRIPTORS);
      // What is open stays open, so it is closed: connections to the database and to the gateways.
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(stage.postgres.db);
      stage.simulator.orderFault({ kind: 'goaway', every: 10, times: 20 });
      await lasts(SECONDS);
      await limitDescriptors(stage, 1_024);
    },
  },
  {
    name: 'every heap full, until its process dies',
    settings: insideSettings(`--max-old-space-size=${HEAP_MB}`),
    strike: async (stage) => {
      const all = everyProcess(stage);
      const ends = all.map(({ pid }) => order(pid, { heapBytes: HEAP_MB * 2e6 }));
      await Promise.all(all.map(async ({ exited }) => exited));
      for (const end of ends) end();
    },
  },
]);
