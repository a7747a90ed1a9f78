/**
 * Compiles a push message for browsers: one JSON for all of them. Safari shows it without the site's code (Declarative Web Push); in
 * the others, the service worker reads and shows it.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { stringifyJson } from '../../json/lossless.ts';
import { changedBadge, type PushMessage } from '../gateway.ts';
import { httpsAddress, NOT_CUSTOM, type Payload } from '../payload.ts';

/** The key by which a browser recognises a notification that it can show by itself. */
const DECLARATIVE = { web_push: 8030 } as const;

/** Keys that have a meaning for browsers alone, or another one than for phones. */
const OWN_KEYS: ReadonlySet<string> = new Set(['image', 'icon', 'url', 'actions']);

/** The fields of a message that are in the text. */
type TextFields = Pick<PushMessage, 'notificationId' | 'payload' | 'receiptLimit' | 'apns'>;

/** Whether a browser can show it: it must show every push, and takes no texts from an app's resources. */
export function isShownByBrowsers({ alert, title }: Payload): boolean {
  return alert !== undefined || title !== undefined;
}

/** @param defaultUrl where a click leads if the payload has no `url`; null: nowhere, and the browser leaves it to the service worker */
export function webPushText(message: TextFields, defaultUrl: string | null): string {
  const { notificationId, payload, receiptLimit, apns } = message;
  const { title, alert, image, icon, url, collapse_key: collapseKey, sound } = payload;
  const custom = Object.fromEntries(
    Object.entries(payload).filter(([key]) => !NOT_CUSTOM.has(key) && !OWN_KEYS.has(key)),
  );
  const navigate = httpsAddress(url) ?? defaultUrl;
  const picture = httpsAddress(image);
  const icons = httpsAddress(icon);
  const badge = payload.badge ?? (apns?.badge && changedBadge(apns.badge));
  const actions = actionsOf(payload, navigate);
  const badgeField = badge === undefined ? {} : { app_badge: badge };
  const notification = {
    title: title ?? alert,
    ...(title !== undefined && alert !== undefined && { body: alert }),
    ...(navigate !== null && { navigate }),
    // A repeated push replaces itself.
    tag: collapseKey ?? notificationId,
    // Without it, a newer one of the same tag would be shown in silence.
    ...(collapseKey !== undefined && sound !== undefined && { renotify: true }),
    ...(picture !== undefined && { image: picture }),
    ...(icons !== undefined && { icon: icons }),
    ...(actions !== undefined && { actions }),
    ...(payload.interruption_level === 'passive' && { silent: true }),
    data: custom,
    ...badgeField, // WebKit's own example has it here, its specification one level higher
  };
  return stringifyJson({
    ...DECLARATIVE,
    notification,
    // Wakes the service worker in Safari too, which reports the receipt.
    ...((payload.mutable_content ?? receiptLimit !== undefined) && { mutable: true }),
    ...badgeField,
    _nid: notificationId,
    ...(receiptLimit !== undefined && { _rcpt: receiptLimit }),
  });
}

export function webPushTextBytes(message: TextFields): number {
  return Buffer.byteLength(webPushText(message, null));
}

/** The headers that are the same for every browser, as alternating names and values. */
export function webPushHeaders({ payload, priority }: Pick<PushMessage, 'payload' | 'priority'>): string[] {
  const { collapse_key: collapseKey } = payload;
  return [
    'content-encoding',
    'aes128gcm',
    'content-type',
    'application/octet-stream',
    'urgency',
    priority,
    // A topic for every push would be lost at Google, which keeps four for a browser that is off.
    ...(collapseKey === undefined ? [] : ['topic', topicOf(collapseKey)]),
  ];
}

const TOPIC = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * The header `Topic`: a message that waits at the push service is replaced by a newer one of the same topic. At most 32 characters of
 * base64url; Apple decodes it, and refuses a length that no base64 has (4n + 1).
 */
export function topicOf(collapseKey: string): string {
  return TOPIC.test(collapseKey) && collapseKey.length % 4 !== 1
    ? collapseKey
    : hash('sha256', collapseKey, 'base64url').slice(0, 32);
}

const sentAction = z.object({
  action: z.string(),
  title: z.string(),
  url: z.unknown().optional(),
  icon: z.unknown().optional(),
});

interface Action {
  action: string;
  title: string;
  navigate?: string;
  icon?: string;
}

/** The buttons, if all are as a browser takes them: `[{"action": "reply", "title": "Reply", "url": "https://…"}]`. */
function actionsOf({ actions }: Payload, navigate: string | null): Action[] | undefined {
  if (!Array.isArray(actions) || actions.length === 0) return undefined;
  const read = actions.map((each: unknown) => actionOf(each, navigate));
  return read.every((each) => each !== undefined) ? read : undefined;
}

function actionOf(given: unknown, fallback: string | null): Action | undefined {
  const read = sentAction.safeParse(given).data;
  if (read === undefined) return undefined;
  const { action, title, url, icon } = read;
  // Safari shows a notification by itself only if each of its buttons leads somewhere.
  const navigate = httpsAddress(url) ?? fallback;
  const picture = httpsAddress(icon);
  return {
    action,
    title,
    ...(navigate !== null && { navigate }),
    ...(picture !== undefined && { icon: picture }),
  };
}
