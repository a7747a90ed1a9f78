import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { appWith, deviceWith, insertDevices } from './insert-devices.ts';
import { parsed } from '../filters/parsed.ts';
import { countMatching } from '../support/audiences.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

test('a registration without changes keeps the targeting row, and filters see its time', async () => {
  const { db } = database;
  const { appId, ids } = await appWith(db, { tags: ['fan'] });
  const [deviceId = ''] = ids;
  const versionOfRow = async (): Promise<unknown> => {
    const { rows } = await sql<{ version: string }>`
      select ctid::text || xmin as version from device_targets where id = ${deviceId}`.execute(db);
    return rows;
  };
  const now = new Date('2026-11-21T10:00:00Z');
  const lists = [
    [{ name: 'registered_at', criteria: [{ gte: 'now-1m' }] }],
    [
      { name: 'registered_at', criteria: [{ gte: 'now-1m' }] },
      { name: 'tags', criteria: ['fan'] },
    ],
    [{ name: 'registered_at', criteria: [{ lt: 'now-1m' }], not_filter: true }],
  ];
  const countAll = async (): Promise<number[]> =>
    Promise.all(lists.map(async (list) => countMatching(db, { appId, filters: parsed(list), now })));

  const before = await versionOfRow();
  expect(await countAll()).toEqual([0, 0, 0]);
  await db
    .updateTable('devices')
    .set({ registered_at: now, push_token: 'b', user_id: 'someone' })
    .where('id', '=', deviceId)
    .execute();
  expect(await countAll()).toEqual([1, 1, 1]);
  expect(await versionOfRow()).toEqual(before);

  await db.updateTable('devices').set({ tags: [] }).where('id', '=', deviceId).execute();
  expect(await countAll()).toEqual([1, 0, 1]);
  await db.deleteFrom('devices').where('id', '=', deviceId).execute();
  expect(await countAll()).toEqual([0, 0, 0]);
});

test('attributes that appear over time are counted in earlier and later devices', async () => {
  const { db } = database;
  const customs = [
    { seats: { type: 'integer', value: 3 } },
    { seats: { type: 'integer', value: [3, 4] }, plan: { type: 'string', value: 'pro' } },
    { seats: { type: 'integer', value: [4] } },
    { seats: { type: 'string', value: '4' } },
  ];
  const { id: appId } = await insertApp(db);
  for (const custom of customs) await insertDevices(db, appId, [deviceWith(randomUUID(), { custom })]);
  const count = async (name: string, value: unknown): Promise<number> =>
    countMatching(db, { appId, filters: parsed([{ name, criteria: [value] }]), now: new Date() });
  expect(await count('custom.integer.seats', 3)).toBe(2);
  expect(await count('custom.integer.seats', 4)).toBe(2);
  expect(await count('custom.string.seats', '4')).toBe(1);
  expect(await count('custom.string.plan', 'pro')).toBe(1);
  const columns = await db
    .selectFrom('custom_columns')
    .select(['whole', 'text', 'also_in_rest'])
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  expect(columns).toEqual({ whole: ['seats'], text: ['plan', 'seats'], also_in_rest: ['integer seats'] });
});
