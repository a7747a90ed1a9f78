/** Parses the ISO 8601 dates of filters. */
import { parseInstant } from '../time/instant.ts';

export const DAY_MS = 86_400_000;

/** The first and the last moment that a date can express: the years 1 to 9999 in UTC. */
export const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface IsoDate {
  /** Milliseconds since 1970 in UTC; the start of the day if only a date was written. */
  ms: number;
  /** Whether only a date was written: it means the whole day. */
  wholeDay: boolean;
}

const DAY_CHARACTERS = '2026-12-31'.length;

/** Parses an ISO 8601 date or date-time as stored dates are parsed (`parseInstant`). Returns undefined for anything else. */
export function parseIsoDate(text: string): IsoDate | undefined {
  const instant = parseInstant(text);
  return instant && { ms: instant.getTime(), wholeDay: text.length === DAY_CHARACTERS };
}
