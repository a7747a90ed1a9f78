/**
 * Detects outages of the database, and a full disk, from the errors observed anywhere in the process. The first error of
 * an outage is logged and later ones are counted. Probes detect when it is over.
 */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { DatabaseCondition, Observation, Observe } from '../observe.ts';
import { openOutage, type Outage } from '../scheduling/outage.ts';
import { conditionOf } from './database-error.ts';
import { findLocks, lockInWords } from './state/find-locks.ts';
import type { Database } from './tables.ts';

export interface DatabaseTrouble {
  condition: DatabaseCondition;
  /** The first error, or the locks; no values of the data. */
  message: string;
  since: Date;
}

export type DatabaseWatch = ReturnType<typeof watchDatabase>;

export interface WatchOptions {
  /** Returns undefined until the database has been opened. */
  db: () => Kysely<Database> | undefined;
  /** A connection that no other work uses, to look for locks when all others wait; undefined: `db` is used. */
  ownDb?: () => Kysely<Database> | undefined;
  clock: Clock;
  /** Called when an outage begins and when it is over. */
  observe: Observe;
}

const PROBE_EVERY_MS = 1_000;
/**
 * An outage ends only after this time without an error. One successful probe is not enough: on an existing connection it
 * succeeds even while the server has no connections left. After a full disk, finished work should be stored before new
 * work starts.
 */
const QUIET_MS = 2_500;
/** These rows take 100 pages; the disk has space again if they fit. */
const PROBE_ROWS = 20_000;

/** Errors of statements that have waited for too long: there may be a lock. */
const WAITED = /\bPostgres (57014|55P03): /;

export function watchDatabase({ db, ownDb = db, clock, observe }: WatchOptions) {
  const open = (
    probe: (database: Kysely<Database>) => Promise<unknown>,
    condition: () => DatabaseCondition,
    probed: () => Kysely<Database> | undefined = db,
  ) =>
    openOutage({
      probe: async () => {
        const database = probed();
        if (database === undefined) throw new Error('the database is not open yet');
        await probe(database);
      },
      probeEveryMs: PROBE_EVERY_MS,
      quietMs: QUIET_MS,
      clock,
      onOver: (over) => observe({ kind: 'database_back', condition: condition(), ...over }),
    });
  let lost: DatabaseCondition = 'unreachable';
  const full = open(writePages, () => 'disk_full');
  const away = open(ask, () => lost);
  const locked = open(expectNoLocks, () => 'locked', ownDb);
  let isLooking = false;

  const report = (condition: DatabaseCondition, message: string): void => {
    const outage: Outage = condition === 'disk_full' ? full : condition === 'locked' ? locked : away;
    if (!outage.report(message)) return;
    if (outage === away) lost = condition;
    observe({ kind: 'database_away', condition, message });
  };
  /** Says what statements wait for. Without a lock, `otherwise` is reported. Never rejects. */
  const lookForLocks = async (message: string, otherwise: DatabaseCondition | undefined): Promise<void> => {
    const database = ownDb();
    if (isLooking || database === undefined) return;
    isLooking = true;
    try {
      const locks = await findLocks(database);
      if (locks.length > 0) report('locked', locks.map(lockInWords).join('; '));
      else if (otherwise !== undefined) report(otherwise, message);
    } catch (error) {
      report(conditionOf(error) ?? otherwise ?? 'unreachable', message);
    } finally {
      isLooking = false;
    }
  };
  return {
    /** The current outage, if any. */
    get trouble(): DatabaseTrouble | undefined {
      if (full.isOn) return troubleOf(full, 'disk_full');
      if (locked.isOn) return troubleOf(locked, 'locked');
      return away.isOn ? troubleOf(away, lost) : undefined;
    },
    /** Whether the disk of the database is full; then no work that writes much should start. */
    get isFull(): boolean {
      return full.isOn;
    },
    /** Must be called with every observation of the process. */
    observe: (observation: Observation): void => {
      const condition = outageOf(observation);
      const message = messageOf(observation);
      if (condition === 'no_free_connection') void lookForLocks(message, condition);
      else if (condition !== undefined) report(condition, message);
      else if (WAITED.test(message)) void lookForLocks(message, undefined);
    },
    close: (): void => {
      full.close();
      away.close();
      locked.close();
    },
  };
}

function troubleOf({ message, sinceMs }: Outage, condition: DatabaseCondition): DatabaseTrouble {
  return { condition, message, since: new Date(sinceMs) };
}

/** The outage that an observation is part of, if any. */
export function outageOf(observation: Observation): DatabaseCondition | undefined {
  return 'condition' in observation ? observation.condition : undefined;
}

function messageOf(observation: Observation): string {
  if ('message' in observation) return observation.message;
  return 'error' in observation && observation.error instanceof Error ? observation.error.message : '';
}

async function ask(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db);
}

async function expectNoLocks(db: Kysely<Database>): Promise<void> {
  if ((await findLocks(db)).length > 0) throw new Error('there are locks');
}

/** Writes some pages and drops them. Ignores errors that are not outages. */
async function writePages(db: Kysely<Database>): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) =>
      sql`create temporary table carillon_probe on commit drop as
          select generate_series(1, ${sql.lit(PROBE_ROWS)}) as n`.execute(transaction),
    );
  } catch (error) {
    if (conditionOf(error) !== undefined) throw error;
  }
}
