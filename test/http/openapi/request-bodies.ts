/** Bodies for property tests: about half of them are valid, and the others are wrong in one place or several. */
import * as fc from 'fast-check';
import { METRES_PER_UNIT } from '../../../src/filters/filter.ts';
import { filterLists } from '../../targeting/arbitraries.ts';
import { payloadSchema } from '../../../src/notifications/payload.ts';

const COLUMNS = ['locale', 'user_id', 'device_id', 'notifications_allowed', 'os_version', 'app_version'];
const OTHERS = ['tags', 'created_at', 'registered_at', 'badge', 'development', 'location', 'sdk_location'];
const EVENTS = ['events.open', 'events.Public Api.a', 'events..'];
/** They are not the name of anything. */
const MISSPELT = ['', 'Locale', 'locales', 'locale ', 'constructor', '__proto', 'events', 'events.'];
const NOT_CUSTOM = ['custom', 'custom.', 'custom.string', 'custom.string.', 'custom..a', 'custom.text.a'];
const names = fc.constantFrom(
  ...COLUMNS,
  ...OTHERS,
  ...['string', 'integer', 'float', 'date', 'boolean'].map((type) => `custom.${type}.a.b`),
  'custom.string.\n',
  ...EVENTS,
  ...MISSPELT,
  ...NOT_CUSTOM,
  'custom.string_a',
  'xcustom.string.a',
);

const WORDS = ['', 'a', 'Enabled', 'enabled', 'Unknown', 'x'.repeat(256)];
const VERSIONS = ['14', '14.0', '3.10-beta', '1.x', '1..2', '1e3', '1 \n', '9'.repeat(255), '9'.repeat(256)];
const DATES = ['2026-11-24', '2026-02-29', '2024-02-29', '1900-02-29', '2026-1-1'];
const TIMES = ['10:00', '24:00', '10:00:00Z', '10:00:00.123+01:00', '10:00Z', '10:00:00+1'];
const FROM_NOW = [
  'now',
  'now-1d/d',
  'now+1h+1m',
  'now-1D',
  'now-d',
  'now/d/d',
  'now/d-1d',
  ' now',
  'now||+1d',
];
const FROM_A_DATE = ['2026-01-31||+1M', '2026-01-31||', '2026-01-31+1M', '2026-01-31||/w', '2026-02-30||+1M'];
const texts = fc.constantFrom(
  ...WORDS,
  ...VERSIONS,
  ...DATES,
  ...TIMES.map((time) => `2026-11-24T${time}`),
  ...FROM_NOW,
  'yesterday',
  ...FROM_A_DATE,
);
const numbers = fc.constantFrom(-1, 0, 0.5, 14, 90.000_1, 180, 1e15);
const odd = fc.constantFrom<unknown>(null, true, false, [], {}, ['a'], { a: 1 });
const anything = fc.oneof(texts, numbers, odd);

function rangesOf(bounds: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const keys = fc.constantFrom('gt', 'gte', 'lt', 'lte', 'gt', 'gte', 'lt', 'lte', 'above');
  return fc.dictionary(keys, bounds, { maxKeys: 3 });
}

const degrees = fc.constantFrom<unknown>(0, 48.8, -90, 90, -90.1, 180, -181, '1', null);
const points = fc.record(
  { latitude: degrees, longitude: degrees, altitude: fc.constant(1) },
  {
    requiredKeys: [],
  },
);
const goodPoint = fc.constant({ latitude: 48.8, longitude: 2.3 });
const places = fc.oneof(
  fc.record(
    {
      point: fc.oneof(goodPoint, points),
      distance: fc.oneof(fc.constant(1), numbers, odd),
      unit: fc.constantFrom(...Object.keys(METRES_PER_UNIT), 'parsec', ''),
    },
    { requiredKeys: [] },
  ),
  fc.record({ polygon: fc.array(fc.oneof({ weight: 5, arbitrary: goodPoint }, points), { maxLength: 5 }) }),
);

const criteria = fc.oneof(anything, rangesOf(numbers), rangesOf(texts), rangesOf(anything), places);

const filter = fc.record(
  {
    name: fc.oneof({ weight: 9, arbitrary: names }, anything),
    criteria: fc.oneof(
      { weight: 9, arbitrary: fc.array(criteria, { minLength: 1, maxLength: 2 }) },
      fc.constantFrom<unknown>([], 'a', null),
    ),
    not_filter: fc.constantFrom<unknown>(true, false, true, false, null, 'true'),
    not: fc.constant(true),
  },
  { requiredKeys: ['name', 'criteria'] },
);
/** With `not` rarely, because it makes any filter wrong. */
const filters = fc.oneof({ weight: 4, arbitrary: filter.map(({ not: _not, ...known }) => known) }, filter);

export const anyFilters = fc.oneof(
  { weight: 9, arbitrary: filterLists },
  { weight: 20, arbitrary: fc.array(filters, { minLength: 1, maxLength: 2 }) },
  fc.oneof(fc.constant([]), anything),
);

/** Keys of the payload, known, reserved and the app's own. */
const payloadKeys = fc.constantFrom(
  ...Object.keys(payloadSchema.shape),
  'order',
  'Gcm',
  'from ',
  '_st',
  '_ST',
  'loc_key',
  'title_loc_key',
  'alert',
  'badge',
  'from',
  'aps',
  'available',
  'message_type',
  '_nid',
  '_st_actions',
  'gcm',
  'gcm.x',
  'google.',
  'googly',
);
const payloadValues = fc.oneof(
  fc.constantFrom<unknown>(
    'a',
    'a',
    'a',
    'a',
    'active',
    'critical',
    'loud',
    '',
    'x'.repeat(64),
    'x'.repeat(65),
  ),
  fc.constantFrom<unknown>(0, 1, -1, 0.5, 0.25, 1.01, 2 ** 31 - 1, 2 ** 31),
  fc.constantFrom<unknown>(true, false, null, ['a'], [1], [], { mid: 1 }, { a: { mid: 1 } }, [{ mid: 1 }]),
);
const payloads = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(payloadKeys, payloadValues, { maxKeys: 3 }) },
  fc.constantFrom<unknown>(null, 'a', [], 1),
);
const good = fc.constant<unknown>({ alert: 'a' });

const tags = fc.constantFrom(
  'fr',
  'de-CH',
  'zh_Hant_TW',
  'EN',
  'f',
  'english',
  'fr--CA',
  '',
  'fr ',
  'sl-rozaj',
);
const localized = fc.oneof(
  fc.dictionary(tags, good, { maxKeys: 2 }),
  fc.dictionary(tags, payloads, { maxKeys: 1 }),
  odd,
);

const zones = ['Europe/Paris', 'europe/paris', 'Etc/GMT+3', '', 'a b', 'é', 1];
const clocks = fc.constantFrom<unknown>('22:00', '07:30', '24:00', '7:30', '22:60', '', null);
const days = fc.constantFrom<unknown>(['monday'], ['monday', 'sunday'], [], ['Monday'], 'monday');

/** The optional keys, each with valid and wrong values. */
const options: Record<string, fc.Arbitrary<unknown>> = {
  deliver_at: fc.oneof(texts, odd),
  deliver_at_local: fc.record(
    {
      time: fc.constantFrom<unknown>(
        '2026-12-01T09:00',
        '2026-12-01T09:00:00',
        '2026-12-01T09:00:00Z',
        '2026-12-01 09:00',
        '2026-12-01',
        '2026-12-01T24:00',
        '2026-11-31T09:00',
        '2026-12-01T09:00:00.5',
        1,
      ),
      no_time_zone: fc.constantFrom<unknown>('skip', ...zones),
      if_past: fc.constantFrom<unknown>('now', 'skip', 'next_day', 'later', null),
    },
    { requiredKeys: ['time'] },
  ),
  spread_over: fc.constantFrom<unknown>(
    'PT30M',
    'P1D',
    'PT1H30M',
    'P',
    'PT',
    'P1DT',
    '30M',
    'PT1.5S',
    'pt1m',
    60,
  ),
  quiet_hours: fc.oneof(
    fc.constantFrom<unknown>('ignore', 'ignore_all', 'none', null),
    fc.record(
      {
        from: clocks.filter((time) => time !== '07:30'),
        to: clocks.filter((time) => time !== '22:00'),
        days,
        no_time_zone: fc.constantFrom<unknown>('ignore', ...zones),
        action: fc.constantFrom<unknown>('hold', 'drop', 'keep'),
        release_over: fc.constantFrom<unknown>('PT15M', 'PT', '', 1),
      },
      { requiredKeys: ['from', 'to', 'no_time_zone'] },
    ),
  ),
  localized,
  template: fc.constantFrom<unknown>(true, false, { on_missing: 'skip' }, { on_missing: 'x' }, {}, 'true'),
  variants: fc.array(
    fc.record(
      {
        name: fc.constantFrom<unknown>(
          'a',
          'B',
          'Hold_Out',
          'hold_out',
          '-a',
          '',
          'x'.repeat(33),
          'hold_outs',
          1,
        ),
        weight: fc.constantFrom<unknown>(1, 1_000, 0, 1_001, 1.5, '1'),
        payload: fc.oneof(good, payloads),
        localized,
      },
      { requiredKeys: ['name', 'weight'] },
    ),
    { maxLength: 3 },
  ),
  hold_out: fc.constantFrom<unknown>(0.1, 0, 1, '0.1'),
  experiment: fc.constantFrom<unknown>('Spring-1', '', ' a', 1),
  receipts: fc.constantFrom<unknown>(
    {},
    { sample: 1 },
    { sample: 0.1 },
    { sample: 0 },
    { sample: 1.1 },
    true,
  ),
  time_to_live: fc.constantFrom<unknown>(0, 2_419_200, 2_419_201, -1, 1.5, '1'),
  priority: fc.constantFrom<unknown>('high', 'normal', 'low', null),
  android_presentation: fc.constantFrom<unknown>('data', 'system', 'none'),
  dry_run: fc.constantFrom<unknown>(true, false, 'true', 1),
  max_recipients: fc.constantFrom<unknown>(1, 0, 1.5, '1'),
  group: fc.oneof(texts, odd),
  unknown_key: fc.constant(1),
};
const targets = fc.oneof(
  fc.constantFrom<unknown>('*', 'b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11', { audience: 'a' }, { user_id: 'a' }),
  fc.constantFrom<unknown>(
    { device_id: 'a' },
    { device_id: 1 },
    { audience: 'a', user_id: 'a' },
    {},
    null,
    1,
  ),
  anyFilters,
);
const everyone = fc.constant<unknown>('*');

/** Mostly with one thing that may be wrong, because two would hide each other. */
export const anyNotification = fc.oneof(
  fc.record({ to: targets, payload: good }),
  fc.record({ to: everyone, payload: payloads }),
  ...Object.entries(options).map(([key, values]) =>
    fc.record({ to: everyone, payload: good, [key]: values }),
  ),
  fc
    .tuple(fc.subarray(Object.keys(options), { minLength: 1, maxLength: 3 }), fc.record(options))
    .map(([keys, values]): object =>
      Object.fromEntries([
        ['to', '*'],
        ['payload', { alert: 'a' }],
        ...keys.map((key) => [key, values[key]] as const),
      ]),
    ),
);
