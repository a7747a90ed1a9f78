/**
 * The time zones that a device may have: names of the IANA database that both Postgres and Node know. Postgres reads other
 * texts in its own ways, so they are refused: `GMT+3` is POSIX, three hours *west*; `EST5EDT` has the rules of POSIX; `CET`
 * and `EST` are abbreviations without summer time.
 */
import { nearestOf } from '../api/nearest.ts';
import { sameClocks } from './zone-links.ts';

/** All known names, as they are written and stored. */
export const timeZones: ReadonlySet<string> = new Set([
  ...Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/')),
  ...sameClocks.flat(),
  // The fixed zones, which `Intl.supportedValuesOf` leaves out.
  ...Array.from({ length: 12 }, (_, index) => `Etc/GMT+${index + 1}`),
  ...Array.from({ length: 14 }, (_, index) => `Etc/GMT-${index + 1}`),
]);

const byLowerCase: ReadonlyMap<string, string> = new Map(
  [...timeZones].map((name) => [name.toLowerCase(), name]),
);

/** The characters of their names. Which names there are depends on the version of Node. */
export const TIME_ZONE = /^[A-Za-z0-9_+/-]+$/;

/** For each name that this process's database does not know, the name that is stored instead. */
let standIns: ReadonlyMap<string, string> = new Map();

/**
 * @param known the names that the database knows (`pg_timezone_names`)
 * @returns the name itself if it is known, otherwise a known name with the same clock: `Asia/Kolkata` for
 *   `Asia/Calcutta`; undefined if there is none
 */
export function knownZoneName(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return name;
  return sameClocks.find((names) => names.includes(name))?.find((other) => known.has(other));
}

/** @returns names that a database does not know: `renamed` to a known one with the same clock, or `missing` */
export function unknownZones(known: ReadonlySet<string>) {
  const renamed = new Map<string, string>();
  const missing: string[] = [];
  for (const name of timeZones) {
    const stored = knownZoneName(name, known);
    if (stored === undefined) missing.push(name);
    else if (stored !== name) renamed.set(name, stored);
  }
  return { renamed, missing };
}

/** From now on, this process stores names that its database knows. */
export function storeKnownZones({ renamed }: { renamed: ReadonlyMap<string, string> }): void {
  standIns = renamed;
}

/**
 * @returns the name in its stored form: `europe/berlin` is `Europe/Berlin`, and an old name that the database does not
 *   know becomes the new one; undefined if there is no such zone
 */
export function timeZoneNamed(sent: string): string | undefined {
  const name = timeZones.has(sent)
    ? sent
    : TIME_ZONE.test(sent)
      ? byLowerCase.get(sent.toLowerCase())
      : undefined;
  return name === undefined ? undefined : (standIns.get(name) ?? name);
}

export function isStoredTimeZone(sent: string): boolean {
  return timeZones.has(sent) && !standIns.has(sent);
}

/** `GMT+03:00`, `UTC-5`, `+0200`. */
const OFFSET = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
const RULE = 'must be the IANA name of a time zone, such as Europe/Berlin';

export function timeZoneRule(sent: string): string {
  const offset = fixedZone(sent);
  if (offset !== undefined) return `${RULE}; a fixed offset is ambiguous: ${offset}`;
  const nearest = nearestOf(sent, timeZones);
  return nearest === undefined ? RULE : `${RULE}; did you mean ${nearest}?`;
}

/** In the names of fixed zones the sign is inverted: `Etc/GMT-3` is ahead of UTC. */
function fixedZone(sent: string): string | undefined {
  const [, sign, hours, minutes = '00'] = OFFSET.exec(sent) ?? [];
  if (sign === undefined || hours === undefined) return undefined;
  const shown = `UTC${sign}${Number(hours)}`;
  const name = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  if (minutes !== '00' || !timeZones.has(name)) return 'send the name of the place';
  return `send the name of the place, or ${name} for ${shown}`;
}
