/** The API's replies about a notification, made from its row. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { NotificationsTable } from '../db/tables.ts';
import { parseJson } from '../json/lossless.ts';
import { isJsonObject } from '../parse.ts';
import { count, idText, timeText } from '../reply.ts';
import { shortTargetOf } from './target.ts';

/** Contains raw JSON numbers, so serialize it with `stringifyJson`. */
const submitted: z.ZodType = z
  .looseObject({})
  .describe('The same JSON as submitted; numbers keep every digit.');

/** The reply to a create request. */
export const createdReply = z.strictObject({
  created_at: timeText,
  state: z.literal('scheduled'),
  id: idText,
  to: z.strictObject({
    id: z
      .string()
      .describe(
        'The id of the audience (a stored one, one made from the filters, or the audience of all devices), or the ' +
          'submitted `device_id` or `user_id`, for which no audience is stored.',
      ),
    type: z.enum(['Audience', 'Device', 'User']),
  }),
  notification: submitted,
});

export type CreatedNotification = z.output<typeof createdReply>;

/** Invariant: `accepted + rejected + unregistered + no_token + ambiguous + pending = devices`. */
export const notificationReply = createdReply.extend({
  state: z.enum(['scheduled', 'sending', 'sent', 'canceled', 'failed', 'validated']),
  reason: z
    .string()
    .nullable()
    .describe('The reason why it failed, or why part of it was not sent; null otherwise.'),
  due_at: timeText.describe('The time at which sending begins: `deliver_at`, or the time of creation.'),
  started_at: timeText.nullable().describe('The time at which sending began.'),
  ended_at: timeText.nullable().describe('The time at which it reached its final state.'),
  devices: count.describe('The number of devices in its audience: the sum of the six counters below.'),
  accepted: count.describe('A gateway accepted the push.'),
  rejected: count.describe(
    'The gateway refused the push for good, its time to live ended, or it was not sent (no credentials, too many devices).',
  ),
  unregistered: count.describe('A gateway reported the push token dead, and it was retired.'),
  no_token: count.describe('The device has no push token.'),
  ambiguous: count.describe('The push was written to the gateway but never answered. It may have arrived.'),
  pending: count.describe('The device has no outcome yet.'),
  // Outcomes are counted per slice (about 1,000 devices), so the estimate is coarse for small audiences.
  estimated_seconds_left: count
    .nullable()
    .describe(
      'Seconds until every device has its outcome, at the average rate since `started_at`. Null while it is ' +
        'not sending, and before the first outcomes are recorded.',
    ),
});

export type NotificationReply = z.output<typeof notificationReply>;
export type NotificationState = NotificationReply['state'];

/** The columns that the reply is made from. Only delivery reads the others. */
export const replyColumns = [
  'id',
  'audience_id',
  'body',
  'state',
  'reason',
  'created_at',
  'due_at',
  'started_at',
  'ended_at',
  'devices',
  'accepted',
  'rejected',
  'unregistered',
  'no_token',
  'ambiguous',
] as const;

type ReplyRow = Pick<Selectable<NotificationsTable>, (typeof replyColumns)[number]>;

/**
 * Makes the reply to a create request, also if the request is repeated with its idempotency key.
 * @param notification as submitted
 */
export function createdNotification(
  row: Pick<ReplyRow, 'id' | 'audience_id' | 'created_at'>,
  notification: unknown,
): CreatedNotification {
  return {
    created_at: row.created_at.toISOString(),
    state: 'scheduled',
    id: row.id,
    to: targetReply(row.audience_id, notification),
    notification,
  };
}

function targetReply(audienceId: string | null, notification: unknown): CreatedNotification['to'] {
  if (audienceId !== null) return { id: audienceId, type: 'Audience' };
  const target = isJsonObject(notification) ? shortTargetOf(notification['to']) : undefined;
  if (target === undefined)
    throw new Error('a stored notification has neither an audience nor a short target');
  return { id: target.id, type: target.kind === 'device_id' ? 'Device' : 'User' };
}

/** @param now the current time, for the estimate of the time left */
export function notificationFrom(row: ReplyRow, now: Date): NotificationReply {
  const { accepted, rejected, unregistered, no_token, ambiguous } = row;
  const ended = accepted + rejected + unregistered + no_token + ambiguous;
  // Devices registered after the count are sent to as well, so there may be more outcomes than devices counted.
  const devices = Math.max(row.devices, ended);
  const pending = devices - ended;
  return {
    ...createdNotification(row, parseJson(row.body)),
    state: row.state,
    reason: row.reason,
    due_at: row.due_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    devices,
    accepted,
    rejected,
    unregistered,
    no_token,
    ambiguous,
    pending,
    estimated_seconds_left: row.state === 'sending' ? secondsLeft(row.started_at, now, ended, pending) : null,
  };
}

function secondsLeft(startedAt: Date | null, now: Date, ended: number, pending: number): number | null {
  if (startedAt === null || ended === 0) return null;
  // The process that started it may have a clock that is ahead of ours.
  const elapsedMs = Math.max(0, now.getTime() - startedAt.getTime());
  return Math.ceil((elapsedMs * pending) / ended / 1_000);
}
