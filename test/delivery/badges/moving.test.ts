/** The statements that move kept badges: each push counts once, whatever is repeated or happens at once. */
import { beforeEach, expect, test } from 'vitest';
import type { MovedBadge } from '../../../src/delivery/badges/moving-badges.ts';
import { noOutcomes, packOutcomes } from '../../../src/delivery/outcomes/packed.ts';
import type { SlicePart } from '../../../src/delivery/outcomes/slice-outcomes.ts';
import { openOutcomeStore } from '../../../src/delivery/outcomes/store.ts';
import { endClaims } from '../../../src/delivery/outcomes/claim-end-statement.ts';
import { LEASE_MS, leaseNextSlice, type LeasedSlice } from '../../../src/delivery/slice-store.ts';
import type { BadgeChange } from '../../../src/gateways/gateway.ts';
import { observeNothing as observe } from '../../../src/observe.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../../notifications/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertPhones, insertSending, leaseSlice, type Rows } from '../in-process.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T12:00:00.000Z');
const LATER = new Date(NOW.getTime() + LEASE_MS + 1);
let app: AppWithAudience;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
});

const store = () => openOutcomeStore({ db: database.db, clock: () => NOW, observe, random: () => 0 });

/** @returns their ids, in the order of the badges */
async function insertDevices(badges: readonly (number | null)[]): Promise<string[]> {
  return insertPhones(inApp(), badges.length, (number) => ({ badge: badges[number] ?? null }));
}

async function keptBadges(ids: readonly string[]): Promise<(number | null | undefined)[]> {
  const rows = await database.db
    .selectFrom('devices')
    .select(['id', 'badge', 'kept_badge'])
    .where('id', 'in', ids)
    .execute();
  const byId = new Map(rows.map(({ id, badge, kept_badge }) => [id, kept_badge ?? badge]));
  return ids.map((id) => byId.get(id));
}

const inApp = (): Rows => ({ db: database.db, appId: app.appId, at: NOW });

const leasedSlice = async (): Promise<LeasedSlice> =>
  leaseSlice(database.db, await insertSending(inApp()), NOW);

function moved(ids: readonly string[], change: BadgeChange): MovedBadge[] {
  return ids.map((deviceId) => ({ deviceId, change }));
}

function partOf(slice: LeasedSlice, part: number, movedBadges: readonly MovedBadge[]): SlicePart {
  const counts = { ...noOutcomes, accepted: movedBadges.length };
  return { slice, part, outcomes: packOutcomes(new Map()), counts, deadTokens: [], movedBadges };
}

test('a part that is saved again, because its answer was lost, counts once', async () => {
  const ids = await insertDevices([4, null]);
  const slice = await leasedSlice();
  const part = partOf(slice, 0, moved(ids, { by: 1 }));
  await store().saveParts([part]);
  await store().saveParts([part]);
  expect(await keptBadges(ids)).toEqual([5, 1]);
  const end = partOf(slice, 1, moved(ids.slice(0, 1), { by: 2 }));
  await store().saveEnd(end, { state: 'done' }, []);
  await store().saveEnd(end, { state: 'done' }, []);
  expect(await keptBadges(ids)).toEqual([7, 1]);
});

test('a worker that has lost its slice changes no badge', async () => {
  const ids = await insertDevices([4]);
  const lost = await leasedSlice();
  await leaseNextSlice(database.db, lost, LATER);
  await store().saveParts([partOf(lost, 0, moved(ids, { by: 1 }))]);
  await store().saveEnd(partOf(lost, 1, moved(ids, { by: 1 })), { state: 'done' }, []);
  expect(await keptBadges(ids)).toEqual([4]);
});

test.each<[string, BadgeChange, (number | null)[], (number | null)[]]>([
  ['a number', { to: 3 }, [4, 3, null], [3, 3, 3]],
  ['zero, which an unknown badge is as well', { to: 0 }, [4, 0, null], [0, 0, null]],
  ['a step up', { by: 1 }, [4, 2_147_483_647, null], [5, 2_147_483_647, 1]],
  ['a step down', { by: -2 }, [4, 1, null], [2, 0, 0]],
])('the badge that follows from %s is kept', async (_what, change, before, after) => {
  const ids = await insertDevices(before);
  await store().saveParts([partOf(await leasedSlice(), 0, moved(ids, change))]);
  expect(await keptBadges(ids)).toEqual(after);
});

test('notifications to the same devices at the same time, in any order, are all counted', async () => {
  const ids = await insertDevices(Array.from({ length: 60 }, () => 10));
  const slices = await Promise.all(Array.from({ length: 6 }, leasedSlice));
  await Promise.all(
    slices.map(async (slice, index) => {
      const order = index % 2 === 0 ? ids : ids.toReversed();
      return store().saveParts([partOf(slice, 0, moved(order, { by: 1 }))]);
    }),
  );
  expect(await keptBadges(ids)).toEqual(ids.map(() => 16));
});

test('single pushes that end in one statement are all counted, and a push that ends twice counts once', async () => {
  const [id = ''] = await insertDevices([1]);
  const claim = async (change: BadgeChange) => {
    const row = { state: 'sending', started_at: NOW, slices_left: 0 } as const;
    const notificationId = await insertNotification(database.db, app, row);
    const whole = { appId: app.appId, notificationId, startedAt: NOW, outcomes: packOutcomes(new Map()) };
    return { ...whole, counts: { ...noOutcomes, accepted: 1 }, movedBadges: moved([id], change) };
  };
  const steps = [await claim({ by: 1 }), await claim({ by: 1 }), await claim({ by: 1 })];
  await endClaims(database.db, steps, NOW);
  expect(await keptBadges([id])).toEqual([4]);
  await endClaims(database.db, steps, NOW);
  expect(await keptBadges([id])).toEqual([4]);
  await endClaims(database.db, [await claim({ to: 9 }), await claim({ by: 1 })], NOW);
  expect(await keptBadges([id])).toEqual([10]);
});
