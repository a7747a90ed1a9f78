/** What a preview warns of, although creation accepts it. */
import { expect, test } from 'vitest';
import { parseContent } from '../../../src/notifications/message.ts';
import { warningsOf } from '../../../src/notifications/preview/warnings.ts';

function warned(notification: object): string[] {
  const content = parseContent(JSON.stringify({ to: '*', payload: { alert: 'Hi' }, ...notification }));
  return warningsOf(content).map(({ path, message }) => `${path.replace('notification.', '')}: ${message}`);
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
  const image = 'https://example.com/a.png';
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
