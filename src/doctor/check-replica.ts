/** Checks whether the read replica answers, and whether it is a replica. */
import { sql } from 'kysely';
import type { Config } from '../process/config.ts';
import { connectDatabase } from '../db/connect.ts';
import { databaseError } from '../db/database-error.ts';
import { observeNothing } from '../observe.ts';
import { fault, type Finding, ok, warning } from './finding.ts';

const CHECK = 'replica';

/** @returns nothing if there is no replica */
export async function checkReplica({
  databaseReplicaUrl: connectionString,
  databasePooler: pooler,
}: Config): Promise<Finding[]> {
  if (connectionString === undefined) return [];
  const db = connectDatabase({ connectionString, observe: observeNothing, connectionsMax: 1, pooler });
  try {
    const { rows } = await sql<{ follows: boolean; has: boolean }>`
      select pg_is_in_recovery() as follows, to_regclass('replica_heartbeat') is not null as has`.execute(db);
    const [{ follows, has } = { follows: false, has: false }] = rows;
    if (!has)
      return [warning(CHECK, 'it lacks the schema', 'check that it follows the database of DATABASE_URL')];
    return [
      follows
        ? ok(CHECK, 'answers and follows a primary')
        : warning(CHECK, 'it follows no primary', 'check that DATABASE_REPLICA_URL names a replica'),
    ];
  } catch (error) {
    const advice = 'check DATABASE_REPLICA_URL; until then its calls read the primary';
    return [fault(CHECK, databaseError(error).message, advice)];
  } finally {
    await db.destroy();
  }
}
