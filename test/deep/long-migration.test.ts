/** A migration may take longer than any statement of daily work: with many devices one builds indexes for minutes. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { useCarillon } from '../support/processes.ts';

/** Longer than what daily work gives a statement, and than what it waits for an answer. */
const LONG_S = 40;
const carillon = useCarillon();
const database = useTestDatabase();

test('a migration of forty seconds is applied', { timeout: 150_000 }, async () => {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  await sql
    .raw(
      `create function take_long() returns event_trigger language plpgsql as
        $$ begin perform pg_sleep(${LONG_S}); end $$;
      create event trigger long on ddl_command_start when tag in ('CREATE TYPE') execute function take_long()`,
    )
    .execute(database.db);
  const startedAt = performance.now();
  const environment = { DATABASE_URL: database.url, SECRET_KEY: '0'.repeat(64) };
  expect(await carillon.run(['migrate'], environment)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^applied 0001-core, /),
  });
  expect(performance.now() - startedAt).toBeGreaterThan(LONG_S * 1000);
});
