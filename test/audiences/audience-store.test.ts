import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import {
  createNamedAudience,
  filtersOfAudience,
  listAudiences,
  readAudience,
} from '../../src/audiences/audience-store.ts';
import { canonicalFilters } from '../../src/filters/canonical.ts';
import { everyoneAudience, findOrCreateAudience } from '../support/audiences.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { parsed } from '../filters/parsed.ts';

const NOW = new Date('2026-11-21T10:00:00.123Z');
const clock = (): Date => NOW;
const TAGS_A = [{ name: 'tags', criteria: ['a', 'b'] }];
const TAGS_A_OTHERWISE = [{ criteria: ['b', 'a', 'a'], name: 'tags', not_filter: false }];

const database = useTestDatabase();
let appId: string;
beforeEach(async () => {
  appId = (await insertApp(database.db)).id;
});

const findOrCreate = async (list: unknown, app = appId): Promise<string> =>
  (await findOrCreateAudience(database.db, { appId: app, filters: parsed(list), clock })).id;

it('the same filters are the same stored audience, also in concurrent calls', async () => {
  const found = await Promise.all(
    Array.from({ length: 40 }, async (_, index) =>
      database.db.transaction().execute(async (transaction) =>
        findOrCreateAudience(transaction, {
          appId,
          filters: parsed(index % 2 === 0 ? TAGS_A : TAGS_A_OTHERWISE),
          clock,
        }),
      ),
    ),
  );
  expect(new Set(found.map(({ id }) => id)).size).toBe(1);
  const rows = await database.db.selectFrom('audiences').selectAll().where('app_id', '=', appId).execute();
  expect(rows).toHaveLength(1);
});

it('another app and other filters have another stored audience', async () => {
  const ids = [
    await findOrCreate(TAGS_A),
    await findOrCreate(TAGS_A, (await insertApp(database.db)).id),
    await findOrCreate([{ name: 'tags', criteria: ['a'] }]),
    (await everyoneAudience(database.db, appId, clock)).id,
  ];
  expect(new Set(ids).size).toBe(4);
});

it('a stored audience is read with a generated name, its times and canonical filters', async () => {
  const list = [
    ...TAGS_A_OTHERWISE,
    { name: 'custom.integer.n', criteria: [JSON.rawJSON('9223372036854775807')] },
  ];
  const id = await findOrCreate(list);
  const audience = await readAudience(database.db, appId, id, clock);
  expect(audience).toMatchObject({ id, kind: 'on_the_fly', createdAt: NOW, updatedAt: NOW });
  expect(audience?.name).toMatch(/^api_audience_[0-9a-f]{16}$/);
  expect(canonicalFilters(audience?.filters ?? [])).toEqual([
    {
      name: 'custom.integer.n',
      criteria: [JSON.rawJSON('9223372036854775807')],
      not_filter: false,
    },
    { name: 'tags', criteria: ['a', 'b'], not_filter: false },
  ]);
});

it('each app has one audience of all devices', async () => {
  const created = await Promise.all(
    Array.from({ length: 10 }, async () => everyoneAudience(database.db, appId, clock)),
  );
  const [first] = created;
  expect(new Set(created.map(({ id }) => id)).size).toBe(1);
  expect(await readAudience(database.db, appId, first?.id ?? '', clock)).toMatchObject({
    kind: 'everyone',
    name: 'All devices',
    filters: [],
  });
});

it('a named audience is always new', async () => {
  const request = { appId, name: 'Fans', filters: parsed(TAGS_A), clock };
  const one = await createNamedAudience(database.db, request);
  const two = await createNamedAudience(database.db, request);
  expect(new Set([one.id, two.id, await findOrCreate(TAGS_A)]).size).toBe(3);
  expect(await readAudience(database.db, appId, one.id, clock)).toEqual(one);
  expect(one).toMatchObject({ kind: 'named', name: 'Fans', createdAt: NOW });
});

it('the audiences of one app are listed oldest first, page by page', async () => {
  await everyoneAudience(database.db, (await insertApp(database.db)).id, clock);
  for (const [index, name] of ['one', 'two', 'three'].entries()) {
    await createNamedAudience(database.db, {
      appId,
      name,
      filters: parsed(TAGS_A),
      clock: () => new Date(NOW.getTime() + index),
    });
  }
  const names = async (page: number): Promise<string[]> =>
    (await listAudiences(database.db, { appId, perPage: 2, page })).audiences.map(({ name }) => name);
  expect([await names(1), await names(2), await names(3)]).toEqual([['one', 'two'], ['three'], []]);
});

it.each(['', 'x', '1', "' or true --", randomUUID()])('no audience is found by the id %j', async (id) => {
  expect(await readAudience(database.db, appId, id, clock)).toBeUndefined();
});

it('an audience of another app is not found', async () => {
  const { id } = await everyoneAudience(database.db, appId, clock);
  const other = await insertApp(database.db);
  expect(await readAudience(database.db, other.id, id, clock)).toBeUndefined();
});

it('an audience with damaged filters is an error', () => {
  expect(() => filtersOfAudience([{ name: 'nonsense', criteria: ['a'] }])).toThrow(/filters\[0\]\.name/);
});
