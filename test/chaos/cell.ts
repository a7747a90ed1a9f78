/** One cell of the matrix: something is in flight, something breaks, and in the end nothing is lost and nothing shown twice. */
import { setInterval as every } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { z } from 'zod';
import { describeMachine } from '../../bench/support/report.ts';
import { untilCounted } from '../processes/fan-out.ts';
import type { Fault } from './fault.ts';
import type { Account, Load } from './load.ts';
import type { Result } from './record.ts';
import type { Stage } from './stage.ts';

/** So much of the load is done when the fault begins. */
const STRIKES_AT = 0.2;
const ASK_EVERY_MS = 250;

export async function runCell(stage: Stage, fault: Fault, load: Load): Promise<Result> {
  const begun = await load.begin(stage);
  let done = 0;
  const counting = setInterval(() => void Promise.resolve(begun.done()).then((count) => (done = count)), 20);
  const status = listenTo(stage.url);
  let brokenMs = performance.now();
  let account: Account | undefined;
  let failed: string | undefined;
  try {
    await untilCounted(() => done, STRIKES_AT * begun.total);
    await fault.strike(stage);
    brokenMs = performance.now();
    account = await begun.end();
  } catch (error) {
    failed = error instanceof Error ? error.message : String(error);
  } finally {
    clearInterval(counting);
  }
  const { lost = -1, shownTwice = -1, repeated = -1, doubtful = -1 } = account ?? {};
  if (lost > 0 || shownTwice > 0) failed ??= `${lost} lost, ${shownTwice} shown twice`;
  if (doubtful > 0 && fault.leavesDoubt !== true) failed ??= `${doubtful} in doubt`;
  return {
    where: fault.where,
    fault: fault.name,
    load: load.name,
    at: new Date().toISOString(),
    machine: await machineOf(stage),
    ...(failed !== undefined && { failed }),
    total: begun.total,
    lost,
    shown_twice: shownTwice,
    repeated,
    doubtful,
    seconds: Math.round((performance.now() - brokenMs) / 100) / 10,
    said: await status.end(),
  };
}

async function machineOf({ postgres, redis }: Stage): Promise<string> {
  const { rows } = await sql<{ version: string }>`select split_part(version(), ' ', 2) as version`.execute(
    postgres.db,
  );
  const client = new Redis(redis.url);
  const version = /(?:redis|valkey)_version:(\S+)/.exec(await client.info('server'))?.[1];
  client.disconnect();
  const { cores, memoryGiB, node } = describeMachine();
  return `${cores} cores, ${memoryGiB} GiB, Node ${node}, Postgres ${rows[0]?.version}, Redis ${version}`;
}

const readiness = z.object({
  reason: z.string().optional(),
  troubles: z.array(z.object({ code: z.string() })),
});

/** Asks `/readyz` again and again, as an orchestrator does. */
function listenTo(url: string): { end(): Promise<string[]> } {
  const said = new Set<string>();
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const { troubles } = readiness.parse(await response.json());
    for (const { code } of troubles) said.add(code);
    if (response.status !== 200) said.add(String(response.status));
  };
  const asking = (async () => {
    for await (const _ of every(ASK_EVERY_MS, undefined, { signal: over.signal })) {
      await ask().catch(() => said.add('no answer'));
    }
  })().catch(() => undefined); // aborted
  return {
    end: async () => {
      over.abort();
      await asking;
      return [...said].sort();
    },
  };
}
