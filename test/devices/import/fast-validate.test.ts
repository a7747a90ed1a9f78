import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { customChange } from '../../../src/devices/custom-attributes.ts';
import { parseRegistration } from '../../../src/devices/device-schema.ts';
import { isCustomAsStored, isRegistrationAsStored } from '../../../src/devices/fast-validate.ts';
import { parseJson } from '../../../src/json/lossless.ts';
import { isJsonObject } from '../../../src/api/parse.ts';
import { runs } from '../../support/runs.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 120, max: 130 }).map((length) => '🙂'.repeat(length)),
);
const date = fc.oneof(
  fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
  fc.constantFrom(
    ...['2026-02-29', '2026-02-30', '2026-04-31', '2026-01-32', '2026-13-01', '0000-01-01'].map(
      (day) => `${day}T00:00:00.000Z`,
    ),
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2026-01-01T24:00:00.000Z',
  ),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map((exact) => JSON.rawJSON(String(exact))),
  fc.constant(JSON.rawJSON('1e999')),
);
const scalar = fc.oneof(text, date, number, fc.boolean(), fc.constant(null));
const attribute = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('string', 'integer', 'float', 'date', 'boolean', 'String'),
      value: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.array(text, { maxLength: 101 })),
      other: scalar,
    },
    { requiredKeys: ['type', 'value'] },
  ),
  scalar,
);
const custom = fc.oneof(fc.dictionary(text, attribute, { maxKeys: 3 }), scalar);

test('custom attributes that pass the fast check are valid, and are stored unchanged', () => {
  fc.assert(
    fc.property(custom, (attributes) => {
      const sent = parseJson(JSON.stringify(attributes));
      if (!isCustomAsStored(sent)) return;
      expect(JSON.stringify(customChange.parse(sent))).toBe(JSON.stringify(sent));
    }),
    { numRuns: runs(1_000) },
  );
});

test.each([
  ['text', { type: 'string', value: 'x' }],
  ['texts', { type: 'string', value: ['x', ''] }],
  ['a whole number', { type: 'integer', value: -7 }],
  ['a number', { type: 'float', value: 1.5 }],
  ['a date', { type: 'date', value: '2026-11-21T12:00:00.000Z' }],
  ['the end of a month', { type: 'date', value: '0001-12-31T23:59:59.999Z' }],
  ['the end of a short month', { type: 'date', value: '2026-04-30T00:00:00.000Z' }],
  ['a yes', { type: 'boolean', value: true }],
])('%s passes the fast check', (_what, one) => {
  expect(isCustomAsStored({ one })).toBe(true);
});

test.each([
  [50, true],
  [51, false],
])('the fast check decides whether %i custom attributes pass: %s', (count, passes) => {
  const attributes = Array.from({ length: count }, (_, index) => [`a${index}`, { type: 'float', value: 1 }]);
  expect(isCustomAsStored(Object.fromEntries(attributes))).toBe(passes);
});

const degrees = fc.oneof(fc.double({ min: -181, max: 181, noNaN: true }), number);
const place = fc.oneof(
  fc.record({ latitude: degrees, longitude: degrees, other: scalar }, { requiredKeys: ['latitude'] }),
  scalar,
);
const hex = fc.stringMatching(/^[0-9a-fA-F]{63,65}$/);
const smallHex = fc.stringMatching(/^[0-9a-f]{63,65}$/);
const token = fc.oneof(hex, smallHex, fc.string({ minLength: 1 }), scalar);
const enumerated = fc.constantFrom('Enabled', 'Disabled', 'Unknown', 'enabled', null, 1);
const locale = fc.oneof(
  fc.constantFrom(...'en en_GB zh_Hans_CN EN en-GB en_gb es_419 en_US_posix'.split(' ')),
  fc.constantFrom(249, 250).map((length) => `en_GB_${'x'.repeat(length)}`),
  scalar,
);
const attributes = {
  platform: fc.constantFrom('iOS', 'Android', 'ios', null),
  push_token: token,
  locale,
  time_zone: fc.oneof(fc.constantFrom('Europe/London', 'europe/london', 'GMT+3', 'Asia/Kolkata'), scalar),
  badge: fc.oneof(fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31), number),
  app_version: scalar,
  user_id: scalar,
  user_email: scalar,
  development: scalar,
  notifications_allowed: enumerated,
  tags: fc.oneof(fc.array(text, { maxLength: 101 }), fc.array(scalar, { maxLength: 3 }), scalar),
  location: place,
  sdk_location: place,
  custom,
  id: scalar,
  other: scalar,
};
const ANDROID = {
  platform: 'Android',
  push_token: 'd:x',
  locale: 'en_GB',
  time_zone: 'Europe/London',
  badge: 3,
  os_name: 'Android',
  os_version: '15',
  app_version: '1.0',
  sdk_version: '2.0',
  country: 'GB',
  marketing_name: 'Pixel',
  user_id: 'u',
  user_email: 'u@example.com',
  development: false,
  notifications_allowed: 'Enabled',
  tags: ['a', 'b'],
  location: { latitude: -90, longitude: 180 },
  sdk_location: { latitude: 0.5, longitude: 0.25 },
  custom: { plan: { type: 'string', value: 'pro' } },
};
const IPHONE = { ...ANDROID, platform: 'iOS', push_token: 'ab'.repeat(32) };

test('a device that passes the fast check is valid, and is stored unchanged', () => {
  const names = fc.subarray(Object.keys(attributes), { maxLength: 3 });
  const numRuns = runs(600);
  let passed = 0;
  fc.assert(
    fc.property(fc.constantFrom(ANDROID, IPHONE), fc.record(attributes), names, (valid, other, changed) => {
      const few = Object.entries(other).filter(([name]) => changed.includes(name));
      const sent = parseJson(JSON.stringify({ ...valid, ...Object.fromEntries(few) }));
      if (!isJsonObject(sent) || !isRegistrationAsStored(sent)) return;
      passed += 1;
      expect(parseRegistration(sent)).toStrictEqual(sent);
    }),
    { numRuns },
  );
  expect(passed).toBeGreaterThan(numRuns / 10);
});

test.each([ANDROID, IPHONE])(
  'a $platform device with all attributes passes the fast check, as does one with all cleared',
  (device) => {
    const cleared = Object.fromEntries(Object.keys(device).map((name) => [name, null]));
    const { platform, push_token } = device;
    expect(isRegistrationAsStored(device)).toBe(true);
    expect(isRegistrationAsStored({ ...cleared, platform, push_token })).toBe(true);
  },
);
