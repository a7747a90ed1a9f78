/**
 * The moments at which clocks show a local time, by the tz database of Postgres. Node has one of its own; with both, two
 * processes could disagree.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/**
 * @param time without an offset: `2026-12-24T09:00:00`
 * @param days how many days to look at, from the one of `time`
 * @returns for each zone, the moment on each of the days; zones that this server does not know are missing
 */
export async function momentsOf(
  db: Kysely<Database>,
  time: string,
  zones: readonly string[],
  days: number,
): Promise<Map<string, Date[]>> {
  if (zones.length === 0) return new Map();
  const { rows } = await sql<{ zone: string; moments: (Date | null)[] }>`
    select zone, array(
      select moment_in_zone(${time}::timestamp + make_interval(days => day), zone) from generate_series(0, ${days - 1}::int) as day
      order by day
    ) as moments
    from unnest(${zones}::text[]) as zone`.execute(db);
  return new Map(
    rows.flatMap(({ zone, moments }) => {
      const known = moments.flatMap((moment) => moment ?? []);
      return known.length === days ? [[zone, known] as const] : [];
    }),
  );
}

/** `from` and `to` as `22:00`; `days` on which they begin, 1 is Monday. */
export interface HoursOfWeek {
  from: string;
  to: string;
  days: readonly number[];
}

/**
 * For each moment, the end of the quiet hours in which it lies.
 * @param asked the moments with their zones; a null zone has no quiet hours
 * @returns an end for each moment, in order; null: it is in no quiet hours
 */
export async function quietUntil(
  db: Kysely<Database>,
  asked: readonly { at: Date; zone: string | null; hours: HoursOfWeek }[],
): Promise<(Date | null)[]> {
  const { rows } = await sql<{ until: Date | null }>`
    select quiet_until(at, zone, since::time, until::time, days::integer[]) as until
    from unnest(
      ${asked.map(({ at }) => at)}::timestamptz[], ${asked.map(({ zone }) => zone)}::text[],
      ${asked.map(({ hours }) => hours.from)}::text[], ${asked.map(({ hours }) => hours.to)}::text[],
      ${asked.map(({ hours }) => `{${hours.days.join(',')}}`)}::text[]
    ) with ordinality as asked (at, zone, since, until, days, position)
    order by position`.execute(db);
  return rows.map(({ until }) => until);
}
