import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

test('migrates once, however many processes start at the same time', async () => {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  const applied = await Promise.all(Array.from({ length: 5 }, async () => migrate(database.db)));
  expect(applied.flat()).toContain('0001-initial');
  expect(new Set(applied.flat()).size).toBe(applied.flat().length);
});

test('starts on a schema that a later release has brought further, and leaves it as it is', async () => {
  await sql`insert into kysely_migration values ('9999-later', now()::text)`.execute(database.db);
  expect(await migrate(database.db)).toEqual([]);
  await sql`delete from kysely_migration where name = '9999-later'`.execute(database.db);
});

test('refuses a schema with a migration that it should know and does not', async () => {
  await sql`insert into kysely_migration values ('0000-unknown', now()::text)`.execute(database.db);
  await expect(migrate(database.db)).rejects.toThrow('could not be brought up to date');
  await sql`delete from kysely_migration where name = '0000-unknown'`.execute(database.db);
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

test('text without a leading number is no version', async () => {
  const { rows } = await sql<{ key: unknown }>`select version_key('unknown') as key`.execute(database.db);
  expect(rows[0]?.key).toBeNull();
});
