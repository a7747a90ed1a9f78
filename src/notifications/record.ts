/** A notification's row as the API shows it. */
import type { Selectable } from 'kysely';
import type { NotificationState, NotificationsTable } from '../db/tables.ts';
import { parseJson } from '../json.ts';

/** The reply to a create request; `notification` is exactly as submitted (reply with `stringifyJson`). */
export interface CreatedNotification {
  created_at: string;
  state: 'scheduled';
  id: string;
  to: { id: string; type: 'Audience' };
  notification: unknown;
}

/**
 * Times are ISO 8601 with milliseconds, in UTC. Always:
 * `accepted + rejected + unregistered + no_token + ambiguous + pending = devices`.
 */
export interface NotificationRecord extends Omit<CreatedNotification, 'state'> {
  state: NotificationState;
  /** Why it failed; null otherwise. */
  reason: string | null;
  /** When it is to be sent: `deliver_at`, or the moment of creation. */
  due_at: string;
  /** When sending began, and when the notification reached its last state. */
  started_at: string | null;
  ended_at: string | null;
  devices: number;
  accepted: number;
  rejected: number;
  unregistered: number;
  no_token: number;
  ambiguous: number;
  pending: number;
  /**
   * Whole seconds until every device has its outcome, if it goes on as it has gone since `started_at`:
   * pending devices at the average rate of outcomes so far. Null while it is not sending, and before the
   * first outcomes are recorded. Outcomes come in a slice (about 1,000 devices) at a time, so it is coarse
   * for small audiences.
   */
  estimated_seconds_left: number | null;
}

/** The columns of a record; the others are delivery's own. */
export const recordColumns = [
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

type RecordRow = Pick<Selectable<NotificationsTable>, (typeof recordColumns)[number]>;

/** What a create request is answered, also when it is repeated under its idempotency key. */
export function createdNotification(
  row: Pick<RecordRow, 'id' | 'audience_id' | 'body' | 'created_at'>,
): CreatedNotification {
  return {
    created_at: row.created_at.toISOString(),
    state: 'scheduled',
    id: row.id,
    to: { id: row.audience_id, type: 'Audience' },
    notification: parseJson(row.body),
  };
}

/** @param now what an estimate of the time left counts from */
export function notificationRecord(row: RecordRow, now: Date): NotificationRecord {
  const { accepted, rejected, unregistered, no_token, ambiguous } = row;
  const ended = accepted + rejected + unregistered + no_token + ambiguous;
  // Devices that came after the count are sent to as well: more may have an outcome than were counted.
  const devices = Math.max(row.devices, ended);
  const pending = devices - ended;
  return {
    ...createdNotification(row),
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
  // The clock of the process that started it may be ahead of ours.
  const elapsedMs = Math.max(0, now.getTime() - startedAt.getTime());
  return Math.ceil((elapsedMs * pending) / ended / 1_000);
}
