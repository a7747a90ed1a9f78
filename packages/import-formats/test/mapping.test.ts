import { describe, expect, test } from 'vitest';
import type { Fields } from '../src/service.ts';
import { type ServiceName, serviceNames, services } from '../src/services.ts';
import {
  ANDROID_TOKEN,
  channel,
  endpoint,
  installation,
  IOS_TOKEN,
  mongoInstallation,
  noRules,
  row,
} from './exports.ts';

/** The device of a record, before the caller's rules, and the fields that it lacks; or why there is none. */
function outcome(name: ServiceName, record: Fields): { device: Fields; lacks: string[] } | string {
  const mapping = services[name].map(record, noRules.parse);
  if (mapping.leftOut !== undefined) return mapping.leftOut;
  return { device: mapping.device, lacks: mapping.notMapped.map(({ field }) => field) };
}

describe('A subscription of OneSignal', () => {
  test('a OneSignal subscription becomes a device: tags are custom attributes of text, language and country a locale', () => {
    expect(outcome('onesignal', row)).toEqual({
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
      { tags: '{"level":4}' },
      { custom: { level: { type: 'string', value: '4' } } },
    ],
    ['its GPS place', { lat: '52.5', long: '13.4' }, { sdk_location: { latitude: 52.5, longitude: 13.4 } }],
    ['its badge', { badge_count: '3' }, { badge: 3 }],
    [
      'an Android token',
      { device_type: '1', identifier: ANDROID_TOKEN },
      { platform: 'Android', push_token: ANDROID_TOKEN },
    ],
  ])('a OneSignal subscription keeps %s', (_what, cells, device) => {
    expect(outcome('onesignal', { ...row, ...cells })).toMatchObject({ device });
  });
});

describe('An installation of Parse Server', () => {
  test('a Parse installation becomes a device: channels are tags, and the fields of the app custom attributes', () => {
    expect(outcome('parse', installation)).toEqual({
      device: {
        platform: 'Android',
        push_token: ANDROID_TOKEN,
        os_name: 'Android',
        user_id: 'g7y9tkhB7O',
        app_version: '2.1',
        locale: 'de-DE',
        time_zone: 'Europe/Berlin',
        badge: 3,
        location: { latitude: 52.5, longitude: 13.4 },
        tags: ['', 'news'],
        custom: {
          plan: { type: 'string', value: 'gold' },
          level: { type: 'float', value: 4 },
          trial: { type: 'boolean', value: false },
          since: { type: 'date', value: '2026-01-02T03:04:05.678Z' },
          topics: { type: 'string', value: ['a', 'b'] },
        },
      },
      lacks: ['objectId', 'installationId', 'pushType', 'GCMSenderId', 'createdAt', 'updatedAt'],
    });
  });

  test('a Parse installation is read as MongoDB stores it, too', () => {
    expect(outcome('parse', mongoInstallation)).toEqual({
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
});

describe('An endpoint of Amazon Pinpoint', () => {
  test('a Pinpoint endpoint becomes a device: attributes are custom lists of text, and metrics numbers', () => {
    expect(outcome('pinpoint', endpoint)).toEqual({
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
  ])('a Pinpoint endpoint of %s is for %o', (ChannelType, device) => {
    const Demographic = { Platform: device.platform };
    const fields = { ...endpoint, ChannelType, Address: device.push_token, Demographic };
    expect(outcome('pinpoint', fields)).toMatchObject({ device });
  });

  test('a Pinpoint endpoint of GCM on iOS is an iPhone that is reached through Firebase', () => {
    expect(outcome('pinpoint', { ...endpoint, ChannelType: 'GCM', Address: ANDROID_TOKEN })).toMatchObject({
      device: { platform: 'iOS', push_token: ANDROID_TOKEN, push_token_type: 'fcm' },
    });
  });
});

test('an Airship channel becomes a device: the keys of tag_groups stand in front of their tags', () => {
  expect(outcome('airship', channel)).toEqual({
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

const examples: Readonly<Record<ServiceName, Fields>> = {
  onesignal: row,
  parse: installation,
  pinpoint: endpoint,
  airship: channel,
};

test.each<[ServiceName, string, object]>([
  ['onesignal', 'notification_types', { invalid_identifier: 't', notification_types: '-2' }],
  ['pinpoint', 'OptOut', { OptOut: 'ALL' }],
  ['airship', 'opt_in', { opt_in: false }],
])('a record of %s whose user opted out, by %s, is kept as Disabled', (name, _field, fields) => {
  const device = { notifications_allowed: 'Disabled' };
  expect(outcome(name, { ...examples[name], ...fields })).toMatchObject({ device });
});

const NO_PUSH = 'not a push to iOS or Android:';

test.each<[ServiceName, string, object, string]>([
  ['onesignal', 'e-mail', { device_type: '11', identifier: 'ada@example.com' }, `${NO_PUSH} e-mail`],
  ['onesignal', 'SMS', { device_type: '14' }, `${NO_PUSH} SMS`],
  ['onesignal', 'web', { device_type: '5' }, `${NO_PUSH} web`],
  ['onesignal', 'Huawei', { device_type: '13' }, `${NO_PUSH} Huawei`],
  ['onesignal', 'without a token', { identifier: '' }, 'no push token'],
  [
    'onesignal',
    'unsubscribed',
    { invalid_identifier: 'true' },
    'unsubscribed, or its token is dead (invalid_identifier)',
  ],
  ['parse', 'of a browser', { deviceType: 'web' }, `${NO_PUSH} web`],
  ['parse', 'of Windows', { deviceType: 'winrt' }, `${NO_PUSH} Windows`],
  ['parse', 'without a token', { deviceToken: undefined }, 'no push token'],
  ['pinpoint', 'e-mail', { ChannelType: 'EMAIL', Address: 'ada@example.com' }, `${NO_PUSH} e-mail`],
  ['pinpoint', 'VoIP', { ChannelType: 'APNS_VOIP' }, `${NO_PUSH} VoIP`],
  ['pinpoint', 'inactive', { EndpointStatus: 'INACTIVE' }, 'Pinpoint sent nothing to it (EndpointStatus)'],
  ['pinpoint', 'without an address', { Address: '' }, 'no push token'],
  ['airship', 'uninstalled', { installed: false }, 'uninstalled (installed is false)'],
  ['airship', 'e-mail', { device_type: 'email' }, `${NO_PUSH} e-mail`],
  ['airship', 'an open channel', { device_type: 'open' }, `${NO_PUSH} open channel`],
  ['airship', 'without an address', { push_address: null }, 'no push token'],
])('a record of %s is left out if it is %s', (name, _what, fields, reason) => {
  expect(outcome(name, { ...examples[name], ...fields })).toBe(reason);
});

test.each<[ServiceName, string, object, string]>([
  ['onesignal', 'tags that are no object', { tags: '"gold"=>"yes"' }, 'tags'],
  ['parse', 'a nested object', { address: { city: 'London' } }, 'address'],
  ['parse', 'a pointer', { team: { __type: 'Pointer', className: 'Team', objectId: 'x' } }, 'team'],
  ['parse', 'a list of many kinds', { mixed: [1, 'a'] }, 'mixed'],
  ...serviceNames.map((name): [ServiceName, string, object, string] => [
    name,
    'an unknown field',
    { unknown: { nested: { value: 1 } } },
    'unknown',
  ]),
])('a record of %s lists %s as not mapped', (name, _what, fields, field) => {
  expect(outcome(name, { ...examples[name], ...fields })).toMatchObject({
    lacks: expect.arrayContaining([field]),
  });
});

test('a field without a counterpart is reported as such', () => {
  expect(services.pinpoint.map(endpoint, noRules.parse)).toMatchObject({
    notMapped: expect.arrayContaining([{ field: 'Id', reason: 'devices have no such attribute' }]),
  });
});
