/**
 * Stores what came of slices: outcomes and the notification's counters move in one statement, and only while the
 * slice is still ours; dead tokens are retired with them. The last slice closes the notification.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { conditionOf, databaseError } from '../../db/database-error.ts';
import type { Clock } from '../../clock.ts';
import type { Database, NotificationState } from '../../db/tables.ts';
import { gatewayOf, type Route } from '../../gateways/gateway.ts';
import type { Origin } from '../../notifications/origin.ts';
import type { Observe } from '../../observe.ts';
import type { NumberedPart, StoredParts } from './batch.ts';
import type { SliceEnd } from './recorder.ts';
import { addParts, endSlice, type Moved, refusalReason } from './store.ts';
import type { LeasedSlice, NotificationKey } from '../slice-store.ts';

const TRIES_MAX = 6;
const FIRST_RETRY_MS = 250;
/** Nobody leases anything while the disk is full: what waits here is stored when there is room, and nothing repeated. */
const RETRY_WHILE_FULL_MS = 1_000;
const TRIES_WHILE_FULL_MAX = 600;

interface RecordContext {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
}

/**
 * Records the end of an attempt at a slice: the slice's row holds all of it now, and its parts are gone.
 * @returns the notification's state afterwards; `lost` where the slice is no longer ours and nothing was counted
 * @throws the database's error after the last try
 */
export async function recordSliceEnd(
  context: RecordContext,
  slice: LeasedSlice,
  end: SliceEnd,
): Promise<NotificationState | 'lost'> {
  const { observe } = context;
  const moved = await persist(context, slice, async (now) => endSlice(context.db, slice, end, now));
  if (moved === undefined) {
    tellLost(observe, slice);
    return 'lost';
  }
  const { state, reason } = moved;
  tellRecorded(observe, slice, moved);
  if (end.next.state === 'done' && moved.endsNow) {
    const { notificationId, origin } = slice;
    observe({ kind: 'notification_ended', notificationId, requestId: origin.requestId, state, reason });
  }
  return state;
}

/**
 * Records parts of slices under way, of one notification.
 * @throws the database's error after the last try
 */
export async function recordParts(
  context: RecordContext,
  parts: readonly NumberedPart[],
): Promise<StoredParts> {
  const [first] = parts;
  if (first === undefined) throw new Error('there is no part to record');
  const { slice } = first;
  const moved = await persist(context, slice, async (now) => addParts(context.db, slice, parts, now));
  const held = new Set(moved?.held.map((place) => place - 1));
  for (const [index, part] of parts.entries()) if (!held.has(index)) tellLost(context.observe, part.slice);
  if (moved !== undefined) tellRecorded(context.observe, slice, moved);
  return { state: moved?.state ?? 'canceled', held };
}

/**
 * What is in hand here has been pushed already and would be pushed again if it were lost, so a database that is away
 * for some seconds is waited for.
 */
async function persist<T>(
  { clock, observe }: RecordContext,
  { notificationId, origin }: LeasedSlice,
  store: (now: Date) => Promise<T>,
): Promise<T> {
  const { requestId } = origin;
  for (let tries = 1; ; tries++) {
    try {
      return await store(clock());
    } catch (error) {
      const isFull = conditionOf(error) === 'disk_full';
      if (tries >= (isFull ? TRIES_WHILE_FULL_MAX : TRIES_MAX)) throw error;
      observe(databaseError(error, 'record outcomes', { notificationId, requestId }));
      await wait(isFull ? RETRY_WHILE_FULL_MS : FIRST_RETRY_MS * 2 ** (tries - 1));
    }
  }
}

function tellLost(observe: Observe, { notificationId, number, origin }: LeasedSlice): void {
  const { requestId } = origin;
  const reason = 'the lease was lost';
  observe({ kind: 'slice_handed_on', notificationId, requestId, number, unfinished: 0, reason });
}

function tellRecorded(observe: Observe, { notificationId, origin }: LeasedSlice, moved: Moved): void {
  const { requestId } = origin;
  const { state, lane, devices, done, startedAt } = moved;
  observe({ kind: 'slice_recorded', notificationId, requestId, lane, state, devices, done, startedAt });
}

/**
 * Notes that a gateway refuses the credentials of a route, so that no worker sends more requests there for this
 * notification: their devices are rejected unsent. Its record says so from now on.
 */
export async function recordRefusal(
  db: Kysely<Database>,
  { appId, notificationId, origin }: NotificationKey & { origin: Origin },
  { route, reason }: { route: Route; reason: string },
  observe: Observe,
): Promise<void> {
  const { requestId } = origin;
  observe({
    kind: 'credentials_refused',
    gateway: gatewayOf(route),
    route,
    notificationId,
    requestId,
    reason,
  });
  const refused = sql<string>`refused || jsonb_build_object(${route}::text, ${reason}::text)`;
  await db
    .updateTable('notifications')
    .set({ refused, reason: refusalReason(refused) })
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .where('state', '=', 'sending')
    .execute();
}
