/** A read replica, with a measured bound on how old its data is. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Observe, observeNothing } from '../../observe.ts';
import { startPeriodically } from '../../scheduling/periodically.ts';
import { databaseOn, openPool, type Pooler } from '../connect.ts';
import { databaseError } from '../database-error.ts';
import type { Database } from '../tables.ts';
import { Staleness } from './staleness.ts';

export type Replica = ReturnType<typeof openReplica>;

export interface ReplicaOptions {
  connectionString: string;
  primary: Kysely<Database>;
  pooler: Pooler;
  maxLagMs: number;
  observe: Observe;
}

const BEAT_EVERY_MS = 1_000;
/** Four counts at a time, and short reads. */
const CONNECTIONS_MAX = 10;
/** Above the time limit of a count, so that a slow count is not repeated on the primary. */
const REPLY_TIMEOUT_MS = 25_000;

/** Measures at once and then every second. The replica need not be available. */
export function openReplica({ connectionString, primary, pooler, maxLagMs, observe }: ReplicaOptions) {
  const connectionsMax = CONNECTIONS_MAX;
  // Its errors are no outage of the database: they are reported as `replica_away`.
  const pool = openPool({ connectionString, observe: observeNothing, connectionsMax, pooler });
  const db = databaseOn(pool, { replyTimeoutMs: REPLY_TIMEOUT_MS, pooler });
  const staleness = new Staleness();
  let isUsed: boolean | undefined;

  /** The maximum age of its data; undefined while the age is unknown or too high: then the primary must be read. */
  const lagMs = (): number | undefined => {
    const ageMs = staleness.ageMs(performance.now());
    return ageMs !== undefined && ageMs <= maxLagMs ? ageMs : undefined;
  };
  const report = (problem: string | undefined): void => {
    const wasUsed = isUsed;
    isUsed = lagMs() !== undefined;
    if (isUsed === wasUsed || (wasUsed === undefined && !isUsed && problem === undefined)) return;
    if (isUsed) observe({ kind: 'replica_used' });
    else observe({ kind: 'replica_away', message: problem ?? `it lags by more than ${maxLagMs / 1_000} s` });
  };
  const measure = async (): Promise<void> => {
    const sentAtMs = performance.now();
    // While the primary is away, the pool of the primary reports it.
    await beatOf(primary, BEAT).then(
      (number) => staleness.sent(number, sentAtMs),
      () => undefined,
    );
    try {
      staleness.shown(await beatOf(db, READ));
      report(undefined);
    } catch (error) {
      report(databaseError(error).message);
    }
  };
  const measuring = startPeriodically(BEAT_EVERY_MS, measure);

  return {
    db,
    lagMs,
    /** The same text as long as the replica has shown no new beat. */
    snapshot: (): string => String(staleness.beatShown),
    close: async (): Promise<void> => {
      await measuring.close();
      await db.destroy();
    },
  };
}

/** Raises the heartbeat on the primary, or reads it from the replica: a number that only rises. */
async function beatOf(db: Kysely<Database>, statement: RawBuilder<{ number: number }>): Promise<number> {
  const [row] = (await statement.execute(db)).rows;
  if (row === undefined) throw new Error('the table replica_heartbeat has lost its row');
  return row.number;
}

const BEAT = sql<{ number: number }>`update replica_heartbeat set number = number + 1 returning number`;
const READ = sql<{ number: number }>`select number from replica_heartbeat`;
