/**
 * The time of the database, by which all processes go: what one stores as due, another one finds due, although the clock of its
 * machine is ahead, behind, or set while it runs. Between two looks the time goes on by the monotonic clock.
 */
import { type Kysely, sql } from 'kysely';
import { type Clock, systemClock } from '../../clock.ts';
import type { Database } from '../tables.ts';
import { startPeriodically } from '../../scheduling/periodically.ts';

/** Monotonic clocks drift apart by less than a millisecond meanwhile. */
const LOOK_EVERY_MS = 5_000;

export interface DatabaseClock {
  clock: Clock;
  /** Looks at the database's time now. While the database is away, the time goes on. */
  look: () => Promise<void>;
  close: () => Promise<void>;
}

export interface DatabaseClockOptions {
  monotonicMs?: () => number;
  /** Used until the first look. */
  system?: Clock;
}

/** Resolves after the first look. */
export async function openDatabaseClock(
  db: Kysely<Database>,
  { monotonicMs = () => performance.now(), system = systemClock }: DatabaseClockOptions = {},
): Promise<DatabaseClock> {
  /** The time at which the monotonic clock was 0. */
  let zeroMs = system().getTime() - monotonicMs();

  const look = async (): Promise<void> => {
    const askedMs = monotonicMs();
    try {
      const { rows } = await sql<{
        ms: number;
      }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db);
      const [{ ms } = { ms: Number.NaN }] = rows;
      // It was read at some moment between the question and the answer. No more than that is corrected, so that the time hardly ever
      // goes back.
      const [least, most] = [ms - monotonicMs(), ms - askedMs];
      zeroMs = Math.min(Math.max(zeroMs, least), most);
    } catch {} // the watch of the database reports it
  };

  await look();
  const looking = startPeriodically(LOOK_EVERY_MS, look);
  return { clock: () => new Date(zeroMs + monotonicMs()), look, close: async () => looking.close() };
}
