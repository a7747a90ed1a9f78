/** Ways to get a device, its events or its user wrong. */
import { type BadCall, badValues, change, changeCustom, device, events, point, TOKEN } from './call.ts';

const LONG = 'x'.repeat(256);

export const registerDevice: BadCall[] = [
  ['no device', { body: { push_token: TOKEN } }, 'device'],
  ['no platform', { body: { device: { push_token: TOKEN } } }, 'device.platform'],
  ['no push token', { body: { device: { platform: 'iOS' } } }, 'device.push_token'],
  ...badValues(
    'device',
    {
      colour: ['red'],
      platform: ['ios'],
      push_token: ['', 'x'.repeat(64), 1],
      user_id: [''],
      development: ['yes'],
    },
    device,
  ),
  ['a placeholder for a token', device({ platform: 'Android', push_token: 'null' }), 'device.push_token'],
  ['an Android token with a space', device({ platform: 'Android', push_token: 'a b' }), 'device.push_token'],
];

const values = {
  colour: ['red'],
  badge: [-1, '1'],
  locale: ['English'],
  time_zone: [1],
  os_name: [LONG],
  notifications_allowed: ['enabled'],
  tags: ['a'],
  custom: [[]],
  push_token: ['nothex'],
};
const customValues: [type: string, value: unknown, within?: string][] = [
  ['integer', 1.5],
  ['string', LONG],
  ['float', '1.5'],
  ['date', 'today'],
  ['boolean', 1],
  ['boolean', [true]],
  ['integer', [1, 'a'], '[1]'],
];

export const updateDevice: BadCall[] = [
  ['no device', { body: { badge: 1 } }, 'device'],
  ...badValues('device', values, change),
  ['a tag that is a number', change({ tags: ['a', 1] }), 'device.tags[1]'],
  ['a location off the globe', change({ location: point(90.1, 0) }), 'device.location.latitude'],
  [
    'a location without a longitude',
    change({ sdk_location: { latitude: 1 } }),
    'device.sdk_location.longitude',
  ],
  ['a custom attribute without a type', changeCustom({ value: 1 }), 'device.custom.plan.type'],
  [
    'a custom attribute of an unknown type',
    changeCustom({ type: 'text', value: 'a' }),
    'device.custom.plan.type',
  ],
  ...customValues.map(([type, value, within = '']): BadCall => [
    `the ${type} ${JSON.stringify(value).slice(0, 40)}`,
    changeCustom({ type, value }),
    `device.custom.plan.value${within}`,
  ]),
  [
    'an integer beyond 64 bits',
    { raw: '{"device":{"custom":{"plan":{"type":"integer","value":9223372036854775808}}}}' },
    'device.custom.plan.value',
  ],
  [
    '51 custom attributes',
    change({
      custom: Object.fromEntries(
        Array.from({ length: 51 }, (_, n) => [`a${n}`, { type: 'integer', value: n }]),
      ),
    }),
    'device.custom',
  ],
  ['a bad value among good ones', change({ badge: 7, tags: ['new'], locale: 'English' }), 'device.locale'],
  [
    'a bad custom value next to a good one',
    change({ custom: { a: { type: 'integer', value: 1 }, b: { type: 'integer', value: 'x' } } }),
    'device.custom.b.value',
  ],
];

export const lookUpDevices: BadCall[] = [
  ['no query', { body: {} }, 'query'],
  ['an empty query', { body: { query: '' } }, 'query'],
  ['a query that is a number', { body: { query: 1 } }, 'query'],
  ['a long query', { body: { query: 'x'.repeat(2_049) } }, 'query'],
  ['an unknown field', { body: { query: 'x', user_id: 'x' } }, 'user_id'],
];

export const reportEvents: BadCall[] = [
  ['no events', { body: { event: [] } }, 'events'],
  ['events that are an object', { body: { events: {} } }, 'events'],
  ['an empty list', events(), 'events'],
  ['an event that is a text', events('opened'), 'events[0]'],
  ['an event without a name', events({ date: '2026-01-01T00:00:00Z' }), 'events[0].name'],
  ['an empty name', events({ name: '' }), 'events[0].name'],
  ['an unknown field', events({ name: 'a', count: 2 }), 'events[0].count'],
  ['a date that is none', events({ name: 'a' }, { name: 'b', date: 'now' }), 'events[1].date'],
  ['a source that is a number', events({ name: 'a', source: 1 }), 'events[0].source'],
];

export const updateUser: BadCall[] = [
  ['no user', { body: { custom: {} } }, 'user'],
  ['an unknown field', { body: { user: { badge: 1 } } }, 'user.badge'],
  [
    'a bad value',
    { body: { user: { custom: { a: { type: 'integer', value: 'x' } } } } },
    'user.custom.a.value',
  ],
];
