/** Checks whether a connection pooler is between this process and Postgres, and whether `DATABASE_POOLER` says so. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { Pooler } from '../db/connect.ts';
import { fault, type Finding, ok, warning } from './finding.ts';

const CHECK = 'pooler';
export const SET_POOLER = 'set DATABASE_POOLER to transaction, or to transaction_prepared (docs/postgres.md)';
const NO_TIMEOUT =
  "as the owner of the database: alter role … set statement_timeout = '30s', and the same with idle_in_transaction_session_timeout";

const driverSchema = z.object({ processID: z.number() });
const serverSchema = z.object({ pid: z.number(), hasTimeouts: z.boolean() });

/** @returns nothing if Postgres itself answers, or does not answer: another check reports that */
export async function checkPooler(pool: Pool, pooler: Pooler): Promise<Finding[]> {
  const clients: PoolClient[] = [];
  try {
    for (let opened = 0; opened < 2; opened += 1) clients.push(await pool.connect());
    const [first, second] = clients;
    if (first === undefined || second === undefined) return [];
    return await look(first, second, pooler);
  } catch {
    return [];
  } finally {
    for (const client of clients) client.release(true);
  }
}

async function look(first: PoolClient, second: PoolClient, pooler: Pooler): Promise<Finding[]> {
  const { rows } = await first.query(`select pg_backend_pid() as pid,
    '0' <> all (array[current_setting('statement_timeout'),
      current_setting('idle_in_transaction_session_timeout')]) as "hasTimeouts"`);
  const { pid, hasTimeouts } = serverSchema.parse(rows[0]);
  // A pooler gives its clients process ids of its own.
  if (driverSchema.parse(first).processID === pid) return [];
  const findings = [await judge(first, second, pooler)];
  if (!hasTimeouts) findings.push(warning(CHECK, 'statements have no time limit', NO_TIMEOUT));
  return findings;
}

async function judge(first: PoolClient, second: PoolClient, pooler: Pooler): Promise<Finding> {
  const keepsPrepared = await keepsStatements(first, second);
  if (pooler === 'transaction') {
    return ok(CHECK, `in transaction mode${keepsPrepared ? '; transaction_prepared works as well' : ''}`);
  }
  if (keepsPrepared) {
    const mode = pooler === 'none' ? 'in session mode, or keeps' : 'keeps';
    return ok(CHECK, `${mode} prepared statements`);
  }
  return pooler === 'none'
    ? fault(CHECK, 'there is a pooler in transaction mode', SET_POOLER)
    : fault(
        CHECK,
        'the pooler does not keep prepared statements',
        'set max_prepared_statements (PgBouncer 1.21 or later), or DATABASE_POOLER to transaction',
      );
}

/** Whether a statement that was prepared on the server's connection is there on another one. */
async function keepsStatements(first: PoolClient, second: PoolClient): Promise<boolean> {
  // The pooler's connections outlive this check, and so does the statement.
  const statement = { name: `carillon_doctor_${randomUUID()}`, text: 'select 1' };
  await first.query(statement);
  // Takes the connection that the pooler has just got back.
  await second.query('begin');
  try {
    await first.query(statement);
    return true;
  } catch {
    return false;
  } finally {
    await second.query('rollback');
  }
}
