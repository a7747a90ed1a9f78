/** Every change of a clock in a span of time, found with Node's own tz database: an oracle that shares nothing with Postgres. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../src/db/tables.ts';
import { timeZones } from '../../../src/time/time-zones.ts';

/** The span that the tests look at. */
export const FROM = new Date('2025-01-01T00:00:00Z');
export const UNTIL = new Date('2031-01-01T00:00:00Z');

export interface Transition {
  zone: string;
  /** The first moment with the new offset. */
  at: Date;
  /** Milliseconds to add to UTC. */
  before: number;
  after: number;
}

const STEP_MS = 10 * 24 * 60 * 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** @returns milliseconds to add to UTC */
export function offsetMs(zone: string, at: number): number {
  // A third of the work of a whole date, and hundreds of thousands are asked for.
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', minute: 'numeric' });
  formats.set(zone, format);
  const [, sign = '+', hours = 0, minutes = 0] =
    /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(at)) ?? fail(zone);
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '+' ? 1 : -1);
}

function fail(zone: string): never {
  throw new Error(`the offset of ${zone} has another form`);
}

export function transitionsOf(zone: string, from: Date, until: Date): Transition[] {
  const found: Transition[] = [];
  let before = offsetMs(zone, from.getTime());
  for (let at = from.getTime() + STEP_MS; at <= until.getTime(); at += STEP_MS) {
    const after = offsetMs(zone, at);
    if (after === before) continue;
    let low = at - STEP_MS;
    let high = at;
    while (high - low > 1_000) {
      const middle = Math.floor((low + high) / 2_000) * 1_000;
      if (offsetMs(zone, middle) === before) low = middle;
      else high = middle;
    }
    found.push({ zone, at: new Date(high), before, after });
    before = after;
  }
  return found;
}

/**
 * The moment at which clocks in the zone show a time, by Node's tz database: of two, the second; if there is none, as many
 * minutes after the change as the time is after the beginning of the gap.
 * @param wall the time, as if it were UTC (Unix ms)
 */
export function momentByNode(zone: string, wall: number): Date {
  const offsets = [wall - 26 * 3_600_000, wall + 26 * 3_600_000].map((near) => offsetMs(zone, near));
  const moments = offsets.map((offset) => wall - offset);
  const real = moments.filter((moment) => moment + offsetMs(zone, moment) === wall);
  return new Date(real.length > 0 ? Math.max(...real) : wall - (offsets[0] ?? 0));
}

/**
 * The zones for which Node and Postgres have the same offset every ten days of the span. They have tz databases of different
 * dates, and a few countries change their rules every year.
 */
export async function agreedZones(db: Kysely<Database>): Promise<string[]> {
  const steps = Array.from({ length: 6 * 36 }, (_, step) => FROM.getTime() + step * 10 * 86_400_000);
  const { rows } = await sql<{ zone: string; offsets: number[] }>`
    select zone, array(
      select round(extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) * 1000)::int
      from unnest(${steps.map((at) => new Date(at).toISOString())}::timestamptz[]) with ordinality as step (at, position)
      order by position
    ) as offsets
    from unnest(${[...timeZones]}::text[]) as zone`.execute(db);
  return rows
    .filter(({ zone, offsets }) => steps.every((at, step) => offsetMs(zone, at) === offsets[step]))
    .map(({ zone }) => zone);
}
