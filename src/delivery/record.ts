/**
 * Stores what came of a slice so far: its outcomes and the notification's counters move in one statement, and
 * only while the slice is still ours; dead tokens are retired with them. The last slice closes the notification.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { preparedAs } from '../db/prepared.ts';
import type { Database, NotificationState } from '../db/tables.ts';
import { retireTokens } from '../devices/tokens.ts';
import type { GatewayName } from '../gateways/gateway.ts';
import type { Origin } from '../notifications/origin.ts';
import type { Observe } from '../observe.ts';
import type { AppGateways } from './open-gateways.ts';
import { outcomeKinds } from './outcome.ts';
import type { SliceEntry } from './record-slice.ts';
import { held, leaseEnd, type LeasedSlice, type NotificationKey } from './slice-store.ts';

const TRIES_MAX = 6;
const FIRST_RETRY_MS = 250;

/**
 * Records an entry. What is in hand here has been pushed already and would be pushed again if it were lost, so
 * a database that is away for some seconds is waited for.
 * @returns the notification's state afterwards; `lost` where the slice is no longer ours and nothing was counted
 * @throws the database's error after the last try
 */
export async function recordSlice(
  { db, clock, observe }: { db: Kysely<Database>; clock: Clock; observe: Observe },
  slice: LeasedSlice,
  entry: SliceEntry,
): Promise<NotificationState | 'lost'> {
  for (let tries = 1; ; tries++) {
    try {
      const moved = await recordOnce(db, slice, entry, clock());
      return tell(observe, slice, entry, moved);
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
      const { notificationId, origin } = slice;
      const { requestId } = origin;
      observe({ kind: 'database_error', notificationId, requestId, message: String(error) });
      await wait(FIRST_RETRY_MS * 2 ** (tries - 1));
    }
  }
}

async function recordOnce(
  db: Kysely<Database>,
  slice: LeasedSlice,
  entry: SliceEntry,
  now: Date,
): Promise<Moved | undefined> {
  if (entry.deadTokens.length === 0) return moveOn(db, slice, entry, now);
  const tokens = entry.deadTokens.map((token) => ({ appId: slice.appId, ...token }));
  return db.transaction().execute(async (transaction) => {
    // First, since all slices wait for the row of the counters. Dead is dead, whoever has the slice by now.
    await retireTokens(transaction, tokens, now);
    return moveOn(transaction, slice, entry, now);
  });
}

function tell(
  observe: Observe,
  { notificationId, number, origin }: LeasedSlice,
  entry: SliceEntry,
  moved: Moved | undefined,
): NotificationState | 'lost' {
  const told = { notificationId, requestId: origin.requestId };
  if (moved === undefined) {
    const reason = 'the lease was lost';
    observe({ kind: 'slice_handed_on', ...told, number, unfinished: 0, reason });
    return 'lost';
  }
  const { state, reason, lane, devices, done, startedAt } = moved;
  observe({ kind: 'slice_recorded', ...told, lane, state, devices, done, startedAt });
  if (entry.next.state === 'done' && moved.endsNow) {
    observe({ kind: 'notification_ended', ...told, state, reason });
  }
  return state;
}

/** The notification after its counters have moved. */
interface Moved {
  state: NotificationState;
  reason: string | null;
  lane: 'direct' | 'bulk';
  devices: number;
  /** Devices that have an outcome. */
  done: number;
  startedAt: Date | null;
  /** This was its end. */
  endsNow: boolean;
}

/**
 * Writes the slice, adds to the counters and takes a finished slice off, or does nothing where the slice is not
 * ours. The lock of the notification's row puts its slices in line, and whoever has waited for it sees what the
 * one before him has written (read committed); so exactly one of them sees itself as the last.
 */
async function moveOn(
  db: Kysely<Database>,
  slice: LeasedSlice,
  { outcomes, bytesBefore, counts, next }: SliceEntry,
  now: Date,
): Promise<Moved | undefined> {
  const isDone = next.state === 'done';
  const settled = outcomeKinds.reduce((sum, kind) => sum + counts[kind], 0);
  const closes = isDone ? sql`n.state = 'sending' and n.slices_left = 1` : sql`false`;
  const nothingPassed = sql`n.accepted + ${counts.accepted} = 0 and n.refused <> '{}'`;
  const { rows } = await sql<Moved>`${preparedAs(isDone ? 'record_end' : 'record_progress')}
    with slice as (
      update delivery_slices set
        state = ${next.state},
        outcomes = ${outcomes},
        lease_until = ${next.state === 'leased' ? leaseEnd(now) : null},
        not_before = coalesce(${next.state === 'waiting' ? next.notBefore : null}, not_before),
        finished_at = ${isDone ? now : null}
      where ${held(slice)} and coalesce(octet_length(outcomes), 0) = ${bytesBefore}
      returning number
    )
    update notifications as n set
      accepted = n.accepted + ${counts.accepted},
      rejected = n.rejected + ${counts.rejected},
      unregistered = n.unregistered + ${counts.unregistered},
      no_token = n.no_token + ${counts.no_token},
      ambiguous = n.ambiguous + ${counts.ambiguous},
      slices_left = n.slices_left - ${isDone ? 1 : 0},
      -- The count at planning was of that moment; what was found slice by slice is what was targeted.
      devices = case when ${closes} then ${devicesDone} + ${settled} else n.devices end,
      state = case when not (${closes}) then n.state when ${nothingPassed} then 'failed' else 'sent' end,
      reason = case when ${closes} and ${nothingPassed} then ${refusalReason} else n.reason end,
      ended_at = case when ${closes} then ${now} else n.ended_at end
    from slice
    where n.app_id = ${slice.appId} and n.id = ${slice.notificationId}
    returning n.state, n.reason, n.lane, n.devices, ${devicesDone} as done, n.started_at as "startedAt",
      n.ended_at is not distinct from ${now} as "endsNow"`.execute(db);
  return rows[0];
}

/** Devices that have an outcome: within an update before it, in what it returns after it. */
const devicesDone = sql`(n.accepted + n.rejected + n.unregistered + n.no_token + n.ambiguous)`;

const refusalReason = sql<string>`(select 'credentials refused: ' || string_agg(key || ' ' || value, ', ' order by key)
  from jsonb_each_text(refused))`;

/**
 * Notes that a gateway refuses the credentials, so that no worker sends more requests to it for this
 * notification. Where no gateway of the app is left, the notification fails at once.
 */
export async function recordRefusal(
  db: Kysely<Database>,
  { appId, notificationId, origin }: NotificationKey & { origin: Origin },
  refusal: { gateway: GatewayName; reason: string; gateways: AppGateways; now: Date },
  observe: Observe,
): Promise<'go_on' | 'stop'> {
  const { gateway, reason, gateways, now } = refusal;
  const { requestId } = origin;
  observe({ kind: 'credentials_refused', gateway, notificationId, requestId, reason });
  await db
    .updateTable('notifications')
    .set({ refused: sql`refused || jsonb_build_object(${gateway}::text, ${reason}::text)` })
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .execute();
  const failed = await db
    .updateTable('notifications')
    .set({ state: 'failed', reason: refusalReason, ended_at: now })
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .where('state', '=', 'sending')
    .where(sql<boolean>`refused ?& ${Object.keys(gateways)}::text[]`)
    .returning(['state', 'reason'])
    .executeTakeFirst();
  if (failed === undefined) return 'go_on';
  observe({ kind: 'notification_ended', notificationId, requestId, ...failed });
  return 'stop';
}
