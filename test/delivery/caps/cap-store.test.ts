import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FrequencyCap } from '../../../src/apps/frequency-caps.ts';
import { giveBackUses, readUses, reserveUses } from '../../../src/delivery/caps/cap-store.ts';
import { deleteOldUses } from '../../../src/delivery/upkeep/prune-store.ts';
import { leaseNextSlice, type LeasedSlice } from '../../../src/delivery/slice-store.ts';
import { eraseDevice } from '../../../src/devices/erase.ts';
import { insertApp, useTestDatabase } from '../../support/database.ts';
import { insertPhones, insertSending, leaseSlice, type Rows } from '../in-process.ts';

const database = useTestDatabase();
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 20, 12);

let appId: string;
beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
});

const byDevice: FrequencyCap = { group: 'marketing', by: 'device', limits: [{ at_most: 2, per: 'P1D' }] };
const byUser: FrequencyCap = { ...byDevice, by: 'user' };

function at(hours: number): Date {
  return new Date(START + hours * HOUR_MS);
}

const inApp = (): Rows => ({ db: database.db, appId, at: at(0) });

async function insertDevice(userId: string | null = null): Promise<string> {
  const [id = ''] = await insertPhones(inApp(), 1, { user_id: userId });
  return id;
}

/** A notification in state `sending` with slices, all leased. */
async function lease(slices: number): Promise<LeasedSlice[]> {
  const key = await insertSending(inApp(), slices);
  const leased: LeasedSlice[] = [];
  for (;;) {
    const slice = await leaseNextSlice(database.db, key, at(0));
    if (slice === undefined) return leased;
    leased.push(slice);
  }
}

const leaseOne = async (): Promise<LeasedSlice> =>
  leaseSlice(database.db, await insertSending(inApp()), at(0));

async function isFree(
  cap: FrequencyCap,
  deviceId: string,
  hours: number,
  slice?: LeasedSlice,
): Promise<boolean> {
  const used = await reserveUses(
    database.db,
    { slice: slice ?? (await leaseOne()), cap },
    [deviceId],
    at(hours),
  );
  return used.has(deviceId);
}

describe('a frequency cap', () => {
  test('a frequency cap lets as many notifications pass as it says, and more when the period is over', async () => {
    const device = await insertDevice();
    expect(await isFree(byDevice, device, 0)).toBe(true);
    expect(await isFree(byDevice, device, 1)).toBe(true);
    expect(await isFree(byDevice, device, 2)).toBe(false);
    expect(await isFree(byDevice, device, 23.9)).toBe(false);
    expect(await isFree(byDevice, device, 24)).toBe(true);
    expect(await isFree(byDevice, device, 24.5)).toBe(false);
    expect(await isFree(byDevice, device, 25)).toBe(true);
  });

  test('a frequency cap keeps within each of its limits', async () => {
    const cap = {
      ...byDevice,
      limits: [
        { at_most: 3, per: 'P1D' },
        { at_most: 1, per: 'PT1H' },
      ],
    };
    const device = await insertDevice();
    expect(await isFree(cap, device, 0)).toBe(true);
    expect(await isFree(cap, device, 0.5)).toBe(false);
    expect(await isFree(cap, device, 1)).toBe(true);
    expect(await isFree(cap, device, 2)).toBe(true);
    expect(await isFree(cap, device, 3)).toBe(false);
  });

  test('a frequency cap counts a notification once, also when its slice is tried again', async () => {
    const device = await insertDevice();
    const slice = await leaseOne();
    expect(await isFree(byDevice, device, 0)).toBe(true);
    expect(await isFree(byDevice, device, 1, slice)).toBe(true);
    expect(await isFree(byDevice, device, 2, slice)).toBe(true);
    expect(await readUses(database.db, { appId, cap: byDevice, deviceId: device })).toEqual([
      { notificationId: expect.any(String), at: at(0) },
      { notificationId: slice.notificationId, at: at(1) },
    ]);
  });

  test('a frequency cap by user lets the same notifications pass to all devices of a user', async () => {
    const [phone, tablet, other] = [await insertDevice('u1'), await insertDevice('u1'), await insertDevice()];
    for (const hours of [0, 1]) {
      const slice = await leaseOne();
      const free = await reserveUses(database.db, { slice, cap: byUser }, [phone, tablet], at(hours));
      expect(free).toEqual(new Set([phone, tablet]));
    }
    expect(await isFree(byUser, tablet, 2)).toBe(false);
    expect(await isFree(byUser, other, 2)).toBe(true);
  });

  test('groups of frequency caps are counted apart', async () => {
    const device = await insertDevice();
    for (const group of ['marketing', 'news']) {
      expect(await isFree({ ...byDevice, group }, device, 0)).toBe(true);
      expect(await isFree({ ...byDevice, group }, device, 0)).toBe(true);
      expect(await isFree({ ...byDevice, group }, device, 0)).toBe(false);
    }
  });
});

describe('the return of uses', () => {
  test('a push that did not leave gives its use back', async () => {
    const device = await insertDevice();
    const slice = await leaseOne();
    await isFree(byDevice, device, 0);
    expect(await isFree(byDevice, device, 0, slice)).toBe(true);
    expect(await isFree(byDevice, device, 0)).toBe(false);
    for (let times = 0; times < 2; times++) {
      await giveBackUses(database.db, { slice, cap: byDevice }, { unused: [device], spent: [] });
    }
    expect(await isFree(byDevice, device, 0)).toBe(true);
    expect(await isFree(byDevice, device, 0)).toBe(false);
  });

  test('the use of a user is kept as long as a push to another device has left, also in another slice', async () => {
    const [phone, tablet] = [await insertDevice('u1'), await insertDevice('u1')];
    const cap = { ...byUser, limits: [{ at_most: 1, per: 'P1D' }] };
    const [first, second] = await lease(2);
    if (first === undefined || second === undefined) throw new Error('two slices');
    await reserveUses(database.db, { slice: first, cap }, [phone], at(0));
    await reserveUses(database.db, { slice: second, cap }, [tablet], at(0));
    await giveBackUses(database.db, { slice: first, cap }, { unused: [phone], spent: [] });
    expect(await isFree(cap, phone, 1)).toBe(false);
    await giveBackUses(database.db, { slice: second, cap }, { unused: [phone], spent: [tablet] });
    expect(await isFree(cap, phone, 1)).toBe(false);
    await giveBackUses(database.db, { slice: second, cap }, { unused: [tablet], spent: [] });
    expect(await isFree(cap, phone, 1)).toBe(true);
  });

  test('nothing is given back if another worker holds the slice, which may have reserved the use again', async () => {
    const device = await insertDevice();
    const cap = { ...byDevice, limits: [{ at_most: 1, per: 'P1D' }] };
    const slice = await leaseOne();
    await isFree(cap, device, 0, slice);
    await database.db
      .updateTable('delivery_slices')
      .set({ attempt: 2 })
      .where('app_id', '=', appId)
      .execute();
    await giveBackUses(database.db, { slice, cap }, { unused: [device], spent: [] });
    expect(await isFree(cap, device, 0)).toBe(false);
  });
});

async function countedSubjects(): Promise<string[]> {
  const rows = await database.db
    .selectFrom('cap_uses')
    .select('subject')
    .where('app_id', '=', appId)
    .orderBy('subject')
    .execute();
  return rows.map(({ subject }) => subject);
}

describe('a use that is counted', () => {
  test('a use is deleted when it is older than the longest period', async () => {
    const [old, recent] = [await insertDevice('old'), await insertDevice('recent')];
    await isFree(byUser, old, 0);
    await isFree(byUser, recent, 1);
    await deleteOldUses(database.db, at(30 * 24), 1_000);
    expect(await countedSubjects()).toEqual(['user recent']);
  });

  test('a use is erased with the device, and with the last device of its user', async () => {
    const [phone, tablet] = [await insertDevice('u1'), await insertDevice('u1')];
    await isFree(byUser, phone, 0);
    await isFree({ ...byDevice, group: 'news' }, tablet, 0);
    await eraseDevice(database.db, appId, tablet, () => at(1));
    expect(await countedSubjects()).toEqual(['user u1']);
    await eraseDevice(database.db, appId, phone, () => at(1));
    expect(await countedSubjects()).toEqual([]);
  });
});

test('notifications sent at the same time never exceed the cap, whatever is given back meanwhile', async () => {
  const devices = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => insertDevice(`u${index % 5}`)),
  );
  const plan = fc.record({
    atMost: fc.integer({ min: 1, max: 3 }),
    by: fc.constantFrom('user' as const, 'device' as const),
    // What each notification sends to, and what is not delivered.
    notifications: fc.array(
      fc.record({ wanted: fc.subarray(devices, { minLength: 1 }), failing: fc.subarray(devices) }),
      { minLength: 2, maxLength: 6 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ atMost, by, notifications }) => {
      const cap: FrequencyCap = { group: randomUUID(), by, limits: [{ at_most: atMost, per: 'P1D' }] };
      const left = await Promise.all(
        notifications.map(async ({ wanted, failing }) => {
          const slice = await leaseOne();
          const free = await reserveUses(database.db, { slice, cap }, wanted, at(0));
          const spent = [...free].filter((id) => !failing.includes(id));
          const unused = [...free].filter((id) => failing.includes(id));
          await giveBackUses(database.db, { slice, cap }, { unused, spent });
          return spent;
        }),
      );
      const subject = (id: string): string => (by === 'device' ? id : `u${devices.indexOf(id) % 5}`);
      const counts = new Map<string, number>();
      for (const spent of left) {
        for (const one of new Set(spent.map(subject))) counts.set(one, (counts.get(one) ?? 0) + 1);
      }
      expect(Math.max(0, ...counts.values())).toBeLessThanOrEqual(atMost);
      // Nothing that did not leave is counted.
      for (const id of devices) {
        const uses = await readUses(database.db, { appId, cap, deviceId: id });
        expect(uses).toHaveLength(counts.get(subject(id)) ?? 0);
      }
    }),
    { numRuns: 25 },
  );
});
