import { expect, it } from 'vitest';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { parseJson } from '../../src/json/lossless.ts';

/** The paths of the faults; none for a valid list. */
function faultPaths(list: unknown): string[] {
  const result = parseFilters(list, 'to');
  return result.ok ? [] : result.faults.map(({ path }) => path);
}

function times(size: number, value: unknown): unknown[] {
  return Array.from({ length: size }, () => value);
}

const RANGE_KEYS = ['gt', 'gte', 'lt', 'lte'];
const TEXT_NAMES = ['locale', 'time_zone', 'os_name', 'country', 'marketing_name', 'user_id', 'user_email'];
const POINT = { latitude: 1, longitude: 2 };
const CIRCLE = { point: POINT, distance: 1, unit: 'km' };
const TRIANGLE = { polygon: [POINT, { latitude: 2, longitude: 2 }, { latitude: 1, longitude: 3 }] };
const COUNTS = { gt: 1 };
const MOMENTS = { gt: 'now' };
const PLAIN_VALUES: unknown[] = ['text', 1, 1.5, true, null, [], {}, COUNTS, MOMENTS, CIRCLE, TRIANGLE];

/** The values of `PLAIN_VALUES` that each attribute accepts. Every other value is a fault. */
const ACCEPTED: [names: string[], values: unknown[]][] = [
  [[...TEXT_NAMES, 'device_id', 'tags', 'custom.string.a'], ['text']],
  [['notifications_allowed'], []],
  [
    ['os_version', 'app_version', 'sdk_version'],
    ['text', 1, 1.5, COUNTS],
  ],
  [['created_at', 'registered_at', 'custom.date.a'], [MOMENTS]],
  [
    ['badge', 'custom.integer.a', 'custom.float.a'],
    [1, 1.5, COUNTS],
  ],
  [['development', 'custom.boolean.a'], [true]],
  [
    ['location', 'sdk_location'],
    [CIRCLE, TRIANGLE],
  ],
  [
    ['events.a', 'events.Public Api.a'],
    [1, 1.5, true, COUNTS, MOMENTS],
  ],
];

it.each(
  ACCEPTED.flatMap(([names, values]) =>
    names.flatMap((name) =>
      PLAIN_VALUES.map((value): [string, string, boolean, unknown] => [
        name,
        JSON.stringify(value),
        values.includes(value),
        value,
      ]),
    ),
  ),
)('the filter %s takes the criterion %s: %s', (name, _text, accepted, value) => {
  const good = ACCEPTED.find(([names]) => names.includes(name))?.[1][0] ?? 'Enabled';
  const paths = faultPaths([{ name, criteria: [good, value] }]);
  expect(paths.length > 0).toBe(!accepted);
  expect(paths.filter((path) => !path.startsWith('to[0].criteria[1]'))).toEqual([]);
});

it.each([
  ['notifications_allowed', ['Enabled', 'Disabled', 'Unknown']],
  ['created_at', ['2026-11-21', '2026-11-21T10:00:00Z', { gte: '2026-11-21', lt: 'now-1d/d' }]],
  ['os_version', ['', 'beta', '3.10', 0, { gte: '3.10', lt: 4 }, { lt: '14.2.1-rc' }]],
  ['app_version', [{ gt: '1.0+5', gte: '1.0 (7)', lt: '01.020', lte: 1e3 }]],
  ['badge', [-1, 0, 1e21, { gt: 0, gte: 0, lt: 5, lte: 5 }]],
  ['custom.string.a.b.c', ['']],
  ['custom.string.ключ "quoted" {}', ['ü']],
  ['custom.integer. ', [1]],
  ['events.Public Api.a.b', [true]],
  ['events..', [0]],
  ['location', [CIRCLE, TRIANGLE, { ...CIRCLE, point: { latitude: -90, longitude: 180 } }]],
])('the filter %s is accepted with %j', (name, criteria) => {
  expect(faultPaths([{ name, criteria }])).toEqual([]);
});

it.each('in inch yd yards ft feet km kilometers nauticalmiles mi miles m meters'.split(' '))(
  'the unit %s is accepted',
  (unit) => {
    expect(faultPaths([{ name: 'location', criteria: [{ ...CIRCLE, unit }] }])).toEqual([]);
  },
);

it.each<[string, unknown, string[]]>([
  ['an object', {}, ['to']],
  ['a string', '*', ['to']],
  ['nothing', undefined, ['to']],
  ['an empty list', [], ['to']],
  ['a filter that is null', [null], ['to[0]']],
  ['a filter that is a list', [[]], ['to[0]']],
  ['a filter that is a string', ['tags'], ['to[0]']],
  ['a filter that is a number', [parseJson('12345678901234567890')], ['to[0]']],
  ['an empty filter', [{}], ['to[0].name', 'to[0].criteria']],
  ['no name', [{ criteria: ['a'] }], ['to[0].name']],
  ['a name that is not a string', [{ name: 1, criteria: ['a'] }], ['to[0].name']],
  ['no criteria', [{ name: 'tags' }], ['to[0].criteria']],
  ['criteria that are not a list', [{ name: 'tags', criteria: 'a' }], ['to[0].criteria']],
  ['an empty list of criteria', [{ name: 'tags', criteria: [] }], ['to[0].criteria']],
  ['an unknown key', [{ name: 'tags', criteria: ['a'], not: true }], ['to[0].not']],
  ['not_filter as a string', [{ name: 'tags', criteria: ['a'], not_filter: 'true' }], ['to[0].not_filter']],
  ['not_filter as null', [{ name: 'tags', criteria: ['a'], not_filter: null }], ['to[0].not_filter']],
  ['the second filter', [{ name: 'tags', criteria: ['a'] }, 1], ['to[1]']],
  [
    'everything at once',
    [
      { name: 'tags', criteria: [1, 'a', 2], extra: 1 },
      { name: 'badge', criteria: [{ gt: 'x', foo: 1 }] },
      { name: 'location', criteria: [{ point: { latitude: 91, longitude: 181 }, distance: 0, unit: 'x' }] },
    ],
    [
      'to[0].extra',
      'to[0].criteria[0]',
      'to[0].criteria[2]',
      'to[1].criteria[0].gt',
      'to[1].criteria[0].foo',
      'to[2].criteria[0].point.latitude',
      'to[2].criteria[0].point.longitude',
      'to[2].criteria[0].distance',
      'to[2].criteria[0].unit',
    ],
  ],
])('the list of filters is refused with a path: %s', (_what, list, paths) => {
  expect(faultPaths(list)).toEqual(paths);
});

it.each(
  [
    ['', 'tag', 'Tags', ' tags', 'id', 'push_token', 'platform', 'latitude', '__proto__', 'constructor'],
    ['toString', 'custom', 'custom.', 'custom.string', 'custom.string.', 'custom..a', 'custom.text.a'],
    'custom.String.a custom.number.a custom.constructor.a events events. event.a Events.a'.split(' '),
    ["tags'; drop table devices; --", 'd.id', '*', 'app_id', 'custom.array.a'],
  ].flat(),
)('the unknown attribute %j is refused', (name) => {
  expect(faultPaths([{ name, criteria: ['a'] }])).toEqual(['to[0].name']);
});

it.each<[string, unknown, string]>([
  ...RANGE_KEYS.flatMap((key): [string, unknown, string][] => [
    ['badge', { [key]: '1' }, `.${key}`],
    ['badge', { [key]: null }, `.${key}`],
    ['os_version', { [key]: 'beta' }, `.${key}`],
    ['os_version', { [key]: -1 }, `.${key}`],
    ['os_version', { [key]: true }, `.${key}`],
    ['created_at', { [key]: 'yesterday' }, `.${key}`],
    ['created_at', { [key]: 1764720000000 }, `.${key}`],
    ['events.a', { [key]: 'soon' }, `.${key}`],
    ['events.a', { [key]: true }, `.${key}`],
  ]),
  ['badge', { gt: 1, other: 1 }, '.other'],
  ['badge', { gt: 1, GT: 1 }, '.GT'],
  ['events.a', { gt: 1, lt: 'now' }, '.gt'],
  ['events.a', false, ''],
  ['os_version', -1, ''],
  ['os_version', { gte: '1'.repeat(256) }, '.gte'],
  ['badge', parseJson('1e401'), ''],
  ['custom.integer.a', parseJson('1e-401'), ''],
  ['custom.integer.a', parseJson(`1${'2'.repeat(400)}`), ''],
  ['custom.float.a', parseJson('1e309'), ''],
  ['created_at', 'now', ''],
  ['created_at', 'now-1d/d', ''],
  ['created_at', '2026-02-30', ''],
  ['created_at', { gt: '9999-12-31||+1d' }, '.gt'],
  ['notifications_allowed', 'enabled', ''],
  ['notifications_allowed', true, ''],
  ['development', 'true', ''],
  ['development', 1, ''],
  ['location', {}, ''],
  ['location', { unit: 'km' }, ''],
  ['location', { point: POINT, unit: 'km' }, '.distance'],
  ['location', { distance: 1, unit: 'km' }, '.point'],
  ['location', { point: POINT, distance: 1 }, '.unit'],
  ['location', { ...CIRCLE, unit: 'KM' }, '.unit'],
  ['location', { ...CIRCLE, unit: 'toString' }, '.unit'],
  ['location', { ...CIRCLE, unit: 1 }, '.unit'],
  ['location', { ...CIRCLE, distance: 0 }, '.distance'],
  ['location', { ...CIRCLE, distance: -1 }, '.distance'],
  ['location', { ...CIRCLE, distance: '1' }, '.distance'],
  ['location', { ...CIRCLE, distance: parseJson('1e400') }, '.distance'],
  ['location', { ...CIRCLE, radius: 1 }, '.radius'],
  ['location', { ...CIRCLE, point: [1, 2] }, '.point'],
  ['location', { ...CIRCLE, point: { latitude: 1 } }, '.point.longitude'],
  ['location', { ...CIRCLE, point: { longitude: 1 } }, '.point.latitude'],
  ['location', { ...CIRCLE, point: { ...POINT, altitude: 1 } }, '.point.altitude'],
  ['location', { ...CIRCLE, point: { ...POINT, latitude: 90.0001 } }, '.point.latitude'],
  ['location', { ...CIRCLE, point: { ...POINT, latitude: -90.0001 } }, '.point.latitude'],
  ['location', { ...CIRCLE, point: { ...POINT, longitude: 180.0001 } }, '.point.longitude'],
  ['location', { ...CIRCLE, point: { ...POINT, longitude: -180.0001 } }, '.point.longitude'],
  ['location', { ...CIRCLE, point: { ...POINT, latitude: '1' } }, '.point.latitude'],
  ['location', { ...CIRCLE, point: { ...POINT, latitude: NaN } }, '.point.latitude'],
  ['location', { ...CIRCLE, point: { ...POINT, longitude: null } }, '.point.longitude'],
  ['location', { polygon: [] }, '.polygon'],
  ['location', { polygon: [POINT, POINT] }, '.polygon'],
  ['location', { polygon: POINT }, '.polygon'],
  ['location', { polygon: null }, '.polygon'],
  ['location', { polygon: [POINT, POINT, 1] }, '.polygon[2]'],
  ['location', { polygon: [POINT, POINT, { latitude: 91, longitude: 0 }] }, '.polygon[2].latitude'],
  ['location', { ...TRIANGLE, unit: 'km' }, '.unit'],
])('the filter %s with %j is refused at criteria[0]%s', (name, criterion, path) => {
  expect(faultPaths([{ name, criteria: [criterion] }])).toEqual([`to[0].criteria[0]${path}`]);
});

it.each<[string, (size: number) => unknown, number, string]>([
  ['filters', (size) => times(size, { name: 'tags', criteria: ['a'] }), 50, 'to'],
  ['criteria', (size) => [{ name: 'tags', criteria: times(size, 'a') }], 1_000, 'to[0].criteria'],
  [
    'points',
    (size) => [{ name: 'location', criteria: [{ polygon: times(size, POINT) }] }],
    1_000,
    'to[0].criteria[0].polygon',
  ],
])('the list of filters may have as many %s as allowed and not one more', (_what, list, most, path) => {
  expect(faultPaths(list(most))).toEqual([]);
  expect(faultPaths(list(most + 1))).toEqual([path]);
});

it.each([
  ['Locale', 'locale'],
  ['tag', 'tags'],
  ['osversion', 'os_version'],
  ['sdk_loaction', 'sdk_location'],
])('the error about %j asks whether %j is meant', (name, meant) => {
  const { faults } = { faults: [], ...parseFilters([{ name, criteria: ['a'] }], 'to') };
  const message = `must be the name of an attribute: did you mean "${meant}"?`;
  expect(faults).toEqual([{ path: 'to[0].name', message }]);
});

it('the error about an unknown attribute names all 19 where none is near', () => {
  const { faults } = { faults: [], ...parseFilters([{ name: 'platform', criteria: ['iOS'] }], 'to') };
  for (const [names] of ACCEPTED) {
    for (const name of names.filter((one) => !/^(?:custom|events)\./.test(one))) {
      expect(faults[0]?.message).toContain(` ${name},`);
    }
  }
});

it.each(['1.x', '1..2', '1e3', '1.', '3.10beta', '1,2', '14-', 'v1'])(
  'the version bound %j is refused',
  (version) => {
    const filters = [{ name: 'app_version', criteria: ['1.x', { gte: version }] }];
    expect(faultPaths(filters)).toEqual(['to[0].criteria[1].gte']);
  },
);

it('each fault says what is valid, and never repeats the value that was sent', () => {
  const result = parseFilters(
    [
      { name: 'secret-name', criteria: ['x'] },
      { name: 'user_email', criteria: [{ gt: 'secret' }] },
    ],
    'notification.to',
  );
  expect(result).toEqual({
    ok: false,
    faults: [
      {
        path: 'notification.to[0].name',
        message: expect.stringMatching(
          /^must be one of locale, .+, sdk_location, or custom\.<type>\.<name>, or events\.<name> \(.+\)$/,
        ),
      },
      { path: 'notification.to[1].criteria[0]', message: 'must be a string' },
    ],
  });
});
