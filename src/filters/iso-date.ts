import { parseInstant } from '../instant.ts';

export const DAY_MS = 86_400_000;

/** The first and the last moment that a date of ours can name: the years 1 to 9999 in UTC. */
export const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface IsoDate {
  /** Milliseconds since 1970 in UTC; the day's beginning where only a date was written. */
  ms: number;
  /** Whether only a date was written, which names a whole day. */
  wholeDay: boolean;
}

/** Reads an ISO 8601 date or date-time by the rules of stored dates (`parseInstant`); undefined for anything else. */
export function parseIsoDate(text: string): IsoDate | undefined {
  const instant = parseInstant(text);
  return instant && { ms: instant.getTime(), wholeDay: !text.includes('T') };
}
