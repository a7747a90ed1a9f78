/** A pooler in transaction mode that ignores the start-up parameters, as its users are advised to set it. */
import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { findPooler } from '../../../src/db/address/pooler.ts';
import { openPool } from '../../../src/db/connect.ts';
import { databaseError } from '../../../src/db/database-error.ts';
import { observeNothing } from '../../../src/observe.ts';
import { ConfigError, readConfig } from '../../../src/process/config.ts';
import { openResources } from '../../../src/process/resources.ts';
import { useTestDatabase } from '../../support/database.ts';
import { describeWithPgBouncer, keepsPreparedStatements, type PgBouncer } from '../../support/pgbouncer.ts';

const SECRET_KEY = randomBytes(32).toString('hex');
const IGNORES = 'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout';
const database = useTestDatabase();

/** @returns the fault that ends the start; nothing: it starts */
async function startWith(DATABASE_URL: string, DATABASE_POOLER = 'none'): Promise<string> {
  try {
    const config = readConfig({ DATABASE_URL, SECRET_KEY, DATABASE_POOLER }, false);
    const resources = await openResources(config, observeNothing);
    await resources.close();
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

test('Postgres itself is no pooler', async () => {
  const pool = openPool({ connectionString: database.url, observe: observeNothing });
  expect(await findPooler(pool)).toBe('none');
  await pool.end();
});

const withMode = (mode: string, define: (pgBouncer: PgBouncer) => void): void =>
  describeWithPgBouncer(
    `PgBouncer in ${mode} mode that ignores start-up parameters`,
    () => inject('postgresUrl'),
    define,
    [IGNORES, `pool_mode = ${mode}`, ...(keepsPreparedStatements ? ['max_prepared_statements = 0'] : [])],
  );

withMode('transaction', (pgBouncer) => {
  test('a pooler ends a start without DATABASE_POOLER, and the error names it', async () => {
    expect(await startWith(pgBouncer.through(database.url))).toMatch(
      /^DATABASE_URL leads .* set DATABASE_POOLER to transaction/,
    );
  });

  test('a pooler ends a start with a DATABASE_POOLER that does not suit it', async () => {
    expect(await startWith(pgBouncer.through(database.url), 'transaction_prepared')).toMatch(
      /keeps no prepared statements: set DATABASE_POOLER to transaction/,
    );
  });

  test('a pooler in transaction mode lets a process with DATABASE_POOLER=transaction start', async () => {
    expect(await startWith(pgBouncer.through(database.url), 'transaction')).toBe('');
  });

  test('a pooler that refuses a parameter of the address is named', async () => {
    const url = `${pgBouncer.through(database.url)}?options=-c%20geqo%3Doff`;
    expect(await startWith(url, 'transaction')).toMatch(/refuses a parameter in DATABASE_URL/);
  });

  test('a pooler is recognized by its errors where it appears later', async () => {
    const pool = openPool({ connectionString: pgBouncer.through(database.url), observe: observeNothing });
    const [first, second] = [await pool.connect(), await pool.connect()];
    try {
      const statement = { name: `test_${randomBytes(8).toString('hex')}`, text: 'select 1' };
      await first.query(statement);
      await second.query('begin');
      await second.query('select 1');
      const error: unknown = await first.query(statement).catch((caught: unknown) => caught);
      expect(databaseError(error)).toEqual({
        kind: 'database_error',
        message: expect.stringMatching(/pooler in transaction mode: set DATABASE_POOLER/),
      });
    } finally {
      first.release(true);
      second.release(true);
      await pool.end();
    }
  });
});

withMode('session', (pgBouncer) => {
  test('a pooler in session mode lets a process without DATABASE_POOLER start', async () => {
    expect(await startWith(pgBouncer.through(database.url))).toBe('');
  });
});
