import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { countAllDevices } from '../../src/targeting/count-devices.ts';
import { matchesDevice, readMatchingDevices } from '../../src/targeting/matching-devices.ts';
import { ApiError } from '../../src/api/errors.ts';
import { countMatching } from '../support/audiences.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { deviceWith, insertDevices } from './insert-devices.ts';
import { parsed } from '../filters/parsed.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const FANS = parsed([{ name: 'tags', criteria: ['fan'] }]);

const database = useTestDatabase();

/** 30 devices, every third with the tag `fan`; sorted ids. */
async function appWithFans(): Promise<{ appId: string; fanIds: string[]; ids: string[] }> {
  const { id: appId } = await insertApp(database.db);
  const ids = Array.from({ length: 30 }, () => randomUUID()).toSorted();
  const fanIds = ids.filter((_id, index) => index % 3 === 0);
  await insertDevices(
    database.db,
    appId,
    ids.map((id) => deviceWith(id, { tags: fanIds.includes(id) ? ['fan'] : [] })),
  );
  return { appId, ids, fanIds };
}

it.each([
  ['few of many', false],
  ['most of them', true],
])(
  'the devices of an audience are read in pages along their ids, each exactly once: %s',
  async (_name, isBroad) => {
    const { appId, fanIds } = await appWithFans();
    const read: string[] = [];
    for (;;) {
      const page = await readMatchingDevices(database.db, {
        appId,
        filters: FANS,
        now: NOW,
        firstId: FIRST_ID,
        lastId: LAST_ID,
        afterId: read.at(-1),
        limit: 4,
        isBroad,
      });
      read.push(...page.map(({ id }) => id));
      if (page.length < 4) break;
    }
    expect(read).toEqual(fanIds);
  },
);

it('the devices of an audience are limited by a range of ids that includes both ends', async () => {
  const { appId, ids } = await appWithFans();
  const [firstId = '', lastId = ''] = [ids[5], ids[9]];
  const range = { firstId, lastId, limit: 100 };
  const page = await readMatchingDevices(database.db, { appId, filters: [], now: NOW, ...range });
  expect(page.map(({ id }) => id)).toEqual(ids.slice(5, 10));
  expect(page[0]).toEqual({
    id: firstId,
    platform: 'Android',
    push_token: `token of ${firstId}`,
    push_token_type: 'token',
    subscription_keys: null,
    development: false,
  });
});

it('the devices of an audience are counted, also in a transaction', async () => {
  const { appId } = await appWithFans();
  const other = await insertApp(database.db);
  expect(await countMatching(database.db, { appId, filters: FANS, now: NOW })).toBe(10);
  expect(await countMatching(database.db, { appId, filters: [], now: NOW })).toBe(30);
  expect(await countMatching(database.db, { appId: other.id, filters: [], now: NOW })).toBe(0);
  const counted = await database.db
    .transaction()
    .execute(async (transaction) => countAllDevices(transaction, { appId, filters: FANS, now: NOW }));
  expect(counted).toBe(10);
});

it('the devices of an audience are counted for no longer than the timeout', async () => {
  const { appId } = await appWithFans();
  await database.db.transaction().execute(async (transaction) => {
    await sql`lock table devices, device_targets in access exclusive mode`.execute(transaction);
    const counting = countMatching(database.db, { appId, filters: [], now: NOW, timeoutMs: 50 });
    const refusal = await counting.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ code: 'unavailable', retryAfterSeconds: 30 });
  });
  // The timeout ends with the count's own transaction.
  const { rows } = await sql<{ timeout: string }>`
    select current_setting('statement_timeout') as timeout`.execute(database.db);
  expect(rows[0]?.timeout).toBe('30s');
});

it('the devices of an audience are matched one by one, only in their own app', async () => {
  const { appId, ids, fanIds } = await appWithFans();
  const other = await insertApp(database.db);
  const matches = async (app: string, deviceId: string): Promise<boolean> =>
    matchesDevice(database.db, { appId: app, filters: FANS, now: NOW, deviceId });
  expect(await matches(appId, fanIds[0] ?? '')).toBe(true);
  expect(await matches(appId, ids[1] ?? '')).toBe(false);
  expect(await matches(other.id, fanIds[0] ?? '')).toBe(false);
  expect(await matches(appId, randomUUID())).toBe(false);
  expect(await matches(appId, 'no-id')).toBe(false);
});
