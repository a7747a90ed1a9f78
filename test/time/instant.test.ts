import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIsoDate } from '../../src/filters/iso-date.ts';
import { MATH_DATE, parseMathDate } from '../../src/filters/math-date.ts';
import { instant, parseInstant, WRITTEN_INSTANT } from '../../src/time/instant.ts';

const TEN = '2026-12-01T10:00:00.000Z';

describe('a time', () => {
  test.each([
    ['Java, Instant, and JavaScript, Temporal.Instant', '2026-12-01T10:00:00Z', TEN],
    ['Java, Instant with nanoseconds', '2026-12-01T10:00:00.123456789Z', '2026-12-01T10:00:00.123Z'],
    ['Java, OffsetDateTime', '2026-12-01T10:00Z', TEN],
    ['Java, OffsetDateTime with an offset', '2026-12-01T11:00+01:00', TEN],
    ['Java, LocalDateTime', '2026-12-01T10:00', TEN],
    ['Java, Jackson', '2026-12-01T10:00:00.000+0000', TEN],
    ['Kotlin, LocalDateTime', '2026-12-01T10:00:00.1', '2026-12-01T10:00:00.100Z'],
    ['Python, isoformat', '2026-12-01T10:00:00.123456+00:00', '2026-12-01T10:00:00.123Z'],
    ['Python, isoformat without a zone, C#, "s", and Temporal.PlainDateTime', '2026-12-01T10:00:00', TEN],
    ['Python, isoformat in minutes', '2026-12-01T10:00+00:00', TEN],
    ['Python, strftime %z', '2026-12-01T15:30:00+0530', TEN],
    ['Go, RFC3339', '2026-12-01T05:00:00-05:00', TEN],
    ['Go, RFC3339Nano', '2026-12-01T10:00:00.5Z', '2026-12-01T10:00:00.500Z'],
    ['C#, "o"', '2026-12-01T10:00:00.0000000Z', TEN],
    ['C#, "o" with an offset', '2026-12-01T11:00:00.0000000+01:00', TEN],
    ['C#, "zz"', '2026-12-01T11:00:00+01', TEN],
    ['Ruby, iso8601(3)', '2026-12-01T19:00:00.000+09:00', TEN],
    ['PHP, DATE_ISO8601, and Swift, ISO8601DateFormatter', '2026-12-01T10:00:00+0000', TEN],
    ['PHP, DATE_RFC3339_EXTENDED', '2026-12-01T10:00:00.000+00:00', TEN],
    ['JavaScript, toISOString', '2026-12-01T10:00:00.000Z', TEN],
    ['Rust, time', '2026-12-01T10:00:00.000000000Z', TEN],
    ['Rust, chrono', '2026-12-01T10:00:00+00:00', TEN],
    ['Postgres, to_json', '2026-12-01T10:00:00.5+00:00', '2026-12-01T10:00:00.500Z'],
    ['ISO 8601 with a comma', '2026-12-01T10:00:00,25Z', '2026-12-01T10:00:00.250Z'],
    ['RFC 3339 in lower case', '2026-12-01t10:00:00z', TEN],
    ['RFC 3339, an unknown offset', '2026-12-01T10:00:00-00:00', TEN],
    ['RFC 3339, 5.8', '1985-04-12T23:20:50.52Z', '1985-04-12T23:20:50.520Z'],
    ['RFC 3339, 5.8', '1996-12-19T16:39:57-08:00', '1996-12-20T00:39:57.000Z'],
    ['RFC 3339, 5.8', '1937-01-01T12:00:27.87+00:20', '1937-01-01T11:40:27.870Z'],
    ['a date', '2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['an offset over midnight', '2026-12-01T23:30-11', '2026-12-02T10:30:00.000Z'],
    ['the first moment', '0001-01-01T00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('a time is read as libraries print it (%s): %s', (_library, text, expected) => {
    expect(parseInstant(text)?.toISOString()).toBe(expected);
    expect(instant.parse(text).toISOString()).toBe(expected);
    expect(WRITTEN_INSTANT.test(text)).toBe(true);
    // Dates of filters, and anchors of math-dates.
    expect(parseIsoDate(text)).toEqual({ ms: Date.parse(expected), wholeDay: text.length === 10 });
    expect(parseMathDate(`${text}||+1d`)?.anchor).toEqual({ kind: 'date', ms: Date.parse(expected) });
    expect(new RegExp(MATH_DATE).test(`${text}||+1d`)).toBe(true);
  });

  test.each([
    ['no date', 'tomorrow'],
    ['seconds since 1970', '1764583200'],
    ['without a colon', '20261201T100000Z'],
    ['a blank', '2026-12-01 10:00:00Z'],
    ['a plus that an address has lost', '2026-12-01T10:00:00 01:00'],
    ['an hour alone', '2026-12-01T10Z'],
    ['a zone after a date', '2026-12-01Z'],
    ['an offset after a date', '2026-12-01+01:00'],
    ['a name of a zone', '2026-12-01T10:00+01:00[Europe/Berlin]'],
    ['a day that does not exist', '2026-02-29T10:00Z'],
    ['hour 24', '2026-12-01T24:00Z'],
    ['second 60', '2026-12-01T23:59:60Z'],
    ['the leap second of RFC 3339, 5.8', '1990-12-31T15:59:60-08:00'],
    ['an offset of minutes alone', '2026-12-01T10:00:00+:30'],
    ['an offset of one digit', '2026-12-01T10:00:00+1'],
    ['an offset of three digits', '2026-12-01T10:00:00+013'],
    ['an offset of a day', '2026-12-01T10:00:00+24:00'],
    ['a fraction of a minute', '2026-12-01T10:00.5Z'],
    ['an empty fraction', '2026-12-01T10:00:00.Z'],
    ['the year 0', '0001-01-01T00:00+01'],
    ['five digits', '12026-12-01T10:00Z'],
    ['something after it', '2026-12-01T10:00Zx'],
    ['a line break after it', '2026-12-01T10:00Z\n'],
  ])('a text is no time (%s): %s', (_what, text) => {
    expect(parseInstant(text)).toBeUndefined();
    expect(instant.safeParse(text).success).toBe(false);
  });

  test('a moment is the same, however it is written', () => {
    const moments = fc.date({
      min: new Date('0001-01-03T00:00:00Z'),
      max: new Date('9999-12-29T00:00:00Z'),
      noInvalidDate: true,
    });
    const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(moments, offsets, fc.boolean(), fc.boolean(), (moment, offset, hasColon, isLong) => {
        const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone = `${offset < 0 ? '-' : '+'}${digits(hours)}${hasColon ? ':' : ''}${digits(minutes)}`;
        expect(parseInstant(`${local}${isLong ? '999' : ''}${zone}`)).toEqual(moment);
      }),
    );
  });
});

function digits(number: number): string {
  return String(number).padStart(2, '0');
}
