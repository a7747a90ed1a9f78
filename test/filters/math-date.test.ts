import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateMathDate, parseMathDate } from '../../src/filters/math-date.ts';

/** A Tuesday. */
const NOW = new Date('2026-03-31T12:34:56.789Z');

function meaningOf(text: string, now = NOW): string | number | undefined {
  const date = parseMathDate(text);
  if (date === undefined) return undefined;
  const ms = evaluateMathDate(date, now);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : ms;
}

it.each([
  ['now', '2026-03-31T12:34:56.789Z'],
  // Every unit, forward and back.
  ['now+1y', '2027-03-31T12:34:56.789Z'],
  ['now-1y', '2025-03-31T12:34:56.789Z'],
  ['now+1M', '2026-04-30T12:34:56.789Z'],
  ['now-1M', '2026-02-28T12:34:56.789Z'],
  ['now+1w', '2026-04-07T12:34:56.789Z'],
  ['now-1w', '2026-03-24T12:34:56.789Z'],
  ['now+1d', '2026-04-01T12:34:56.789Z'],
  ['now-1d', '2026-03-30T12:34:56.789Z'],
  ['now+1h', '2026-03-31T13:34:56.789Z'],
  ['now-1H', '2026-03-31T11:34:56.789Z'],
  ['now+1m', '2026-03-31T12:35:56.789Z'],
  ['now-1m', '2026-03-31T12:33:56.789Z'],
  ['now+1s', '2026-03-31T12:34:57.789Z'],
  ['now-1s', '2026-03-31T12:34:55.789Z'],
  ['now+0d', '2026-03-31T12:34:56.789Z'],
  ['now+007d', '2026-04-07T12:34:56.789Z'],
  // Several amounts, in the order written.
  ['now+1h+1m', '2026-03-31T13:35:56.789Z'],
  ['now-1d+2h-3m+4s', '2026-03-30T14:32:00.789Z'],
  ['now-1M+1d', '2026-03-01T12:34:56.789Z'],
  ['now+1d-1M', '2026-03-01T12:34:56.789Z'],
  ['now+1M+1M', '2026-05-30T12:34:56.789Z'],
  ['now+2M', '2026-05-31T12:34:56.789Z'],
  // Rounding down, in UTC, weeks from Monday.
  ['now/s', '2026-03-31T12:34:56.000Z'],
  ['now/m', '2026-03-31T12:34:00.000Z'],
  ['now/h', '2026-03-31T12:00:00.000Z'],
  ['now/H', '2026-03-31T12:00:00.000Z'],
  ['now/d', '2026-03-31T00:00:00.000Z'],
  ['now/w', '2026-03-30T00:00:00.000Z'],
  ['now/M', '2026-03-01T00:00:00.000Z'],
  ['now/y', '2026-01-01T00:00:00.000Z'],
  ['now-1d/d', '2026-03-30T00:00:00.000Z'],
  ['now+1h+1m/h', '2026-03-31T13:00:00.000Z'],
  ['2026-03-29||/w', '2026-03-23T00:00:00.000Z'],
  ['2026-03-30||/w', '2026-03-30T00:00:00.000Z'],
  ['2026-04-05T23:59:59.999Z||/w', '2026-03-30T00:00:00.000Z'],
  ['1969-12-31||/w', '1969-12-29T00:00:00.000Z'],
  ['1969-12-31T23:59:59.999Z||/s', '1969-12-31T23:59:59.000Z'],
  ['0050-07-14||/y', '0050-01-01T00:00:00.000Z'],
  ['0050-07-14||/M', '0050-07-01T00:00:00.000Z'],
  // A day that the resulting month does not have becomes its last day.
  ['2026-01-31||+1M', '2026-02-28T00:00:00.000Z'],
  ['2024-01-31||+1M', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29||+1y', '2025-02-28T00:00:00.000Z'],
  ['2024-02-29||+4y', '2028-02-29T00:00:00.000Z'],
  ['2026-03-31||-1M', '2026-02-28T00:00:00.000Z'],
  ['2026-12-31||+2M', '2027-02-28T00:00:00.000Z'],
  ['2026-01-31||-13M', '2024-12-31T00:00:00.000Z'],
  ['2026-01-31||+1M+1M', '2026-03-28T00:00:00.000Z'],
  // Anchors, and dates alone.
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21||', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T10:20:30Z', '2026-11-21T10:20:30.000Z'],
  ['2026-11-21T10:20:30', '2026-11-21T10:20:30.000Z'],
  ['2026-11-21T10:20:30.123Z', '2026-11-21T10:20:30.123Z'],
  ['2026-11-21T10:20:30.123987Z', '2026-11-21T10:20:30.123Z'],
  ['2026-11-21T00:30:00+02:00', '2026-11-20T22:30:00.000Z'],
  ['2026-11-21T23:30:00-02:30', '2026-11-22T02:00:00.000Z'],
  ['2026-11-21T10:20:30.5+01:00||+1d/d', '2026-11-22T00:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  // Outside the calendar.
  ['now+9999y', Infinity],
  ['now-9999y', -Infinity],
  ['now+99999999999999999999999999d', Infinity],
  [`now-${'9'.repeat(400)}M`, -Infinity],
  [`now+${'9'.repeat(400)}y/d`, Infinity],
  // Steps are added in order, so a later step does not return from outside.
  ['now+9999y-9999y', Infinity],
])('the math-date %s means %s', (text, meaning) => {
  expect(meaningOf(text)).toBe(meaning);
});

it.each(
  [
    ['', ' ', 'Now', 'NOW', 'now ', ' now', 'now+', 'now-', 'now+d', 'now+1', 'now1d', 'now+1D', 'now+1S'],
    'now+1q now+1.5d now+-1d now++1d now+1d/ now/ now/D now/q now/d/d now/d+1d'.split(' '),
    ['now//d', 'now||', 'now||+1d', '||', '||+1d', '+1d', '1d', 'yesterday', 'now+1d;', "now'", 'now\n'],
    ['2026', '2026-11', '2026-1-1', '2026-13-01', '2026-00-10', '2026-02-29', '2026-02-30', '2026-04-31'],
    ['2026-11-21T', '2026-11-21T24:00:00Z', '2026-11-21T10:60:00Z', '2026-11-21T10:20:61Z', '20261121'],
    ['2026-11-21 10:20:30', '2026-11-21+1d', '2026-11-21|+1d', '2026-11-21||1d', '2026-11-21||+1d||+1d'],
    ['2026-11-21||now', '0000-12-31', '10000-01-01', '-0001-01-01', '+002026-01-01', '1764720000000'],
    ['9999-12-31||+1d', '0001-01-01||-1s', '2026-01-01||+8000y', '2026-01-01||+99999999999999999999d'],
  ].flat(),
)('the math-date %j is refused', (text) => {
  expect(parseMathDate(text)).toBeUndefined();
});

it('a math-date is never rounded up, and rounding twice changes nothing', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
      fc.constantFrom('s', 'm', 'h', 'd', 'w', 'M', 'y'),
      (moment, unit) => {
        const rounded = new Date(String(meaningOf(`now/${unit}`, moment)));
        expect(rounded.getTime()).toBeLessThanOrEqual(moment.getTime());
        expect(meaningOf(`now/${unit}`, rounded)).toBe(rounded.toISOString());
        const next = new Date(String(meaningOf(`now+1${unit}`, rounded)));
        expect(next.getTime()).toBeGreaterThan(moment.getTime());
      },
    ),
  );
});
