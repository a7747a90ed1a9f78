import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRegistration } from '../../../../src/devices/device-schema.ts';
import { fitDevice } from '../../../../src/devices/import/from/fit.ts';
import type { Fields, Mapping } from '../../../../src/devices/import/from/service.ts';
import { serviceNames, services } from '../../../../src/devices/import/from/services.ts';
import {
  ANDROID_TOKEN,
  channel,
  endpoint,
  installation,
  IOS_TOKEN,
  mongoInstallation,
  row,
} from './exports.ts';

const { onesignal, parse, pinpoint, airship } = services;

const NO_COUNTERPART = 'devices have no such attribute';

/** The device as it is sent to the import, and the fields that it lacks; or why there is none. */
function outcome(mapping: Mapping): { device: Fields; lacks: string[] } | string {
  if (mapping.leftOut !== undefined) return mapping.leftOut;
  const fitted = fitDevice(mapping.device);
  if (fitted.leftOut !== undefined) return fitted.leftOut;
  const lacks = [...mapping.notMapped, ...fitted.dropped].map(({ field }) => field);
  return { device: fitted.device, lacks };
}

describe('A subscription of OneSignal', () => {
  test('becomes a device: tags are custom attributes of text, language and country a locale', () => {
    expect(outcome(onesignal.map(row))).toEqual({
      device: {
        platform: 'iOS',
        push_token: IOS_TOKEN,
        os_name: 'iOS',
        notifications_allowed: 'Enabled',
        user_id: 'user-17',
        app_version: '2.1',
        os_version: '17.4',
        marketing_name: 'iPhone15,2',
        time_zone: 'America/Los_Angeles',
        country: 'US',
        locale: 'en_US',
        custom: { plan: { type: 'string', value: 'gold' }, level: { type: 'string', value: '4' } },
      },
      lacks: ['id', 'session_count', 'timezone', 'last_active', 'created_at'],
    });
  });

  test.each([
    ['a language without a country', { country: '', language: 'en' }, { locale: 'en' }],
    [
      'a number in its tags as text',
      { tags: '{"level":4,"big":12345678901234567890}' },
      {
        custom: {
          level: { type: 'string', value: '4' },
          big: { type: 'string', value: '12345678901234567890' },
        },
      },
    ],
    ['the script of Chinese', { language: 'zh-Hans', country: 'CN' }, { locale: 'zh_CN' }],
    ['its GPS place', { lat: '52.5', long: '13.4' }, { sdk_location: { latitude: 52.5, longitude: 13.4 } }],
    ['its badge', { badge_count: '3' }, { badge: 3 }],
    [
      'that its user opted out',
      { invalid_identifier: 't', notification_types: '-2' },
      { notifications_allowed: 'Disabled' },
    ],
    [
      'an Android token',
      { device_type: '1', identifier: ANDROID_TOKEN },
      { platform: 'Android', push_token: ANDROID_TOKEN },
    ],
  ])('keeps %s', (_what, cells, device) => {
    expect(outcome(onesignal.map({ ...row, ...cells }))).toMatchObject({ device });
  });

  test.each([
    ['tags that are no object', { tags: '"gold"=>"yes"' }, 'tags'],
    ['a tag that is too long', { tags: JSON.stringify({ bio: 'x'.repeat(256) }) }, 'custom.bio'],
    ['a time zone that is none', { timezone_id: 'GMT+3' }, 'time_zone'],
  ])('lists %s', (_what, cells, field) => {
    expect(outcome(onesignal.map({ ...row, ...cells }))).toMatchObject({
      lacks: expect.arrayContaining([field]),
    });
  });

  test.each([
    ['e-mail', { device_type: '11', identifier: 'ada@example.com' }, 'not a push to iOS or Android: e-mail'],
    ['SMS', { device_type: '14' }, 'not a push to iOS or Android: SMS'],
    ['web', { device_type: '5' }, 'not a push to iOS or Android: web'],
    ['Huawei', { device_type: '13' }, 'not a push to iOS or Android: Huawei'],
    ['without a token', { identifier: '' }, 'no push token'],
    [
      'unsubscribed',
      { invalid_identifier: 'true' },
      'unsubscribed, or its token is dead (invalid_identifier)',
    ],
    [
      'of iOS with no token of APNs',
      { identifier: 'abc' },
      'push_token must be an even number of hexadecimal digits for iOS, from 64 to 200',
    ],
  ])('is left out if it is %s', (_what, cells, reason) => {
    expect(outcome(onesignal.map({ ...row, ...cells }))).toBe(reason);
  });
});

describe('An installation of Parse Server', () => {
  test('becomes a device: channels are tags, and the fields of the app custom attributes', () => {
    expect(outcome(parse.map(installation))).toEqual({
      device: {
        platform: 'Android',
        push_token: ANDROID_TOKEN,
        os_name: 'Android',
        user_id: 'g7y9tkhB7O',
        app_version: '2.1',
        locale: 'de_DE',
        time_zone: 'Europe/Berlin',
        badge: 3,
        location: { latitude: 52.5, longitude: 13.4 },
        tags: ['news'],
        custom: {
          plan: { type: 'string', value: 'gold' },
          level: { type: 'float', value: 4 },
          trial: { type: 'boolean', value: false },
          since: { type: 'date', value: '2026-01-02T03:04:05.678Z' },
          topics: { type: 'string', value: ['a', 'b'] },
        },
      },
      lacks: ['objectId', 'installationId', 'pushType', 'GCMSenderId', 'createdAt', 'updatedAt', 'tags'],
    });
  });

  test('is read as MongoDB stores it, too', () => {
    expect(outcome(parse.map(mongoInstallation))).toEqual({
      device: {
        platform: 'iOS',
        push_token: IOS_TOKEN,
        os_name: 'iOS',
        user_id: 'g7y9tkhB7O',
        badge: 3,
        tags: ['news'],
        custom: {
          level: { type: 'float', value: 4.5 },
          since: { type: 'date', value: '2026-01-02T03:04:05.678Z' },
          until: { type: 'date', value: '2026-01-02T03:04:05.678Z' },
        },
      },
      lacks: ['_id', '_created_at', '_rperm'],
    });
  });

  test.each([
    ['a nested object', { address: { city: 'London' } }, 'address'],
    ['a pointer to another class', { team: { __type: 'Pointer', className: 'Team', objectId: 'x' } }, 'team'],
    ['a list of many kinds', { mixed: [1, 'a'] }, 'mixed'],
  ])('lists %s', (_what, fields, field) => {
    expect(outcome(parse.map({ ...installation, ...fields }))).toMatchObject({
      lacks: expect.arrayContaining([field]),
    });
  });

  test.each([
    ['of a browser', { deviceType: 'web' }, 'not a push to iOS or Android: web'],
    ['of Windows', { deviceType: 'winrt' }, 'not a push to iOS or Android: Windows'],
    ['without a token', { deviceToken: undefined }, 'no push token'],
  ])('is left out if it is %s', (_what, fields, reason) => {
    expect(outcome(parse.map({ ...installation, ...fields }))).toBe(reason);
  });
});

describe('An endpoint of Amazon Pinpoint', () => {
  test('becomes a device: attributes are custom lists of text, and metrics numbers', () => {
    expect(outcome(pinpoint.map(endpoint))).toEqual({
      device: {
        platform: 'iOS',
        push_token: IOS_TOKEN,
        os_name: 'iOS',
        development: true,
        notifications_allowed: 'Enabled',
        user_id: 'user-17',
        app_version: '2.1',
        os_version: '17.4',
        marketing_name: 'iPhone',
        locale: 'en_US',
        time_zone: 'America/Los_Angeles',
        country: 'US',
        location: { latitude: 47.6, longitude: -122.3 },
        custom: {
          interests: { type: 'string', value: ['science', 'music'] },
          health: { type: 'float', value: 99.5 },
          plan: { type: 'string', value: ['gold'] },
        },
      },
      lacks: [
        'User.UserAttributes.interests',
        'Id',
        'RequestId',
        'EffectiveDate',
        'Demographic.Make',
        'Demographic.Platform',
        'Location.City',
      ],
    });
  });

  test.each([
    ['APNS', { development: false, platform: 'iOS', push_token: IOS_TOKEN }],
    ['APNS_SANDBOX', { development: true, platform: 'iOS', push_token: IOS_TOKEN }],
    ['GCM', { platform: 'Android', push_token: ANDROID_TOKEN }],
  ])('of %s is for %o', (ChannelType, device) => {
    expect(outcome(pinpoint.map({ ...endpoint, ChannelType, Address: device.push_token }))).toMatchObject({
      device,
    });
  });

  test('whose user opted out is kept as Disabled', () => {
    const device = { notifications_allowed: 'Disabled' };
    expect(outcome(pinpoint.map({ ...endpoint, OptOut: 'ALL' }))).toMatchObject({ device });
  });

  test.each([
    ['e-mail', { ChannelType: 'EMAIL', Address: 'ada@example.com' }, 'not a push to iOS or Android: e-mail'],
    ['VoIP', { ChannelType: 'APNS_VOIP' }, 'not a push to iOS or Android: VoIP'],
    ['inactive', { EndpointStatus: 'INACTIVE' }, 'Pinpoint sent nothing to it (EndpointStatus)'],
    ['without an address', { Address: '' }, 'no push token'],
  ])('is left out if it is %s', (_what, fields, reason) => {
    expect(outcome(pinpoint.map({ ...endpoint, ...fields }))).toBe(reason);
  });
});

describe('A channel of Airship', () => {
  test('becomes a device: tags of a group have its name in front', () => {
    expect(outcome(airship.map(channel))).toEqual({
      device: {
        platform: 'iOS',
        push_token: channel.push_address.toLowerCase(),
        os_name: 'iOS',
        notifications_allowed: 'Enabled',
        user_id: 'user-17',
        app_version: '2.1',
        os_version: '17.4',
        locale: 'en_US',
        country: 'US',
        time_zone: 'America/Los_Angeles',
        badge: 2,
        quiet_hours: { from: '22:00', to: '08:00' },
        tags: ['tag1', 'tag2', 'loyalty:gold'],
        custom: { first_name: { type: 'string', value: 'Ada' }, score: { type: 'float', value: 12.5 } },
      },
      lacks: [
        'attributes.address',
        'channel_id',
        'background',
        'created',
        'last_registration',
        'tag_groups.ua_opt_in',
        'ios.tz',
      ],
    });
  });

  test('whose user opted out is kept as Disabled', () => {
    const device = { notifications_allowed: 'Disabled' };
    expect(outcome(airship.map({ ...channel, opt_in: false }))).toMatchObject({ device });
  });

  test.each([
    ['uninstalled', { installed: false }, 'uninstalled (installed is false)'],
    ['e-mail', { device_type: 'email' }, 'not a push to iOS or Android: e-mail'],
    ['an open channel', { device_type: 'open' }, 'not a push to iOS or Android: open channel'],
    ['without an address', { push_address: null }, 'no push token'],
  ])('is left out if it is %s', (_what, fields, reason) => {
    expect(outcome(airship.map({ ...channel, ...fields }))).toBe(reason);
  });
});

describe('A device with more than it may have', () => {
  test('keeps the first 50 custom attributes and the first 100 tags', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`name${index}`, ['x']]));
    const tags = Array.from({ length: 120 }, (_, index) => `tag${index}`);
    const custom = Object.fromEntries(
      Object.keys(many)
        .slice(0, 50)
        .map((name) => [name, { type: 'string', value: ['x'] }]),
    );
    expect(outcome(pinpoint.map({ ...endpoint, Attributes: many }))).toEqual({
      device: expect.objectContaining({ custom }),
      lacks: expect.arrayContaining(['custom']),
    });
    expect(outcome(airship.map({ ...channel, tags }))).toEqual({
      device: expect.objectContaining({ tags: tags.slice(0, 100) }),
      lacks: expect.arrayContaining(['tags']),
    });
  });
});

const examples: Readonly<Record<string, Fields>> = {
  onesignal: row,
  parse: installation,
  pinpoint: endpoint,
  airship: channel,
};

describe.each(serviceNames)('Whatever a record of %s holds', (name) => {
  const example = examples[name] ?? {};
  // Values of the wrong kind in known fields, and fields that nobody knows.
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ maxLength: 300 }),
    fc.constantFrom(...Object.values(example)),
  );
  const record = fc
    .tuple(
      fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(example)), fc.string()), value, { maxKeys: 12 }),
      fc.subarray(Object.keys(example)),
    )
    .map(([odd, kept]): Fields => {
      const known = kept.map((key) => [key, example[key]] as const);
      return Object.fromEntries([...known, ...Object.entries(odd)]);
    });

  test('the device is valid, or the record is left out for a reason', () => {
    fc.assert(
      fc.property(record, (fields) => {
        const mapping = services[name].map(fields);
        if (mapping.leftOut !== undefined) {
          expect(mapping.leftOut).not.toBe('');
          return;
        }
        const fitted = fitDevice(mapping.device);
        if (fitted.leftOut === undefined) parseRegistration(fitted.device);
      }),
    );
  });

  test('every field without a value in the device is listed', () => {
    const odd = { [`${name}_unknown`]: { nested: { value: 1 } } };
    const mapping = services[name].map({ ...example, ...odd });
    expect(mapping.leftOut).toBeUndefined();
    const fields = mapping.leftOut === undefined ? mapping.notMapped.map(({ field }) => field) : [];
    expect(fields).toContain(`${name}_unknown`);
  });
});

test('what has no counterpart says so', () => {
  const mapping = pinpoint.map(endpoint);
  expect(mapping).toMatchObject({
    notMapped: expect.arrayContaining([{ field: 'Id', reason: NO_COUNTERPART }]),
  });
});
