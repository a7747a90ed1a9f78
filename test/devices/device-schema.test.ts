import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseRegistration,
  parseRegistrationBody,
  parseUpdateBody,
} from '../../src/devices/device-schema.ts';
import { ApiError } from '../../src/api/errors.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';

const iosToken = 'ab'.repeat(32);

function faultsOf(parse: () => unknown): Record<string, string> {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('invalid_request');
    return Object.fromEntries(error.details.map(({ path, message }) => [path, message]));
  }
  return {};
}

function faultsOfUpdate(device: unknown): string[] {
  return Object.keys(faultsOf(() => parseUpdateBody({ device })));
}

function named(count: number, value: unknown): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${String(value)} ${index}`, value]),
  );
}

function customOf(json: string): string {
  const body = parseJson(`{"device":{"custom":{"a":${json}}}}`);
  return stringifyJson(parseUpdateBody(body).custom?.['a']);
}

describe('a registration', () => {
  test('a registration needs a platform and a token, and nothing else', () => {
    const device = { platform: 'Android', push_token: 'fcm:token-1_A' };
    expect(parseRegistrationBody({ device })).toEqual(device);
    expect(Object.keys(faultsOf(() => parseRegistrationBody({ device: { platform: 'iOS' } })))).toEqual([
      'device.push_token',
    ]);
    expect(faultsOf(() => parseRegistrationBody({ device: { push_token: 'x' } }))).toEqual({
      'device.platform': 'must be iOS, Android or Web',
    });
  });

  test('a registration stores iOS tokens in lower case', () => {
    const device = { platform: 'iOS', push_token: iosToken.toUpperCase() };
    expect(parseRegistration(device).push_token).toBe(iosToken);
  });

  test.each([
    ['iOS', ''],
    ['iOS', 'ab'.repeat(31)],
    ['iOS', 'ab'.repeat(101)],
    ['iOS', `${iosToken}a`],
    ['iOS', 'zz'.repeat(32)],
    ['iOS', `${iosToken}\n`],
    ['iOS', null],
    ['Android', ''],
    ['Android', 'with space'],
    ['Android', 'é'],
    ['Android', 'line\n'],
    ['Android', 'a'.repeat(2049)],
    ['Android', 7],
  ])('a registration of %s is refused with the token %j', (platform, push_token) => {
    expect(Object.keys(faultsOf(() => parseRegistration({ platform, push_token })))).toEqual(['push_token']);
  });

  test('a registration reports every fault at once, each at its path', () => {
    const faults = faultsOf(() =>
      parseRegistrationBody({
        device: {
          platform: 'iOS',
          push_token: 'short',
          colour: 'red',
          locale: 'english!',
          badge: -1,
          development: 'yes',
          notifications_allowed: 'enabled',
          tags: ['ok', ''],
          location: { latitude: 91, longitude: -181, altitude: 3 },
          custom: { plan: { type: 'integer', value: 1.5 }, '': { type: 'string', value: 'x' } },
        },
        dry_run: true,
      }),
    );
    expect(Object.keys(faults).sort()).toEqual(
      [
        'device.push_token',
        'device.colour',
        'device.locale',
        'device.badge',
        'device.development',
        'device.notifications_allowed',
        'device.tags[1]',
        'device.location.latitude',
        'device.location.longitude',
        'device.location.altitude',
        'device.custom.plan.value',
        'device.custom[""]',
        'dry_run',
      ].sort(),
    );
  });

  test.each([undefined, null, [], 'device', {}, { device: null }, { device: [] }])(
    'a registration with the body %j is refused',
    (body) => {
      expect(Object.keys(faultsOf(() => parseRegistrationBody(body)))).toHaveLength(1);
    },
  );
});

describe('a locale', () => {
  test.each([
    ['en_GB', 'en_GB'],
    ['en-GB', 'en_GB'],
    ['EN-gb', 'en_GB'],
    ['fil-ph', 'fil_PH'],
    ['zh-Hans-CN', 'zh_CN'],
    ['zh-hans_hk', 'zh_Hans_HK'],
    ['es-419', 'es_419'],
    ['EN', 'en'],
  ])('a locale sent as %s is stored as %s', (locale, stored) => {
    expect(parseUpdateBody({ device: { locale } }).locale).toBe(stored);
    expect(parseUpdateBody({ device: { locale: stored } }).locale).toBe(stored);
  });

  test.each(['', 'C', 'POSIX', 'und', 'und-US', 'null', 'english_GB', 'en GB', '_GB', 'en_GB\n', '🇩🇪'])(
    'a locale may not be registered as %j',
    (locale) => {
      const device = { platform: 'iOS', push_token: iosToken, locale };
      expect(Object.keys(faultsOf(() => parseRegistration(device)))).toEqual(['locale']);
    },
  );
});

describe('an attribute', () => {
  test.each([
    { locale: 'en_GB' },
    { locale: 'zh_Hans_CN' },
    { badge: 0 },
    { badge: 2 ** 31 - 1 },
    { country: '' },
    { user_id: '🔔'.repeat(255) },
    { tags: [] },
    { tags: Array.from({ length: 100 }, (_, index) => `tag ${index}`) },
    { location: { latitude: -90, longitude: 180 } },
    {
      locale: null,
      badge: null,
      tags: null,
      location: null,
      custom: null,
      development: null,
      push_token: null,
    },
    { id: 'x', created_at: 1, registered_at: null, events: [] },
    {},
  ])('a device may have the attributes %j', (device) => {
    expect(faultsOfUpdate(device)).toEqual([]);
  });

  test.each([
    [{ badge: 2 ** 31 }, 'device.badge'],
    [{ badge: 1.5 }, 'device.badge'],
    [{ badge: '1' }, 'device.badge'],
    [{ user_id: '' }, 'device.user_id'],
    [{ user_id: '🔔'.repeat(256) }, 'device.user_id'],
    [{ user_email: 'a'.repeat(256) }, 'device.user_email'],
    [{ os_version: 18 }, 'device.os_version'],
    [{ platform: null }, 'device.platform'],
    [{ tags: 'a' }, 'device.tags'],
    [{ tags: Array.from({ length: 101 }, (_, index) => `tag ${index}`) }, 'device.tags'],
    [{ location: { latitude: 1 } }, 'device.location.longitude'],
    [{ location: [1, 2] }, 'device.location'],
  ])('a device may not have the attributes %j', (device, path) => {
    expect(faultsOfUpdate(device)).toEqual([path]);
  });

  test('a coordinate may have more digits than a double holds', () => {
    const body = parseJson('{"device":{"location":{"latitude":52.520006599999998,"longitude":1e400}}}');
    expect(faultsOf(() => parseUpdateBody(body))).toEqual({
      'device.location.longitude': expect.any(String),
    });
    const fine = parseJson('{"device":{"location":{"latitude":52.520006599999998,"longitude":13}}}');
    expect(parseUpdateBody(fine).location).toEqual({ latitude: 52.520006599999995, longitude: 13 });
  });
});

describe('a custom attribute', () => {
  test.each([
    ['{"type":"string","value":""}', '{"type":"string","value":""}'],
    ['{"type":"string","value":["a","b","a"]}', '{"type":"string","value":["a","b","a"]}'],
    ['{"type":"integer","value":1.0}', '{"type":"integer","value":1}'],
    ['{"type":"integer","value":-0}', '{"type":"integer","value":0}'],
    ['{"type":"integer","value":1e18}', '{"type":"integer","value":1000000000000000000}'],
    ['{"type":"integer","value":9007199254740993}', '{"type":"integer","value":9007199254740993}'],
    ['{"type":"integer","value":9223372036854775807}', '{"type":"integer","value":9223372036854775807}'],
    [
      '{"type":"integer","value":[-9223372036854775808]}',
      '{"type":"integer","value":[-9223372036854775808]}',
    ],
    ['{"type":"float","value":0.1}', '{"type":"float","value":0.1}'],
    ['{"type":"float","value":9007199254740993}', '{"type":"float","value":9007199254740992}'],
    ['{"type":"date","value":"2026-02-28"}', '{"type":"date","value":"2026-02-28T00:00:00.000Z"}'],
    ['{"type":"date","value":"2026-02-28T10:00:00"}', '{"type":"date","value":"2026-02-28T10:00:00.000Z"}'],
    [
      '{"type":"date","value":"2026-01-01T00:30:00.1239+01:00"}',
      '{"type":"date","value":"2025-12-31T23:30:00.123Z"}',
    ],
    ['{"type":"boolean","value":false}', '{"type":"boolean","value":false}'],
    ['null', 'null'],
  ])('the custom attribute %s is kept as %s', (sent, kept) => {
    expect(customOf(sent)).toBe(kept);
  });

  test.each([
    ['{"type":"string","value":7}', 'device.custom.a.value'],
    ['{"type":"string","value":null}', 'device.custom.a.value'],
    ['{"type":"string"}', 'device.custom.a.value'],
    [`{"type":"string","value":"${'a'.repeat(256)}"}`, 'device.custom.a.value'],
    ['{"type":"string","value":["a",1]}', 'device.custom.a.value[1]'],
    ['{"type":"string","value":[["a"]]}', 'device.custom.a.value[0]'],
    ['{"type":"integer","value":"1"}', 'device.custom.a.value'],
    ['{"type":"integer","value":9223372036854775808}', 'device.custom.a.value'],
    ['{"type":"integer","value":-9223372036854775809}', 'device.custom.a.value'],
    ['{"type":"integer","value":0.5}', 'device.custom.a.value'],
    ['{"type":"integer","value":1e400}', 'device.custom.a.value'],
    ['{"type":"integer","value":1.0000000000000000001}', 'device.custom.a.value'],
    ['{"type":"float","value":1e400}', 'device.custom.a.value'],
    ['{"type":"float","value":"0.5"}', 'device.custom.a.value'],
    ['{"type":"date","value":"2026-02-30"}', 'device.custom.a.value'],
    ['{"type":"date","value":"yesterday"}', 'device.custom.a.value'],
    ['{"type":"date","value":"0000-01-01"}', 'device.custom.a.value'],
    ['{"type":"date","value":"9999-12-31T23:59:59-01:00"}', 'device.custom.a.value'],
    ['{"type":"date","value":1700000000}', 'device.custom.a.value'],
    ['{"type":"boolean","value":"true"}', 'device.custom.a.value'],
    ['{"type":"boolean","value":[true]}', 'device.custom.a.value'],
    ['{"type":"integer","value":[]}', 'device.custom.a.value'],
    [`{"type":"integer","value":[${'1,'.repeat(100)}1]}`, 'device.custom.a.value'],
    ['{"type":"text","value":"a"}', 'device.custom.a.type'],
    ['{"type":"string","value":"a","unit":"m"}', 'device.custom.a.unit'],
    ['"plain"', 'device.custom.a'],
  ])('the custom attribute %s is refused at %s', (sent, path) => {
    expect(Object.keys(faultsOf(() => customOf(sent)))).toEqual([path]);
  });

  test('a custom attribute keeps every signed 64-bit integer exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        const attribute = `{"type":"integer","value":${integer}}`;
        expect(customOf(attribute)).toBe(attribute);
      }),
    );
  });

  test('a custom attribute keeps every finite float', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (float) => {
        const kept = parseJson(customOf(`{"type":"float","value":${JSON.stringify(float)}}`));
        expect(kept).toEqual({ type: 'float', value: float === 0 ? 0 : float });
      }),
    );
  });

  test('a device has at most 50 custom attributes, not counting removals', () => {
    const attribute = { type: 'boolean', value: true };
    expect(faultsOfUpdate({ custom: { ...named(50, attribute), ...named(9, null) } })).toEqual([]);
    expect(faultsOfUpdate({ custom: named(51, attribute) })).toEqual(['device.custom']);
  });
});
