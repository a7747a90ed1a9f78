import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DeliveryContext } from '../../src/delivery/send/deliver.ts';
import { freeOldClaims } from '../../src/delivery/claims/claim-store.ts';
import type { NotificationKey } from '../../src/delivery/slice-store.ts';
import { type Drain, openDrain } from '../../src/delivery/start/drain.ts';
import type { Recipient, Verdict } from '../../src/gateways/gateway.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { deliverJobs, type Job } from '../../src/queue/job.ts';
import { Slots } from '../../src/queue/slots.ts';
import { giveCredentials } from '../support/credentials.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import {
  insertPhones,
  lockNotification,
  openTestDelivery,
  type Rows,
  schedule as scheduleIn,
} from './in-process.ts';

const database = useTestDatabase();
const PATIENCE = { timeout: 30_000, interval: 5 };

let appId: string;
let now: Date;
let answer: () => Promise<Verdict>;
let sent: string[];
let queued: Job[];
let observed: Observation[];
let drains: Drain[];

beforeEach(async () => {
  await database.db.deleteFrom('notifications').execute();
  ({ id: appId } = await insertApp(database.db));
  now = new Date('2026-11-21T12:00:00.000Z');
  answer = async () => ({ kind: 'accepted' });
  sent = [];
  queued = [];
  observed = [];
  drains = [];
  await giveCredentials(inApp(), 'apns');
});
afterEach(async () => {
  await Promise.all(drains.map(async (drain) => drain.close()));
});

async function take({ deviceId }: Recipient): Promise<Verdict> {
  sent.push(deviceId);
  return answer();
}

function open(slots: Slots, overrides: Partial<DeliveryContext> = {}): Drain {
  const gateway = fakeGateway('apns_production', take, { credentialsAccepted: true });
  const context = openTestDelivery({
    db: database.db,
    clock: () => now,
    observe: (observation) => observed.push(observation),
    gateways: () => ({ apns_production: gateway }),
  });
  const queue = { add: async (jobs: readonly Job[]) => void queued.push(...jobs) };
  const drain = openDrain({ ...context, ...overrides, queue }, slots);
  drains.push(drain);
  return drain;
}

const inApp = (): Rows => ({ db: database.db, appId, at: now });

async function insertDevice(tag = 'none'): Promise<string> {
  const [id = ''] = await insertPhones(inApp(), 1, { tags: [tag] });
  return id;
}

const schedule = async (filters: readonly unknown[], dueAt = now, columns: { body?: string } = {}) =>
  scheduleIn(inApp(), { filters, due_at: dueAt, ...columns });

const toDevice = (id: string): unknown[] => [{ name: 'device_id', criteria: [id] }];

async function scheduleSingles(count: number): Promise<string[]> {
  const ids = await insertPhones(inApp(), count);
  for (const [index, id] of ids.entries()) {
    await schedule(toDevice(id), new Date(now.getTime() - 1_000 + index));
  }
  return ids;
}

async function state({ notificationId }: NotificationKey): Promise<string> {
  return (await readNotification(database.db, appId, notificationId, () => now)).state;
}

describe('a drain', () => {
  test('a drain starts all that is due, also more than there are slots, and leaves what is due later', async () => {
    const ids = await scheduleSingles(10);
    const later = await schedule(toDevice(await insertDevice()), new Date(now.getTime() + 1));
    const slots = new Slots(4);
    const drain = open(slots);
    await vi.waitFor(async () => {
      expect(await drain.run()).toBe('done');
      expect(sent.toSorted()).toEqual(ids.toSorted());
    }, PATIENCE);
    expect(await state(later)).toBe('scheduled');
    await vi.waitFor(() => expect(slots.free).toBe(4), PATIENCE);
  });

  test('a drain does not wait for the pushes, and asks to run again where its slots are full', async () => {
    const ids = await scheduleSingles(3);
    const gate = Promise.withResolvers<Verdict>();
    answer = async () => gate.promise;
    const slots = new Slots(2);
    const drain = open(slots);
    expect(await drain.run()).toBe('again');
    await vi.waitFor(() => expect(sent.toSorted()).toEqual(ids.slice(0, 2).toSorted()), PATIENCE);
    expect(slots.free).toBe(0);
    expect(await drain.run()).toBe('again');
    expect(sent).toHaveLength(2);
    gate.resolve({ kind: 'accepted' });
    await vi.waitFor(async () => {
      await drain.run();
      expect(sent).toHaveLength(3);
    }, PATIENCE);
  });

  test('a drain pushes to each device once where several workers drain at the same time', async () => {
    const ids = await scheduleSingles(40);
    const several = Array.from({ length: 4 }, () => open(new Slots(16)));
    await Promise.all(several.map(async (drain) => drain.run()));
    await vi.waitFor(async () => {
      await Promise.all(several.map(async (drain) => drain.run()));
      expect(sent.length).toBeGreaterThanOrEqual(ids.length);
    }, PATIENCE);
    expect(sent.toSorted()).toEqual(ids.toSorted());
  });

  test('a drain plans a bulk notification and queues a job for each slice, up to sixteen', async () => {
    await insertPhones(inApp(), 101, { tags: ['many'] });
    const key = await schedule([{ name: 'tags', criteria: ['many'] }]);
    expect(await open(new Slots(4)).run()).toBe('done');
    await vi.waitFor(
      () => expect(queued).toEqual(deliverJobs({ ...key, requestId: 'request-1' }, 1)),
      PATIENCE,
    );
    expect(await state(key)).toBe('sending');
  });

  test('a drain goes on past a notification that cannot be started, and leaves it alone for a second', async () => {
    const poison = await schedule(toDevice(await insertDevice()), new Date(now.getTime() - 5_000), {
      body: '"no body"',
    });
    const ids = await scheduleSingles(2);
    const drain = open(new Slots(1));
    const failures = (): number => observed.filter(({ kind }) => kind === 'job_failed').length;
    await vi.waitFor(async () => {
      await drain.run();
      expect(sent.toSorted()).toEqual(ids.toSorted());
    }, PATIENCE);
    await vi.waitFor(async () => expect(await drain.run()).toBe('done'), PATIENCE);
    expect(failures()).toBe(1);
    expect(observed).toContainEqual(
      expect.objectContaining({ kind: 'job_failed', job: 'start', notificationId: poison.notificationId }),
    );
    now = new Date(now.getTime() + 1_000);
    await vi.waitFor(async () => {
      await drain.run();
      expect(failures()).toBe(2);
    }, PATIENCE);
  });

  test('a drain passes over a notification that is locked, and starts it later', async () => {
    const locked = await schedule(toDevice(await insertDevice()), new Date(now.getTime() - 5_000));
    const lock = await lockNotification(database.url, locked);
    const drain = open(new Slots(4));
    expect(await drain.run()).toBe('done');
    const [id = ''] = await scheduleSingles(1);
    expect(await drain.run()).toBe('done');
    await vi.waitFor(() => expect(sent).toEqual([id]), PATIENCE);
    await lock.release();
    await vi.waitFor(async () => {
      await drain.run();
      expect(sent).toHaveLength(2);
    }, PATIENCE);
  });

  test('a drain hands its slices on when it is closed, and starts nothing more', async () => {
    const ids = await scheduleSingles(2);
    answer = async () => ({ kind: 'retry', reason: 'Shutdown', afterMs: 60_000, scope: 'device' });
    const slots = new Slots(1);
    const drain = open(slots);
    await drain.run();
    await vi.waitFor(() => expect(sent).toHaveLength(1), PATIENCE);
    await drain.close();
    expect(await drain.run()).toBe('again');
    expect(sent).toEqual([ids[0]]);
    const slices = await database.db
      .selectFrom('delivery_slices')
      .select('state')
      .where('app_id', '=', appId)
      .execute();
    expect(slices).toEqual([{ state: 'waiting' }]);
  });

  test('a drain rejects with the error of the database, and gives its slots back', async () => {
    const broken = new Error('the database is away');
    const slots = new Slots(2);
    const db = database.db.withPlugin({
      transformQuery: () => {
        throw broken;
      },
      transformResult: async ({ result }) => result,
    });
    await expect(open(slots, { db, observe: observeNothing }).run()).rejects.toThrow(broken);
    expect(slots.free).toBe(2);
  });
});

test('a resumed notification has its slice delivered once a slot is free, before what is due', async () => {
  const id = await insertDevice();
  const key = await schedule(toDevice(id));
  const gate = Promise.withResolvers<Verdict>();
  answer = async () => gate.promise;
  const dying = open(new Slots(1));
  await dying.run();
  await vi.waitFor(() => expect(sent).toEqual([id]), PATIENCE);
  now = new Date(now.getTime() + 60_000);
  await freeOldClaims(database.db, now);
  answer = async () => ({ kind: 'accepted' });
  const other = await insertDevice();
  await schedule(toDevice(other));
  const slots = new Slots(1);
  const taken = slots.take();
  const drain = open(slots);
  drain.resume({ ...key, requestId: 'request-1' });
  drain.resume({ ...key, requestId: 'request-1' }); // the next sweep finds it as well
  expect(await drain.run()).toBe('again');
  expect(sent).toEqual([id]);
  taken.leave();
  await vi.waitFor(async () => expect(await state(key)).toBe('sent'), PATIENCE);
  await drain.run();
  await vi.waitFor(() => expect(sent).toEqual([id, id, other]), PATIENCE);
  gate.resolve({ kind: 'accepted' });
});

test('a resumed notification that waits for a slot does not keep a drain from closing', async () => {
  const slots = new Slots(1);
  slots.take();
  const drain = open(slots);
  drain.resume({ appId, notificationId: randomUUID(), requestId: 'request-1' });
  await drain.close();
});
