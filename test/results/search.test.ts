/** Finds and exports the devices of a notification by their outcome, in bounded work. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../src/db/tables.ts';
import { type Outcome, packOutcomes, tallyOf } from '../../src/delivery/outcomes/packed.ts';
import type { NotificationKey } from '../../src/delivery/slice-store.ts';
import { exportOutcomes, exportQuery } from '../../src/results/search/export.ts';
import { type FoundDelivery, searchOutcomes, searchQuery } from '../../src/results/search/search.ts';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { insertAppWithAudience, insertNotification as insertRow } from '../notifications/rows.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { countStatements } from '../support/statements.ts';

const database = useTestDatabase();
const AT_MS = Date.UTC(2026, 10, 23, 12);

/** `number` is in the last digits, so that ids sort by their first ones: a slice has those of its range. */
function idIn(slice: number, slices: number, number: number): string {
  const first = cutIdSpace(slices)[slice]?.firstId ?? '';
  return `${first.slice(0, 24)}${number.toString(16).padStart(12, '0')}`;
}

/** @param outcomeOf the outcome of device `number` of a slice; undefined: none yet */
async function insertNotification(
  db: Kysely<Database>,
  { slices, devices }: { slices: number; devices: number },
  outcomeOf: (slice: number, number: number) => Omit<Outcome, 'atMs'> | undefined,
): Promise<NotificationKey> {
  const app = await insertAppWithAudience(db);
  const now = new Date(AT_MS);
  const notificationId = await insertRow(db, app, { state: 'sending', started_at: now });
  const key = { app_id: app.appId, notification_id: notificationId };
  for (const [slice, { firstId, lastId }] of cutIdSpace(slices).entries()) {
    const outcomes = new Map<string, Outcome>();
    for (let number = 0; number < devices; number++) {
      const outcome = outcomeOf(slice, number);
      if (outcome !== undefined) outcomes.set(idIn(slice, slices, number), { ...outcome, atMs: AT_MS });
    }
    const packed = packOutcomes(outcomes);
    const done = { outcomes: packed, tally: JSON.stringify(tallyOf(packed)), state: 'done' } as const;
    const range = { number: slice, first_id: firstId, last_id: lastId, not_before: now };
    await db
      .insertInto('delivery_slices')
      .values({ ...key, ...range, ...done })
      .execute();
  }
  return { appId: app.appId, notificationId };
}

async function allPages(made: NotificationKey, query: Record<string, string> = {}) {
  const found: FoundDelivery[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const asked = searchQuery.parse({ ...query, ...(cursor !== '' && { cursor }) });
    const page: Awaited<ReturnType<typeof searchOutcomes>> = await searchOutcomes(database.db, made, asked);
    found.push(...page.deliveries);
    ({ cursor } = page.meta);
  }
  return { found, pages };
}

const dead = { kind: 'unregistered', reason: 'Unregistered' } as const;
const fine = { kind: 'accepted', reason: null } as const;

test('the pages of a search have every device once, in the order of their ids', async () => {
  const made = await insertNotification(database.db, { slices: 9, devices: 25 }, () => fine);
  const { found, pages } = await allPages(made, { per: '40' });
  const ids = found.map(({ device_id: id }) => id);
  expect(new Set(ids).size).toBe(225);
  expect(ids).toEqual([...ids].sort());
  expect(pages).toBe(6);
});

test('a page of a search reads a limited number of slices and says where to go on', async () => {
  const reason = 'BadTopic';
  const made = await insertNotification(database.db, { slices: 110, devices: 2 }, (slice, number) =>
    slice === 109 && number === 1 ? { kind: 'rejected', reason } : { kind: 'rejected', reason: 'other' },
  );
  const { found, pages } = await allPages(made, { outcome: 'rejected', reason });
  expect(found).toHaveLength(1);
  expect(pages).toBe(3);
});

test('slices without the outcome that is searched for are not read', async () => {
  const made = await insertNotification(database.db, { slices: 120, devices: 2 }, (slice) =>
    slice === 119 ? dead : fine,
  );
  const { found, pages } = await allPages(made, { outcome: 'unregistered' });
  expect(found.map(({ reason }) => reason)).toEqual(['Unregistered', 'Unregistered']);
  expect(pages).toBe(1);
});

test('a search shows platform, version, user and model of the device, and none of an erased device', async () => {
  const { db } = database;
  const made = await insertNotification(db, { slices: 1, devices: 3 }, () => fine);
  const [ios = '', android = '', erased = ''] = [0, 1, 2].map((number) => idIn(0, 1, number));
  const iphone = { platform: 'iOS', app_version: '2.0', user_id: 'jo', marketing_name: 'iPhone 17' } as const;
  const columns = { app_id: made.appId, created_at: new Date(), registered_at: new Date() };
  await db
    .insertInto('devices')
    .values([
      { ...columns, id: ios, ...iphone },
      { ...columns, id: android, platform: 'Android', app_version: '=1+1' },
    ])
    .execute();
  expect((await allPages(made)).found).toMatchObject([
    { device_id: ios, ...iphone },
    { device_id: android, platform: 'Android' },
    { device_id: erased, platform: null, app_version: null, user_id: null, marketing_name: null },
  ]);
  expect((await allPages(made, { platform: 'iOS' })).found).toMatchObject([{ device_id: ios }]);
  expect((await allPages(made, { app_version: '=1+1' })).found).toMatchObject([{ device_id: android }]);
  const lines = await Array.fromAsync(await exportOutcomes(db, made, exportQuery.parse({ format: 'csv' })));
  expect(lines.join('').split('\r\n')).toEqual([
    'device_id,outcome,reason,at,platform,gateway,app_version,variant,user_id,marketing_name',
    `${ios},accepted,,2026-11-23T12:00:00.000Z,iOS,apns,2.0,,jo,iPhone 17`,
    `${android},accepted,,2026-11-23T12:00:00.000Z,Android,fcm,'=1+1,,,`,
    `${erased},accepted,,2026-11-23T12:00:00.000Z,,,,,,`,
    '',
  ]);
});

test('the parts of a slice in progress are found, merged in order', async () => {
  const { db } = database;
  const made = await insertNotification(db, { slices: 1, devices: 4 }, (_slice, number) =>
    number % 2 === 0 ? fine : undefined,
  );
  const key = { app_id: made.appId, notification_id: made.notificationId, number: 0, attempt: 1, part: 0 };
  const part = new Map([3, 1].map((number) => [idIn(0, 1, number), { ...dead, atMs: AT_MS }]));
  await db
    .insertInto('delivery_progress')
    .values({ ...key, outcomes: packOutcomes(part) })
    .execute();
  await db.updateTable('delivery_slices').set({ state: 'leased' }).where('app_id', '=', made.appId).execute();
  const { found } = await allPages(made);
  const pair = ['accepted', 'unregistered'];
  expect(found.map(({ outcome }) => outcome)).toEqual([...pair, ...pair]);
  expect((await allPages(made, { outcome: 'unregistered' })).found).toHaveLength(2);
});

test('an export of a search is the same as its pages, and stops reading when nobody wants more', async () => {
  const { db } = database;
  const made = await insertNotification(db, { slices: 30, devices: 10 }, (_slice, number) =>
    number === 0 ? dead : fine,
  );
  const { found } = await allPages(made, { outcome: 'accepted' });
  const query = exportQuery.parse({ outcome: 'accepted' });
  const lines = (await Array.fromAsync(await exportOutcomes(db, made, query))).join('').trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual(found);

  const counted = countStatements(db);
  for await (const chunk of await exportOutcomes(counted.db, made, query)) {
    expect(chunk).not.toBe('');
    break;
  }
  const read = counted.count();
  await db.selectFrom('apps').select('id').limit(1).execute();
  expect(counted.count()).toBe(read);
  expect(read).toBeLessThan(6);
});

test.each([
  ['outcome', 'lost'],
  ['platform', 'Windows'],
  ['reason', ''],
  ['per', '501'],
  ['cursor', 'x'],
])('a search with %s=%s is refused', (name, value) => {
  expect(searchQuery.safeParse({ [name]: value }).success).toBe(false);
});

test('a notification of another app, an unknown and a pruned one are not found', async () => {
  const { db } = database;
  const made = await insertNotification(db, { slices: 1, devices: 1 }, () => fine);
  const { id: otherAppId } = await insertApp(db);
  const query = searchQuery.parse({});
  const wrong = [
    { ...made, appId: otherAppId },
    { ...made, notificationId: randomUUID() },
    { ...made, notificationId: 'none' },
  ];
  for (const key of wrong) {
    await expect(searchOutcomes(db, key, query)).rejects.toMatchObject({ code: 'not_found' });
  }
  await db
    .updateTable('notifications')
    .set({ pruned_at: new Date() })
    .where('app_id', '=', made.appId)
    .execute();
  await expect(searchOutcomes(db, made, query)).rejects.toMatchObject({ code: 'not_found' });
  await expect(exportOutcomes(db, made, exportQuery.parse({}))).rejects.toMatchObject({ code: 'not_found' });
});
