/** An app that is large enough for bitmaps, changes of its devices, and its counts by bitmaps and by rows. */
import { type Kysely, sql } from 'kysely';
import { expect } from 'vitest';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import { targetingRow } from '../../src/targeting/rows/row.ts';
import { readColumnMap } from '../../src/targeting/rows/column-map.ts';
import { countDevices, type DeviceCount } from '../../src/targeting/count-devices.ts';
import type { Filter } from '../../src/filters/filter.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { recordDeviceEvents } from '../../src/devices/events/record-events.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { buildBitmaps, type BuildLimits } from '../../src/targeting/bitmaps/build.ts';
import { indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';
import { observeNothing } from '../../src/observe.ts';
import { parsed } from '../filters/parsed.ts';
import type { TestDatabase } from '../support/database.ts';
import { chunksOf, lineOf } from '../devices/import/lines.ts';
import { newToken } from '../support/push-token.ts';
import { tokenKeys } from '../support/token-keys.ts';

export const NOON = new Date('2026-11-21T12:00:00.000Z');
export const clock = (): Date => NOON;
export const LIMITS: BuildLimits = { devicesMin: 100, devicesPerBlock: 50 };

export async function buildNow(db: Kysely<Database>, limits = LIMITS): Promise<number> {
  return buildBitmaps(db, new AbortController().signal, limits);
}

/** @returns the ids of all devices */
export async function importMany(db: Kysely<Database>, appId: string, devices: number): Promise<string[]> {
  const lines = Array.from({ length: devices }, (_, index) => {
    const custom = {
      number: { type: 'integer', value: index },
      word: { type: 'string', value: `word ${index % 7}` },
    };
    const tags = index % 2 === 0 ? ['even', `tag ${index}`] : [];
    return lineOf({ push_token: newToken(), badge: 0, app_version: `1.${index % 3}`, tags, custom });
  });
  await importDevices(db, tokenKeys, appId, chunksOf(lines.join('\n')), clock);
  await indexDeferredRows(db, new AbortController().signal, { pages: 1_000, pauseMs: 0 });
  const rows = await db.selectFrom('devices').select('id').execute();
  return rows.map(({ id }) => id);
}

/** The number of rows in each delta table. */
export async function countDeltas(
  db: Kysely<Database>,
): Promise<Record<'targets' | 'registrations' | 'events' | 'tokens', number> | undefined> {
  const { rows } = await sql<Record<'targets' | 'registrations' | 'events' | 'tokens', number>>`
    select (select count(*) from device_targets_delta) as targets,
      (select count(*) from device_registrations_delta) as registrations,
      (select count(*) from device_events_delta) as events,
      (select count(*) from device_tokens_delta) as tokens`.execute(db);
  return rows[0];
}

export const NO_DELTAS = { targets: 0, registrations: 0, events: 0, tokens: 0 };

/** A clock that advances by a second with each call. */
export function secondsFrom(start: Date): () => Date {
  let looks = 0;
  return () => new Date(start.getTime() + 1_000 * ++looks);
}

export async function recordEvent(
  db: Kysely<Database>,
  appId: string,
  id: string,
  name: string,
  at: () => Date,
): Promise<void> {
  await recordDeviceEvents(db, appId, id, [{ name }], { defaultSource: null }, at);
}

const LISTS: readonly (readonly Filter[])[] = [
  [],
  ...[
    [{ name: 'badge', criteria: [{ gte: 1 }] }],
    [
      { name: 'tags', criteria: ['even'] },
      { name: 'badge', criteria: [0], not_filter: true },
    ],
    [{ name: 'app_version', criteria: [{ gt: '1.0' }] }],
    [
      { name: 'custom.integer.number', criteria: [{ lt: 300 }] },
      { name: 'custom.string.word', criteria: ['word 2', 'word 3'] },
    ],
    [
      { name: 'registered_at', criteria: [{ gt: 'now+40s' }] },
      { name: 'tags', criteria: ['even'] },
    ],
    [
      { name: 'registered_at', criteria: [{ gt: 'now+20s' }], not_filter: true },
      { name: 'badge', criteria: [{ lt: 30 }] },
      { name: 'events.open', criteria: [2, { lt: 'now+60s' }] },
    ],
    [
      { name: 'events.open', criteria: [{ gte: 2 }] },
      { name: 'events.buy', criteria: [true], not_filter: true },
    ],
    [
      { name: 'events.buy', criteria: [true], not_filter: true },
      { name: 'custom.string.word', criteria: ['word 2', 'word 3'] },
    ],
  ].map((list) => parsed(list)),
];

/** Counts each list by bitmaps and by rows, from one snapshot. */
export async function countBothWays(
  db: Kysely<Database>,
  appId: string,
  lists = LISTS,
): Promise<[byBitmaps: DeviceCount, byRows: DeviceCount][]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const counts: [DeviceCount, DeviceCount][] = [];
      for (const filters of lists) {
        const request = { appId, filters, now: NOON };
        const columns = await readColumnMap(transaction, appId, filters);
        const { rows } = await sql<DeviceCount>`
          select count(*) as devices, count(devices.push_token) as reachable
          from device_targets as d join devices using (app_id, id)
          where d.app_id = ${appId} and ${compileFilters(filters, { row: targetingRow(appId, columns), now: NOON })}`.execute(
          transaction,
        );
        counts.push([await countDevices(transaction, request), rows[0] ?? { devices: 0, reachable: 0 }]);
      }
      return counts;
    });
}

export async function expectBothWaysEqual(db: Kysely<Database>, appId: string, lists = LISTS): Promise<void> {
  for (const [byBitmaps, byRows] of await countBothWays(db, appId, lists)) expect(byBitmaps).toEqual(byRows);
}

/** Runs as many calls at a time as there are connections, so that none times out waiting for one. */
export async function someAtATime(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const left = calls.values();
  const lane = async (): Promise<void> => {
    for (const call of left) await call();
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

/** Compares both counts in many snapshots, while work is done, two builders run and deferred rows are indexed. */
export async function exactWhile(
  { url }: TestDatabase,
  appId: string,
  work: () => Promise<unknown>,
  lists = LISTS,
): Promise<void> {
  const pool = connectDatabase({ connectionString: url, observe: observeNothing });
  const over = new AbortController();
  let snapshots = 0;
  const until = async (step: () => Promise<unknown>): Promise<void> => {
    while (!over.signal.aborted) await step();
  };
  const running = [
    until(async () => buildBitmaps(pool, over.signal, LIMITS)),
    until(async () => buildBitmaps(pool, over.signal, LIMITS)),
    until(async () => indexDeferredRows(pool, over.signal, { pages: 1, pauseMs: 0 })),
    until(async () => {
      await expectBothWaysEqual(pool, appId, lists);
      snapshots++;
    }),
  ];
  // Where one fails, the others end.
  const failed = Promise.all(running).catch((error: unknown) => {
    over.abort();
    throw error;
  });
  try {
    await Promise.race([failed, work()]);
  } finally {
    over.abort();
    await Promise.allSettled(running);
    await pool.destroy();
  }
  await failed;
  expect(snapshots).toBeGreaterThan(1);
}
