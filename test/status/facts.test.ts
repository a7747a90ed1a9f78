/** The list as it is made from Postgres. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { putFcmCredentials, putVapidCredentials } from '../../src/apps/credentials/store.ts';
import { makeVapidKey } from '../../src/gateways/web-push/vapid-key.ts';
import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import { observeNothing } from '../../src/observe.ts';
import { openPulse } from '../../src/status/pulse.ts';
import { openStatus, type Status } from '../../src/status/status.ts';
import type { Trouble } from '../../src/status/trouble.ts';
import { recordAttempt } from '../../src/webhooks/delivery-store.ts';
import { insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';
import { testSecret } from '../support/secret.ts';
import { insertDevices } from '../support/simulated-app.ts';
import { countStatements } from '../support/statements.ts';

const database = useTestDatabase();
let app: Awaited<ReturnType<typeof insertApp>>;
let status: Status;

beforeEach(async () => {
  await database.db.deleteFrom('worker_pulses').execute();
  app = await insertApp(database.db);
  status = open(database.db);
});

function open(db: Kysely<Database>): Status {
  const queue = { ping: async () => undefined };
  return openStatus({ db: () => db, queue, clock: systemClock, observe: observeNothing });
}

async function ofApp(): Promise<Trouble[]> {
  await status.fresh();
  return status.ofApp(app.id).filter(({ appId }) => appId !== null);
}

async function ofServer(): Promise<string[]> {
  await status.fresh();
  return status.troubles().flatMap(({ code, appId }) => (appId === null ? [code] : []));
}

test('a worker is missed if none has shown itself for some seconds, or if the last one has stopped', async () => {
  expect(await ofServer()).toEqual(['no_worker']);
  const pulse = openPulse(database.db, () => []);
  await pulse.beat();
  expect(await ofServer()).toEqual([]);
  await sql`update worker_pulses set seen_at = seen_at - interval '4 seconds'`.execute(database.db);
  expect(await ofServer()).toEqual(['no_worker']);
  const [missing] = status.troubles();
  const goneMs = Date.now() - Date.parse(missing?.since ?? '');
  expect(goneMs).toBeGreaterThan(4_000);
  await pulse.beat();
  expect(await ofServer()).toEqual([]);
  await pulse.stop();
  expect(await ofServer()).toEqual(['no_worker']);
});

test('a lock on a table for which statements wait is in the list, until it is gone', async () => {
  let waiting: Promise<unknown> | undefined;
  await database.db.transaction().execute(async (transaction) => {
    await sql`lock table devices in access exclusive mode`.execute(transaction);
    waiting = sql`select from devices limit 1`.execute(database.db);
    await vi.waitFor(async () => expect(await ofServer()).toContain('database_locked'), PATIENCE);
    const locked = status.troubles().find(({ code }) => code === 'database_locked');
    expect(locked?.what).toBe('Statements wait for a lock in the database: the table devices is locked.');
    expect(Date.now() - Date.parse(locked?.since ?? '')).toBeGreaterThan(2_000);
  });
  await waiting;
  expect(await ofServer()).not.toContain('database_locked');
});

test('a lock on a table that is not ours is no trouble of the server', async () => {
  await sql`create schema if not exists elsewhere`.execute(database.db);
  await sql`create table if not exists elsewhere.devices ()`.execute(database.db);
  let waiting: Promise<unknown> | undefined;
  await database.db.transaction().execute(async (transaction) => {
    await sql`lock table elsewhere.devices in access exclusive mode`.execute(transaction);
    waiting = sql`select from elsewhere.devices`.execute(database.db);
    await vi.waitFor(async () => {
      const { rows } = await sql<{ ms: number }>`
        select extract(epoch from clock_timestamp() - waitstart)::float8 * 1000 as ms from pg_locks
        where not granted and relation = 'elsewhere.devices'::regclass`.execute(database.db);
      expect(rows[0]?.ms).toBeGreaterThan(2_500);
    }, PATIENCE);
    expect(await ofServer()).not.toContain('database_locked');
  });
  await waiting;
});

test('what workers leave is in the list once, since the first of them found it, and only while they live', async () => {
  const of = { appId: app.id, app: app.bundleId, route: 'fcm' } as const;
  const left = { code: 'gateway_silent', ...of, reason: null } as const;
  const sinceMs = Date.UTC(2026, 10, 21);
  const pulses = [0, 5_000].map((laterMs) =>
    openPulse(database.db, () => [{ ...left, sinceMs: sinceMs + laterMs }]),
  );
  for (const pulse of pulses) await pulse.beat();
  expect(await ofApp()).toMatchObject([
    {
      code: 'gateway_silent',
      what: 'Google takes pushes and answers none of them.',
      since: new Date(sinceMs).toISOString(),
      app: app.bundleId,
      route: 'fcm',
    },
  ]);
  await sql`update worker_pulses set seen_at = seen_at - interval '4 seconds'`.execute(database.db);
  expect(await ofApp()).toEqual([]);
});

test('a code that a worker of another release leaves is passed over', async () => {
  await sql`insert into worker_pulses (id, seen_at, troubles)
    values (gen_random_uuid(), clock_timestamp(), '[{"code": "of_tomorrow", "sinceMs": 1, "reason": null}]')`.execute(
    database.db,
  );
  expect(await ofServer()).toEqual([]);
});

test('a paused route is in the list while its credentials are in use', async () => {
  await putFcmCredentials(database.db, testSecret, { appId: app.id, projectId: 'project' }, systemClock);
  const { version } = await database.db
    .selectFrom('gateway_credentials')
    .select('version')
    .where('app_id', '=', app.id)
    .executeTakeFirstOrThrow();
  const paused = {
    app_id: app.id,
    route: 'fcm',
    pause: 'tokens',
    pause_reason: 'most push tokens are refused',
    paused_at: new Date('2026-11-21T10:00:00Z'),
  } as const;
  await database.db
    .insertInto('route_states')
    .values([
      { ...paused, version },
      { ...paused, version: randomUUID(), pause_reason: 'of a former key' },
    ])
    .execute();
  expect(await ofApp()).toMatchObject([
    {
      code: 'route_paused',
      since: '2026-11-21T10:00:00.000Z',
      what: 'Sending to Google is paused: most push tokens are refused.',
      link: 'settings/credentials',
    },
  ]);
});

test('devices without credentials are in the list, and those of no other app', async () => {
  await insertDevices(database.db, (await insertApp(database.db)).id, 1);
  await insertDevices(database.db, app.id, 1); // an Android device
  expect(await ofApp()).toMatchObject([
    { code: 'credentials_missing', what: 'There are devices for Google, but no credentials.', route: 'fcm' },
  ]);
  await putFcmCredentials(database.db, testSecret, { appId: app.id, projectId: 'project' }, systemClock);
  expect(await ofApp()).toEqual([]);
});

test('browsers without a key are in the list, also in an app with credentials for all phones', async () => {
  const { db } = database;
  await putFcmCredentials(db, testSecret, { appId: app.id, projectId: 'project' }, systemClock);
  await insertDevices(db, app.id, 1);
  const now = new Date();
  const browser = {
    platform: 'Web',
    push_token: 'https://push.example.com/x',
    push_token_type: 'subscription',
  } as const;
  await db
    .insertInto('devices')
    .values({ ...browser, app_id: app.id, id: randomUUID(), created_at: now, registered_at: now })
    .execute();
  expect(await ofApp()).toMatchObject([{ code: 'credentials_missing', route: 'web_push' }]);
  const vapid = { ...makeVapidKey(), subject: 'mailto:push@example.com', url: null };
  await putVapidCredentials(db, testSecret, { appId: app.id, ...vapid }, systemClock);
  expect(await ofApp()).toEqual([]);
});

test('a webhook is in the list from its first attempt that fails, until one is delivered', async () => {
  const { db } = database;
  const webhook = { app_id: app.id, id: randomUUID(), url: 'https://example.com/hook?secret=1' };
  await db
    .insertInto('webhooks')
    .values({ ...webhook, events: [], sealed_secret: Buffer.of(1), created_at: new Date() })
    .execute();
  const attempt = async (at: string, code: number | null, error: string | null = null) => {
    const id = randomUUID();
    const now = new Date(at);
    const keys = { app_id: app.id, webhook_id: webhook.id, id };
    await db
      .insertInto('webhook_deliveries')
      .values({ ...keys, type: 'webhook.test', data: '{}', created_at: now, due_at: now, attempt: 1 })
      .execute();
    const taken = { appId: app.id, webhookId: webhook.id, id, attempt: 1 };
    const result = { status: code, error };
    const next =
      code === 204
        ? ({ state: 'delivered', endedAt: now } as const)
        : ({ state: 'waiting', dueAt: now } as const);
    expect(await recordAttempt(db, taken, { ...result, next }, now)).toBe(true);
    expect(await recordAttempt(db, { ...taken, attempt: 0 }, { ...result, next }, now)).toBe(false);
  };
  await attempt('2026-11-21T10:00:00Z', null, 'timeout');
  await attempt('2026-11-21T10:01:00Z', 500);
  expect(await ofApp()).toMatchObject([
    {
      code: 'webhook_failing',
      since: '2026-11-21T10:00:00.000Z',
      what: 'The webhook at example.com does not accept its events: status 500.',
      webhook_id: webhook.id,
      link: `settings/webhooks/${webhook.id}`,
    },
  ]);
  await attempt('2026-11-21T10:02:00Z', 204);
  expect(await ofApp()).toEqual([]);
});

test('notifications that nobody plans are counted after a minute, if a worker runs', async () => {
  const held = await insertAppWithAudience(database.db);
  const dueAt = new Date(Date.now() - 61_000);
  for (const _ of [1, 2]) await insertNotification(database.db, held, { due_at: dueAt });
  await insertNotification(database.db, held, { due_at: new Date() });
  const waiting = async () => {
    await status.fresh();
    return status.troubles().filter(({ appId }) => appId === held.appId);
  };
  expect(await waiting()).toEqual([]);
  await openPulse(database.db, () => []).beat();
  expect(await waiting()).toMatchObject([
    {
      code: 'notifications_waiting',
      since: dueAt.toISOString(),
      what: expect.stringMatching(/^2 notifications/),
    },
  ]);
});

test('a process asks one statement each second', async () => {
  const counted = countStatements(database.db);
  await open(counted.db).fresh();
  // The other one asks each minute for apps without credentials.
  expect(counted.count()).toBe(2);
});
