/** Checks whether a connection pooler is between this process and Postgres, and whether `DATABASE_POOLER` says so. */
import type { Pool } from 'pg';
import { z } from 'zod';
import { findPooler, type FoundPooler } from '../db/address/pooler.ts';
import type { Pooler } from '../db/connect.ts';
import { fault, type Finding, ok, warning } from './finding.ts';

const CHECK = 'pooler';
export const SET_POOLER = 'set DATABASE_POOLER to transaction, or to transaction_prepared (docs/postgres.md)';
const NO_TIMEOUT =
  "as the owner of the database: alter role … set statement_timeout = '30s', and the same with idle_in_transaction_session_timeout";

const timeoutsSchema = z.object({ hasTimeouts: z.boolean() });

/** @returns nothing if Postgres itself answers, or does not answer: another check reports that */
export async function checkPooler(pool: Pool, pooler: Pooler): Promise<Finding[]> {
  try {
    const found = await findPooler(pool);
    if (found === 'none') return [];
    const { rows } = await pool.query(`select '0' <> all (array[current_setting('statement_timeout'),
      current_setting('idle_in_transaction_session_timeout')]) as "hasTimeouts"`);
    const findings = [judge(found, pooler)];
    const { hasTimeouts } = timeoutsSchema.parse(rows[0]);
    if (!hasTimeouts) findings.push(warning(CHECK, 'statements have no time limit', NO_TIMEOUT));
    return findings;
  } catch {
    return [];
  }
}

function judge(found: FoundPooler, pooler: Pooler): Finding {
  const keepsPrepared = found === 'keeps prepared statements';
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
