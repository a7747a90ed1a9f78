/** Reads from the database when the gateways answered: no calls of the API, which would take the cores of the servers. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { unpackOutcomes } from '../../src/delivery/outcomes/packed.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import type { CallRecord } from './records.ts';

/** Both in Unix milliseconds. */
export interface Delivery {
  calledMs: number;
  /** The recorded time of the gateway's answer. */
  answeredMs: number;
}

const POLL_EVERY_MS = 100;
const PAGE_ROWS = 10_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** A limit at which something is broken: 100 pushes per second. */
const MS_PER_PUSH_MAX = 10;
const START_MS_MAX = 60_000;

const counts = z.object({ unfinished: z.coerce.number() });

/** The notifications that have not ended; reads partial indexes only. @param since when the first of them was created */
export async function countUnfinished({ readOne }: BenchDatabase, since = new Date(0)): Promise<number> {
  const { unfinished } = await readOne(
    counts,
    `select (select count(*) from notifications where started_at is null and ended_at is null and due_at >= $1)
       + (select count(*) from notifications where ended_at is null and started_at >= $1) as unfinished`,
    [since],
  );
  return unfinished;
}

/** @param backlog the number of notifications that have not ended @param since as for `countUnfinished` */
export async function untilNothingIsLeft(
  database: BenchDatabase,
  backlog: number,
  since?: Date,
): Promise<void> {
  const untilMs = performance.now() + START_MS_MAX + backlog * MS_PER_PUSH_MAX;
  for (let left = backlog; left > 0; left = await countUnfinished(database, since)) {
    if (performance.now() > untilMs) throw new Error(`${left} of ${backlog} notifications have not ended`);
    await wait(POLL_EVERY_MS);
  }
}

export async function untilAllEnded(database: BenchDatabase): Promise<void> {
  await untilNothingIsLeft(database, await countUnfinished(database));
}

/**
 * Compares the calls with what is stored, after the run.
 * @throws if a notification is missing, if it did not reach its one device, or if there are notifications to one device
 *   without a call
 */
export async function readDelivered(
  database: BenchDatabase,
  appId: string,
  calls: readonly CallRecord[],
): Promise<Delivery[]> {
  const calledMs = new Map(calls.map(({ id, atMs }) => [id, atMs]));
  const deliveries: Delivery[] = [];
  const sinceMs = calls.reduce((first, { atMs }) => Math.min(first, atMs), Infinity);
  for await (const { id, atMs } of acceptedSingles(database, appId, sinceMs)) {
    const called = calledMs.get(id);
    if (called === undefined) throw new Error(`nobody called for the notification ${id}`);
    deliveries.push({ calledMs: called, answeredMs: atMs });
  }
  if (deliveries.length !== calls.length)
    throw new Error(`${deliveries.length} of ${calls.length} notifications are sent`);
  return deliveries;
}

const singles = z.object({
  id: z.string(),
  single: z.boolean(),
  outcomes: z.instanceof(Buffer).nullable(),
});

/** @returns when the gateway accepted the push (Unix ms), for each notification that one device accepted */
async function* acceptedSingles(
  { read }: BenchDatabase,
  appId: string,
  sinceMs: number,
): AsyncGenerator<{ id: string; atMs: number }> {
  for (let after = FIRST_ID; ;) {
    // The outcomes are in the row of the notification or in the row of its slice.
    const page = await read(
      singles,
      `select id, notification.state = 'sent' and notification.devices = 1 and notification.accepted = 1 as single,
         coalesce(notification.outcomes, slice.outcomes) as outcomes
       from (
         select * from notifications where app_id = $1 and created_at >= $2 and id > $3 order by id limit $4
       ) as notification
       left join delivery_slices as slice
         on slice.app_id = notification.app_id and slice.notification_id = notification.id
         and notification.devices = 1
       order by id`,
      [appId, new Date(Math.floor(sinceMs)), after, PAGE_ROWS],
    );
    for (const { id, single, outcomes } of page) {
      if (single) yield { id, atMs: acceptedAtMs(outcomes) };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function acceptedAtMs(outcomes: Buffer | null): number {
  const [outcome] = outcomes === null ? [] : unpackOutcomes(outcomes).values();
  if (outcome?.kind !== 'accepted')
    throw new Error('a push is counted as accepted, but its outcome is another');
  return outcome.atMs;
}
