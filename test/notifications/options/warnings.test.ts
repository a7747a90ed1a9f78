/** What a preview warns of, although creation accepts it; the codes of warnings, and the edits that mend them. */
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../src/api/parse.ts';
import { parseContent } from '../../../src/notifications/message.ts';
import type { Warning } from '../../../src/notifications/preview/warning.ts';
import { warningsOf } from '../../../src/notifications/preview/warnings.ts';
import { parseRequest } from '../../../src/notifications/request.ts';

type Json = Record<string, unknown>;
const image = 'https://example.com/a.png';
const made = (keys: object): Json => ({ to: '*', payload: { alert: 'Hi' }, ...keys });
const warningsFor = (notification: Json): Warning[] => warningsOf(parseContent(JSON.stringify(notification)));

function warned(keys: object): string[] {
  const warnings = warningsFor(made(keys));
  return warnings.map(({ path, message }) => `${path.replace('notification.', '')}: ${message}`);
}

const passed = 'is passed on to the app as a custom key; ';

test.each<[string, string]>([
  ['thread_id', 'notification.apns.thread_id'],
  ['thread-id', 'notification.apns.thread_id'],
  ['threadId', 'notification.apns.thread_id'],
  ['apns_thread_id', 'notification.apns.thread_id'],
  ['target_content_id', 'notification.apns.target_content_id'],
  ['target-content-id', 'notification.apns.target_content_id'],
  ['target_content_identifier', 'notification.apns.target_content_id'],
  ['filter_criteria', 'notification.apns.filter_criteria'],
  ['filterCriteria', 'notification.apns.filter_criteria'],
  ['interruption-level', 'interruption_level'],
  ['relevanceScore', 'relevance_score'],
  ['content-available', 'content_available'],
  ['contentAvailable', 'content_available'],
  ['mutable-content', 'mutable_content'],
  ['mutableContent', 'mutable_content'],
  ['collapse_id', 'collapse_key'],
  ['collapseKey', 'collapse_key'],
  ['ios_badgeType', 'notification.apns.badge'],
  ['ios_sound', 'notification.apns.sound'],
  ['critical', 'notification.apns.sound'],
  ['click_action', 'notification.android.click_action'],
  ['clickAction', 'notification.android.click_action'],
  ['visibility', 'notification.android.visibility'],
  ['notification_count', 'notification.android.notification_count'],
  ['analytics_label', 'notification.android.analytics_label'],
  ['channel_id', '_channel_id'],
  ['channelId', '_channel_id'],
  ['android_channel_id', '_channel_id'],
  ['icon', 'settings of the app'],
  ['color', 'settings of the app'],
  ['priority', 'notification.priority'],
  ['ttl', 'notification.time_to_live'],
  ['time_to_live', 'notification.time_to_live'],
  ['expiration', 'notification.time_to_live'],
  ['push_type', 'notification.apns.push_type'],
  ['topic', 'notification.to'],
  ['send_after', 'notification.deliver_at'],
  ['push_time', 'notification.deliver_at'],
  ['data', 'the payload themselves'],
  ['additionalData', 'the payload themselves'],
  ['notification', 'notification.apns and notification.android'],
  ['apns', 'notification.apns and notification.android'],
  ['android', 'notification.apns and notification.android'],
  ['image_url', 'image'],
  ['big_picture', 'image'],
])('the warning for the custom key %s names %s', (key, use) => {
  const [warning = '', ...more] = warned({ payload: { alert: 'Hi', [key]: 'x' } });
  expect(more).toEqual([]);
  expect(warning).toMatch(/^payload[.]/);
  expect(warning).toContain(key);
  expect(warning).toContain(`: ${passed}`);
  expect(warning).toContain(use);
});

test.each(['body', 'message', 'text', 'contents'])('a warning says that the key %s shows no text', (key) => {
  const use = 'to show a text, use the keys alert and title';
  expect(warned({ payload: { [key]: 'Hi' } })).toEqual([`payload.${key}: ${passed}${use}`]);
});

test.each([
  { alert: 'Hi', body: 'a', order: 4711, threads: 1, _channel_id: 'a', badge: 1, image: 'a.png' },
  { content_available: true, mutable_content: false, own: { thread_id: 'a', data: 1 } },
])('keys of the app’s own, and known keys, are no reason for a warning: %j', (payload) => {
  expect(warned({ payload })).toEqual([]);
});

test('translations and variants are looked at as well, at their own paths', () => {
  const use = `${passed}to group notifications on iOS, use notification.apns.thread_id`;
  const notification = {
    localized: { 'fr-CA': { thread_id: 'a' } },
    variants: [
      { name: 'a', weight: 1, payload: { 'thread-id': 'a' } },
      { name: 'b', weight: 1, localized: { fr: { threadId: 'a' } } },
    ],
  };
  expect(warned(notification)).toEqual([
    `localized.fr-CA.thread_id: ${use}`,
    `variants[0].payload.thread-id: ${use}`,
    `variants[1].localized.fr.threadId: ${use}`,
  ]);
});

test('a null next to aps is reported at any depth, but not one that removes a key of the payload', () => {
  const message = 'contains null: iOS may show nothing, or give the app no custom keys; leave the key out';
  expect(
    warned({ payload: { alert: 'Hi', a: null, b: { c: [1, null] }, d: [] }, localized: { fr: { b: null } } }),
  ).toEqual([`payload.a: ${message}`, `payload.b: ${message}`]);
});

test('a picture that iOS cannot load is reported', () => {
  const message = 'is not shown on iOS without mutable_content true, with which the app can load it';
  expect(warned({ payload: { alert: 'Hi', image } })).toEqual([`payload.image: ${message}`]);
  expect(
    warned({ payload: { alert: 'Hi', image, mutable_content: false }, receipts: { sample: 1 } }),
  ).toEqual([`payload.image: ${message}`]);
  expect(warned({ localized: { fr: { image } } })).toEqual([`localized.fr.image: ${message}`]);
  expect(warned({ payload: { alert: 'Hi', image, mutable_content: true } })).toEqual([]);
  expect(warned({ payload: { alert: 'Hi', image }, receipts: { sample: 1 } })).toEqual([]);
});

test('options of a notification that Android does not draw are reported', () => {
  const notification = { payload: { x: 1 }, android: { visibility: 'public', direct_boot_ok: true } };
  expect(warned(notification)).toEqual([
    'android.visibility: has no effect: Android draws nothing for a push without a text',
  ]);
});

test('a payload of thousands of such words has a hundred warnings', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => ['-'.repeat(index + 1) + 'ttl', 1]);
  expect(warned({ payload: { alert: 'Hi', ...Object.fromEntries(words) } })).toHaveLength(100);
});

const variants = (...all: Json[]): Json[] =>
  all.map((keys, index) => Object.assign({ name: 'abcdefgh'.charAt(index), weight: 1 }, keys));

/** Makes the edits of a fix, as a client would. */
function fixed(notification: Json, fix: Warning['fix']): Json {
  const body = structuredClone({ notification });
  for (const { op, path, value } of fix ?? []) {
    const steps = [...path.matchAll(/[^.[\]]+/g)].map(([step]) => step);
    const last = steps.pop() ?? '';
    let parent: unknown = body;
    for (const step of steps) {
      if (Array.isArray(parent)) parent = parent[Number(step)];
      else parent = isJsonObject(parent) ? parent[step] : undefined;
    }
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (isJsonObject(parent) && op === 'set') parent[last] = value;
    else if (isJsonObject(parent)) delete parent[last];
  }
  return body.notification;
}

test.each<[string, Warning['code'], Json]>([
  ['a picture without mutable_content', 'picture_not_shown', { payload: { alert: 'Hi', image } }],
  ['a picture with false', 'picture_not_shown', { payload: { alert: 'Hi', image, mutable_content: false } }],
  ['a picture of a translation', 'picture_not_shown', { localized: { fr: { image } } }],
  [
    'a picture of a variant with a false of its own',
    'picture_not_shown',
    { variants: variants({ payload: { image, mutable_content: false } }, {}) },
  ],
  ['a null', 'null_value', { payload: { alert: 'Hi', mine: null } }],
  ['an option that draws nothing', 'no_effect', { payload: { x: 1 }, android: { visibility: 'public' } }],
  ['two empty variants', 'same_variants', { variants: variants({}, {}) }],
  ['two empty variants of an experiment', 'same_variants', { variants: variants({}, {}), experiment: 'e' }],
  [
    'two of three variants that are the same',
    'same_variants',
    { variants: variants({ payload: { alert: 'A' } }, {}, { payload: { alert: 'A' } }) },
  ],
])('the fix of %s leaves a notification that is valid and without a warning', (_what, code, keys) => {
  const notification = made(keys);
  const [warning, ...others] = warningsFor(notification);
  expect([warning?.code, others]).toEqual([code, []]);
  const mended = fixed(notification, warning?.fix ?? null);
  expect(mended).not.toEqual(notification);
  expect(warningsFor(mended)).toEqual([]);
  expect(() => parseRequest({ notification: mended }, new Date())).not.toThrow();
});

test.each<[string, Json[]]>([
  [
    'the same keys in another order',
    variants(
      { payload: { title: 'T', mine: { a: 1, b: 2 } } },
      { payload: { mine: { b: 2, a: 1 }, title: 'T' } },
    ),
  ],
  ['what the payload says anyway', variants({}, { payload: { alert: 'Hi' } })],
  [
    'a language written otherwise',
    variants({ localized: { 'pt-BR': { alert: 'Oi' } } }, { localized: { pt_br: { alert: 'Oi' } } }),
  ],
])('variants with %s are the same', (_which, all) => {
  expect(warningsFor(made({ variants: all })).map(({ code, path }) => [code, path])).toEqual([
    ['same_variants', 'notification.variants[1]'],
  ]);
});

test.each<[string, Json[]]>([
  ['a text', variants({}, { payload: { alert: 'Ho' } })],
  ['a translation', variants({ localized: { fr: { alert: 'Salut' } } }, {})],
  ['a custom key', variants({}, { payload: { screen: 'b' } })],
  [
    'a number that a double cannot hold',
    variants({ payload: { n: JSON.rawJSON('9007199254740993') } }, { payload: { n: 9007199254740992 } }),
  ],
])('variants that differ in %s are no reason for a warning', (_what, all) => {
  expect(warningsFor(made({ variants: all }))).toEqual([]);
});

test('two equal variants next to a hold-out are a warning that only a person can mend, and creation accepts them', () => {
  const notification = made({ variants: variants({}, {}), hold_out: 0.1 });
  expect(warningsFor(notification)).toMatchObject([{ code: 'same_variants', fix: null }]);
  expect(() => parseRequest({ notification }, new Date())).not.toThrow();
});

test('a foreign key is named by its code, and only a person can mend it', () => {
  expect(warningsFor(made({ payload: { alert: 'Hi', thread_id: 'a' } }))).toMatchObject([
    { code: 'foreign_key', fix: null },
  ]);
});
