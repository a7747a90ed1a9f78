import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { deliverNextSlice, type DeliveryContext, openDelivery } from '../../src/delivery/send/deliver.ts';
import type { AppGateways } from '../../src/delivery/send/open-gateways.ts';
import {
  noOutcomes,
  type Outcome,
  packOutcomes,
  unpackOutcomes,
} from '../../src/delivery/outcomes/packed.ts';
import { readDelivery } from '../../src/results/history/device-outcome.ts';
import { makeSharedByThreads } from '../../src/delivery/shared-by-threads.ts';
import { planNotification } from '../../src/delivery/start/plan.ts';
import { WORTH_SAVING } from '../../src/delivery/outcomes/outcome-saver.ts';
import { openOutcomeStore } from '../../src/delivery/outcomes/store.ts';
import type { SlicePart } from '../../src/delivery/outcomes/slice-outcomes.ts';
import {
  insertSlices,
  LEASE_MS,
  leaseNextSlice,
  type LeasedSlice,
  type NotificationKey,
} from '../../src/delivery/slice-store.ts';
import { indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';
import { ACCEPTED, type Recipient, type Verdict } from '../../src/gateways/gateway.ts';
import { cancelNotification } from '../../src/notifications/cancel.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { type DeliverJob, deliverJobs, drainJob, type Job } from '../../src/queue/job.ts';
import { giveCredentials } from '../support/credentials.ts';
import { collectObservations, insertApp, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import { PATIENCE } from '../support/patience.ts';
import { untilWaiting } from '../support/statements.ts';
import {
  insertPhones,
  leaseSlice as leaseIn,
  lockNotification,
  openTestDelivery,
  type Rows,
  schedule as scheduleIn,
  sweepOnce,
} from './in-process.ts';

const database = useTestDatabase();

let appId: string;
let now: Date;
let answer: (recipient: Recipient) => Verdict | Promise<Verdict>;
let sent: Recipient[];
let gateways: AppGateways;
let context: DeliveryContext;
let seen: Observation[];

/** The verdict of both gateways on a push. */
async function take(recipient: Recipient): Promise<Verdict> {
  sent.push(recipient);
  return answer(recipient);
}

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  now = new Date('2026-11-20T12:00:00.000Z');
  answer = () => ACCEPTED;
  sent = [];
  gateways = { apns_production: fakeGateway('apns_production', take), fcm: fakeGateway('fcm', take) };
  seen = [];
  context = openTestDelivery({
    db: database.db,
    clock: () => now,
    observe: (observation) => seen.push(observation),
    gateways: () => gateways,
  });
  await giveCredentials(inApp(), 'apns', 'fcm');
});

const inApp = (): Rows => ({ db: database.db, appId, at: now });

const insertDevices = async (count: number, platform: 'iOS' | 'Android' = 'iOS'): Promise<string[]> =>
  insertPhones(inApp(), count, { platform });

const schedule = async (keys: object = {}): Promise<NotificationKey> => scheduleIn(inApp(), { keys });

/** A notification to everyone that is planned. */
async function plan(keys: object = {}): Promise<NotificationKey> {
  const key = await schedule(keys);
  await planNotification(context, key);
  return key;
}

/** The same, to this number of iPhones. */
async function planFor(count: number): Promise<NotificationKey> {
  await insertDevices(count);
  return plan();
}

const deliverOne = async (key: NotificationKey, stop = new AbortController()): Promise<boolean> =>
  deliverNextSlice(context, key, stop.signal);

async function deliverAll(key: NotificationKey): Promise<number> {
  let slices = 0;
  while (await deliverOne(key)) slices++;
  return slices;
}

const cancel = async ({ notificationId }: NotificationKey) =>
  cancelNotification(database.db, appId, notificationId, { clock: () => now, observe: observeNothing });

async function record(key: NotificationKey) {
  const found = await readNotification(database.db, key.appId, key.notificationId, () => now);
  const { accepted, rejected, unregistered, no_token, ambiguous, pending, devices } = found;
  expect(accepted + rejected + unregistered + no_token + ambiguous + pending).toBe(devices);
  return found;
}

describe('planning', () => {
  test('planning cuts a bulk notification into slices of about a thousand devices, in the bulk lane', async () => {
    await insertDevices(2_500);
    const key = await schedule();
    expect(await planNotification(context, key)).toEqual({ lane: 'bulk', slices: 3 });
    expect(await record(key)).toMatchObject({ state: 'sending', devices: 2_500, pending: 2_500 });
  });

  test('planning is done once, however many workers try at the same time', async () => {
    await insertDevices(10);
    const key = await schedule();
    const plans = await Promise.all(Array.from({ length: 8 }, async () => planNotification(context, key)));
    expect(plans.filter((made) => made !== undefined)).toEqual([{ lane: 'direct', slices: 1 }]);
  });

  test('planning is left to the worker that has begun it, without waiting, and done by the next one if that fails', async () => {
    await insertDevices(10);
    const key = await schedule();
    const lock = database.db.selectFrom('notifications').select('id').where('id', '=', key.notificationId);
    await database.db.transaction().execute(async (transaction) => {
      await transaction.executeQuery(lock.forUpdate());
      expect(await planNotification(context, key)).toBeUndefined();
    });
    expect(await planNotification(context, key)).toEqual({ lane: 'direct', slices: 1 });
  });

  test.each<[string, () => Promise<NotificationKey>, object]>([
    [
      'a dry run counts and sends nothing',
      async () => schedule({ dry_run: true }),
      { state: 'validated', devices: 5 },
    ],
    [
      'an audience of more devices than max_recipients makes the notification fail',
      async () => schedule({ max_recipients: 4 }),
      {
        state: 'failed',
        devices: 5,
        reason: 'max_recipients exceeded: the audience has 5 devices, at most 4 were allowed',
        rejected: 5,
        pending: 0,
      },
    ],
    [
      'a notification of an app without credentials fails',
      async () => {
        await giveCredentials(inApp());
        return schedule();
      },
      {
        state: 'failed',
        reason: 'no credentials: the app has none for the gateways of these devices',
        rejected: 5,
        pending: 0,
      },
    ],
    [
      'a notification fails if the app has credentials for the other platform alone',
      async () => {
        await giveCredentials(inApp(), 'fcm');
        return schedule();
      },
      { state: 'failed' },
    ],
  ])('%s', async (_promise, prepare, expected) => {
    await insertDevices(5);
    const key = await prepare();
    expect(await planNotification(context, key)).toBeUndefined();
    expect(await record(key)).toMatchObject(expected);
    expect(await deliverAll(key)).toBe(0);
    expect(sent).toEqual([]);
  });

  test('a device of a notification that failed has the reason, and one outside the audience is not_targeted', async () => {
    const [deviceId = ''] = await insertDevices(2);
    const key = await plan({ max_recipients: 1 });
    const reported = { outcome: 'rejected', reason: (await record(key)).reason, at: now.toISOString() };
    expect(await readDelivery(database.db, { ...key, deviceId, now })).toMatchObject(reported);
    const stranger = { ...key, deviceId: randomUUID(), now };
    expect(await readDelivery(database.db, stranger)).toMatchObject({
      outcome: 'not_targeted',
      reason: null,
    });
  });

  test('a notification to an empty audience is sent at once', async () => {
    const key = await schedule();
    expect(await planNotification(context, key)).toBeUndefined();
    expect(await record(key)).toMatchObject({ state: 'sent', devices: 0 });
  });

  test('nothing is planned before its time', async () => {
    await insertDevices(1);
    const key = await schedule();
    now = new Date(now.getTime() + 60_000);
    await database.db
      .updateTable('notifications')
      .set({ due_at: now })
      .where('id', '=', key.notificationId)
      .execute();
    now = new Date(now.getTime() - 1);
    expect(await planNotification(context, key)).toBeUndefined();
    expect(await record(key)).toMatchObject({ state: 'scheduled' });
  });
});

describe('delivering', () => {
  test('a delivery reaches every device once, through the gateway of its platform, and ends with the last slice', async () => {
    const iPhones = await insertDevices(1_300);
    const androids = await insertDevices(1_300, 'Android');
    const key = await plan();
    expect(await deliverAll(key)).toBe(3);
    expect(new Set(sent.map(({ deviceId }) => deviceId))).toEqual(new Set([...iPhones, ...androids]));
    expect(sent).toHaveLength(2_600);
    expect(await record(key)).toMatchObject({ state: 'sent', devices: 2_600, accepted: 2_600, pending: 0 });
  });

  test('a delivery by several workers at once counts every device once', async () => {
    const key = await planFor(5_000);
    const slices = await Promise.all(Array.from({ length: 4 }, async () => deliverAll(key)));
    expect(slices.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(sent).toHaveLength(5_000);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 5_000 });
  });

  test('a delivery counts each kind of outcome, and saves the outcome of each device', async () => {
    const iPhones = await insertDevices(4);
    const [silent = ''] = await insertPhones(inApp(), 1, { push_token: null, token_registered_at: null });
    const verdicts: Verdict[] = [
      { kind: 'accepted' },
      { kind: 'rejected', reason: 'TopicDisallowed' },
      { kind: 'unregistered', reason: 'Unregistered', deadSince: null },
      { kind: 'ambiguous', reason: 'timeout' },
    ];
    answer = ({ deviceId }) => verdicts[iPhones.indexOf(deviceId)] ?? ACCEPTED;
    const key = await schedule();

    expect(await readDelivery(database.db, { ...key, deviceId: silent, now })).toMatchObject({
      outcome: 'pending',
    });
    await planNotification(context, key);
    await deliverAll(key);
    expect(await record(key)).toMatchObject({
      state: 'sent',
      devices: 5,
      accepted: 1,
      rejected: 1,
      unregistered: 1,
      ambiguous: 1,
      no_token: 1,
    });
    const outcomes = await Promise.all(
      [...iPhones, silent, randomUUID()].map(async (deviceId) =>
        readDelivery(database.db, { ...key, deviceId, now }),
      ),
    );
    const at = now.toISOString();
    expect(outcomes.map(({ outcome, reason, at: when }) => [outcome, reason, when])).toEqual([
      ['accepted', null, at],
      ['rejected', 'TopicDisallowed', at],
      ['unregistered', 'Unregistered', at],
      ['ambiguous', 'timeout', at],
      ['no_token', null, at],
      ['not_targeted', null, null],
    ]);
  });

  test.each([
    ['before', -1, true],
    ['at the time of', 0, false],
    ['after', 1, false],
  ])('a token that died %s its registration is kept: %s', async (_when, offsetMs, kept) => {
    const [deviceId = ''] = await insertDevices(1);
    answer = () => ({
      kind: 'unregistered',
      reason: 'Unregistered',
      deadSince: new Date(now.getTime() + offsetMs),
    });
    const key = await plan();
    await deliverAll(key);
    const { push_token: token } = await database.db
      .selectFrom('devices')
      .select('push_token')
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow();
    expect(token !== null).toBe(kept);
  });

  test('a slice that was given back continues where it stopped', async () => {
    const key = await planFor(1_000);
    const stop = new AbortController();
    answer = () => {
      if (sent.length === 400) stop.abort();
      return ACCEPTED;
    };
    await deliverOne(key, stop);
    const first = sent.length;
    expect(first).toBeLessThan(1_000);
    expect(await record(key)).toMatchObject({ state: 'sending', accepted: first, pending: 1_000 - first });

    await deliverAll(key);
    expect(sent).toHaveLength(1_000);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1_000 });
  });

  test('outcomes of a worker that lost its lease do not count', async () => {
    const key = await planFor(50);
    let overtaken = false;
    answer = async () => {
      if (!overtaken) {
        overtaken = true;
        now = new Date(now.getTime() + LEASE_MS + 1);
        await leaseNextSlice(database.db, key, now);
      }
      return ACCEPTED;
    };
    await deliverOne(key);
    expect(await record(key)).toMatchObject({ state: 'sending', accepted: 0 });

    now = new Date(now.getTime() + LEASE_MS + 1);
    await deliverAll(key);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 50 });
  });

  test('a canceled notification starts no more slices', async () => {
    const key = await planFor(2_500);
    await deliverOne(key);
    await cancel(key);
    const before = sent.length;
    expect(await deliverAll(key)).toBe(0);
    expect(sent).toHaveLength(before);
    expect(await record(key)).toMatchObject({ state: 'canceled', accepted: before, pending: 2_500 - before });
  });
});

test('a cancel in the middle of a slow slice lets the pushes in flight finish and begins no other', async () => {
  const key = await planFor(1_000);
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const whenReady = (count: number) => (count < 250 ? undefined : released.promise);
  gateways = { ...gateways, apns_production: fakeGateway('apns_production', take, { whenReady }) };
  answer = async () => {
    // The first goes alone; then as many as the gateway can do with are on their way.
    if (sent.length > 1) {
      begun.resolve();
      await released.promise;
    }
    return ACCEPTED;
  };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const delivering = deliverOne(key);
    await begun.promise;
    await cancel(key);
    const renewed = vi.spyOn(AbortController.prototype, 'abort');
    vi.advanceTimersByTime(LEASE_MS / 3);
    await vi.waitFor(() => expect(renewed).toHaveBeenCalled(), PATIENCE);
    renewed.mockRestore();
    released.resolve();
    await delivering;
  } finally {
    vi.useRealTimers();
  }
  expect(sent.length).toBeLessThan(300);
  expect(await record(key)).toMatchObject({
    state: 'canceled',
    accepted: sent.length,
    pending: 1_000 - sent.length,
  });
});

describe('refused credentials', () => {
  test('refused credentials of the only route fail the notification after a few requests, and no device stays pending', async () => {
    await giveCredentials(inApp(), 'apns');
    gateways = { apns_production: fakeGateway('apns_production', take) };
    await insertDevices(3_000);
    answer = () => ({ kind: 'credentials_refused', reason: 'InvalidProviderToken' });
    const key = await plan();
    await Promise.all([deliverAll(key), deliverAll(key)]);
    expect(sent.length).toBeLessThanOrEqual(3);
    expect(await record(key)).toMatchObject({
      state: 'failed',
      reason: 'credentials refused: apns_production InvalidProviderToken',
      rejected: 3_000,
      pending: 0,
    });
  });

  test('refused credentials of one route do not stop the others, and the notification names the route', async () => {
    const iPhones = new Set(await insertDevices(1_200));
    await insertDevices(1_200, 'Android');
    answer = ({ deviceId }) =>
      iPhones.has(deviceId) ? { kind: 'credentials_refused', reason: 'InvalidProviderToken' } : ACCEPTED;
    const key = await plan();
    await deliverAll(key);
    expect(await record(key)).toMatchObject({
      state: 'sent',
      reason: 'credentials refused: apns_production InvalidProviderToken',
      accepted: 1_200,
      rejected: 1_200,
    });
    expect(sent.filter(({ deviceId }) => iPhones.has(deviceId)).length).toBeLessThanOrEqual(3);
  });
});

test('a notification is read once for all its slices, and dropped when many others have been sent', async () => {
  const keys: NotificationKey[] = [];
  for (let count = 0; count < 33; count++) keys.push(await schedule());
  const [first, second, ...others] = keys;
  if (first === undefined || second === undefined) throw new Error('too few');
  const [firstRead, secondRead] = [await read(first), await read(second)];
  expect(firstRead).toMatchObject({
    message: { notificationId: first.notificationId },
    lane: 'direct',
    filters: [],
  });
  expect(await read(first)).toBe(firstRead);
  for (const key of others) await read(key);
  expect(await read(first)).toBe(firstRead);
  expect(await read(second)).not.toBe(secondRead);
});

test('an audience is broad compared with the devices of its own app, as Postgres estimates them', async () => {
  const isBroad = async (devices: number): Promise<boolean> => {
    const key = await schedule();
    await database.db
      .updateTable('notifications')
      .set({ devices })
      .where('id', '=', key.notificationId)
      .execute();
    return (await read(key)).isBroad;
  };
  await insertDevices(2_000);
  ({ id: appId } = await insertApp(database.db));
  await insertDevices(100);
  await indexDeferredRows(database.db, new AbortController().signal);
  await sql`analyze device_targets`.execute(database.db);
  expect([await isBroad(30), await isBroad(10)]).toEqual([true, false]);

  ({ id: appId } = await insertApp(database.db)); // it has come since
  await insertDevices(100);
  expect([await isBroad(100), await isBroad(100_000)]).toEqual([false, true]);
});

async function read(key: NotificationKey) {
  return context.notifications.read(database.db, key);
}

describe('the next slice', () => {
  const next = async () => (await context.notifications.leaseNext(database.db, key, now))?.number;
  const giveBack = async (number: number) =>
    database.db
      .updateTable('delivery_slices')
      .set({ state: 'waiting', lease_until: null, not_before: new Date(0) })
      .where('notification_id', '=', key.notificationId)
      .where('number', '=', number)
      .execute();
  let key: NotificationKey;
  beforeEach(async () => {
    key = await planFor(5_000);
  });

  test('the next slice is the one after the last leased one, also if an earlier one has become free', async () => {
    expect([await next(), await next()]).toEqual([0, 1]);
    await giveBack(0);
    expect(await next()).toBe(2);
  });

  test('the next slice is the free one before the last, after a second or if there is none after it', async () => {
    expect([await next(), await next(), await next()]).toEqual([0, 1, 2]);
    await giveBack(1);
    now = new Date(now.getTime() + 1_000);
    expect([await next(), await next(), await next()]).toEqual([1, 3, 4]);
    await giveBack(2);
    expect([await next(), await next()]).toEqual([2, undefined]);
  });

  test('the next slice is the first free one, if the clock has been set back', async () => {
    expect([await next(), await next()]).toEqual([0, 1]);
    await giveBack(0);
    now = new Date(now.getTime() - 1);
    expect(await next()).toBe(0);
  });

  test('the next slice is found, if other processes have leased a thousand after the last', async () => {
    expect(await next()).toBe(0);
    const range = { firstId: key.notificationId, lastId: key.notificationId };
    await insertSlices(
      database.db,
      key,
      Array.from({ length: 1_000 }, () => range),
      now,
      5,
    );
    await database.db
      .updateTable('delivery_slices')
      .set({ state: 'leased', lease_until: new Date(now.getTime() + LEASE_MS) })
      .where('notification_id', '=', key.notificationId)
      .where('number', '<', 1_004)
      .execute();
    expect([await next(), await next()]).toEqual([1_004, undefined]);
  });

  test('the next slice goes to one process only, if two search at the same time', async () => {
    const other = openDelivery(context).notifications;
    const found = [];
    for (let round = 0; round < 3; round++) {
      found.push(
        next(),
        other.leaseNext(database.db, key, now).then((slice) => slice?.number),
      );
    }
    expect(new Set(await Promise.all(found))).toEqual(new Set([0, 1, 2, 3, 4, undefined]));
  });

  test('a lease of another thread of the same process is no sign that a process has died', async () => {
    const shared = makeSharedByThreads();
    const [first, second] = [1, 2].map(() => openDelivery({ ...context, shared }).notifications);
    // The process has just started, and takes nothing over yet.
    await first?.leaseNext(database.db, key, now, false);
    const leased = await second?.leaseNext(database.db, key, now, false);
    expect(leased).toMatchObject({ number: 1, deaths: 0 });
    now = new Date(now.getTime() + LEASE_MS + 1);
    const again = await second?.leaseNext(database.db, key, now);
    expect(again).toMatchObject({ number: 0, attempt: 2, deaths: 0 });
  });
});

describe('a save of outcomes', () => {
  test('a save of outcomes keeps a crash from repeating the pushes that it saved', async () => {
    const key = await planFor(1_000);
    const released = Promise.withResolvers<Verdict>();
    answer = async () => (sent.length > 700 ? released.promise : ACCEPTED);
    const abandoned = deliverOne(key);
    const accepted = await vi.waitFor(async () => {
      const known = await record(key);
      expect(known.accepted).toBeGreaterThan(700 - WORTH_SAVING);
      expect(sent).toHaveLength(1_000);
      return known.accepted;
    }, PATIENCE);
    const parts = await partsOf(key);
    expect(parts.length).toBeGreaterThan(1);
    const devices = parts.flatMap(({ outcomes }) => Array.from(unpackOutcomes(outcomes).keys()));
    expect(new Set(devices).size).toBe(accepted);
    expect(devices).toHaveLength(accepted);
    for (const deviceId of [devices.at(0), devices.at(-1)]) {
      const delivery = await readDelivery(database.db, { ...key, deviceId: deviceId ?? '', now });
      expect(delivery).toMatchObject({ outcome: 'accepted' });
    }

    answer = () => ACCEPTED;
    now = new Date(now.getTime() + LEASE_MS + 1);
    await deliverAll(key);
    expect(sent).toHaveLength(2_000 - accepted);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1_000 });

    // The worker was not dead after all: outcomes that it records now do not count.
    released.resolve({ kind: 'ambiguous', reason: 'timeout' });
    await abandoned;
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1_000, ambiguous: 0 });
    // The slice holds all outcomes, each once.
    expect(await partsOf(key)).toEqual([]);
    const { outcomes } = await database.db
      .selectFrom('delivery_slices')
      .select('outcomes')
      .where('notification_id', '=', key.notificationId)
      .executeTakeFirstOrThrow();
    expect(outcomes === null ? 0 : unpackOutcomes(outcomes).size).toBe(1_000);
  });

  test('a part is counted once, even if the answer to its save was lost and the save is repeated', async () => {
    const key = await planFor(2);
    const slice = await leaseSlice(key);
    const store = openOutcomeStore(context);
    const part = partOf(slice, 2);
    for (let times = 0; times < 2; times++) {
      expect(await store.saveParts([part])).toEqual(['sending']);
      expect(await record(key)).toMatchObject({ state: 'sending', accepted: 2 });
    }
    const end = partOf(slice, 1);
    expect(await store.saveEnd(end, { state: 'done' }, [])).toBe('sent');
    expect(await store.saveEnd(end, { state: 'done' }, [])).toBe('lost');
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 3 });
  });

  test('the part of an expired attempt is refused, and the other parts of the statement are saved', async () => {
    const key = await planFor(1_500);
    const given = await leaseSlice(key);
    const held = await leaseSlice(key);
    now = new Date(now.getTime() + LEASE_MS + 1);
    const again = await leaseSlice(key);
    expect([again.number, again.attempt]).toEqual([given.number, 2]);
    const parts = [given, held, again].map((slice) => partOf(slice, 10));
    expect(await openOutcomeStore(context).saveParts(parts)).toEqual(['lost', 'sending', 'sending']);
    expect(await record(key)).toMatchObject({ accepted: 20 });
    expect(await partsOf(key)).toMatchObject([
      { number: given.number, attempt: 2 },
      { number: held.number, attempt: 1 },
    ]);
  });

  test('a save of outcomes is seen by a worker that leases the slice at the same time', async () => {
    const key = await planFor(1_000);
    const slice = await leaseSlice(key);
    const lock = await lockNotification(database.url, key);
    const recording = openOutcomeStore(context).saveParts([partOf(slice, 10)]);
    await untilWaiting(database.db, 1);
    now = new Date(now.getTime() + LEASE_MS + 1);
    expect(await leaseNextSlice(database.db, key, now)).toBeUndefined();
    await lock.release();
    await recording;
    const { attempt, earlier } = await leaseSlice(key);
    expect(attempt).toBe(2);
    expect(earlier.map((packed) => unpackOutcomes(packed).size)).toEqual([10]);
  });

  test('a save of outcomes survives a connection that is cut during the statement', async () => {
    const key = await planFor(1_000);
    const lock = await lockNotification(database.url, key);
    const delivering = deliverOne(key);
    const [, pid] = await untilWaiting(database.db, 3); // as many as there may be at once
    await sql`select pg_terminate_backend(${pid})`.execute(database.db);
    await vi.waitFor(() => expect(seen.some(({ kind }) => kind === 'database_error')).toBe(true), PATIENCE);
    await lock.release();
    await delivering;
    expect(sent).toHaveLength(1_000);
    expect(await record(key)).toMatchObject({ state: 'sent', accepted: 1_000 });
  });

  test('a notification ends once, if its last two slices end at the same moment', async () => {
    const key = await planFor(1_500);
    const slices = [await leaseSlice(key), await leaseSlice(key)];
    const lock = await lockNotification(database.url, key);
    const store = openOutcomeStore(context);
    const closing = slices.map(async (slice) => store.saveEnd(partOf(slice, 750), { state: 'done' }, []));
    await untilWaiting(database.db, 2);
    await lock.release();
    await Promise.all(closing);
    expect(seen.filter(({ kind }) => kind === 'notification_ended')).toHaveLength(1);
    expect(await record(key)).toMatchObject({ state: 'sent', devices: 1_500, accepted: 1_500 });
  });
});

const leaseSlice = async (key: NotificationKey): Promise<LeasedSlice> => leaseIn(database.db, key, now);

/** A part with outcomes of devices that do not exist. */
function partOf(slice: LeasedSlice, devices: number): SlicePart {
  const outcomes = Array.from({ length: devices }, (): [string, Outcome] => [
    randomUUID(),
    { kind: 'accepted', reason: null, atMs: now.getTime() },
  ]);
  return {
    slice,
    part: 0,
    outcomes: packOutcomes(new Map(outcomes)),
    counts: { ...noOutcomes, accepted: devices },
    deadTokens: [],
    movedBadges: [],
  };
}

async function partsOf({ notificationId }: NotificationKey) {
  return database.db
    .selectFrom('delivery_progress')
    .select(['number', 'attempt', 'outcomes'])
    .where('notification_id', '=', notificationId)
    .orderBy('number')
    .orderBy('part')
    .execute();
}

/** @returns the jobs that the sweep queues for bulk notifications of the app */
async function queuedBySweep(wasPutBack = () => false): Promise<Job[]> {
  const { jobs } = await sweepOnce({ db: database.db, clock: () => now, wasPutBack });
  return jobs.filter((job): job is DeliverJob => job.kind === 'deliver' && job.appId === appId);
}

describe('the sweep', () => {
  const drain = { run: async () => 'again' as const, resume: () => undefined };

  test('the sweep reports a queue that cannot be reached, and goes on', async () => {
    const { observe, seen: reported } = collectObservations();
    const queue = {
      add: async () => {
        throw new Error('ECONNREFUSED');
      },
    };
    await sweepOnce({ db: database.db, queue, drain, clock: () => now, observe });
    expect(reported).toEqual([{ kind: 'queue_error', message: 'sweep: Error: ECONNREFUSED' }]);
  });

  test('the sweep wakes another worker where more is due than this one has slots for', async () => {
    expect((await sweepOnce({ db: database.db, drain, clock: () => now })).jobs).toContainEqual(drainJob);
  });

  test('the sweep queues one job for each waiting slice, at most sixteen', async () => {
    const key = await planFor(2_500);
    expect(await queuedBySweep()).toEqual(deliverJobs({ ...key, requestId: 'request-1' }, 3));
  });

  test('the sweep queues the slice of a dead worker when its lease has expired, not earlier', async () => {
    const key = await planFor(150);
    await leaseNextSlice(database.db, key, now);
    expect(await queuedBySweep()).toEqual([]);
    now = new Date(now.getTime() + LEASE_MS + 1);
    expect(await queuedBySweep()).toHaveLength(1);
  });

  test('the sweep queues slices that a clock ahead had delayed or leased at once when the clock is set back', async () => {
    const key = await planFor(2_500);
    const right = now;
    now = new Date(right.getTime() + 7_200_000);
    await leaseNextSlice(database.db, key, now);
    await database.db
      .updateTable('delivery_slices')
      .set({ not_before: now })
      .where('notification_id', '=', key.notificationId)
      .where('state', '=', 'waiting')
      .execute();
    now = right;
    expect(await queuedBySweep()).toEqual([]);
    expect(await queuedBySweep(() => true)).toEqual(deliverJobs({ ...key, requestId: 'request-1' }, 2));
    now = new Date(right.getTime() + LEASE_MS + 1);
    expect(await queuedBySweep()).toEqual(deliverJobs({ ...key, requestId: 'request-1' }, 3));
  });

  test('what was to be sent at once by a clock ahead is due at once when the clock is set back', async () => {
    const right = now;
    now = new Date(right.getTime() + 7_200_000);
    const atOnce = await schedule();
    const later = await schedule();
    const ofLater = { due_at: new Date(now.getTime() + 1_000) };
    await database.db
      .updateTable('notifications')
      .set(ofLater)
      .where('id', '=', later.notificationId)
      .execute();
    now = right;
    await queuedBySweep(() => true);
    const rows = await database.db
      .selectFrom('notifications')
      .select(['id', 'due_at'])
      .where('app_id', '=', appId)
      .execute();
    expect(new Map(rows.map(({ id, due_at: dueAt }) => [id, dueAt]))).toEqual(
      new Map([
        [atOnce.notificationId, right],
        [later.notificationId, ofLater.due_at],
      ]),
    );
  });

  test('the sweep ignores notifications that have ended', async () => {
    const key = await planFor(50);
    await deliverAll(key);
    expect(await queuedBySweep()).toEqual([]);
  });
});
