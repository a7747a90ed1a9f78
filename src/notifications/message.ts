/**
 * A stored notification as delivery needs it: the message for the gateways, and the rules of its sending. The
 * stored text is what was submitted, so the defaults of the optional keys are filled in here and nowhere else.
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

/** The optional keys of `notification` that say how it is sent, as they are submitted. */
export const sendingFields = {
  time_to_live: z
    .int(timeToLiveRule)
    .min(0, timeToLiveRule)
    .max(TIME_TO_LIVE_SECONDS_MAX, timeToLiveRule)
    .describe('Seconds that a gateway keeps trying to reach a device that is off; four weeks if left out.')
    .exactOptional(),
  priority: z
    .enum(['high', 'normal'], 'must be "high" or "normal"')
    .describe('If left out, `high` where there is an `alert` or a `title`.')
    .exactOptional(),
  android_presentation: z
    .enum(androidPresentations, 'must be "data" or "system"')
    .describe(
      'Who draws it on Android: the app, from the data, or Android itself. If left out, what is set for the app.',
    )
    .exactOptional(),
  dry_run: z
    .boolean('must be true or false')
    .describe(
      'Everything is checked, the audience is stored and counted, nothing is sent. This is done at once, ' +
        'whatever `deliver_at` says.',
    )
    .exactOptional(),
  max_recipients: z
    .int(maxRecipientsRule)
    .min(1, maxRecipientsRule)
    .describe('The notification fails rather than go to more devices than that.')
    .exactOptional(),
};

const storedNotification = z.object({ payload: payloadSchema, ...sendingFields });

/**
 * The message of a notification; parses its body, so once a job, not once a device.
 * @param row `body` is the notification as submitted, from `due_at` counts the time to live
 * @param app what is set for the app; the notification may say otherwise
 */
export function pushMessageOf(
  row: { id: string; body: string; due_at: Date },
  app: AndroidSettings = leftToTheApp,
): PushMessage {
  const { payload, priority, time_to_live, android_presentation } = storedNotification.parse(
    parseJson(row.body),
  );
  const { presentation, icon, color } = app;
  return {
    notificationId: row.id,
    payload,
    priority: priority ?? defaultPriority(payload),
    timeToLiveSeconds: time_to_live ?? TIME_TO_LIVE_SECONDS_MAX,
    dueAt: row.due_at,
    ...((android_presentation ?? presentation) === 'system' && { android: { icon, color } }),
  };
}

/** `dryRun`: count, send nothing. `maxRecipients`: fail rather than send to more devices; null is no limit. */
export interface SendingRules {
  dryRun: boolean;
  maxRecipients: number | null;
}

/** What planning must know of a stored notification. */
export function sendingRulesOf(row: { body: string }): SendingRules {
  const { dry_run, max_recipients } = storedNotification.parse(parseJson(row.body));
  return { dryRun: dry_run ?? false, maxRecipients: max_recipients ?? null };
}

/** A push that shows text is worth waking a device for; any other can wait for it to wake by itself. */
function defaultPriority(payload: Payload): 'high' | 'normal' {
  return payload.alert === undefined && payload.title === undefined ? 'normal' : 'high';
}
