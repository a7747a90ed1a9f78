/**
 * Stores what a run over a slice found: outcomes, the notification's counters and dead tokens move in one
 * transaction, and only while the slice is still ours. The last slice closes the notification.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database, NotificationState } from '../db/tables.ts';
import { retireTokens } from '../devices/tokens.ts';
import type { GatewayName } from '../gateways/gateway.ts';
import type { Observe } from '../observe.ts';
import type { AppGateways } from './open-gateways.ts';
import { type Outcome, outcomeKinds, type OutcomeKind, packOutcomes } from './outcome.ts';
import type { SliceResult } from './slice-run.ts';
import { closeSlice, handOnSlice, type LeasedSlice, type NotificationKey } from './slice-store.ts';

const TRIES_MAX = 6;
const FIRST_RETRY_MS = 250;

/**
 * Records a result. What is in hand here has been pushed already and would be pushed again if it were lost,
 * so a database that is away for some seconds is waited for.
 * @throws the database's error after the last try
 */
export async function recordSlice(
  db: Kysely<Database>,
  slice: LeasedSlice,
  result: SliceResult,
  clock: Clock,
  observe: Observe,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await recordOnce(db, slice, result, clock(), observe);
      return;
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
      observe({ kind: 'database_error', message: String(error) });
      await wait(FIRST_RETRY_MS * 2 ** (tries - 1));
    }
  }
}

async function recordOnce(
  db: Kysely<Database>,
  slice: LeasedSlice,
  result: SliceResult,
  now: Date,
  observe: Observe,
): Promise<void> {
  const { notificationId, number } = slice;
  const packed = packOutcomes(result.outcomes);
  const { goOnAt } = result;
  const moved = await db.transaction().execute(async (transaction) => {
    const held =
      goOnAt === null
        ? await closeSlice(transaction, slice, packed, now)
        : await handOnSlice(transaction, slice, packed, goOnAt);
    if (!held) {
      observe({
        kind: 'slice_handed_on',
        notificationId,
        number,
        unfinished: 0,
        reason: 'the lease was lost',
      });
      return undefined;
    }
    await retireTokens(
      transaction,
      result.deadTokens.map((token) => ({ appId: slice.appId, ...token })),
    );
    return moveCounters(transaction, slice, countByKind(result.fresh), goOnAt === null ? 1 : 0, now);
  });
  if (moved === undefined) return;
  const { state, reason, lane, devices, done, startedAt } = moved;
  observe({ kind: 'slice_recorded', notificationId, lane, state, devices, done, startedAt });
  if (moved.endsNow) observe({ kind: 'notification_ended', notificationId, state, reason });
}

function countByKind(outcomes: ReadonlyMap<string, Outcome>): Record<OutcomeKind, number> {
  const counts = { accepted: 0, rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0 };
  for (const { kind } of outcomes.values()) counts[kind]++;
  return counts;
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
 * Adds to the counters and takes the finished slice off. The row's lock puts the slices of a notification in
 * line, so exactly one of them sees itself as the last.
 */
async function moveCounters(
  db: Kysely<Database>,
  key: NotificationKey,
  counts: Record<OutcomeKind, number>,
  slicesDone: number,
  now: Date,
): Promise<Moved> {
  const sum = sql.join(
    outcomeKinds.map((kind) => sql`${sql.ref(kind)} + ${counts[kind]}`),
    sql` + `,
  );
  const closes = sql<boolean>`state = 'sending' and slices_left = ${slicesDone} and ${slicesDone} > 0`;
  const nothingPassed = sql<boolean>`accepted + ${counts.accepted} = 0 and refused <> '{}'`;
  return db
    .updateTable('notifications')
    .set((eb) => ({
      accepted: eb('accepted', '+', counts.accepted),
      rejected: eb('rejected', '+', counts.rejected),
      unregistered: eb('unregistered', '+', counts.unregistered),
      no_token: eb('no_token', '+', counts.no_token),
      ambiguous: eb('ambiguous', '+', counts.ambiguous),
      slices_left: eb('slices_left', '-', slicesDone),
      // The count at planning was of that moment; what was found slice by slice is what was targeted.
      devices: sql`case when ${closes} then ${sum} else devices end`,
      state: sql`case when not (${closes}) then state when ${nothingPassed} then 'failed' else 'sent' end`,
      reason: sql`case when ${closes} and ${nothingPassed} then ${refusalReason} else reason end`,
      ended_at: sql`case when ${closes} then ${now}::timestamptz else ended_at end`,
    }))
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .returning([
      'state',
      'reason',
      'lane',
      'devices',
      sql<number>`accepted + rejected + unregistered + no_token + ambiguous`.as('done'),
      'started_at as startedAt',
      sql<boolean>`ended_at is not distinct from ${now}::timestamptz`.as('endsNow'),
    ])
    .executeTakeFirstOrThrow();
}

const refusalReason = sql<string>`(select 'credentials refused: ' || string_agg(key || ' ' || value, ', ' order by key)
  from jsonb_each_text(refused))`;

/**
 * Notes that a gateway refuses the credentials, so that no worker sends more requests to it for this
 * notification. Where no gateway of the app is left, the notification fails at once.
 */
export async function recordRefusal(
  db: Kysely<Database>,
  key: NotificationKey,
  refusal: { gateway: GatewayName; reason: string; gateways: AppGateways; now: Date },
  observe: Observe,
): Promise<'go_on' | 'stop'> {
  const { gateway, reason, gateways, now } = refusal;
  observe({ kind: 'credentials_refused', gateway, notificationId: key.notificationId, reason });
  await db
    .updateTable('notifications')
    .set({ refused: sql`refused || jsonb_build_object(${gateway}::text, ${reason}::text)` })
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .execute();
  const failed = await db
    .updateTable('notifications')
    .set({ state: 'failed', reason: refusalReason, ended_at: now })
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .where('state', '=', 'sending')
    .where(sql<boolean>`refused ?& ${Object.keys(gateways)}::text[]`)
    .returning(['state', 'reason'])
    .executeTakeFirst();
  if (failed === undefined) return 'go_on';
  observe({ kind: 'notification_ended', notificationId: key.notificationId, ...failed });
  return 'stop';
}
