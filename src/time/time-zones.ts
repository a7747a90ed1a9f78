/**
 * The time zones that a device may have: names of the IANA database that both Postgres and Node know. Postgres reads other
 * texts in its own ways, so they are refused: `GMT+3` is POSIX, three hours *west*; `EST5EDT` has the rules of POSIX; `CET`
 * and `EST` are abbreviations without summer time.
 */
import { nearestOf } from '../nearest.ts';

/**
 * Names that are links to other zones. `Intl.supportedValuesOf` leaves them out, and phones send them. In groups:
 * `<area> <place> <place> …`; the last group has no area.
 */
const LINKS: readonly (readonly [area: string, places: string])[] = [
  ['Africa', 'Asmara Timbuktu'],
  [
    'America',
    'Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy ' +
      'Argentina/Mendoza Atikokan Atka Ensenada Fort_Wayne Indiana/Indianapolis Kentucky/Louisville Knox_IN Montreal ' +
      'Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel Shiprock Thunder_Bay Virgin Yellowknife',
  ],
  ['Antarctica', 'South_Pole'],
  [
    'Asia',
    'Ashkhabad Calcutta Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar Kathmandu Katmandu ' +
      'Kolkata Macao Rangoon Saigon Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon',
  ],
  ['Atlantic', 'Faeroe Faroe Jan_Mayen'],
  ['Australia', 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna'],
  ['Brazil', 'Acre DeNoronha East West'],
  ['Canada', 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon'],
  ['Chile', 'Continental EasterIsland'],
  [
    'Etc',
    'GMT GMT+0 GMT+1 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 GMT+10 GMT+11 GMT+12 GMT-0 GMT-1 GMT-2 GMT-3 ' +
      'GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 GMT-9 GMT-10 GMT-11 GMT-12 GMT-13 GMT-14 GMT0 Greenwich UCT UTC Universal Zulu',
  ],
  ['Europe', 'Belfast Kiev Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye'],
  ['Mexico', 'BajaNorte BajaSur General'],
  ['Pacific', 'Chuuk Enderbury Johnston Kanton Pohnpei Ponape Samoa Truk Yap'],
  [
    'US',
    'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific Samoa',
  ],
  [
    '',
    'Cuba Egypt Eire GB GB-Eire GMT Greenwich Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT ' +
      'Navajo Poland Portugal PRC ROC ROK Singapore Turkey UCT UTC Universal W-SU Zulu',
  ],
];

/** All known names, as they are written and stored. */
export const timeZones: ReadonlySet<string> = new Set([
  ...Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/')),
  ...LINKS.flatMap(([area, places]) =>
    places.split(' ').map((place) => (area === '' ? place : `${area}/${place}`)),
  ),
]);

const byLowerCase: ReadonlyMap<string, string> = new Map(
  [...timeZones].map((name) => [name.toLowerCase(), name]),
);

/** The characters of their names. Which names there are depends on the version of Node. */
export const TIME_ZONE = /^[A-Za-z0-9_+/-]+$/;

/** @returns the name in its stored form: `europe/berlin` is `Europe/Berlin`; undefined if there is no such zone */
export function timeZoneNamed(sent: string): string | undefined {
  if (timeZones.has(sent)) return sent;
  return TIME_ZONE.test(sent) ? byLowerCase.get(sent.toLowerCase()) : undefined;
}

/** `GMT+03:00`, `UTC-5`, `+0200`. */
const OFFSET = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
const RULE = 'must be the IANA name of a time zone, such as Europe/Berlin';

/** Says what to send instead of a name that is not known. */
export function timeZoneRule(sent: string): string {
  const offset = fixedZone(sent);
  if (offset !== undefined) return `${RULE}; a fixed offset is ambiguous: ${offset}`;
  const nearest = nearestOf(sent, timeZones);
  return nearest === undefined ? RULE : `${RULE}; did you mean ${nearest}?`;
}

/** In the names of fixed zones the sign is turned around: `Etc/GMT-3` is ahead of UTC. */
function fixedZone(sent: string): string | undefined {
  const [, sign, hours, minutes = '00'] = OFFSET.exec(sent) ?? [];
  if (sign === undefined || hours === undefined) return undefined;
  const shown = `UTC${sign}${Number(hours)}`;
  const name = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  if (minutes !== '00' || !timeZones.has(name)) return 'send the name of the place';
  return `send the name of the place, or ${name} for ${shown}`;
}
