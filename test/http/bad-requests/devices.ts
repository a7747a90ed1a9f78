/** Ways to get a device, its events or its user wrong. */
import { type BadCall, change, changeCustom, device, events, point, TOKEN } from './call.ts';

export const registerDevice: BadCall[] = [
  ['no device', { body: { push_token: TOKEN } }, 'device'],
  ['an unknown field', device({ colour: 'red' }), 'device.colour'],
  ['no platform', { body: { device: { push_token: TOKEN } } }, 'device.platform'],
  ['an unknown platform', device({ platform: 'ios' }), 'device.platform'],
  ['no push token', { body: { device: { platform: 'iOS' } } }, 'device.push_token'],
  ['an empty push token', device({ push_token: '' }), 'device.push_token'],
  ['an iOS token that is not hexadecimal', device({ push_token: 'x'.repeat(64) }), 'device.push_token'],
  ['a placeholder for a token', device({ platform: 'Android', push_token: 'null' }), 'device.push_token'],
  ['an Android token with a space', device({ platform: 'Android', push_token: 'a b' }), 'device.push_token'],
  ['a token that is a number', device({ push_token: 1 }), 'device.push_token'],
  ['an empty user id', device({ user_id: '' }), 'device.user_id'],
  ['development that is a text', device({ development: 'yes' }), 'device.development'],
];

export const updateDevice: BadCall[] = [
  ['no device', { body: { badge: 1 } }, 'device'],
  ['an unknown field', change({ colour: 'red' }), 'device.colour'],
  ['a negative badge', change({ badge: -1 }), 'device.badge'],
  ['a badge that is a text', change({ badge: '1' }), 'device.badge'],
  ['a locale that is none', change({ locale: 'English' }), 'device.locale'],
  ['a time zone that is a number', change({ time_zone: 1 }), 'device.time_zone'],
  ['a long text', change({ os_name: 'x'.repeat(256) }), 'device.os_name'],
  [
    'notifications_allowed in lower case',
    change({ notifications_allowed: 'enabled' }),
    'device.notifications_allowed',
  ],
  ['tags that are a text', change({ tags: 'a' }), 'device.tags'],
  ['a tag that is a number', change({ tags: ['a', 1] }), 'device.tags[1]'],
  ['a location off the globe', change({ location: point(90.1, 0) }), 'device.location.latitude'],
  [
    'a location without a longitude',
    change({ sdk_location: { latitude: 1 } }),
    'device.sdk_location.longitude',
  ],
  ['custom attributes that are a list', change({ custom: [] }), 'device.custom'],
  ['a custom attribute without a type', changeCustom({ value: 1 }), 'device.custom.plan.type'],
  [
    'a custom attribute of an unknown type',
    changeCustom({ type: 'text', value: 'a' }),
    'device.custom.plan.type',
  ],
  ['an integer with a fraction', changeCustom({ type: 'integer', value: 1.5 }), 'device.custom.plan.value'],
  [
    'an integer beyond 64 bits',
    {
      raw: '{"device":{"custom":{"plan":{"type":"integer","value":9223372036854775808}}}}',
    },
    'device.custom.plan.value',
  ],
  [
    'a string of 256 characters',
    changeCustom({ type: 'string', value: 'x'.repeat(256) }),
    'device.custom.plan.value',
  ],
  ['a float that is a text', changeCustom({ type: 'float', value: '1.5' }), 'device.custom.plan.value'],
  ['a date that is none', changeCustom({ type: 'date', value: 'today' }), 'device.custom.plan.value'],
  ['a boolean that is 1', changeCustom({ type: 'boolean', value: 1 }), 'device.custom.plan.value'],
  ['a list of booleans', changeCustom({ type: 'boolean', value: [true] }), 'device.custom.plan.value'],
  [
    'a list of several types',
    changeCustom({ type: 'integer', value: [1, 'a'] }),
    'device.custom.plan.value[1]',
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
  ['a token that does not suit the platform', change({ push_token: 'nothex' }), 'device.push_token'],
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
