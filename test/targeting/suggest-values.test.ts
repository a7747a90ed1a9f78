import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { looksPersonal } from '../../src/targeting/personal-values.ts';
import { openSuggester, type SuggestDeps, type Suggester } from '../../src/targeting/suggest-values.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { buildNow } from './large-app.ts';

const database = useTestDatabase();
let appId: string;
let suggester: Suggester;
let now: Date;
let reads: number;
let deps: SuggestDeps;

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  suggester = openSuggester();
  now = new Date('2026-11-21T12:00:00Z');
  reads = 0;
  deps = {
    db: database.db,
    clock: () => now,
    limit: async (work) => {
      reads++;
      return work();
    },
  };
});

interface Device {
  locale?: string;
  tags?: string[];
  custom?: Record<string, { type: string; value: unknown }>;
}

async function addDevices(devices: readonly Device[]): Promise<void> {
  await database.db
    .insertInto('devices')
    .values(
      devices.map(({ locale = null, tags = [], custom = {} }) => ({
        app_id: appId,
        id: randomUUID(),
        platform: 'Android' as const,
        push_token: randomUUID(),
        created_at: now,
        registered_at: now,
        locale,
        tags,
        custom: JSON.stringify(custom),
      })),
    )
    .execute();
}

const many = (count: number, make: (index: number) => Device): Device[] =>
  Array.from({ length: count }, (_, index) => make(index));
const withText = (name: string, value: unknown): Device => ({
  custom: { [name]: { type: 'string', value } },
});

const valuesOf = async (name: string, prefix = '', size?: number) =>
  (await suggester.values(deps, { appId, name, prefix, ...(size !== undefined && { size }) })).values;
const textsOf = async (name: string, prefix = ''): Promise<unknown[]> =>
  (await valuesOf(name, prefix)).map(({ value }) => value);

describe('suggestions of a small app', () => {
  test('values come with exact counts, the most common one first, and only those with the prefix', async () => {
    await addDevices([
      ...many(3, () => ({ locale: 'fr_FR' })),
      ...many(5, () => ({ locale: 'en_GB' })),
      { locale: 'fr_CA' },
      {},
    ]);
    expect(await valuesOf('locale')).toEqual([
      { value: 'en_GB', devices: 5, isExact: true },
      { value: 'fr_FR', devices: 3, isExact: true },
      { value: 'fr_CA', devices: 1, isExact: true },
    ]);
    expect(await textsOf('locale', 'FR')).toEqual(['fr_FR', 'fr_CA']);
  });

  test('tags, texts in lists, whole numbers and flags have suggestions of their own types', async () => {
    const custom = {
      plan: { type: 'string', value: 'gold' },
      teams: { type: 'string', value: ['red', 'blue'] },
      level: { type: 'integer', value: 3 },
      paid: { type: 'boolean', value: true },
    };
    await addDevices(many(2, () => ({ tags: ['news', 'sport'], custom })));
    expect(await textsOf('tags')).toEqual(['news', 'sport']);
    expect(await textsOf('custom.string.plan')).toEqual(['gold']);
    expect(await textsOf('custom.string.teams')).toEqual(['blue', 'red']);
    expect(await textsOf('custom.integer.level')).toEqual([3]);
    expect(await textsOf('custom.boolean.paid')).toEqual([true]);
    expect(await textsOf('custom.string.unknown')).toEqual([]);
  });

  test('suggestions never have more than twenty values', async () => {
    await addDevices(many(60, (index) => ({ locale: `x${index % 30}` })));
    expect(await valuesOf('locale')).toHaveLength(20);
  });

  test('values of another app are not suggested', async () => {
    await addDevices(many(2, () => ({ locale: 'fr_FR', tags: ['a'] })));
    ({ id: appId } = await insertApp(database.db));
    expect([await valuesOf('locale'), await valuesOf('tags')]).toEqual([[], []]);
    expect((await suggester.names(deps, { appId, prefix: '' })).values).toEqual([]);
  });

  test('the names of custom attributes and events are listed as filters write them', async () => {
    const custom = { plan: { type: 'string', value: 'x' }, level: { type: 'integer', value: 1 } };
    await addDevices([...many(3, () => ({ custom })), ...many(2, () => withText('place', 'home'))]);
    await sql`
      insert into device_events (app_id, device_id, name, count, first_happened_at, last_happened_at)
      select app_id, id, 'purchase', 1, now(), now() from devices where app_id = ${appId} limit 2`.execute(
      database.db,
    );
    const named = async (prefix: string) =>
      (await suggester.names(deps, { appId, prefix })).values.map(({ value, devices }) => [value, devices]);
    expect(await named('')).toEqual([
      ['custom.integer.level', 3],
      ['custom.string.plan', 3],
      ['custom.string.place', 2],
      ['events.purchase', 2],
    ]);
    expect(await named('PL')).toEqual([
      ['custom.string.plan', 3],
      ['custom.string.place', 2],
    ]);
  });
});

describe('personal values', () => {
  test.each([
    'user_id',
    'user_email',
    'device_id',
    'location',
    'sdk_location',
    'registered_at',
    'events.purchase',
  ])('the filter %s has no suggestions', async (name) => {
    await addDevices(many(5, () => ({ locale: 'fr_FR' })));
    await sql`update devices set user_id = 'jo', user_email = 'jo@example.com', latitude = 1, longitude = 2
        where app_id = ${appId}`.execute(database.db);
    expect(await valuesOf(name)).toEqual([]);
  });

  test.each<[string, (index: number) => string]>([
    ['e-mail addresses', (index) => `user${index % 2}@example.com`],
    ['ids', () => randomUUID()],
    ['names of people', (index) => `Person ${String.fromCodePoint(97 + (index % 26))}${index}`],
    ['ids of users with three devices each', (index) => `k${Math.floor(index / 3)}`],
    ['telephone numbers', (index) => `+49 151 2345 67${index % 3}`],
  ])('a custom attribute with %s has no suggestions', async (_which, value) => {
    await addDevices(many(90, (index) => withText('secret', value(index))));
    expect(await valuesOf('custom.string.secret')).toEqual([]);
    const names = await suggester.names(deps, { appId, prefix: 'secret' });
    expect(names.values.map(({ value: name }) => name)).toEqual(['custom.string.secret']);
  });

  test('a value that one device has alone, or that looks personal, is left out of common ones', async () => {
    const tags = [['news'], ['news', 'only-mine'], ['news', 'jo@example.com'], ['news', 'jo@example.com']];
    await addDevices(tags.map((each) => ({ tags: each })));
    expect(await textsOf('tags')).toEqual(['news']);
  });

  test.each(['gold', 'Lyon', '4.7', '2026', 'news-sport', 'pro plan', 'v12', '100'])(
    'the value "%s" does not look personal',
    (value) => {
      expect(looksPersonal(value)).toBe(false);
    },
  );

  test.each([
    'jo@example.com',
    '0151 2345678',
    'b9f3c2d41e7a',
    '10.0.0.1',
    '48.8566, 2.3522',
    'sk_live_51Habc9Zq',
  ])('the value "%s" looks personal', (value) => {
    expect(looksPersonal(value)).toBe(true);
  });
});

const SIZE = 60;
const large = () =>
  many(240, (index) => ({
    locale: index % 4 === 0 ? 'de_DE' : 'fr_FR',
    tags: index % 3 === 0 ? ['news'] : [],
  }));

describe('suggestions of a large app', () => {
  test.each([
    ['rows', false],
    ['count bitmaps and what has changed since', true],
  ])('values that a sample has found are counted exactly, by %s', async (_by, hasBitmaps) => {
    await addDevices(large());
    if (hasBitmaps) {
      await buildNow(database.db);
      await addDevices([{ locale: 'fr_FR' }]);
    }
    const french = hasBitmaps ? 181 : 180;
    expect(await valuesOf('locale', '', SIZE)).toEqual([
      { value: 'fr_FR', devices: french, isExact: true },
      { value: 'de_DE', devices: 60, isExact: true },
    ]);
    expect(await valuesOf('tags', '', SIZE)).toEqual([{ value: 'news', devices: 80, isExact: true }]);
  });

  test('values are estimated from the sample, and marked so, if the counts take too long', async () => {
    await addDevices(large());
    let runs = 0;
    deps.limit = async (work) => {
      runs++;
      if (runs > 1) throw new ApiError('unavailable');
      return work();
    };
    const values = await valuesOf('locale', '', SIZE);
    expect(values.map(({ isExact }) => isExact)).toEqual(values.map(() => false));
    expect(values.reduce((sum, { devices }) => sum + devices, 0)).toBe(SIZE);
    await valuesOf('locale', '', SIZE);
    expect(runs).toBe(2); // it does not try to count again
  });
});

describe('the load of suggestions', () => {
  test('the database is read once a minute for an attribute, however many people type', async () => {
    await addDevices(many(2, () => ({ locale: 'fr_FR' })));
    await Promise.all(['', 'f', 'fr', 'fr_', 'e'].map(async (prefix) => textsOf('locale', prefix)));
    await addDevices([{ locale: 'en_GB' }]);
    now = new Date(now.getTime() + 59_000);
    expect(await textsOf('locale')).toEqual(['fr_FR']);
    expect(reads).toBe(1);
    now = new Date(now.getTime() + 1_000);
    expect(await textsOf('locale')).toEqual(['fr_FR', 'en_GB']);
    expect(reads).toBe(2);
  });

  test('a database that takes too long is asked again only after ten seconds', async () => {
    let asked = 0;
    deps.limit = async () => {
      asked++;
      throw new ApiError('unavailable');
    };
    for (const seconds of [0, 1, 9]) {
      now = new Date(Date.parse('2026-11-21T12:00:00Z') + seconds * 1_000);
      await expect(valuesOf('locale')).rejects.toThrow(ApiError);
    }
    expect(asked).toBe(1);
    now = new Date('2026-11-21T12:00:10Z');
    await expect(valuesOf('locale')).rejects.toThrow(ApiError);
    expect(asked).toBe(2);
  });
});
