/** Ways to get a create request wrong: the wrappers, the payload, the target. */
import { type BadCall, badValues, notification, NO_ID, payload, to } from './call.ts';

const RESERVED = [
  'available',
  'from',
  'gcm',
  'message_type',
  'aps',
  '_nid',
  '_st_actions',
  'google',
  'google.x',
  'gcm.x',
  'gcm_x',
  'googleish',
];
const TEXTS = ['alert', 'title', 'subtitle', 'sound', 'category', '_channel_id'];
const payloadValues = {
  ...Object.fromEntries(RESERVED.map((key) => [key, ['x']])),
  ...Object.fromEntries(TEXTS.map((key) => [key, [1]])),
  collapse_key: [1, '', `${'é'.repeat(32)}x`],
  badge: [-1, 1.5, '1', true, null, 2 ** 31],
  content_available: [1],
  mutable_content: [1],
  interruption_level: ['loud'],
};
const options = {
  title: ['x'],
  payload: ['x'],
  deliver_at: ['tomorrow', 1_900_000_000, '2026-02-30T00:00:00Z', '2126-01-01T00:00:00Z'],
  time_to_live: [-1, 1.5, 2_419_201, '60', null],
  priority: ['urgent'],
  dry_run: ['true'],
  max_recipients: [-1, 0, 0.5, 2 ** 53, '10'],
};

export const createNotification: BadCall[] = [
  ['no notification', { body: { note: {} } }, 'notification'],
  ['an unknown key next to it', { body: { notification: { to: '*', payload: { a: 1 } }, x: 1 } }, 'x'],
  ['a notification that is a list', { body: { notification: [] } }, 'notification'],
  ['no target', { body: { notification: { payload: { alert: 'x' } } } }, 'notification.to'],
  ['no payload', { body: { notification: { to: '*' } } }, 'notification.payload'],
  ...['two words', '', 'k'.repeat(256)].map((key): BadCall => [
    `the idempotency key "${key.slice(0, 10)}"`,
    { ...payload({ a: 1 }), headers: { 'idempotency-key': key } },
    'invalid_header',
  ]),

  ['an empty payload', payload({}), 'notification.payload'],
  [
    'a payload that is a number kept raw',
    { raw: '{"notification":{"to":"*","payload":1e999}}' },
    'notification.payload',
  ],
  ...badValues('notification.payload', payloadValues, payload),
  ['a reserved key inside _st', payload({ _st: { mid: 1 } }), 'notification.payload._st.mid'],
  ...['-0.01', '1.01', '0.575', '0.570000000000000001', '"0.5"', 'null'].map((score): BadCall => [
    `relevance_score ${score}`,
    { raw: `{"notification":{"to":"*","payload":{"alert":"x","relevance_score":${score}}}}` },
    'notification.payload.relevance_score',
  ]),
  ['a payload too large for both gateways', payload({ alert: 'x'.repeat(5000) }), 'payload_too_large'],
  [
    'a custom value too large',
    payload({ alert: 'x', data: { list: Array(2000).fill('abc') } }),
    'payload_too_large',
  ],
  ...badValues('notification', options, notification),
  [
    'a picture that Android could not load',
    notification({ android_presentation: 'system', payload: { alert: 'Hi', image: 'cat.png' } }),
    'notification.payload.image',
  ],
  ['a target that is null', to(null), 'notification.to'],
  ['a target that is a number', to(1), 'notification.to'],
  ['a target without filters', to([]), 'notification.to'],
  ['a target of no known shape', to({ everyone: true }), 'invalid_request'],
  ['a device and a user', to({ device_id: NO_ID, user_id: 'a' }), 'notification.to'],
  ['a device and an audience', to({ device_id: NO_ID, audience: NO_ID }), 'notification.to'],
  ['a device and more', to({ device_id: NO_ID, x: 1 }), 'notification.to.x'],
  ['a device that is a number', to({ device_id: 1 }), 'notification.to.device_id'],
  ['devices in a list', to({ device_id: [NO_ID] }), 'notification.to.device_id'],
  ['a user that is null', to({ user_id: null }), 'notification.to.user_id'],
  ['an audience and more', to({ audience: NO_ID, x: 1 }), 'invalid_request'],
  ['an audience that is a number', to({ audience: 1 }), 'notification.to.audience'],
  ['an audience id that is not a UUID', to({ audience: 'x' }), 'not_found'],
  ['an audience that is unknown', to({ audience: NO_ID }), 'not_found'],
  ['an unknown audience as a bare text', to(NO_ID), 'not_found'],
  ['everyone in a list', to(['*']), 'notification.to[0]'],
];

export const reportOpen: BadCall[] = [
  ['no device', { body: { device: NO_ID } }, 'device_id'],
  ['a device that is a number', { body: { device_id: 1 } }, 'device_id'],
  ['an unknown key next to it', { body: { device_id: NO_ID, at: 'now' } }, 'at'],
  ['a device that is unknown', { body: { device_id: NO_ID } }, 'not_found'],
];

export const countNotificationLocales: BadCall[] = [
  ['no target', { body: {} }, 'to'],
  ['a target of no filters', { body: { to: [] } }, 'to'],
  ['an unknown audience', { body: { to: { audience: NO_ID } } }, 'not_found'],
  ['translations that are no list', { body: { to: '*', translations: { fr: {} } } }, 'translations'],
  ['a translation that is no tag', { body: { to: '*', translations: ['fr', 'french'] } }, 'translations[1]'],
  ['another key', { body: { to: '*', localized: {} } }, 'localized'],
];

export const countNotification: BadCall[] = [
  ['no target', { body: {} }, 'to'],
  ['a target that is null', { body: { to: null } }, 'to'],
  ['filters next to it', { body: { to: '*', filters: [] } }, 'filters'],
  ['no filters', { body: { to: [] } }, 'to'],
  ['half a filter', { body: { to: [{ name: 'tags' }] } }, 'to[0].criteria'],
  ['an unknown audience', { body: { to: { audience: NO_ID } } }, 'not_found'],
  ['an audience id that is not a UUID', { body: { to: 'x' } }, 'not_found'],
  ['two targets', { body: { to: { device_id: NO_ID, user_id: 'a' } } }, 'to'],
];
