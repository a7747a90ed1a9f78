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
