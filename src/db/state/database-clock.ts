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

export interface DatabaseClockOptions {
  monotonicMs?: () => number;
  /** Used until the first look. */
  system?: Clock;
}

/** Resolves after the first look. */
export async function openDatabaseClock(
  db: Kysely<Database>,
  { monotonicMs = () => performance.now(), system = systemClock }: DatabaseClockOptions = {},
) {
  /** The time at which the monotonic clock was 0. */
  let zeroMs = system().getTime() - monotonicMs();

  /** Looks at the database's time now. While the database is away, the time goes on. */
  const look = async (): Promise<void> => {
    const askedMs = monotonicMs();
    try {
      const ms = (await readTime(db)).getTime();
      // It was read at some moment between the question and the answer. No more than that is corrected, so that the time hardly ever
      // goes back.
      const [least, most] = [ms - monotonicMs(), ms - askedMs];
      zeroMs = Math.min(Math.max(zeroMs, least), most);
    } catch {} // the watch of the database reports it
  };

  const { promise: first, resolve } = Promise.withResolvers<void>();
  const looking = startPeriodically(LOOK_EVERY_MS, async () => {
    await look();
    resolve();
  });
  await first;
  const clock: Clock = () => new Date(zeroMs + monotonicMs());
  return { clock, look, close: async () => looking.close() };
}

/** For a command, which needs the time once. @throws the database's error */
export async function readTime(db: Kysely<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not say its time');
  return row.now;
}
