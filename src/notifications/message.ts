/**
 * Makes the message for the gateways and the sending rules from a notification. The submitted text is stored unchanged,
 * so this is the only code that fills in the defaults of its optional keys.
 */
import { z } from 'zod';
import { capGroup } from '../apps/frequency-caps.ts';
import { androidPresentations, type AndroidSettings, leftToTheApp } from '../apps/android-settings.ts';
import type { PushMessage } from '../gateways/gateway.ts';
import { type Payload, showsText } from '../gateways/payload.ts';
import { usualSending } from '../gateways/apns/push-types.ts';
import { parseJson } from '../json/lossless.ts';
import { isJsonObject } from '../api/parse.ts';
import { androidField, androidFieldsOf } from './android-options.ts';
import { apnsField, apnsFieldsOf } from './apns/apns-options.ts';
import { activityMessage, liveActivityField } from './apns/live-activity.ts';
import { namedTokenOf, usualTimeToLive } from './apns/named-token.ts';
import { encryptedTextsField } from './content/encrypted-texts.ts';
import { localizedSchema } from './content/localized.ts';
import { templateSchema } from './content/template/setting.ts';
import { variantFields } from './content/variant-fields.ts';
import { payloadSchema, storedPayload } from './payload.ts';
import { receiptLimit, receiptsField } from './receipt-sample.ts';
import { sensitiveField } from './sensitive/sensitive.ts';

/** Four weeks, in seconds: the longest that either gateway keeps a push (`ttl` of FCM HTTP v1). */
const TIME_TO_LIVE_SECONDS_MAX = 2_419_200;

const timeToLiveRule = `must be a whole number of seconds from 0 to ${TIME_TO_LIVE_SECONDS_MAX}`;
const maxRecipientsRule = `must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;

export const sendingFields = z
  .object({
    sensitive: sensitiveField,
    encrypted_texts: encryptedTextsField,
    localized: localizedSchema,
    template: templateSchema,
    ...variantFields,
    time_to_live: z
      .int(timeToLiveRule)
      .min(0, timeToLiveRule)
      .max(TIME_TO_LIVE_SECONDS_MAX, timeToLiveRule)
      .describe(
        'Seconds for which a gateway keeps trying to reach a device that is offline. If left out, four weeks; 12 hours for a Live ' +
          'Activity, and 0 for the push types `voip` and `pushtotalk`.',
      ),
    priority: z
      .enum(['high', 'normal'], 'must be "high" or "normal"')
      .describe(
        'If left out, `high` if there is an `alert` or a `title`, otherwise `normal`; other push types than alerts have their own.',
      ),
    android_presentation: z
      .enum(androidPresentations, 'must be "data" or "system"')
      .describe(
        'On Android, `data` lets the app draw the push and `system` lets Android draw it. If left out, the app’s setting applies.',
      ),
    receipts: receiptsField,
    android: androidField,
    apns: apnsField,
    live_activity: liveActivityField,
    dry_run: z
      .boolean('must be true or false')
      .describe(
        'The request is checked and the audience is stored and counted, but nothing is sent. This happens at once, ' +
          'whatever `deliver_at` is.',
      ),
    max_recipients: z
      .int(maxRecipientsRule)
      .min(1, maxRecipientsRule)
      .describe('If the audience has more devices than this, the notification fails and nothing is sent.'),
    group: capGroup.describe(
      'The group that it belongs to, such as `marketing`. If the app has a frequency cap for the group, devices that have had ' +
        'enough of it are left out (`capped`).',
    ),
  })
  .exactPartial().shape;

/** `quiet_hours` is checked by `moment/parse-moment.ts`. */
const notificationContent = z.object({
  payload: payloadSchema.default({}), // left out by Live Activities and some push types
  quiet_hours: z.unknown().optional(),
  ...sendingFields,
});

export type NotificationContent = z.output<typeof notificationContent>;

export interface SendingRules {
  dryRun: boolean;
  /** Fail if there are more devices; null: no limit. */
  maxRecipients: number | null;
  /** The group whose frequency cap counts; null: none. */
  group: string | null;
  /** Whether the quiet hours that users chose on their devices are ignored. */
  ignoresOwnHours: boolean;
}

const PLAIN_KEYS: ReadonlySet<string> = new Set(['to', 'payload', 'deliver_at']);

/**
 * Whether it has only keys with checks of their own, like most notifications. The schema of the other keys takes
 * longer.
 */
export function isPlain(notification: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(notification).every((key) => PLAIN_KEYS.has(key));
}

/** Parses the content of a stored notification. Call it once per job, not once per device. */
export function parseContent(body: string): NotificationContent {
  const stored = parseJson(body);
  if (isJsonObject(stored) && isPlain(stored)) return { payload: storedPayload(stored['payload']) };
  return notificationContent.parse(stored);
}

/** @param row its `due_at` is when the time to live begins @param app the notification may override its settings */
export function messageFrom(
  row: { id: string; due_at: Date },
  content: NotificationContent,
  { presentation, icon, color }: AndroidSettings = leftToTheApp,
): PushMessage {
  const { payload, android_presentation, android, receipts, apns, live_activity } = content;
  const token = namedTokenOf(content);
  return {
    notificationId: row.id,
    payload,
    priority: priorityOf(content, payload),
    timeToLiveSeconds: timeToLiveOf(content),
    dueAt: row.due_at,
    ...(receipts !== undefined && { receiptLimit: receiptLimit(receipts) }),
    ...((android_presentation ?? presentation) === 'system' && { android: { icon, color } }),
    ...(android !== undefined && { fcm: androidFieldsOf(android) }),
    ...(live_activity !== undefined && { apns: { activity: activityMessage(live_activity, row.due_at) } }),
    ...(apns !== undefined && { apns: apnsFieldsOf(apns) }),
    ...(token !== undefined && { token }),
  };
}

/** In seconds. */
export function timeToLiveOf(
  content: Pick<NotificationContent, 'time_to_live' | 'apns' | 'live_activity'>,
): number {
  return content.time_to_live ?? usualTimeToLive(content) ?? TIME_TO_LIVE_SECONDS_MAX;
}

export function sendingRulesFrom(content: NotificationContent): SendingRules {
  const { dry_run, max_recipients, group, quiet_hours } = content;
  return {
    dryRun: dry_run ?? false,
    maxRecipients: max_recipients ?? null,
    group: group ?? null,
    ignoresOwnHours: quiet_hours === 'ignore_all',
  };
}

/**
 * A push that shows text should wake the device. Any other push can wait until the device wakes up, unless Apple wants
 * its type sent at once.
 */
export function priorityOf(
  { priority, apns }: Pick<NotificationContent, 'priority' | 'apns'>,
  payload: Payload,
): 'high' | 'normal' {
  const usual = priority ?? usualSending(apns?.push_type).priority;
  return usual ?? (showsText(payload) ? 'high' : 'normal');
}
