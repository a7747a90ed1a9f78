import { beforeEach, describe, expect, test } from 'vitest';
import { readLagMs, readWaitingWaves } from '../../src/delivery/upkeep/lag.ts';
import { noOutcomes, packOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { openOutcomeStore, type SliceNext } from '../../src/delivery/outcomes/store.ts';
import {
  hasLeasedBulkSlice,
  leaseNextSlice,
  type LeasedSlice,
  type NotificationKey,
} from '../../src/delivery/slice-store.ts';
import { insertWaves } from '../../src/delivery/waves/wave-store.ts';
import { observeNothing } from '../../src/observe.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { useTestDatabase } from '../support/database.ts';
import { insertSending as insertIn, leaseSlice } from './in-process.ts';

const database = useTestDatabase();
const START = new Date('2026-11-21T12:00:00.000Z');
let app: AppWithAudience;

beforeEach(async () => {
  await database.db.deleteFrom('notifications').execute();
  app = await insertAppWithAudience(database.db);
});

function after(seconds: number): Date {
  return new Date(START.getTime() + seconds * 1_000);
}

async function lagSeconds(atSeconds: number): Promise<number> {
  return (await readLagMs(database.db, after(atSeconds))) / 1_000;
}

const insertSending = async (slices: number) =>
  insertIn({ db: database.db, appId: app.appId, at: START }, slices);

const lease = async (key: NotificationKey, now: Date) => leaseSlice(database.db, key, now);

async function write(slice: LeasedSlice, next: SliceNext, now: Date): Promise<void> {
  const end = {
    slice,
    part: 0,
    outcomes: packOutcomes(new Map()),
    counts: noOutcomes,
    deadTokens: [],
    movedBadges: [],
  };
  const options = { db: database.db, clock: () => now, observe: observeNothing, random: () => 0 };
  await openOutcomeStore(options).saveEnd(end, next, []);
}

test('the lag is 0 if nothing is left to do', async () => {
  await insertNotification(database.db, app, { state: 'sent', ended_at: START });
  expect(await lagSeconds(60)).toBe(0);
});

test('the lag is that of the oldest slice that is not finished, and ends with it', async () => {
  const key = await insertSending(2);
  expect(await lagSeconds(60)).toBe(60);
  for (const atSeconds of [61, 62]) {
    const slice = await lease(key, after(atSeconds));
    expect(await lagSeconds(atSeconds)).toBe(atSeconds);
    await write(slice, { state: 'done' }, after(atSeconds));
  }
  expect(await lagSeconds(63)).toBe(0);
});

test('a slice that a worker has leased still counts', async () => {
  const key = await insertSending(1);
  await leaseNextSlice(database.db, key, START);
  expect(await lagSeconds(3_600)).toBe(3_600);
});

test('the lag of a slice that a gateway delayed counts from its new due time', async () => {
  const key = await insertSending(1);
  const slice = await lease(key, START);
  await write(slice, { state: 'waiting', notBefore: after(100) }, START);
  expect(await lagSeconds(90)).toBe(0);
  expect(await lagSeconds(130)).toBe(30);
});

test('a slice that is given back to go on at once counts from its old due time, also if the clock was ahead', async () => {
  const key = await insertSending(1);
  const slice = await lease(key, after(7_200));
  await write(slice, { state: 'waiting', notBefore: null }, after(7_200));
  expect(await lagSeconds(30)).toBe(30);
  expect(await leaseNextSlice(database.db, key, after(30))).toMatchObject({ number: slice.number });
});

test('the slices of a notification that has ended do not count', async () => {
  const { notificationId } = await insertSending(3);
  await database.db
    .updateTable('notifications')
    .set({ state: 'canceled', ended_at: after(1) })
    .where('id', '=', notificationId)
    .execute();
  expect(await lagSeconds(60)).toBe(0);
});

test('a notification that is due and not planned counts from its due time', async () => {
  await insertNotification(database.db, app, { due_at: after(10) });
  expect(await lagSeconds(5)).toBe(0);
  expect(await lagSeconds(15)).toBe(5);
});

test('a wave is late from its moment until it starts, and one of a canceled notification is not', async () => {
  const wave = async (state: 'sending' | 'canceled', dueAt: Date, devices: number): Promise<void> => {
    const id = await insertNotification(database.db, app, { state, started_at: START });
    const only = { wave: 0, firstSlice: 0, slices: 1, spreadMs: 0, isRest: true, zones: [], ownHours: [] };
    const counted = { devices, withoutZone: 0, byOwnHours: 0 };
    const sent = { dueAt, action: 'send', reason: null } as const;
    const key = { appId: app.appId, notificationId: id };
    await insertWaves(database.db, key, [{ ...only, ...counted, ...sent }], 'waiting');
  };
  expect(await readWaitingWaves(database.db, after(60))).toEqual({ lagMs: 0, heldDevices: 0 });
  await wave('sending', after(30), 5);
  await wave('sending', after(90), 7);
  await wave('canceled', START, 11);
  expect(await readWaitingWaves(database.db, after(20))).toEqual({ lagMs: 0, heldDevices: 12 });
  expect(await readWaitingWaves(database.db, after(60))).toEqual({ lagMs: 30_000, heldDevices: 12 });
});

describe('a bulk notification', () => {
  test('a bulk notification counts as being sent while a slice of the bulk lane is leased, until the lease ends', async () => {
    const key = await insertSending(1);
    await database.db.updateTable('notifications').set({ lane: 'bulk' }).execute();
    expect(await hasLeasedBulkSlice(database.db, START)).toBe(false);
    await leaseNextSlice(database.db, key, START);
    expect(await hasLeasedBulkSlice(database.db, START)).toBe(true);
    expect(await hasLeasedBulkSlice(database.db, after(11))).toBe(false);
  });

  test('a bulk notification does not count as being sent while only single pushes are', async () => {
    await leaseNextSlice(database.db, await insertSending(1), START);
    expect(await hasLeasedBulkSlice(database.db, START)).toBe(false);
  });
});
