/** While a transaction holds an old snapshot, no index entry can be removed: what is done often must not read them all. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/tables.ts';
import { freeOldClaims } from '../../src/delivery/claims/claim-store.ts';
import { insertSlices, LEASE_MS, leaseNextSlice, renewLease } from '../../src/delivery/slice-store.ts';
import { readDueNotifications } from '../../src/delivery/start/direct-store.ts';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { planNotification } from '../../src/delivery/start/plan.ts';
import { findUnworked } from '../../src/delivery/upkeep/find-unworked.ts';
import { openLagStarts, readLagMs, readWaitingWaves } from '../../src/delivery/upkeep/lag.ts';
import { findDueWaves, startWave } from '../../src/delivery/waves/wave-store.ts';
import { SearchStart } from '../../src/scheduling/search-start.ts';
import { readFacts } from '../../src/status/facts-store.ts';
import { takeDue } from '../../src/webhooks/delivery-store.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { collectObservations, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-26T12:00:00.000Z');
const LONG_AGO = new Date(NOW.getTime() - 10 * LEASE_MS);
const ENDED = 3_000;
const WEBHOOK = randomUUID();
/** Far fewer than have ended. */
const FEW = 300;

let app: AppWithAudience;
let holder: Client;

beforeAll(async () => {
  app = await insertAppWithAudience(database.db);
  const insert = async (state: 'scheduled' | 'sending'): Promise<void> => {
    await sql`
      insert into notifications (app_id, id, body, state, created_at, due_at, started_at, devices, request_id, audience_id)
      select ${app.appId}::uuid, gen_random_uuid(), '{}', ${state}, ${LONG_AGO}::timestamptz, ${LONG_AGO}::timestamptz,
        ${state === 'sending' ? LONG_AGO : null}::timestamptz, 1, 'request-1', ${app.audienceId}::uuid
      from generate_series(1, ${ENDED}::integer)`.execute(database.db);
  };
  await insert('scheduled');
  await insert('sending');
  await sql`
    insert into delivery_slices (app_id, notification_id, number, first_id, last_id, not_before)
    select app_id, id, 0, gen_random_uuid(), gen_random_uuid(), ${LONG_AGO}::timestamptz from notifications`.execute(
    database.db,
  );
  await insertWaves();
  await insertEvents();
  holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query('select count(*) from apps');
  await sql`update delivery_slices set state = 'done', finished_at = ${NOW}`.execute(database.db);
  await sql`update webhook_deliveries set state = 'delivered', ended_at = ${NOW}`.execute(database.db);
  await sql`update notification_waves set state = 'started'`.execute(database.db);
  await sql`update notifications set state = 'sent', started_at = ${LONG_AGO}, ended_at = ${NOW}`.execute(
    database.db,
  );
  await sql`analyze`.execute(database.db);
});

afterAll(async () => {
  await holder.end();
});

/** A wave of each notification, or of one. */
async function insertWaves(id: string | null = null): Promise<void> {
  await sql`
    insert into notification_waves (app_id, notification_id, wave, due_at, action, spread_ms, zones, is_rest, devices,
      without_zone, first_slice, slices, state)
    select app_id, id, 0, ${LONG_AGO}::timestamptz, 'send', 0, '{}', true, 1, 0, 0, 1, 'waiting'
    from notifications where ${id === null ? sql`true` : sql`id = ${id}`}`.execute(database.db);
}

/** Events of one webhook. */
async function insertEvents(): Promise<void> {
  await sql`
    insert into webhooks (app_id, id, url, events, sealed_secret, created_at)
    values (${app.appId}, ${WEBHOOK}, 'https://example.com', '{}', '', ${LONG_AGO})`.execute(database.db);
  await sql`
    insert into webhook_deliveries (app_id, webhook_id, id, type, data, created_at, due_at)
    select ${app.appId}::uuid, ${WEBHOOK}::uuid, gen_random_uuid(), 'notification.sent', '{}', ${LONG_AGO}::timestamptz,
      ${LONG_AGO}::timestamptz
    from generate_series(1, ${ENDED}::integer)`.execute(database.db);
}

/** @returns how many entries of indexes the work reads, and rows of tables that are read from end to end */
async function reads(work: (db: Kysely<Database>) => Promise<unknown>): Promise<number> {
  return database.db.connection().execute(async (connection) => {
    const count = async (): Promise<number> => {
      await sql`select pg_stat_force_next_flush()`.execute(connection);
      const { rows } = await sql<{ count: number }>`
        select sum(pg_stat_get_tuples_returned(c.oid))::int as count
        from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('i', 'r')`.execute(connection);
      return rows[0]?.count ?? 0;
    };
    const before = await count();
    await work(connection);
    return (await count()) - before;
  });
}

type Search = (db: Kysely<Database>, start: SearchStart) => Promise<unknown>;

const searches: Record<string, Search> = {
  'abandoned claims': async (db, start) => freeOldClaims(db, NOW, start),
  'free slices': async (db, start) => findUnworked(db, NOW, { slicesMax: 1, start }),
  'due waves': async (db, start) => findDueWaves(db, NOW, 1, start),
  'due notifications': async (db, start) => {
    await readDueNotifications(db, { now: NOW, from: start.begin(NOW), limit: 1, except: [] });
    start.end(NOW);
  },
  'events of a webhook': async (db, start) => {
    const from = new Map([[WEBHOOK, start.begin(NOW)]]);
    await takeDue(db, { now: NOW, until: NOW, from, except: [], limit: 1 });
    start.end(NOW);
  },
  'held devices': async (db, start) => readWaitingWaves(db, NOW, start),
  'notifications that nobody has planned': async (db, start) => readFacts(db, { start, now: NOW }),
};

test.each(Object.entries(searches))('a search for %s reads what has ended once only', async (_, search) => {
  const start = new SearchStart(0, () => 0);
  expect(await reads(async (db) => search(db, start))).toBeGreaterThanOrEqual(ENDED);
  expect(await reads(async (db) => search(db, start))).toBeLessThan(FEW);
});

test('a reading of the lag reads what has ended once only', async () => {
  const starts = openLagStarts();
  expect(await reads(async (db) => readLagMs(db, NOW, starts))).toBeGreaterThanOrEqual(ENDED);
  expect(await reads(async (db) => readLagMs(db, NOW, starts))).toBeLessThan(FEW);
});

test('one notification is planned without reading those that have ended', async () => {
  const key = { appId: app.appId, notificationId: await insertNotification(database.db, app) };
  const ended = collectObservations();
  const work = async (db: Kysely<Database>): Promise<void> => {
    await planNotification({ db, clock: () => NOW, observe: ended.observe }, key);
  };
  expect(await reads(work)).toBeLessThan(FEW);
  expect(ended.seen).toMatchObject([{ kind: 'notification_ended', notificationId: key.notificationId }]);
});

test('one slice is leased and renewed without reading those that are done', async () => {
  const values = { state: 'sending', started_at: NOW, slices_left: 1 } as const;
  const key = { appId: app.appId, notificationId: await insertNotification(database.db, app, values) };
  await insertSlices(database.db, key, cutIdSpace(1), NOW);
  const work = async (db: Kysely<Database>): Promise<void> => {
    const slice = await leaseNextSlice(db, key, NOW);
    expect(slice && (await renewLease(db, slice, NOW))).toBe(true);
  };
  expect(await reads(work)).toBeLessThan(FEW);
});

test('one wave is started without reading those that have', async () => {
  const notificationId = await insertNotification(database.db, app, { state: 'sending', started_at: NOW });
  const key = { appId: app.appId, notificationId, wave: 0 };
  await insertWaves(notificationId);
  const work = async (db: Kysely<Database>): Promise<void> => {
    expect(await db.transaction().execute(async (transaction) => startWave(transaction, key))).toBeDefined();
  };
  expect(await reads(work)).toBeLessThan(FEW);
});
