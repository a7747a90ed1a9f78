/** The state, times and counters of a notification, as its reply and its live view show them. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { NotificationsTable } from '../db/tables.ts';
import { count, timeText } from '../api/reply.ts';

export const notificationStates = [
  'scheduled',
  'sending',
  'sent',
  'canceled',
  'failed',
  'validated',
] as const;

/** Invariant: `devices` is the sum of the counters from `accepted` to `pending`. */
export const countersReply = z.strictObject({
  state: z.enum(notificationStates),
  reason: z
    .string()
    .nullable()
    .describe('The reason why it failed, or why part of it was not sent; null otherwise.'),
  due_at: timeText.describe('The time at which sending begins: `deliver_at`, or the time of creation.'),
  started_at: timeText.nullable().describe('The time at which sending began.'),
  ended_at: timeText.nullable().describe('The time at which it reached its final state.'),
  devices: count.describe(
    'The number of devices that matched when it was planned: the sum of the counters from `accepted` to `pending`. It grows if more devices match later.',
  ),
  accepted: count.describe('A gateway accepted the push.'),
  rejected: count.describe(
    'The gateway refused the push for good, its time to live ended, or it was not sent (no credentials, too many devices).',
  ),
  unregistered: count.describe(
    'A gateway reported the push token dead. It is retired, unless the route may be set up wrongly.',
  ),
  no_token: count.describe('The device has no push token.'),
  ambiguous: count.describe(
    'The push was handed to the gateway, or may have been, and the answer is not known. It may have arrived.',
  ),
  dropped: count.describe(
    'Nothing was sent, because the rules of the notification leave the device out, such as `"no_time_zone": "skip"` or `"on_missing": "skip"`, or a newer update of the Live Activity is sent instead.',
  ),
  expired: count.describe(
    'Nothing was sent: the device would have been held for longer than the time to live.',
  ),
  capped: count.describe(
    'Nothing was sent: the device or its user has had enough of the `group` (frequency cap). For a dry run: it would be left out now.',
  ),
  left_out: count.describe(
    'The device was in the audience when the notification was planned, but no longer when its turn came: nothing was sent to it. 0 until the end; meanwhile such devices are pending.',
  ),
  pending: count.describe(
    'The device has no outcome yet. After a cancellation: nothing was sent to it, and nothing will be.',
  ),
  held: count.describe('How many of the pending devices wait for their moment (`waves`).'),
});

export type Counters = z.output<typeof countersReply>;

/** The outcomes that are counted in columns of their own. */
const outcomes = [
  'accepted',
  'rejected',
  'unregistered',
  'no_token',
  'ambiguous',
  'dropped',
  'expired',
  'capped',
] as const;
export const counterColumns = [
  'state',
  'reason',
  'due_at',
  'started_at',
  'ended_at',
  'devices',
  ...outcomes,
] as const;
type CountedRow = Pick<Selectable<NotificationsTable>, (typeof counterColumns)[number]> & { held: number };

/**
 * SQL: how many devices of the notification still wait for their moment, as planning counted them. A notification without waves
 * has 0, and its waves are not looked up.
 */
export const HELD = `case when planned_in is null or state <> 'sending' then 0 else (
  select coalesce(sum(w.devices), 0)::bigint from notification_waves as w
  where w.app_id = notifications.app_id and w.notification_id = notifications.id and w.state = 'waiting'
) end`;

export function countersOf(row: CountedRow): Counters {
  const ended = outcomes.reduce((sum, outcome) => sum + row[outcome], 0);
  // Devices that match after the count are sent to as well, so there may be more outcomes than counted devices.
  const devices = Math.max(row.devices, ended + row.held);
  const isOver = row.state === 'sent' || row.state === 'failed';
  const left = devices - ended;
  return {
    state: row.state,
    reason: row.reason,
    due_at: row.due_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    devices,
    accepted: row.accepted,
    rejected: row.rejected,
    unregistered: row.unregistered,
    no_token: row.no_token,
    ambiguous: row.ambiguous,
    dropped: row.dropped,
    expired: row.expired,
    capped: row.capped,
    left_out: isOver ? left : 0,
    pending: isOver ? 0 : left,
    held: row.held,
  };
}

/** Over less time, what was sent at once at the beginning counts too much. */
export const KNOWN_AFTER_MS = 3_000;

/**
 * @returns the seconds left at the average rate since the start; null if it is not being sent, in its first
 *   seconds, before the first outcome, and while all remaining devices wait for their moment
 */
export function averageSecondsLeft(
  { state, devices, pending, held, started_at: startedAt }: Counters,
  now: Date,
): number | null {
  const ended = devices - pending;
  if (state !== 'sending' || startedAt === null || ended === 0 || (held > 0 && held === pending)) return null;
  const elapsedMs = now.getTime() - Date.parse(startedAt);
  if (elapsedMs < KNOWN_AFTER_MS) return null;
  return Math.ceil((elapsedMs * pending) / ended / 1_000);
}
