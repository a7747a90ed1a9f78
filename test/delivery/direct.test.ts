import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import { keyOfUsers } from '../../src/targeting/devices-by-key.ts';
import { deliverNextSlice, type DeliveryContext } from '../../src/delivery/send/deliver.ts';
import { ClaimDeliveries } from '../../src/delivery/claims/claim-delivery.ts';
import { claimDue } from '../../src/delivery/start/direct.ts';
import {
  claimByKey,
  type DueNotification,
  readDueNotifications,
} from '../../src/delivery/start/direct-store.ts';
import type { OpenGateway } from '../../src/delivery/send/open-gateways.ts';
import { readDelivery } from '../../src/results/history/device-outcome.ts';
import { planNotification } from '../../src/delivery/start/plan.ts';
import { LEASE_MS, type NotificationKey } from '../../src/delivery/slice-store.ts';
import type { Recipient, Verdict } from '../../src/gateways/gateway.ts';
import type { Route } from '../../src/route.ts';
import { cancelNotification } from '../../src/notifications/cancel.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { observeNothing } from '../../src/observe.ts';
import { giveCredentials } from '../support/credentials.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import { countStatements } from '../support/statements.ts';
import { PATIENCE } from '../support/patience.ts';
import {
  insertPhones,
  openTestDelivery,
  type Rows,
  schedule as scheduleIn,
  sweepOnce,
} from './in-process.ts';

const database = useTestDatabase();
const USER = 'somebody';

let appId: string;
let now: Date;
let answer: () => Verdict | Promise<Verdict>;
/** Ids of the devices that were pushed to, in order. */
let sent: string[];

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  now = new Date('2026-11-21T12:00:00.000Z');
  answer = () => ({ kind: 'accepted' });
  sent = [];
  await giveCredentials(inApp(), 'apns', 'fcm');
});

/** Sends a push, for both gateways. */
async function take({ deviceId }: Recipient): Promise<Verdict> {
  sent.push(deviceId);
  return answer();
}

function provenGateway(name: Route): OpenGateway {
  return fakeGateway(name, take, { credentialsAccepted: true });
}

function context(overrides: Partial<DeliveryContext> = {}): DeliveryContext {
  const gateways = { apns_production: provenGateway('apns_production'), fcm: provenGateway('fcm') };
  const given = { db: database.db, clock: () => now, gateways: () => gateways };
  return { ...openTestDelivery(given), ...overrides };
}

const inApp = (): Rows => ({ db: database.db, appId, at: now });

/** @returns their ids, sorted */
async function insertDevices(count: number, platform: 'iOS' | 'Android' = 'iOS'): Promise<string[]> {
  return (await insertPhones(inApp(), count, { platform, user_id: USER, tags: ['few'] })).toSorted();
}

const schedule = async (filters: readonly unknown[], keys: object = {}, created_at = now) =>
  scheduleIn(inApp(), { filters, keys: { to: filters, ...keys }, created_at });

async function deliver(key: NotificationKey, overrides: Partial<DeliveryContext> = {}) {
  const here = context(overrides);
  const due = await readDue(here.db);
  const notification = due.find(({ notificationId }) => notificationId === key.notificationId);
  if (notification === undefined) return 'done';
  const {
    claimed: [claim],
    toPlan: [toPlan],
  } = await claimDue(here, [notification]);
  if (toPlan !== undefined) return 'to_plan';
  if (claim === undefined) return 'done';
  await new ClaimDeliveries(here).deliver(claim);
  return 'done';
}

const deliverSlice = async (key: NotificationKey): Promise<boolean> =>
  deliverNextSlice(context(), key, new AbortController().signal);

const cancel = async ({ notificationId }: NotificationKey) =>
  cancelNotification(database.db, appId, notificationId, { clock: () => now, observe: observeNothing });

async function dueOf({ notificationId }: NotificationKey): Promise<DueNotification[]> {
  return (await readDue()).filter((due) => due.notificationId === notificationId);
}

async function readDue(db = database.db) {
  return readDueNotifications(db, { now, from: new Date(0), limit: 1_000, except: [] });
}

async function slices({ notificationId }: NotificationKey) {
  return database.db
    .selectFrom('delivery_slices')
    .select(['state', 'attempt'])
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .execute();
}

async function record(key: NotificationKey) {
  return readNotification(database.db, key.appId, key.notificationId, () => now);
}

/** @returns the notifications that the sweep resumes */
async function resumed(): Promise<unknown[]> {
  const { resumed: all } = await sweepOnce({ db: database.db, clock: () => now });
  return all.filter((of) => of.appId === appId);
}

const toDevices = (ids: readonly string[]) => [{ name: 'device_id', criteria: ids }];
const toThe = (user: string) => [{ name: 'user_id', criteria: [user] }];
const toUser = toThe(USER);
const toEveryone: unknown[] = [];

describe('the direct path', () => {
  test('the direct path pushes after three statements, two of them at once, and counts the outcome by one', async () => {
    const [deviceId = ''] = await insertDevices(3);
    const key = await schedule(toDevices([deviceId]));
    const counted = countStatements(database.db);
    let statementsBefore = 0;
    answer = () => {
      statementsBefore = counted.count();
      return { kind: 'accepted' };
    };
    expect(await deliver(key, { db: counted.db })).toBe('done');
    expect(sent).toEqual([deviceId]);
    expect(statementsBefore).toBe(3);
    expect(counted.count()).toBe(4);
    expect(await slices(key)).toEqual([]);
    expect(await record(key)).toMatchObject({
      state: 'sent',
      started_at: now.toISOString(),
      devices: 1,
      accepted: 1,
      pending: 0,
    });
    expect(await readDelivery(database.db, { ...key, deviceId, now })).toMatchObject({ outcome: 'accepted' });
  });

  test('the direct path finds a device by its id in capitals too', async () => {
    const [deviceId = ''] = await insertDevices(2);
    expect(await deliver(await schedule(toDevices([deviceId.toUpperCase()])))).toBe('done');
    expect(sent).toEqual([deviceId]);
  });

  test('the direct path finds a user only by the whole name, and a device only by its id', async () => {
    const [deviceId = ''] = await insertDevices(1);
    const users = [deviceId, USER.toUpperCase(), `${USER} `, '%'].map(toThe);
    for (const to of [...users, toDevices([USER])]) {
      const key = await schedule(to);
      expect(await deliver(key)).toBe('done');
      expect(await record(key)).toMatchObject({ state: 'sent', devices: 0, ended_at: now.toISOString() });
    }
    expect(sent).toEqual([]);
  });

  test('the direct path prepares one statement for a device and for a user', async () => {
    const ids = await insertDevices(3);
    const [first = '', second = ''] = ids;
    const targets = [toDevices([first]), toDevices([first, second]), toUser];
    const several = [{ name: 'user_id', criteria: [USER, 'nobody'] }];
    const nobody = toThe('nobody');
    await database.db.connection().execute(async (db) => {
      for (let round = 0; round < 2; round++) {
        for (const to of [...targets, several])
          expect(await deliver(await schedule(to), { db })).toBe('done');
        expect(await deliver(await schedule(nobody), { db })).toBe('done');
        expect(await deliver(await schedule(toDevices(['not a UUID'])), { db })).toBe('done');
      }
      const { rows } = await sql<{ name: string }>`
        select name from pg_prepared_statements where name like 'claim%' order by name`.execute(db);
      expect(rows.map(({ name }) => name)).toEqual(['claim_by_key']);
    });
    expect(sent).toHaveLength(2 * (1 + 2 + 3 + 3));
  });

  test('the direct path lets Postgres plan a push to one device a few times per connection, and then no more', async () => {
    const ids = (await insertDevices(5_000)).slice(0, 1);
    // New statistics make Postgres compare its plans again, and autovacuum gathers some at any time.
    for (const table of ['devices', 'notifications', 'gateway_credentials'].map((name) => sql.table(name))) {
      await sql`alter table ${table} set (autovacuum_enabled = false)`.execute(database.db);
      await sql`analyze ${table}`.execute(database.db);
    }
    // A connection that has used the statement before compares with the plans that it made for fewer devices.
    const fresh = connectDatabase({ connectionString: database.url, observe: observeNothing });
    onTestFinished(async () => fresh.destroy());
    await fresh.connection().execute(async (db) => {
      for (let push = 0; push < 12; push++) {
        expect(await deliver(await schedule(toDevices(ids)), { db })).toBe('done');
      }
      const { rows } = await sql<{ custom_plans: number }>`
        select custom_plans from pg_prepared_statements where name = 'claim_by_key'`.execute(db);
      expect(rows[0]?.custom_plans).toBeLessThanOrEqual(6);
    });
  });

  test('the direct path reaches all of the hundred devices of a user', async () => {
    const ids = [...(await insertDevices(50, 'iOS')), ...(await insertDevices(50, 'Android'))];
    const key = await schedule(toUser);
    expect(await deliver(key)).toBe('done');
    expect(sent.toSorted()).toEqual(ids.toSorted());
    expect(await record(key)).toMatchObject({ state: 'sent', devices: 100, accepted: 100 });
  });

  test('the direct path reaches a hundred devices by their ids, each once, however often they are named', async () => {
    const ids = await insertDevices(99);
    const key = await schedule(toDevices([...ids, ids[0]?.toUpperCase() ?? '']));
    expect(await deliver(key)).toBe('done');
    expect(sent.toSorted()).toEqual(ids.toSorted());
  });

  test('the direct path reaches exactly max_recipients devices', async () => {
    const ids = await insertDevices(3);
    expect(await deliver(await schedule(toUser, { max_recipients: 3 }))).toBe('done');
    expect(sent.toSorted()).toEqual(ids);
  });

  test('the direct path uses one gateway where the app has no credentials for the other', async () => {
    await giveCredentials(inApp(), 'fcm');
    const [android] = await insertDevices(1, 'Android');
    await insertDevices(1, 'iOS');
    const gateways = { forApp: async () => ({ fcm: provenGateway('fcm') }), close: async () => undefined };
    const key = await schedule(toUser);
    expect(await deliver(key, { gateways })).toBe('done');
    expect(sent).toEqual([android]);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1, rejected: 1 });
  });

  test('the direct path passes on the versions of the credentials that it has read', async () => {
    await giveCredentials(inApp(), 'apns');
    await insertDevices(1);
    const { version } = await database.db
      .selectFrom('gateway_credentials')
      .select('version')
      .where('app_id', '=', appId)
      .executeTakeFirstOrThrow();
    const asked: unknown[] = [];
    const gateways: DeliveryContext['gateways'] = {
      forApp: async (_app, versions) => {
        asked.push(versions);
        return { apns_production: provenGateway('apns_production') };
      },
      close: async () => undefined,
    };
    await deliver(await schedule(toUser), { gateways });
    expect(asked).toEqual([[{ gateway: 'apns', environment: 'all', version, routes: [] }]]);
  });
});

describe('a notification for planning', () => {
  test.each<[string, () => Promise<NotificationKey>]>([
    ['a dry run', async () => schedule(toUser, { dry_run: true })],
    ['a dry run of a device', async () => schedule(toDevices(await insertDevices(1)), { dry_run: true })],
    ['everyone', async () => schedule(toEveryone)],
    ['a user with a certain locale', async () => schedule([...toUser, { name: 'locale', criteria: ['x'] }])],
    [
      'more than a hundred ids',
      async () => schedule(toDevices(Array.from({ length: 101 }, () => randomUUID()))),
    ],
    ['everyone but a user', async () => schedule([{ ...toUser[0], not_filter: true }])],
    [
      'a user of more than a hundred devices',
      async () => {
        await insertDevices(98);
        return schedule(toUser);
      },
    ],
    ['more than max_recipients', async () => schedule(toUser, { max_recipients: 2 })],
    ['a filter without an index', async () => schedule([{ name: 'tags', criteria: ['few'] }])],
    [
      'everyone but some devices',
      async () => schedule([{ ...toDevices([randomUUID()])[0], not_filter: true }]),
    ],
    ['an app without credentials', async () => giveCredentials(inApp()).then(async () => schedule(toUser))],
    [
      'a body of 33,000 bytes, with a target of one user',
      async () => schedule(toUser, { payload: { alert: 'Hello', own: 'x'.repeat(33_000) } }),
    ],
    [
      'a stored audience with 33,000 bytes of filters',
      async () =>
        schedule(
          [
            {
              name: 'user_id',
              criteria: [USER, ...Array.from({ length: 33 }, () => 'x'.repeat(1_000) + randomUUID())],
            },
          ],
          {
            to: 'an audience',
          },
        ),
    ],
    [
      'an app with credentials for other platforms alone',
      async () => {
        await giveCredentials(inApp(), 'fcm');
        return schedule(toUser);
      },
    ],
  ])('the direct path leaves a notification to planning, unchanged: %s', async (_what, prepare) => {
    await insertDevices(3);
    const key = await prepare();
    expect(await deliver(key)).toBe('to_plan');
    expect(await record(key)).toMatchObject({ state: 'scheduled', started_at: null, devices: 0 });
    expect(sent).toEqual([]);
    expect(await readDue()).toContainEqual(expect.objectContaining(key));
  });
});

test('a notification is not started before its time, nor a second time', async () => {
  await insertDevices(1);
  const key = await schedule(toUser, {}, new Date(now.getTime() - 60_000));
  now = new Date(now.getTime() - 1);
  expect(await deliver(key)).toBe('done');
  expect(await record(key)).toMatchObject({ state: 'scheduled' });
  now = new Date(now.getTime() + 1);
  await deliver(key);
  expect(await deliver(key)).toBe('done');
  expect(sent).toHaveLength(1);
});

test('a notification due now is started even if the clock of the process that created it is ahead', async () => {
  await insertDevices(1);
  const key = await schedule(toUser);
  now = new Date(now.getTime() - 1_000);
  await deliver(key);
  expect(sent).toHaveLength(1);
});

describe('the direct path at the same moment', () => {
  test('eight workers on the direct path at the same moment push to every device once', async () => {
    const ids = await insertDevices(20);
    const key = await schedule(toUser);
    await Promise.all(Array.from({ length: 8 }, async () => deliver(key)));
    expect(sent.toSorted()).toEqual(ids);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 20 });
  });

  test('a worker that plans and one on the direct path push to every device once', async () => {
    const ids = await insertDevices(5);
    for (let round = 0; round < 10; round++) {
      sent = [];
      const key = await schedule(toUser);
      await Promise.all([deliver(key), planNotification(context(), key)]);
      await deliverSlice(key);
      expect(sent.toSorted()).toEqual(ids);
      expect(await record(key)).toMatchObject({ state: 'sent', accepted: 5 });
    }
  });

  test('a cancel at the moment of a claim either prevents every push or is too late for these few', async () => {
    await insertDevices(5);
    for (let round = 0; round < 20; round++) {
      sent = [];
      const key = await schedule(toUser);
      const canceling = cancel(key).then(
        () => 'canceled',
        () => 'sent',
      );
      await deliver(key);
      const state = await canceling;
      expect([0, 5]).toContain(sent.length);
      expect(await record(key)).toMatchObject({ state, accepted: sent.length });
    }
  });

  test('a cancel while the push is in flight holds, and the push counts', async () => {
    await insertDevices(1);
    const key = await schedule(toUser);
    answer = async () => {
      await cancel(key);
      return { kind: 'accepted' };
    };
    await deliver(key);
    expect(await record(key)).toMatchObject({ state: 'canceled', devices: 1, accepted: 1, pending: 0 });
  });
});

describe('a notification whose worker died', () => {
  test('a notification whose worker died after the claim is resumed when the lease has expired, not earlier', async () => {
    const ids = await insertDevices(2);
    const key = await schedule(toUser);
    const claims = await claimByKey(database.db, [{ ...key, key: keyOfUsers([USER]), devicesMax: 100 }], now);
    expect(claims.get(key.notificationId)?.map(({ id }) => id)).toEqual(ids);
    expect(await record(key)).toMatchObject({ state: 'sending', devices: 2, pending: 2 });
    expect(await resumed()).toEqual([]);

    now = new Date(now.getTime() + LEASE_MS + 1);
    expect(await resumed()).toEqual([{ ...key, requestId: 'request-1' }]);
    expect(await deliverSlice(key)).toBe(true);
    expect(sent.toSorted()).toEqual(ids);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 2 });
  });

  test('a notification whose gateways could not be opened is resumed too', async () => {
    await insertDevices(1);
    const key = await schedule(toUser);
    const gateways: DeliveryContext['gateways'] = {
      forApp: async () => {
        throw new Error('sealed with another key');
      },
      close: async () => undefined,
    };
    await expect(deliver(key, { gateways })).rejects.toThrow('sealed');
    now = new Date(now.getTime() + LEASE_MS + 1);
    expect(await resumed()).toEqual([{ ...key, requestId: 'request-1' }]);
    expect(await deliverSlice(key)).toBe(true);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1 });
  });
});

describe('a claim that cannot be finished at once', () => {
  test('a push to be retried later makes a slice of its claim, which any worker then sends', async () => {
    const [deviceId = ''] = await insertDevices(1);
    const key = await schedule(toUser);
    answer = () => ({ kind: 'retry', reason: 'Shutdown', afterMs: 60_000, scope: 'device' });
    await deliver(key);
    expect(await slices(key)).toEqual([{ state: 'waiting', attempt: 1 }]);
    expect(await record(key)).toMatchObject({ state: 'sending', accepted: 0, pending: 1 });
    answer = () => ({ kind: 'accepted' });
    now = new Date(now.getTime() + 60_000);
    expect(await deliverSlice(key)).toBe(true);
    expect(sent).toEqual([deviceId, deviceId]);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1 });
  });

  test('a dead token makes a slice of its claim, and is retired together with its outcome', async () => {
    const [deviceId = ''] = await insertDevices(1);
    const key = await schedule(toUser);
    answer = () => ({ kind: 'unregistered', reason: 'Unregistered', deadSince: null });
    await deliver(key);
    expect(await slices(key)).toEqual([{ state: 'done', attempt: 1 }]);
    expect(await record(key)).toMatchObject({ state: 'sent', unregistered: 1, pending: 0 });
    const device = await database.db
      .selectFrom('devices')
      .select('push_token')
      .where('app_id', '=', appId)
      .where('id', '=', deviceId)
      .executeTakeFirst();
    expect(device).toEqual({ push_token: null });
  });

  test('refused credentials make a slice of the claim, and the notification names them', async () => {
    await insertDevices(1);
    const key = await schedule(toUser);
    answer = () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' });
    await deliver(key);
    expect(await record(key)).toMatchObject({
      state: 'failed',
      rejected: 1,
      reason: 'credentials refused: apns_production InvalidProviderToken',
    });
  });

  test('an answer that takes seconds makes a slice of the claim, and the lease is held meanwhile', async () => {
    await insertDevices(1);
    const key = await schedule(toUser);
    const gate = Promise.withResolvers<Verdict>();
    const sending = Promise.withResolvers<void>();
    answer = async () => {
      sending.resolve();
      return gate.promise;
    };
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    try {
      const delivering = deliver(key);
      await sending.promise;
      await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
      await vi.waitFor(
        async () => expect(await slices(key)).toEqual([{ state: 'leased', attempt: 1 }]),
        PATIENCE,
      );
      gate.resolve({ kind: 'accepted' });
      await delivering;
    } finally {
      vi.useRealTimers();
    }
    expect(await slices(key)).toEqual([{ state: 'done', attempt: 1 }]);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1 });
  });

  test('a worker that stops gives its claim back as a slice, and what was answered is kept', async () => {
    await insertDevices(2);
    const key = await schedule(toUser);
    const here = context();
    const deliveries = new ClaimDeliveries(here);
    answer = () => {
      deliveries.stop();
      return sent.length === 1
        ? { kind: 'accepted' }
        : { kind: 'retry', reason: 'Shutdown', afterMs: 60_000, scope: 'device' };
    };
    const { claimed } = await claimDue(here, await dueOf(key));
    for (const claim of claimed) await deliveries.deliver(claim);
    expect(await slices(key)).toEqual([{ state: 'waiting', attempt: 1 }]);
    expect(await record(key)).toMatchObject({ state: 'sending', accepted: 1, pending: 1 });
  });
});

test('a worker that stops sends nothing more of any claim, whichever have ended before', async () => {
  const ids = await insertDevices(6);
  const here = context();
  const deliveries = new ClaimDeliveries(here);
  const gates = new Map(ids.map((id) => [id, Promise.withResolvers<Verdict>()]));
  answer = async () => gates.get(sent.at(-1) ?? '')?.promise ?? Promise.reject(new Error('no such device'));
  const keys: NotificationKey[] = [];
  const delivering: Promise<void>[] = [];
  for (const id of ids) {
    const key = await schedule(toDevices([id]));
    const { claimed } = await claimDue(here, await dueOf(key));
    delivering.push(...claimed.map(async (claim) => deliveries.deliver(claim)));
    keys.push(key);
  }
  const ended = [0, 3];
  for (const index of ended) {
    gates.get(ids[index] ?? '')?.resolve({ kind: 'accepted' });
    await delivering[index];
  }
  deliveries.stop();
  for (const { resolve } of gates.values()) {
    resolve({ kind: 'retry', reason: 'Shutdown', afterMs: 0, scope: 'device' });
  }
  await Promise.all(delivering);
  expect(sent).toHaveLength(ids.length);
  for (const [index, key] of keys.entries()) {
    expect(await slices(key)).toEqual(ended.includes(index) ? [] : [{ state: 'waiting', attempt: 1 }]);
  }
});

test('the outcome of a claim that another worker has taken over is not counted twice', async () => {
  const [deviceId = ''] = await insertDevices(1);
  const key = await schedule(toUser);
  answer = async () => {
    if (sent.length > 1) return { kind: 'accepted' };
    now = new Date(now.getTime() + LEASE_MS + 1);
    expect(await resumed()).toEqual([{ ...key, requestId: 'request-1' }]);
    await deliverSlice(key);
    return { kind: 'accepted' };
  };
  await deliver(key);
  expect(sent).toEqual([deviceId, deviceId]);
  expect(await record(key)).toMatchObject({ state: 'sent', devices: 1, accepted: 1 });
});

test('a claim is taken over too if the clock that made it has been set back since', async () => {
  await insertDevices(1);
  const key = await schedule(toUser);
  const { claimed } = await claimDue(context(), await dueOf(key));
  expect(claimed).toHaveLength(1);
  now = new Date(now.getTime() - 3_600_000);
  expect(await resumed()).toEqual([{ ...key, requestId: 'request-1' }]);
});

test('sixty notifications are claimed together and ended together, whatever becomes of any of them', async () => {
  const ids = await insertDevices(60);
  const keys: NotificationKey[] = [];
  for (const id of ids) keys.push(await schedule(toDevices([id])));
  const empty = await schedule(toDevices([randomUUID()]));
  const dryRun = await schedule(toUser, { dry_run: true });
  const counted = countStatements(database.db);
  const here = context({ db: counted.db });
  const due = (await readDue()).filter((of) => of.appId === appId);
  const { claimed, toPlan } = await claimDue(here, due);
  expect(counted.count()).toBe(2);
  expect(claimed).toHaveLength(60);
  expect(toPlan.map(({ notificationId }) => notificationId)).toEqual([dryRun.notificationId]);
  expect(await record(empty)).toMatchObject({ state: 'sent', devices: 0 });
  const deliveries = new ClaimDeliveries(here);
  await Promise.all(claimed.map(async (claim) => deliveries.deliver(claim)));
  expect(counted.count()).toBeLessThanOrEqual(2 + 2);
  for (const [index, key] of keys.entries()) {
    expect(await record(key)).toMatchObject({ state: 'sent', devices: 1, accepted: 1 });
    const at = { ...key, deviceId: ids[index] ?? '', now };
    expect(await readDelivery(database.db, at)).toMatchObject({ outcome: 'accepted' });
  }
});
