/**
 * Makes the message for the gateways and the sending rules from a notification. The submitted text is stored unchanged,
 * so the defaults of its optional keys are filled in here and nowhere else.
 */
import { z } from 'zod';
import { androidPresentations, type AndroidSettings, leftToTheApp } from '../apps/android-settings.ts';
import type { Payload, PushMessage } from '../gateways/gateway.ts';
import { parseJson } from '../json/lossless.ts';
import { payloadSchema } from './payload.ts';

/** Four weeks, in seconds: the longest that either gateway keeps a push (`ttl` of FCM HTTP v1). */
const TIME_TO_LIVE_SECONDS_MAX = 2_419_200;

const timeToLiveRule = `must be a whole number of seconds from 0 to ${TIME_TO_LIVE_SECONDS_MAX}`;
const maxRecipientsRule = `must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** The optional keys of `notification` that control how it is sent. */
export const sendingFields = {
  time_to_live: z
    .int(timeToLiveRule)
    .min(0, timeToLiveRule)
    .max(TIME_TO_LIVE_SECONDS_MAX, timeToLiveRule)
    .describe(
      'Seconds for which a gateway keeps trying to reach a device that is offline; four weeks if left out.',
    )
    .exactOptional(),
  priority: z
    .enum(['high', 'normal'], 'must be "high" or "normal"')
    .describe('If left out, `high` if there is an `alert` or a `title`, otherwise `normal`.')
    .exactOptional(),
  android_presentation: z
    .enum(androidPresentations, 'must be "data" or "system"')
    .describe(
      'On Android, `data` lets the app draw the push and `system` lets Android draw it. If left out, the app’s setting applies.',
    )
    .exactOptional(),
  dry_run: z
    .boolean('must be true or false')
    .describe(
      'The request is checked and the audience is stored and counted, but nothing is sent. This happens at once, ' +
        'whatever `deliver_at` is.',
    )
    .exactOptional(),
  max_recipients: z
    .int(maxRecipientsRule)
    .min(1, maxRecipientsRule)
    .describe('If the audience has more devices than this, the notification fails and nothing is sent.')
    .exactOptional(),
};

const notificationContent = z.object({ payload: payloadSchema, ...sendingFields });

/** The checked parts of a submitted notification that control what is sent and how. */
export type NotificationContent = z.output<typeof notificationContent>;

/** `dryRun`: count, but send nothing. `maxRecipients`: fail if there are more devices; null: no limit. */
export interface SendingRules {
  dryRun: boolean;
  maxRecipients: number | null;
}

/** Parses the content of a stored notification. Call it once per job, not once per device. */
export function parseContent(body: string): NotificationContent {
  return notificationContent.parse(parseJson(body));
}

/**
 * @param row the time to live begins at `due_at`
 * @param app the app's settings; the notification may override them
 */
export function messageFrom(
  row: { id: string; due_at: Date },
  { payload, priority, time_to_live, android_presentation }: NotificationContent,
  { presentation, icon, color }: AndroidSettings = leftToTheApp,
): PushMessage {
  return {
    notificationId: row.id,
    payload,
    priority: priority ?? defaultPriority(payload),
    timeToLiveSeconds: time_to_live ?? TIME_TO_LIVE_SECONDS_MAX,
    dueAt: row.due_at,
    ...((android_presentation ?? presentation) === 'system' && { android: { icon, color } }),
  };
}

export function sendingRulesFrom({ dry_run, max_recipients }: NotificationContent): SendingRules {
  return { dryRun: dry_run ?? false, maxRecipients: max_recipients ?? null };
}

/** A push that shows text should wake the device. Any other push can wait until the device wakes up. */
function defaultPriority(payload: Payload): 'high' | 'normal' {
  return payload.alert === undefined && payload.title === undefined ? 'normal' : 'high';
}
