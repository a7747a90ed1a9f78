/** Devices and filters for property tests, drawn from small pools so that they often match. */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { NaiveDevice, NaiveFilter, Place } from './naive-evaluator.ts';

export const NOW = new Date('2026-03-31T12:34:56.789Z');

/** Date texts with their meaning at `NOW`; a date alone means the start of its day. */
const DATES: Record<string, string> = {
  '2026-03-30': '2026-03-30T00:00:00.000Z',
  '2026-03-31': '2026-03-31T00:00:00.000Z',
  '2026-03-30T23:59:59.999Z': '2026-03-30T23:59:59.999Z',
  '2026-03-31T02:00:00+02:00': '2026-03-31T00:00:00.000Z',
  '2026-02-28T12:34:56.789': '2026-02-28T12:34:56.789Z',
  '0001-01-01': '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
};
const MATH_DATES: Record<string, string> = {
  now: '2026-03-31T12:34:56.789Z',
  'now/d': '2026-03-31T00:00:00.000Z',
  'now-1d/d': '2026-03-30T00:00:00.000Z',
  'now-1M': '2026-02-28T12:34:56.789Z',
  'now/w': '2026-03-30T00:00:00.000Z',
  '2026-01-31||+1M/d': '2026-02-28T00:00:00.000Z',
  '2026-03-30||+1d-1s+1s': '2026-03-31T00:00:00.000Z',
  // Leap days, which not every year has, and not every century year.
  '2024-02-29||+1y': '2025-02-28T00:00:00.000Z',
  '2024-01-31||+1M': '2024-02-29T00:00:00.000Z',
  '2000-02-28||+1d': '2000-02-29T00:00:00.000Z',
  '1900-02-28||+1d': '1900-03-01T00:00:00.000Z',
};

/** The meaning of each text above; infinite where it leaves the calendar. */
export const DATE_MEANINGS: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ ...DATES, ...MATH_DATES }).map(([text, moment]): [string, number] => [
    text,
    Date.parse(moment),
  ]),
  ['now-9999y', -Infinity],
  ['now+9999y', Infinity],
]);

const moments = fc.constantFrom(...[...DATE_MEANINGS.values()].filter(Number.isFinite));
const momentsNearby = fc
  .tuple(moments, fc.constantFrom(0, 0, 1, 3_600_000))
  .map(([ms, offset]) => Math.min(ms + offset, Date.parse('9999-12-31T23:59:59.999Z')));

const TEXT_ATTRIBUTES = 'locale time_zone os_name country marketing_name user_id user_email'.split(' ');
const texts = fc.constantFrom('en_GB', 'fr_FR', "d'Or; --", 'Ünï “quoted" {} \\', '', '%');
const permissions = fc.constantFrom('Enabled', 'Disabled', 'Unknown');

const VERSION_ATTRIBUTES = ['os_version', 'app_version', 'sdk_version'];
const VERSIONS = ['14', '14.0', '3.9', '3.10', '3.10-beta', '14.2.1', '0.0', 'beta', '', '14.02'];
const versions = fc.constantFrom(...VERSIONS);
const versionNumbers = fc.constantFrom<unknown>(14, 3.9, 3.1, 0, 14.2);
const versionBounds = fc.oneof(versionNumbers, fc.constantFrom('3.10', '14.0.0', '3.9', '14.2', '14.2.1-rc'));

const edges = [2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n - 2n, -(2n ** 63n)].map((edge) =>
  JSON.rawJSON(String(edge)),
);
/** The limits twice, so that ranges often touch them. */
const integers = fc.constantFrom<unknown>(0, 1, -1, -2, 7, ...edges, ...edges);
const floats = fc.constantFrom<unknown>(0, 0.1, 0.5, -2.25, 1e-7, 1.5e300, 5e-30);
const numbers = fc.oneof(integers, floats, fc.constantFrom<unknown>(2, 3, 2_147_483_647));

const customNames = fc.constantFrom(
  'plan',
  'a.b',
  `it's "x"`,
  'ключ.имя',
  `ключ."имя".o'к`,
  '$.value',
  '{}',
  '?',
);
const eventNames = fc.constantFrom('open', 'Public Api.open', 'a.b.c', 'o\'x "y"', 'événement');
const eventCounts = fc.constantFrom(1, 2, 3, 7);
const tags = fc.constantFrom('a', 'b', "it's", 'x,y', '{"q"}', 'NULL');

const places: fc.Arbitrary<Place> = fc.oneof(
  fc.record({
    latitude: fc.integer({ min: -18, max: 18 }).map((step) => step * 5),
    longitude: fc.integer({ min: -36, max: 36 }).map((step) => step * 5),
  }),
  fc.constantFrom<Place>(
    { latitude: 0, longitude: 180 },
    { latitude: 0, longitude: -180 },
    { latitude: 90, longitude: 45 },
    { latitude: -90, longitude: -45 },
    { latitude: 1e-200, longitude: -1e-200 },
    { latitude: 10, longitude: 179.5 },
    { latitude: 10, longitude: -179.5 },
    { latitude: 89.75, longitude: 170 },
  ),
);

const SHORT_UNITS = ['in', 'inch', 'yd', 'yards', 'ft', 'feet', 'm', 'meters'];
const LONG_UNITS = ['km', 'kilometers', 'mi', 'miles', 'nauticalmiles'];
const circles = fc.record({
  point: places,
  // Odd lengths, so that no point of the pool is exactly on a circle.
  distance: fc.constantFrom(0.0371, 61.937, 1_234.567, 7_654.321, 20_037.9),
  // Long distances more often, because few points are within the short ones.
  unit: fc.constantFrom(...SHORT_UNITS, ...LONG_UNITS, ...LONG_UNITS),
});

const square = (south: number, north: number, longitudes: readonly number[]): Place[] => [
  ...longitudes.map((longitude) => ({ latitude: south, longitude })),
  ...longitudes.toReversed().map((longitude) => ({ latitude: north, longitude })),
];
const polygons = fc
  .oneof(
    fc.array(places, { minLength: 3, maxLength: 7 }),
    fc.constantFrom<Place[]>(
      square(-10, 20, [170, -170]),
      square(-90, 90, [-180, 180]),
      square(-20, 20, [-90, 90]),
      // Around the poles, and a ring drawn twice.
      [-120, 0, 120].map((longitude) => ({ latitude: 60, longitude })),
      [150, 30, -90].map((longitude) => ({ latitude: -55, longitude })),
      [-120, 0, 120, -120, 0, 120].map((longitude, index) => ({ latitude: 40 + index * 5, longitude })),
    ),
  )
  .map((polygon) => ({ polygon }));

const customs = fc.dictionary(
  customNames,
  fc.oneof(
    scalarOrArray('string', texts),
    scalarOrArray('integer', integers),
    scalarOrArray('float', floats),
    scalarOrArray(
      'date',
      momentsNearby.map((ms) => new Date(ms).toISOString()),
    ),
    fc.boolean().map((value) => ({ type: 'boolean', value })),
  ),
  // Without a prototype, so that `__proto__` is an ordinary key.
  { maxKeys: 5, noNullPrototype: true },
);

function scalarOrArray(
  type: string,
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<{ type: string; value: unknown }> {
  return fc.oneof(values, fc.array(values, { minLength: 1, maxLength: 3 })).map((value) => ({ type, value }));
}

const ids = Array.from({ length: 40 }, () => randomUUID());

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { freq: 4 });

const attributesOf = (names: readonly string[], values: fc.Arbitrary<string>) =>
  fc.record(Object.fromEntries(names.map((name) => [name, maybe(values)])));

const devices: fc.Arbitrary<NaiveDevice> = fc.record({
  id: fc.constantFrom(...ids),
  text: fc
    .tuple(
      attributesOf(TEXT_ATTRIBUTES, texts),
      attributesOf(VERSION_ATTRIBUTES, versions),
      fc.record({ notifications_allowed: permissions }),
    )
    .map((parts) => Object.assign({}, ...parts) as Record<string, string | null>),
  dates: fc.record({ created_at: momentsNearby, registered_at: momentsNearby }),
  badge: maybe(fc.constantFrom(0, 1, 2, 3, 7, 2_147_483_647)),
  development: fc.boolean(),
  tags: fc.uniqueArray(tags, { maxLength: 3 }),
  place: maybe(places),
  gps: fc.option(places, { freq: 2 }),
  custom: customs,
  events: fc.dictionary(eventNames, fc.record({ count: eventCounts, lastMs: momentsNearby }), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
});

export const deviceSets = fc.uniqueArray(devices, { minLength: 8, maxLength: 16, selector: ({ id }) => id });

/** Half of them with one bound, because several random bounds mostly leave an empty range. */
function range(bounds: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const several = fc
    .record({ gt: bounds, gte: bounds, lt: bounds, lte: bounds }, { requiredKeys: [] })
    .filter((criterion) => Object.keys(criterion).length > 0);
  const one = fc
    .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), bounds)
    .map(([key, bound]) => ({ [key]: bound }));
  return fc.oneof(one, several);
}

const numberCriteria = fc.oneof(numbers, range(numbers));
const dateRanges = range(fc.constantFrom(...DATE_MEANINGS.keys()));
const dateCriteria = fc.oneof(fc.constantFrom(...Object.keys(DATES)), dateRanges);
const placeCriteria = fc.oneof(circles, polygons);

interface Kind {
  names: fc.Arbitrary<string>;
  criteria: fc.Arbitrary<unknown>;
}

const KINDS: Kind[] = [
  { names: fc.constantFrom(...TEXT_ATTRIBUTES), criteria: texts },
  { names: fc.constant('notifications_allowed'), criteria: permissions },
  {
    names: fc.constant('device_id'),
    criteria: fc.constantFrom('not-an-id', ...ids, ...ids.map((id) => id.toUpperCase())),
  },
  { names: fc.constant('tags'), criteria: tags },
  {
    names: fc.constantFrom(...VERSION_ATTRIBUTES),
    criteria: fc.oneof(versions, versionNumbers, range(versionBounds)),
  },
  { names: fc.constantFrom('created_at', 'registered_at'), criteria: dateCriteria },
  { names: fc.constant('badge'), criteria: numberCriteria },
  { names: fc.constant('development'), criteria: fc.boolean() },
  { names: fc.constantFrom('location', 'sdk_location'), criteria: placeCriteria },
  { names: customNames.map((name) => `custom.string.${name}`), criteria: texts },
  { names: customNames.map((name) => `custom.integer.${name}`), criteria: numberCriteria },
  { names: customNames.map((name) => `custom.float.${name}`), criteria: numberCriteria },
  { names: customNames.map((name) => `custom.date.${name}`), criteria: dateCriteria },
  { names: customNames.map((name) => `custom.boolean.${name}`), criteria: fc.boolean() },
  {
    names: eventNames.map((name) => `events.${name}`),
    // Counts by themselves, because few other numbers are one.
    criteria: fc.oneof(fc.constant(true), eventCounts, numberCriteria, dateRanges),
  },
];

const filters: fc.Arbitrary<NaiveFilter> = fc.oneof(
  ...KINDS.map(({ names, criteria }) =>
    fc.record(
      {
        name: names,
        criteria: fc.array(criteria, { minLength: 1, maxLength: 4 }),
        not_filter: fc.boolean(),
      },
      { requiredKeys: ['name', 'criteria'] },
    ),
  ),
);

export const filterLists = fc.array(filters, { minLength: 1, maxLength: 3 });
