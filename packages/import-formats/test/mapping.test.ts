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

const NO_COUNTERPART = 'devices have no such attribute';

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
      'that its user opted out',
      { invalid_identifier: 't', notification_types: '-2' },
      { notifications_allowed: 'Disabled' },
    ],
    [
      'an Android token',
      { device_type: '1', identifier: ANDROID_TOKEN },
      { platform: 'Android', push_token: ANDROID_TOKEN },
    ],
  ])('a OneSignal subscription keeps %s', (_what, cells, device) => {
    expect(outcome('onesignal', { ...row, ...cells })).toMatchObject({ device });
  });

  test.each([['tags that are no object', { tags: '"gold"=>"yes"' }, 'tags']])(
    'a OneSignal subscription lists %s as not mapped',
    (_what, cells, field) => {
      expect(outcome('onesignal', { ...row, ...cells })).toMatchObject({
        lacks: expect.arrayContaining([field]),
      });
    },
  );

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
  ])('a OneSignal subscription is left out if it is %s', (_what, cells, reason) => {
    expect(outcome('onesignal', { ...row, ...cells })).toBe(reason);
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

  test.each([
    ['a nested object', { address: { city: 'London' } }, 'address'],
    ['a pointer to another class', { team: { __type: 'Pointer', className: 'Team', objectId: 'x' } }, 'team'],
    ['a list of many kinds', { mixed: [1, 'a'] }, 'mixed'],
  ])('a Parse installation lists %s as not mapped', (_what, fields, field) => {
    expect(outcome('parse', { ...installation, ...fields })).toMatchObject({
      lacks: expect.arrayContaining([field]),
    });
  });

  test.each([
    ['of a browser', { deviceType: 'web' }, 'not a push to iOS or Android: web'],
    ['of Windows', { deviceType: 'winrt' }, 'not a push to iOS or Android: Windows'],
    ['without a token', { deviceToken: undefined }, 'no push token'],
  ])('a Parse installation is left out if it is %s', (_what, fields, reason) => {
    expect(outcome('parse', { ...installation, ...fields })).toBe(reason);
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

  test('a Pinpoint endpoint whose user opted out is kept as Disabled', () => {
    const device = { notifications_allowed: 'Disabled' };
    expect(outcome('pinpoint', { ...endpoint, OptOut: 'ALL' })).toMatchObject({ device });
  });

  test.each([
    ['e-mail', { ChannelType: 'EMAIL', Address: 'ada@example.com' }, 'not a push to iOS or Android: e-mail'],
    ['VoIP', { ChannelType: 'APNS_VOIP' }, 'not a push to iOS or Android: VoIP'],
    ['inactive', { EndpointStatus: 'INACTIVE' }, 'Pinpoint sent nothing to it (EndpointStatus)'],
    ['without an address', { Address: '' }, 'no push token'],
  ])('a Pinpoint endpoint is left out if it is %s', (_what, fields, reason) => {
    expect(outcome('pinpoint', { ...endpoint, ...fields })).toBe(reason);
  });
});

describe('A channel of Airship', () => {
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

  test('an Airship channel whose user opted out is kept as Disabled', () => {
    const device = { notifications_allowed: 'Disabled' };
    expect(outcome('airship', { ...channel, opt_in: false })).toMatchObject({ device });
  });

  test.each([
    ['uninstalled', { installed: false }, 'uninstalled (installed is false)'],
    ['e-mail', { device_type: 'email' }, 'not a push to iOS or Android: e-mail'],
    ['an open channel', { device_type: 'open' }, 'not a push to iOS or Android: open channel'],
    ['without an address', { push_address: null }, 'no push token'],
  ])('an Airship channel is left out if it is %s', (_what, fields, reason) => {
    expect(outcome('airship', { ...channel, ...fields })).toBe(reason);
  });
});

const examples: Readonly<Record<string, Fields>> = {
  onesignal: row,
  parse: installation,
  pinpoint: endpoint,
  airship: channel,
};

describe.each(serviceNames)('A record of %s', (name) => {
  const example = examples[name] ?? {};

  test('every field of a record without a value in the device is listed', () => {
    const odd = { [`${name}_unknown`]: { nested: { value: 1 } } };
    const mapping = services[name].map({ ...example, ...odd }, noRules.parse);
    expect(mapping.leftOut).toBeUndefined();
    const fields = mapping.leftOut === undefined ? mapping.notMapped.map(({ field }) => field) : [];
    expect(fields).toContain(`${name}_unknown`);
  });
});

test('a field without a counterpart is reported as such', () => {
  const mapping = services.pinpoint.map(endpoint, noRules.parse);
  expect(mapping).toMatchObject({
    notMapped: expect.arrayContaining([{ field: 'Id', reason: NO_COUNTERPART }]),
  });
});
