/**
 * Finds what is valid in a payload but probably not meant: keys of other servers, values that a phone does
 * not show, and variants that push the same. Such a key is no error, because unknown keys are passed on to
 * the app.
 */
import { type Payload, showsText } from '../../gateways/payload.ts';
import { canonicalText, memberPath } from '../../json/lossless.ts';
import { drawnKeysOf } from '../android-options.ts';
import { canonicalTag } from '../content/locales.ts';
import { variantContents } from '../content/variants.ts';
import type { NotificationContent } from '../message.ts';
import { payloadSchema } from '../payload.ts';
import type { Warning } from './warning.ts';

/** What to do here, and the words of other servers for it, which match in any spelling. */
const FAMILIAR: Readonly<Record<string, string>> = {
  'to group notifications on iOS, use notification.apns.thread_id':
    'thread id, apns thread id, thread, ios thread id',
  'to bring a window of the app forward, use notification.apns.target_content_id':
    'target content id, target content identifier',
  'to set the criteria of a Focus filter, use notification.apns.filter_criteria': 'filter criteria',
  'to set it, use the key interruption_level': 'interruption level, ios interruption level',
  'to set it, use the key relevance_score': 'relevance score, ios relevance score',
  'to wake the app, use the key content_available with true': 'content available',
  'to let the app change the push, use the key mutable_content with true': 'mutable content',
  'to replace an earlier push, use the key collapse_key':
    'collapse key, collapse id, apns collapse id, collapse',
  'to set the badge, use the key badge or notification.apns.badge':
    'ios badge type, ios badge count, badge count, increment badge',
  'to set the sound, use the key sound or notification.apns.sound': 'ios sound, android sound, sound name',
  'for a critical alert, use notification.apns.sound': 'critical, volume',
  'to set what a tap starts on Android, use notification.android.click_action':
    'click action, android click action',
  'to set it, use notification.android.visibility': 'visibility, android visibility',
  'to set it, use notification.android.notification_count': 'notification count',
  'to set it, use notification.android.analytics_label': 'analytics label',
  'to set it, use notification.android.direct_boot_ok': 'direct boot ok',
  'to choose the notification channel, use the key _channel_id':
    'channel id, android channel id, channel, existing android channel id',
  'to set the look on Android, use the settings of the app (carillon apps set)':
    'icon, small icon, large icon, android icon, color, android accent color, accent color',
  'for a picture, use the key image, on iOS together with mutable_content':
    'image url, image uri, picture, picture url, big picture, media url, attachment url, media attachment, ios attachments',
  'to set the priority, use notification.priority': 'priority, apns priority, android priority, importance',
  'to set how long it is kept, use notification.time_to_live':
    'ttl, time to live, expiration, expiry, apns expiration, expiration time, expiration interval, expires at',
  'to set it, use notification.apns.push_type': 'push type, apns push type',
  'Apple gets the topic of the app; to choose who gets it, use notification.to': 'topic, apns topic',
  'to send it later, use notification.deliver_at': 'send after, push time, send at, deliver at, scheduled at',
  'its keys may stand in the payload themselves':
    'data, custom data, additional data, extra, extras, user info',
  'set its contents for Apple and Google with the keys of the payload, notification.apns and notification.android':
    'notification, message, apns, android, webpush, ios, fcm options, headers',
};

/** Other servers' names for the text. They are a warning only if the payload shows no text. */
const TEXTS = new Set('body message text content contents alertbody headings heading'.split(' '));

const purposes = new Map(
  Object.entries(FAMILIAR).flatMap(([purpose, words]) =>
    words.split(', ').map((word) => [plain(word), purpose]),
  ),
);
const KNOWN = new Set(Object.keys(payloadSchema.shape));

const WARNINGS_MAX = 100;
const PAYLOAD = 'notification.payload';

/** @returns warnings with the paths of the submitted keys; at most a hundred */
export function warningsOf(content: NotificationContent): Warning[] {
  const { payload } = content;
  const changed = changedKeysOf(content);
  // Receipts let the app change the push as well.
  const isMutable = payload.mutable_content ?? content.receipts !== undefined;
  const hasText = [payload, ...changed.map(([, keys]) => keys)].some((keys) => showsText(keys));
  return [
    ...sameVariantWarnings(content),
    ...wordWarnings(payload, PAYLOAD, hasText),
    ...nullWarnings(payload, PAYLOAD),
    ...changed.flatMap(([path, keys]) => wordWarnings(keys, path, hasText)),
    ...[[PAYLOAD, payload] as const, ...changed].flatMap(([path, keys]) =>
      pictureWarnings(keys, path, isMutable),
    ),
    ...drawnWarnings(content, hasText),
  ].slice(0, WARNINGS_MAX);
}

type ChangedKeys = readonly [path: string, keys: Readonly<Record<string, unknown>>];

/** The keys that translations and variants change, with their paths. */
function changedKeysOf({ localized = {}, variants = [] }: NotificationContent): ChangedKeys[] {
  return [
    translated(localized, 'notification.localized'),
    ...variants.map(({ payload = {} }, index): ChangedKeys[] => [
      [`notification.variants[${index}].payload`, payload],
    ]),
    ...variants.map((variant, index) =>
      translated(variant.localized ?? {}, `notification.variants[${index}].localized`),
    ),
  ].flat();
}

function translated(localized: NonNullable<NotificationContent['localized']>, path: string): ChangedKeys[] {
  return Object.entries(localized).map(([tag, keys]) => [memberPath(path, tag), keys]);
}

function wordWarnings(keys: Readonly<Record<string, unknown>>, path: string, hasText: boolean): Warning[] {
  return Object.keys(keys).flatMap((key) => {
    const purpose = KNOWN.has(key) ? undefined : purposeOf(plain(key), hasText);
    if (purpose === undefined) return [];
    const message = `is passed on to the app as a custom key; ${purpose}`;
    return [{ code: 'foreign_key', path: memberPath(path, key), message, fix: null }];
  });
}

function purposeOf(word: string, hasText: boolean): string | undefined {
  if (TEXTS.has(word) && !hasText) return 'to show a text, use the keys alert and title';
  return purposes.get(word);
}

/** `thread_id`, `thread-id`, `threadId` and `thread id` are one word. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ .]/g, '');
}

/** Reported for iOS and watchOS (lionheart/openradar-mirror#15778, wultra/powerauth-push-server#675); Apple documents nothing. */
function nullWarnings(payload: Payload, path: string): Warning[] {
  return Object.keys(payload)
    .filter((key) => hasNull(payload[key]))
    .map((key) => ({
      code: 'null_value',
      path: memberPath(path, key),
      message: 'contains null: iOS may show nothing, or give the app no custom keys; leave the key out',
      fix: payload[key] === null ? [{ op: 'remove', path: memberPath(path, key) }] : null,
    }));
}

function hasNull(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== 'object' || JSON.isRawJSON(value)) return false;
  return Object.values(value).some(hasNull);
}

/** @param isMutable of the payload that the keys change */
function pictureWarnings(
  keys: Readonly<Record<string, unknown>>,
  path: string,
  isMutable: boolean,
): Warning[] {
  const { image, mutable_content: own = isMutable } = keys;
  if (typeof image !== 'string' || own === true || !/^https?:/i.test(image)) return [];
  const message = 'is not shown on iOS without mutable_content true, with which the app can load it';
  // The key of the payload counts, unless the keys of a translation or a variant have one of their own.
  const mutable = memberPath(Object.hasOwn(keys, 'mutable_content') ? path : PAYLOAD, 'mutable_content');
  const fix = [{ op: 'set' as const, path: mutable, value: true }];
  return [{ code: 'picture_not_shown', path: memberPath(path, 'image'), message, fix }];
}

function drawnWarnings({ android = {}, payload }: NotificationContent, hasText: boolean): Warning[] {
  if (hasText || showsText(payload)) return [];
  return drawnKeysOf(android).map((key) => ({
    code: 'no_effect',
    path: `notification.android.${key}`,
    message: 'has no effect: Android draws nothing for a push without a text',
    fix: [{ op: 'remove', path: `notification.android.${key}` }],
  }));
}

/** A variant that is the same as an earlier one is a warning and no fault: two equal groups are how one tests the test. */
function sameVariantWarnings(content: NotificationContent): Warning[] {
  const seen = new Map<string, string>();
  return variantContents(content).flatMap(({ name, path, content: { payload, localized = {} } }) => {
    const byTag = Object.entries(localized).map(([key, keys]) => [canonicalTag(key) ?? key, keys]);
    const pushed = canonicalText([payload, Object.fromEntries(byTag)]);
    const same = seen.get(pushed);
    if (same === undefined) {
      seen.set(pushed, name);
      return [];
    }
    const message = `is the same as ${same}, so only chance can make their numbers differ; change one of its texts`;
    return [{ code: 'same_variants' as const, path, message, fix: fixOf(content, path) }];
  });
}

/** Of three, one may go. Of two, none may: then there is no test, unless there is a hold-out to compare with. */
function fixOf(
  { variants = [], hold_out: holdOut, experiment }: NotificationContent,
  path: string,
): Warning['fix'] {
  if (variants.length > 2) return [{ op: 'remove', path }];
  if (holdOut !== undefined) return null;
  return [
    { op: 'remove', path: 'notification.variants' },
    ...(experiment === undefined ? [] : [{ op: 'remove' as const, path: 'notification.experiment' }]),
  ];
}
