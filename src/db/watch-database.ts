/**
 * Knows whether the database is out of reach, or its disk full, from the errors that are observed anywhere in the
 * process: the first of an outage is told, the end of it is found out by trying, and what comes between is counted.
 */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { DatabaseCondition, Observation, Observe } from '../observe.ts';
import { openOutage, type Outage } from '../outage.ts';
import { conditionOf } from './database-error.ts';
import type { Database } from './tables.ts';

export interface DatabaseWatch {
  /** The disk of the database is full: what would write much is better not begun. */
  readonly isFull: boolean;
  /** To be told whatever is observed. */
  observe: Observe;
  close(): void;
}

export interface WatchOptions {
  /** Undefined until it has been opened. */
  db: () => Kysely<Database> | undefined;
  clock: Clock;
  /** Is told when an outage begins and when it is over. */
  observe: Observe;
}

const PROBE_EVERY_MS = 1_000;
/**
 * No outage ends within so long of an error. A server without free connections has one for a try that comes over an
 * old one; and after a full disk, what was done already is stored before anything new is begun.
 */
const QUIET_MS = 2_500;
/** So many rows take 100 pages, for which the disk must have room. */
const ROWS_FOR_ROOM = 20_000;

export function watchDatabase({ db, clock, observe }: WatchOptions): DatabaseWatch {
  const open = (
    probe: (database: Kysely<Database>) => Promise<unknown>,
    condition: () => DatabaseCondition,
  ) =>
    openOutage({
      probe: async () => {
        const database = db();
        if (database === undefined) throw new Error('the database is not open yet');
        await probe(database);
      },
      probeEveryMs: PROBE_EVERY_MS,
      quietMs: QUIET_MS,
      clock,
      onOver: (over) => observe({ kind: 'database_back', condition: condition(), ...over }),
    });
  let lost: DatabaseCondition = 'unreachable';
  const full = open(makeRoom, () => 'disk_full');
  const away = open(ask, () => lost);

  const report = (condition: DatabaseCondition, message: string): void => {
    const outage: Outage = condition === 'disk_full' ? full : away;
    if (!outage.report(message)) return;
    if (condition !== 'disk_full') lost = condition;
    observe({ kind: 'database_away', condition, message });
  };
  return {
    get isFull() {
      return full.isOn;
    },
    observe: (observation) => {
      const condition = outageOf(observation);
      if (condition !== undefined) report(condition, messageOf(observation));
    },
    close: () => {
      full.close();
      away.close();
    },
  };
}

/** The outage that an observation speaks of, if any. */
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

/** Writes some pages, and takes them away again. What keeps it from writing other than a full disk is no matter here. */
async function makeRoom(db: Kysely<Database>): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) =>
      sql`create temporary table carillon_room on commit drop as
          select generate_series(1, ${sql.lit(ROWS_FOR_ROOM)}) as n`.execute(transaction),
    );
  } catch (error) {
    if (conditionOf(error) !== undefined) throw error;
  }
}
