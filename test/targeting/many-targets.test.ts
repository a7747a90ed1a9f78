import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { type Insertable, sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../src/db/tables.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';

const database = useTestDatabase();

/** From this number on, rows are written by the statement for bulk changes. */
const MANY = 200;

interface Attributes {
  custom?: object;
  tags?: string[];
  country?: string | null;
  latitude?: number | null;
}

const NAMES = ['plan', "o'clock", 'back\\slash', '100%s', '$1', 'two words', '{"x"}', 'ü'];
const VALUES: Record<string, unknown[]> = {
  string: ['', 'x', "'", ['x', 'y']],
  integer: [0, -7, 9007199254740991, [1, 2]],
  float: [0.5, 3, [1.5]],
  date: ['2026-11-21T12:00:00.123Z', ['2026-11-21T12:00:00.000Z']],
  boolean: [true, false],
};
const attribute = fc
  .constantFrom(...Object.keys(VALUES))
  .chain((type) => fc.constantFrom(...(VALUES[type] ?? [])).map((value) => ({ type, value })));
const device: fc.Arbitrary<Attributes> = fc.record({
  custom: fc.dictionary(fc.constantFrom(...NAMES), attribute),
  tags: fc.constantFrom([], ['a'], ['b', 'a']),
  country: fc.constantFrom(null, 'DE'),
  latitude: fc.constantFrom(null, 1.5),
});

test(
  'devices written in bulk get the same targeting rows as devices written one by one',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(device, { minLength: 1, maxLength: 8 }), async (devices) => {
        const [together, alone] = [await insertApp(database.db), await insertApp(database.db)];
        for (const { id: appId } of [together, alone]) {
          // Attributes get columns in the order of their arrival.
          for (const type of Object.keys(VALUES)) await insert(appId, [{ custom: attributesOf(type) }]);
        }
        const empty = Array.from({ length: MANY }, () => ({}));
        await insert(together.id, [...devices, ...empty]);
        for (const one of [...devices, {}]) await insert(alone.id, [one]);
        expect(await targetsOf(together.id)).toEqual(await targetsOf(alone.id));
        await changeCountry(together.id, await idsOf(together.id));
        for (const id of await idsOf(alone.id)) await changeCountry(alone.id, [id]);
        expect(await targetsOf(together.id)).toEqual(await targetsOf(alone.id));
        expect(await columnsOf(together.id)).toEqual(await columnsOf(alone.id));
      }),
      { numRuns: runs(6) },
    );
  },
);

/** One statement. */
async function insert(appId: string, devices: readonly Attributes[]): Promise<void> {
  const rows = devices.map(
    ({ custom = {}, latitude = null, ...attributes }): Insertable<Database['devices']> => ({
      app_id: appId,
      id: randomUUID(),
      platform: 'iOS',
      created_at: new Date(0),
      registered_at: new Date(0),
      latitude,
      longitude: latitude,
      custom: JSON.stringify(custom),
      ...attributes,
    }),
  );
  await database.db.insertInto('devices').values(rows).execute();
}

async function idsOf(appId: string): Promise<string[]> {
  const rows = await database.db.selectFrom('devices').select('id').where('app_id', '=', appId).execute();
  return rows.map(({ id }) => id);
}

/** One statement. */
async function changeCountry(appId: string, ids: readonly string[]): Promise<void> {
  await database.db
    .updateTable('devices')
    .set({ country: 'FR' })
    .where('app_id', '=', appId)
    .where('id', 'in', ids)
    .execute();
}

/** An attribute of the type for each name. */
function attributesOf(type: string): object {
  return Object.fromEntries(NAMES.map((name) => [name, { type, value: VALUES[type]?.[0] }]));
}

/** The distinct contents of the targeting rows. */
async function targetsOf(appId: string): Promise<unknown> {
  const { rows } = await sql<{ target: string }>`
    select distinct (to_jsonb(target) - 'app_id' - 'id' - 'created_at')::text as target
    from device_targets as target where app_id = ${appId} order by target`.execute(database.db);
  return rows;
}

async function columnsOf(appId: string): Promise<unknown> {
  const { rows } = await sql`
    select whole, whole_types, "real", flag, text, held,
      array(select unnest(also_in_rest) order by 1) as also_in_rest
    from custom_columns where app_id = ${appId}`.execute(database.db);
  return rows;
}
