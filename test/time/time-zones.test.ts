import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { readRegistrationBody } from '../../src/devices/understand.ts';
import {
  knownZoneName,
  storeKnownZones,
  timeZoneNamed,
  timeZoneRule,
  timeZones,
  unknownZones,
} from '../../src/time/time-zones.ts';
import { sameClocks } from '../../src/time/zone-links.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

test('Postgres knows every name of a time zone, and so does Node', async () => {
  const { rows } = await sql<{ name: string }>`select name from pg_timezone_names`.execute(database.db);
  const known = new Set(rows.map(({ name }) => name));
  expect([...timeZones].filter((name) => !known.has(name))).toEqual([]);
  for (const timeZone of timeZones) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
});

test('Postgres takes no time zone for an abbreviation, which has no summer time', async () => {
  const { rows } = await sql<{ abbrev: string }>`select abbrev from pg_timezone_abbrevs`.execute(database.db);
  const abbreviations = new Set(rows.map(({ abbrev }) => abbrev));
  const both = [...timeZones].filter((name) => abbreviations.has(name.toUpperCase()));
  expect(both.sort()).toEqual(['GMT', 'UCT', 'UTC', 'Zulu']); // they are UTC either way
});

test('every time zone of Postgres that is left out is misleading', async () => {
  const { rows } = await sql<{ name: string }>`
    select name from pg_timezone_names where name not like 'posix/%' and name not like 'right/%'`.execute(
    database.db,
  );
  const leftOut = rows.map(({ name }) => name).filter((name) => !timeZones.has(name));
  expect(leftOut.filter((name) => !/^[A-Z]{3}(?:\d[A-Z]{3})?$|^GMT[+-]?0$|^Factory$/.test(name))).toEqual([]);
});

test('upper and lower case in a time zone do not matter', () => {
  expect(timeZoneNamed('europe/BERLIN')).toBe('Europe/Berlin');
  expect(timeZoneNamed('Asia/Kolkata')).toBe('Asia/Kolkata');
  expect(timeZoneNamed('utc')).toBe('UTC');
});

const REFUSED = 'GMT+3 GMT+03:00 +0300 EST5EDT CET EST Berlin posix/Europe/Berlin localtime';

test.each(['', ...REFUSED.split(' ')])('the time zone "%s" is refused', (sent) => {
  expect(timeZoneNamed(sent)).toBeUndefined();
  const device = { platform: 'Android', push_token: 'd:x', time_zone: sent };
  expect(() => parseRegistration(device)).toThrow(
    expect.objectContaining({ details: [{ path: 'time_zone', message: timeZoneRule(sent) }] }),
  );
});

test.each([
  ['GMT+03:00', 'send the name of the place, or Etc/GMT-3 for UTC+3'],
  ['UTC-5', 'send the name of the place, or Etc/GMT+5 for UTC-5'],
  ['+0530', 'a fixed offset is ambiguous: send the name of the place'],
  ['Europe/Berlim', 'did you mean Europe/Berlin?'],
])('the error about the time zone %s says what to send', (sent, hint) => {
  expect(timeZoneRule(sent)).toContain('must be the IANA name of a time zone, such as Europe/Berlin');
  expect(timeZoneRule(sent)).toContain(hint);
});

/** As a registration and an import store it. */
function stored(time_zone: string): unknown[] {
  const device = { platform: 'Android', push_token: 'd:x', time_zone };
  return [parseRegistration(device).time_zone, readRegistrationBody({ device }).registration.time_zone];
}

describe('names that the database does not know', () => {
  /** As Debian 13 without `tzdata-legacy` knows them, in part. */
  const known = new Set(
    [...timeZones].filter(
      (name) => !/^(US|Brazil|Canada)\/|Calcutta|Kiev$|^Pacific\/Kanton$|Enderbury/.test(name),
    ),
  );
  afterEach(() => storeKnownZones({ renamed: new Map() }));

  test.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['US/Eastern', 'America/New_York'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['Brazil/East', 'America/Sao_Paulo'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Pacific/Kanton', undefined],
  ])('the time zone %s is known as %s', (name, as) => {
    expect(knownZoneName(name, known)).toBe(as);
  });

  test('time zones that the database does not know are stored as names of the same clock', () => {
    expect(stored('Asia/Calcutta')).toEqual(['Asia/Calcutta', 'Asia/Calcutta']);
    storeKnownZones(unknownZones(known));
    expect(stored('Asia/Calcutta')).toEqual(['Asia/Kolkata', 'Asia/Kolkata']);
    expect(stored('us/eastern')).toEqual(['America/New_York', 'America/New_York']);
    // Without a known name it stays: the database may know it after an update, and until then it counts as none.
    expect(stored('Pacific/Kanton')).toEqual(['Pacific/Kanton', 'Pacific/Kanton']);
  });

  test('every name of a clock has the same times as the others, at any moment of 30 years', () => {
    for (const names of sameClocks) {
      const [first, ...others] = names.map(
        (timeZone) => new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
      );
      for (let month = 0; month < 360; month++) {
        const at = new Date(Date.UTC(2000, month, 1));
        for (const other of others) expect(other.format(at)).toBe(first?.format(at));
      }
    }
  });
});
