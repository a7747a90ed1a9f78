/** In a process that is API and worker, a notification to few devices or users is claimed by the statement that stores it. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/db/tables.ts';
import { leaseClaims } from '../../src/delivery/claims/claim-store.ts';
import { claimByKey } from '../../src/delivery/start/direct-store.ts';
import { type Drain, openDrain } from '../../src/delivery/start/drain.ts';
import { noOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { endClaims } from '../../src/delivery/outcomes/claim-end-statement.ts';
import type { Recipient, Verdict } from '../../src/gateways/gateway.ts';
import { createBatch } from '../../src/notifications/create-batch.ts';
import { type CreateDeps, createNotification } from '../../src/notifications/create.ts';
import { type Intake, openIntake } from '../../src/notifications/intake/intake.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { observeNothing } from '../../src/observe.ts';
import { drainJob, type Job } from '../../src/queue/job.ts';
import { Slots } from '../../src/queue/slots.ts';
import { type DeviceKey, keyOfDevices, keyOfUsers } from '../../src/targeting/devices-by-key.ts';
import { giveCredentials } from '../support/credentials.ts';
import { insertApp, openTestDatabase, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import { tableReads } from '../support/statements.ts';
import { PATIENCE } from '../support/patience.ts';
import { insertPhones, openTestDelivery, type Rows } from './in-process.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T12:00:00.000Z');

let appId: string;
let answer: () => Promise<Verdict>;
let sent: string[];
let jobs: Job[];
let isFull: boolean;
let drain: Drain;
let intake: Intake;

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  answer = async () => ({ kind: 'accepted' });
  sent = [];
  jobs = [];
  isFull = false;
  await giveCredentials(inApp(), 'apns');
  open();
});
afterEach(async () => drain.close());

function open(slots = 512): void {
  const shared = {
    db: database.db,
    clock: () => NOW,
    observe: observeNothing,
    queue: { add: async (added: readonly Job[]) => void jobs.push(...added) },
  };
  const gateway = fakeGateway('apns_production', take, { credentialsAccepted: true });
  const context = openTestDelivery({ ...shared, gateways: () => ({ apns_production: gateway }) });
  drain = openDrain({ ...context, queue: shared.queue, isFull: () => isFull }, new Slots(slots));
  intake = openIntake({ ...shared, direct: drain.direct });
}

async function take({ deviceId }: Recipient): Promise<Verdict> {
  sent.push(deviceId);
  return answer();
}

const inApp = (): Rows => ({ db: database.db, appId, at: NOW });

async function insertDevice(user: string = randomUUID()): Promise<string> {
  const [id = ''] = await insertPhones(inApp(), 1, { user_id: user });
  return id;
}

function depsOf(stores: Intake): CreateDeps & { intake: Intake } {
  const queue = { add: async () => undefined };
  return { clock: () => NOW, observe: () => undefined, queue, intake: stores };
}

function users(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `user-${index}`);
}

function bodyTo(to: unknown): object {
  return { to, payload: { alert: 'Hello' } };
}

async function post(to: unknown, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { notification: { ...bodyTo(to), ...fields } };
  const request = { appId, body, requestId: 'request-1' };
  return (await createNotification(database.db, request, depsOf(intake))).id;
}

async function stateOf(id: string): Promise<unknown> {
  return (await readNotification(database.db, appId, id, () => NOW)).state;
}

async function untilSent(...ids: string[]): Promise<void> {
  for (const id of ids)
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('sent'), { timeout: 30_000 });
}

describe('a notification to few devices or users', () => {
  test('a notification to few devices or users is sent without a job, whatever the form of its target', async () => {
    const device = await insertDevice('user-1');
    const targets = [
      { device_id: device },
      { user_id: 'user-1' },
      [{ name: 'device_id', criteria: [device] }],
      [{ name: 'user_id', criteria: ['user-1'] }],
      [{ name: 'user_id', criteria: ['nobody', 'user-1'] }],
    ];
    const ids = await Promise.all(targets.map(async (to) => post(to)));
    await untilSent(...ids);
    expect(sent).toEqual(Array.from(targets, () => device));
    expect(jobs).toEqual([]);
    const record = await readNotification(database.db, appId, ids[0] ?? '', () => NOW);
    expect(record).toMatchObject({ state: 'sent', devices: 1, accepted: 1 });
  });

  test('a notification to a user goes to all devices of the user', async () => {
    const devices = await insertPhones(inApp(), 2, { user_id: 'user-2' });
    await untilSent(await post({ user_id: 'user-2' }));
    expect(sent.toSorted()).toEqual(devices.toSorted());
  });

  test('a notification of a batch waits until a slot is free for it', async () => {
    await drain.close();
    open(2);
    const device = await insertDevice();
    const items = Array.from({ length: 20 }, () => ({
      value: { notification: bodyTo({ device_id: device }) },
    }));
    const request = { appId, requestId: 'request-1' };
    const ids = await createBatch(database.db, items, request, depsOf(intake), (_item, outcome) =>
      'created' in outcome ? outcome.created.id : '',
    );
    await untilSent(...ids);
    expect(sent).toHaveLength(20);
    expect(jobs).toEqual([]);
  });

  test('a claimed notification is ended by the next worker, without another push, if this one stops early', async () => {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    answer = async () => promise;
    const id = await post({ device_id: await insertDevice() });
    await vi.waitFor(() => expect(sent).toHaveLength(1), PATIENCE);
    const closed = drain.close();
    resolve({ kind: 'accepted' });
    await closed;
    const later = await post({ device_id: await insertDevice() });
    expect(await stateOf(later)).toBe('scheduled');
    expect(jobs).toEqual([drainJob]);

    open();
    drain.resume({ appId, notificationId: id, requestId: 'request-1' });
    await untilSent(id);
    expect(sent).toHaveLength(1);
  });
});

describe('a notification that cannot be claimed', () => {
  test.each<[string, () => Promise<string>]>([
    [
      'the app has no credentials for its device',
      async () => {
        await giveCredentials(inApp());
        return post({ device_id: await insertDevice() });
      },
    ],
    ['there is no device', async () => post({ user_id: 'nobody' })],
    [
      'it goes to more devices than max_recipients',
      async () => {
        await insertPhones(inApp(), 2, { user_id: 'user-3' });
        return post({ user_id: 'user-3' }, { max_recipients: 1 });
      },
    ],
    [
      'the disk is full',
      async () => {
        isFull = true;
        return post({ device_id: await insertDevice() });
      },
    ],
    ['it is to everyone', async () => post('*')],
    ['it is to a tag', async () => post([{ name: 'tags', criteria: ['a'] }])],
    ['it is a dry run', async () => post({ user_id: 'user-4' }, { dry_run: true })],
    ['it is to an id that is no UUID', async () => post({ device_id: 'no-uuid' })],
    ['it is to more than a hundred users', async () => post([{ name: 'user_id', criteria: users(101) }])],
  ])('a notification is scheduled and wakes a worker if %s', async (_cause, create) => {
    await insertDevice('user-4');
    expect(await stateOf(await create())).toBe('scheduled');
    expect(jobs).toEqual([drainJob]);
  });

  test('a notification is scheduled and wakes a worker if no slot is free', async () => {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    answer = async () => promise;
    await drain.close();
    open(1);
    const first = await post({ device_id: await insertDevice() });
    await vi.waitFor(() => expect(sent).toHaveLength(1), PATIENCE);
    const second = await post({ device_id: await insertDevice() });
    const state = await stateOf(second);
    resolve({ kind: 'accepted' });
    await untilSent(first);
    expect(state).toBe('scheduled');
  });
});

test('a notification with deliver_at in the future is scheduled, and wakes nobody', async () => {
  const id = await post({ device_id: await insertDevice() }, { deliver_at: '2026-11-22T12:00:00Z' });
  expect(await stateOf(id)).toBe('scheduled');
  expect(jobs).toEqual([]);
});

describe('a new table that is not analyzed', () => {
  const claim = { appId: randomUUID(), notificationId: randomUUID(), startedAt: NOW };
  const counts = { ...noOutcomes, accepted: 1 };
  const request = { ...claim, key: keyOfUsers(['user-1']), devicesMax: 1 };

  test.each<[string, (db: Kysely<Database>) => Promise<unknown>]>([
    [
      'when claims end',
      async (db) => endClaims(db, [{ ...claim, outcomes: Buffer.alloc(1), counts, movedBadges: [] }], NOW),
    ],
    ['when claims become slices', async (db) => leaseClaims(db, [claim], NOW)],
    ['when a worker claims', async (db) => claimByKey(db, [request], NOW)],
  ])('a new table that is not analyzed is read by the key of each notification %s', async (_name, run) => {
    await database.db.transaction().execute(async (transaction) => {
      const before = await tableReads(transaction, 'notifications');
      await run(transaction);
      const { sequentialScans } = await tableReads(transaction, 'notifications');
      expect(sequentialScans).toBe(before.sequentialScans);
    });
  });
});

test.each<[string, (ids: string[]) => DeviceKey]>([
  ['a device', ([id = '']) => keyOfDevices([id])],
  ['a few devices', (ids) => keyOfDevices(ids.slice(0, 3))],
  ['a user', ([id = '']) => keyOfUsers([id])],
])(
  'a claim of a notification to %s of a new app without statistics in Postgres reads no other notification',
  async (_name, keyOf) => {
    const created = await openTestDatabase();
    onTestFinished(async () => created.close());
    const { db } = created;
    const { id } = await insertApp(db);
    const { rows: devices } = await sql<{ id: string }>`
    insert into devices (app_id, id, platform, push_token, user_id, created_at, registered_at, token_registered_at)
    select ${id}, device, 'iOS', device, device, now(), now(), now()
    from (select gen_random_uuid() as device from generate_series(1, 2000)) as new
    returning id`.execute(db);
    const notificationId = randomUUID();
    const row = { body: '{}', state: 'scheduled' as const, request_id: 'request-1', filters: '[]' };
    await db
      .insertInto('notifications')
      .values({ app_id: id, id: notificationId, created_at: NOW, due_at: NOW, ...row })
      .execute();
    const key = keyOf(devices.map((device) => device.id));
    await db.transaction().execute(async (transaction) => {
      const before = await tableReads(transaction, 'devices');
      await claimByKey(transaction, [{ appId: id, notificationId, key, devicesMax: 100 }], NOW);
      const { rows } = await tableReads(transaction, 'devices');
      expect(rows - before.rows).toBe(key.deviceIds?.length ?? 1);
    });
  },
);
