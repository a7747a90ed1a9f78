/** Bodies of devices for property tests: about half of them are valid, and the others are wrong in one place or several. */
import * as fc from 'fast-check';

const odd = fc.constantFrom<unknown>(null, true, 1, 0.5, 'a', [], {}, ['a']);
const texts = fc.constantFrom<unknown>('', 'a', 'é'.repeat(255), '😀'.repeat(255), 'x'.repeat(256), 1, null);

const dates = [
  '2026-11-24',
  '2026-11-24T10:00:00.123+01:00',
  '2024-02-29',
  '2026-02-29',
  '2026-11-24 10:00',
  'now',
];
const wholeNumbers = [0, -1, 1e3, 2 ** 53, -(2 ** 62), 1e19, -1e19, 0.5, '1'];
const values: Record<string, fc.Arbitrary<unknown>> = {
  string: texts,
  integer: fc.constantFrom<unknown>(...wholeNumbers),
  float: fc.constantFrom<unknown>(0, -0.1, 1e300, '0.1', null),
  date: fc.constantFrom<unknown>(...dates, 1),
  boolean: fc.constantFrom<unknown>(true, false, 'true', 0, [true]),
};
const anyValue = fc.oneof(odd, ...Object.values(values));

const attributes = fc.oneof(
  ...Object.entries(values).map(([type, value]) =>
    fc.record({ type: fc.constant(type), value: fc.oneof(value, fc.array(value, { maxLength: 2 })) }),
  ),
  fc.record(
    { type: fc.constantFrom(...Object.keys(values), 'text', ''), value: anyValue, unit: fc.constant('m') },
    { requiredKeys: [] },
  ),
  fc.constantFrom<unknown>(
    { type: 'string', value: Array.from({ length: 100 }, () => 'a') },
    { type: 'string', value: Array.from({ length: 101 }, () => 'a') },
    null,
    'gold',
  ),
);
const custom = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.dictionary(fc.constantFrom('plan', 'a.b', 'x'.repeat(255)), attributes, { maxKeys: 2 }),
  },
  fc.dictionary(fc.constantFrom('', 'x'.repeat(256)), attributes, { maxKeys: 1 }),
  odd,
);

const places = fc.oneof(
  fc.record(
    {
      latitude: fc.constantFrom<unknown>(-90, 51.5, 90, 90.1, '1'),
      longitude: fc.constantFrom<unknown>(-180, 0, 180, 180.1, null),
      altitude: fc.constant(1),
    },
    { requiredKeys: ['latitude', 'longitude'] },
  ),
  odd,
);

const clocks = fc.constantFrom<unknown>('22:00', '24:00', '7:30', '');
const quietHours = fc.oneof(
  fc.record(
    {
      from: clocks,
      to: fc.constantFrom<unknown>('07:00', '7:00', null),
      days: fc.constantFrom<unknown>(['monday'], ['monday', 'sunday'], [], ['Monday'], ['monday', 'monday']),
    },
    { requiredKeys: ['from', 'to'] },
  ),
  odd,
);

/** The optional keys of a registration and of an update, each with valid and wrong values. */
const keys: Record<string, fc.Arbitrary<unknown>> = {
  locale: fc.constantFrom<unknown>('en_GB', 'zh-hans-cn', 'es_419', 'en', 'english', 'en_GB\n', null, 1),
  quiet_hours: quietHours,
  badge: fc.constantFrom<unknown>(0, 2 ** 31 - 1, 2 ** 31, -1, 0.5, '1', null),
  os_name: texts,
  os_version: texts,
  app_version: texts,
  sdk_version: texts,
  country: texts,
  marketing_name: texts,
  user_id: texts,
  user_email: texts,
  development: fc.constantFrom<unknown>(true, false, null, 'true', 1),
  notifications_allowed: fc.constantFrom<unknown>('Enabled', 'Unknown', 'enabled', null, true),
  tags: fc.oneof(fc.array(texts, { maxLength: 2 }), fc.constant(Array.from({ length: 101 }, String)), odd),
  location: places,
  sdk_location: places,
  custom,
  id: odd,
  created_at: odd,
  registered_at: odd,
  events: odd,
  unknown_key: odd,
};

const platforms = fc.constantFrom<unknown>('iOS', 'Android', 'iOS', 'Android', 'ios', null);
const token = fc.constantFrom<unknown>(
  'a'.repeat(64),
  'a'.repeat(64),
  'AB'.repeat(100),
  'a'.repeat(63),
  'g'.repeat(64),
  'a:b',
  'a b',
  '',
  'x'.repeat(2_049),
  null,
  1,
);
const tokenKeys: Record<string, fc.Arbitrary<unknown>> = {
  push_token_type: fc.constantFrom<unknown>('token', 'fid', null, 'apns'),
  previous_push_token: token,
};

/** Mostly with one thing that may be wrong, because two would hide each other. */
export const anyRegistration = fc.oneof(
  fc.record({ platform: platforms, push_token: token }, { requiredKeys: [] }),
  ...Object.entries({ ...keys, ...tokenKeys }).map(([key, value]) =>
    fc.record({
      platform: fc.constantFrom('iOS', 'Android'),
      push_token: fc.constant('a'.repeat(64)),
      [key]: value,
    }),
  ),
);

export const anyUpdate = fc.oneof(
  ...Object.entries({ ...keys, platform: platforms }).map(([key, value]) => fc.record({ [key]: value })),
);

export const anyCustom = custom;

const eventKeys: Record<string, fc.Arbitrary<unknown>> = {
  name: texts,
  date: fc.constantFrom<unknown>(...dates, null, 1),
  source: texts,
  count: odd,
};
const good = fc.constant<unknown>({ name: 'purchase' });

export const anyEvents = fc.oneof(
  ...Object.entries(eventKeys).map(([key, value]) =>
    fc.tuple(
      good,
      value.map((sent) => ({ name: 'purchase', [key]: sent })),
    ),
  ),
  fc.constantFrom(1, 1_000, 1_001, 0).map((count) => Array.from({ length: count }, () => ({ name: 'a' }))),
  odd,
);
