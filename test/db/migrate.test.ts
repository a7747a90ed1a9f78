import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { TablesInUse } from '../../src/db/unavailable.ts';
import { useTestDatabase } from '../support/database.ts';
import { untilWaiting } from '../support/statements.ts';

const database = useTestDatabase();
const migrations = new URL('../../migrations/', import.meta.url);

async function emptyTheSchema(): Promise<void> {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
}

/** The schema before the last migration. @returns the names of the applied ones and of the missing one */
async function goBackByOne(): Promise<{ applied: string[]; missing: string[] }> {
  await emptyTheSchema();
  const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql'));
  const names = files.map((file) => file.replace(/\.sql$/, '')).sort();
  const applied = names.slice(0, -1);
  const early = applied.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(`${name}.sql`, migrations), 'utf8');
    return [name, { up: async (db) => void (await sql.raw(text).execute(db)) }];
  });
  const provider = { getMigrations: async () => Object.fromEntries(await Promise.all(early)) };
  const { error } = await new Migrator({ db: database.db, provider }).migrateToLatest();
  expect(error).toBeUndefined();
  return { applied, missing: names.slice(-1) };
}

test('the schema is migrated once, however many processes start at the same time', async () => {
  await emptyTheSchema();
  const applied = await Promise.all(Array.from({ length: 5 }, async () => migrate(database.db)));
  expect(applied.flat()).toContain('0001-core');
  expect(new Set(applied.flat()).size).toBe(applied.flat().length);
});

test('a start on the schema of a later release leaves it as it is', async () => {
  await sql`insert into kysely_migration values ('9999-later', now()::text)`.execute(database.db);
  expect(await migrate(database.db)).toEqual([]);
  await sql`delete from kysely_migration where name = '9999-later'`.execute(database.db);
});

test('a schema with a migration that should be known and is not is refused', async () => {
  await sql`insert into kysely_migration values ('0000-unknown', now()::text)`.execute(database.db);
  await expect(migrate(database.db)).rejects.toThrow('could not be brought up to date');
  await sql`delete from kysely_migration where name = '0000-unknown'`.execute(database.db);
});

test('a migration gives way to a transaction that has a later table and waits for an earlier one', async () => {
  const { missing } = await goBackByOne();
  const migrating = await database.db.transaction().execute(async (other) => {
    await sql`select from notifications`.execute(other);
    // Holds the migration up in between, so that of the two the other one is the first to wait for long.
    const waiting = await database.db.transaction().execute(async (third) => {
      await sql`select from audiences`.execute(third);
      const applied = migrate(database.db);
      await untilWaiting(database.db);
      const read = sql`select from devices`.execute(other);
      await untilWaiting(database.db, 2);
      return { applied, read };
    });
    await waiting.read;
    return waiting;
  });
  expect(await migrating.applied).toEqual(missing);
});

test('a migration reports a transaction that does not let go, applies nothing, and all when it has ended', async () => {
  const { applied: early, missing } = await goBackByOne();
  await database.db.transaction().execute(async (other) => {
    await sql`select from notifications`.execute(other);
    await expect(migrate(database.db, 0)).rejects.toMatchObject({ cause: expect.any(TablesInUse) });
    expect((await sql`select from devices limit 1`.execute(other)).rows).toEqual([]);
  });
  const { rows } = await sql`select from kysely_migration`.execute(database.db);
  expect(rows).toHaveLength(early.length);
  expect(await migrate(database.db)).toEqual(missing);
});

test.each([
  ['14', '14.0'],
  ['14.0.0', '14'],
  ['3.10-beta', '3.10'],
  ['0', '0.0'],
])('the version %s equals %s', async (left, right) => {
  const { rows } = await sql<{
    same: boolean;
  }>`select version_key(${left}::text) = version_key(${right}::text) as same`.execute(database.db);
  expect(rows[0]?.same).toBe(true);
});

test.each([
  ['3.9', '3.10'],
  ['3', '3.0.1'],
  ['9.99999999999999999999', '10'],
])('the version %s is before %s', async (left, right) => {
  const { rows } = await sql<{
    less: boolean;
  }>`select version_key(${left}::text) < version_key(${right}::text) as less`.execute(database.db);
  expect(rows[0]?.less).toBe(true);
});

test('a text without a leading number is no version', async () => {
  const { rows } = await sql<{ key: unknown }>`select version_key('unknown') as key`.execute(database.db);
  expect(rows[0]?.key).toBeNull();
});
