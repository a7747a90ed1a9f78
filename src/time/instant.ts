import { z } from 'zod';

const RULE = 'must be an ISO 8601 date or date-time';

/** `2026-02-28`: only days that exist, also in leap years. */
export const DAY = z.regexes.date.source.slice(1, -1);
export const MINUTE = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const OFFSET = '(?:[01]\\d|2[0-3])(?::?[0-5]\\d)?';
/**
 * A date or date-time as a regular expression, for use within one: the extended format of ISO 8601 as libraries print it. Java
 * leaves seconds out that are 0, PHP and Jackson write `+0000`, Postgres `+00`, RFC 3339 allows lower case.
 */
export const INSTANT = `${DAY}(?:[Tt]${MINUTE}(?::[0-5]\\d(?:[.,]\\d+)?)?(?:[Zz]|[+-]${OFFSET})?)?`;
export const WRITTEN_INSTANT = new RegExp(`^${INSTANT}$`);
const PARTS = /^(.{10})(?:.(\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?(?:[Zz]|([+-]\d\d):?(\d\d)?)?)?$/;

/**
 * Parses ISO 8601 to the millisecond (further digits are cut). A date without a time means midnight in UTC; a time
 * without a zone is in UTC.
 * @returns undefined if the text is not ISO 8601, the day does not exist, or the year is not 1 to 9999 in UTC (Postgres has
 * no year 0, and ISO 8601 years have four digits)
 */
export function parseInstant(text: string): Date | undefined {
  if (!WRITTEN_INSTANT.test(text)) return undefined;
  const [, day = '', time = '00:00', fraction = '0', hours = '+00', minutes = '00'] = PARTS.exec(text) ?? [];
  const seconds = time.length === 5 ? ':00' : '';
  const instant = new Date(`${day}T${time}${seconds}.${fraction.slice(0, 3)}${hours}:${minutes}`);
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999 ? instant : undefined;
}

export const instant = z
  .string(RULE)
  .transform((text, context): Date => {
    const parsed = parseInstant(text);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: RULE });
    return z.NEVER;
  })
  .meta({
    pattern: WRITTEN_INSTANT.source,
    description: 'ISO 8601. A time without an offset is in UTC; a date alone means midnight in UTC.',
  });
