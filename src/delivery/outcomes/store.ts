/**
 * Saves the outcomes of slices. One statement saves the outcomes, raises the notification's counters and retires dead
 * tokens. Outcomes are saved and counted only while this worker holds the slice. The last slice ends the notification.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import { databaseError } from '../../db/database-error.ts';
import { keepTrying } from '../../db/outages/keep-trying.ts';
import { preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import type { NotificationState } from '../../notifications/look-up/notification-reply.ts';
import type { Route } from '../../route.ts';
import type { Observe } from '../../observe.ts';
import { refusalReason } from '../routes/refusal-store.ts';
import { held, type LeasedSlice, type NotificationKey, ofNotification } from '../slice-store.ts';
import { hasGivenUp } from '../troubles/trouble-store.ts';
import { devicesDone } from './devices-done.ts';
import { type MovedBadge, movingBadges } from '../badges/moving-badges.ts';
import { retiringFirst } from './retiring-first.ts';
import { leftOutOutcomes, type OutcomeKind, outcomeKinds, pushOutcomes, tallyOf } from './packed.ts';
import type { OutcomeCounts, SaveResult, SlicePart } from './slice-outcomes.ts';

/** The state of a slice when an attempt ends: it is done, or waits until a given moment. */
export type SliceNext = { state: 'done' } | SliceWaiting;

interface SliceWaiting {
  state: 'waiting';
  /** Null: at once. The current time is not stored, because it would lie in the future if the clock were set back. */
  notBefore: Date | null;
  /** Paused routes that the slice waits for; it goes on when one of them is resumed. */
  waitsFor?: readonly Route[];
  /** The reason that the notification shows meanwhile. */
  reason?: string | undefined;
}

export interface OutcomeStore {
  /**
   * Saves parts of one notification, at most one per slice, by one statement.
   * @returns a result for each part
   * @throws as `persist` does
   */
  saveParts(parts: readonly SlicePart[]): Promise<readonly SaveResult[]>;
  /**
   * Saves the end of an attempt: the slice's row gets all outcomes, and its parts are deleted.
   * @param unsent sentences that say why devices were not sent to, apart from refused credentials; no duplicates
   * @throws as `persist` does
   */
  saveEnd(end: SlicePart, next: SliceNext, unsent: readonly string[]): Promise<SaveResult>;
}

export interface OutcomeStoreOptions {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  /** 0 to 1, for the jitter of retries. */
  random: () => number;
  /** Waits before a retry; by default a timer. */
  wait?: ((ms: number) => Promise<unknown>) | undefined;
}

export function openOutcomeStore(options: OutcomeStoreOptions): OutcomeStore {
  const { db, observe } = options;
  return {
    async saveParts(parts) {
      const [first] = parts;
      if (first === undefined) return [];
      const moved = await persist(forSharedStatement(options, parts), first.slice, async (now) =>
        addParts(db, first.slice, parts, now),
      );
      if (moved !== undefined) observeSaved(observe, first.slice, moved);
      const savedPositions = new Set(moved?.held);
      return parts.map(({ slice }, index) => {
        if (moved !== undefined && savedPositions.has(index + 1)) return moved.state;
        observeLost(observe, slice);
        return 'lost';
      });
    },
    async saveEnd(end, next, unsent) {
      const { slice } = end;
      const moved = await persist(options, slice, async (now) => endSlice(db, end, { next, unsent, now }));
      if (moved === undefined) {
        observeLost(observe, slice);
        return 'lost';
      }
      const { state, reason } = moved;
      observeSaved(observe, slice, moved);
      if (next.state === 'done' && moved.endsNow) {
        observe({ kind: 'notification_ended', ...ofNotification(slice), state, reason });
      }
      return state;
    },
  };
}

/**
 * Outcomes were lost because Postgres refuses the statement that saves them; `cause` is its error. Their pushes may
 * have arrived.
 */
export class OutcomesNotSaved extends Error {}

/**
 * Retries as long as the database is unavailable: if these outcomes were lost, their pushes would be sent again. They
 * wait in memory, and nothing else is sent in their place (`UnsavedOutcomes`).
 * @throws OutcomesNotSaved after some tries, if waiting does not help
 */
export async function persist<T>(
  { clock, observe, ...options }: Omit<OutcomeStoreOptions, 'db'> & { triesMax?: number },
  slice: Pick<LeasedSlice, 'notificationId' | 'origin'>,
  save: (now: Date) => Promise<T>,
): Promise<T> {
  try {
    return await keepTrying(async () => save(clock()), {
      ...options,
      onFailure: (error) => observe(databaseError(error, 'record outcomes', ofNotification(slice))),
    });
  } catch (error) {
    throw new OutcomesNotSaved('outcomes could not be saved', { cause: error });
  }
}

/** Options of `persist` for a statement about several items: if it fails because of one, each is tried alone. */
export function forSharedStatement<Options extends object>(
  options: Options,
  items: readonly unknown[],
): Options & { triesMax?: number } {
  return items.length > 1 ? { ...options, triesMax: 1 } : options;
}

/** Reports outcomes that were not saved, because the lease or claim was no longer valid. */
export function observeLost(observe: Observe, slice: LeasedSlice): void {
  const reason = 'the lease was lost';
  const { number } = slice;
  observe({ kind: 'slice_handed_on', ...ofNotification(slice), number, unfinished: 0, reason });
}

function observeSaved(observe: Observe, slice: LeasedSlice, moved: Moved): void {
  const { state, lane, devices, done, startedAt } = moved;
  observe({ kind: 'slice_recorded', ...ofNotification(slice), lane, state, devices, done, startedAt });
}

/** The notification after its counters have been raised. */
interface Moved {
  state: NotificationState;
  lane: 'direct' | 'bulk';
  devices: number;
  /** Devices that have an outcome. */
  done: number;
  startedAt: Date | null;
}

interface MovedToEnd extends Moved {
  reason: string | null;
  /** Whether this statement ended the notification. */
  endsNow: boolean;
}

interface MovedByParts extends Moved {
  /** Positions, from 1, of the parts whose slices this worker still holds. */
  held: number[];
}

/**
 * Saves the end of an attempt and raises the counters; a finished slice lowers `slices_left`. Does nothing if this
 * worker does not hold the slice. The lock on the notification's row serialises its slices, and each sees what the
 * previous one has written (read committed). So exactly one of them finds that it is the last.
 */
async function endSlice(
  db: Kysely<Database>,
  { slice, outcomes, counts, deadTokens, movedBadges }: SlicePart,
  { next, unsent, now }: { next: SliceNext; unsent: readonly string[]; now: Date },
): Promise<MovedToEnd | undefined> {
  const isDone = next.state === 'done';
  const added = outcomeKinds.reduce((sum, kind) => sum + counts[kind], 0);
  const closes = isDone ? sql`n.state = 'sending' and n.slices_left = 1` : sql`false`;
  const isUnsent = unsent.length > 0;
  const allUnsent = isUnsent
    ? sql`array(select distinct note from unnest(n.unsent || ${unsent}::text[]) as note order by note)`
    : sql`n.unsent`;
  const nothingPassed = sql`n.accepted + ${counts.accepted} = 0 and (n.refused <> '{}' or ${allUnsent} <> '{}')`;
  const waiting = next.state === 'waiting' ? next : undefined;
  const { kinds, suffix } = kindsIn([counts]);
  const retiring = retiringFirst(slice.appId, deadTokens, now);
  const badges = movingBadges(movedOf(slice, movedBadges), 'slice');
  const { rows } =
    await sql<MovedToEnd>`${preparedAs(`record_${isDone ? 'done' : waiting?.waitsFor === undefined ? 'handed_on' : 'paused'}${isUnsent ? '_unsent' : ''}${suffix}${retiring.suffix}${badges.suffix}`)}
    with ${retiring.expressions} slice as (
      update delivery_slices set
        state = ${next.state},
        outcomes = ${outcomes},
        tally = ${JSON.stringify(tallyOf(outcomes))}::jsonb,
        lease_until = null,
        not_before = ${waiting === undefined ? sql`not_before` : notBefore(slice.appId, waiting)},
        waits_for = ${waiting?.waitsFor ?? null}::text[],
        finished_at = ${isDone ? now : null}
      where ${retiring.comesFirst} and ${held(slice)}
      returning number
    ), parts as (
      delete from delivery_progress
      where app_id = ${slice.appId} and notification_id = ${slice.notificationId} and number = ${slice.number}
        and exists (select from slice)
    )${badges.expressions}
    update notifications as n set
      ${sql.join(kinds.map((kind) => sql`${sql.raw(`${kind} = n.${kind}`)} + ${counts[kind]}`))},
      slices_left = n.slices_left - ${isDone ? 1 : 0},
      -- There are more outcomes than planning counted devices, if others have begun to match since.
      devices = case when ${closes} then greatest(n.devices, ${devicesDone} + ${added}) else n.devices end,
      state = case when not (${closes}) then n.state when ${nothingPassed} or ${hasGivenUp(slice)} then 'failed'
        else 'sent' end,
      unsent = ${allUnsent},
      reason = case when ${closes} then ${lastReason(sql`n.refused`, allUnsent)}
        else coalesce(${waiting?.reason ?? null}::text, n.reason) end,
      ended_at = case when ${closes} then ${now} else n.ended_at end,
      encrypted_body = case when ${closes} then null else n.encrypted_body end
    from slice
    where n.app_id = ${slice.appId} and n.id = ${slice.notificationId} and ${badges.comeFirst}
    returning ${movedColumns}, n.reason, n.ended_at is not distinct from ${now} as "endsNow"`.execute(db);
  return rows[0];
}

/**
 * Inserts the parts of those slices that this worker still holds, and raises the counters. Row locks keep other workers
 * from leasing the slices meanwhile. They are taken in the same order by all such statements, which may run at once, to
 * avoid deadlocks. A part that exists already is not counted again: an earlier try inserted it, and only the answer was
 * lost.
 */
async function addParts(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  parts: readonly SlicePart[],
  now: Date,
): Promise<MovedByParts | undefined> {
  const column = <T>(read: (part: SlicePart) => T): T[] => parts.map(read);
  const numbers = column(({ slice }) => slice.number);
  const deadTokens = parts.flatMap((part) => part.deadTokens);
  const retiring = retiringFirst(appId, deadTokens, now);
  const { kinds, suffix } = kindsIn(parts.map(({ counts }) => counts));
  const ofEachKind = (written: (kind: OutcomeKind) => string) => sql.raw(kinds.map(written).join(', '));
  const badges = movingBadges(
    parts.flatMap(({ slice, movedBadges }) => movedOf(slice, movedBadges)),
    'parts',
  );
  const { rows } =
    await sql<MovedByParts>`${preparedAs(`record_parts${suffix}${retiring.suffix}${badges.suffix}`)}
    with ${retiring.expressions} held as materialized (
      select part.*
      from unnest(
        ${numbers}::int[], ${column(({ slice }) => slice.attempt)}::int[],
        ${column(({ part }) => part)}::int[], ${column(({ outcomes }) => outcomes)}::bytea[],
        ${sql.join(kinds.map((kind) => sql`${column(({ counts }) => counts[kind])}::int[]`))}
      ) with ordinality as part (number, attempt, part, outcomes, ${ofEachKind((kind) => kind)}, place)
      join delivery_slices as s on s.number = part.number and s.attempt = part.attempt
      where s.app_id = ${appId} and s.notification_id = ${notificationId} and s.number = any(${numbers}::int[])
        and s.state = 'leased' and ${retiring.comesFirst}
      order by s.number
      for no key update of s
    ), stored as (
      insert into delivery_progress (app_id, notification_id, number, attempt, part, outcomes)
      select ${appId}::uuid, ${notificationId}::uuid, number, attempt, part, outcomes from held
      on conflict do nothing
      returning number, attempt
    ), added as (
      select held.* from held join stored using (number, attempt)
    )${badges.expressions}
    update notifications as n set
      ${ofEachKind((kind) => `${kind} = n.${kind} + coalesce((select sum(${kind}) from added), 0)`)}
    where n.app_id = ${appId} and n.id = ${notificationId} and ${badges.comeFirst}
    returning ${movedColumns}, array(select place::int from held) as held`.execute(db);
  return rows[0];
}

function movedOf({ appId, number }: LeasedSlice, badges: readonly MovedBadge[]) {
  return badges.map((badge) => ({ ...badge, appId, of: number }));
}

/**
 * The kinds of outcomes that are counted. Few notifications have devices that were left out, and the
 * statements for the others do not mention them.
 */
function kindsIn(counts: readonly OutcomeCounts[]) {
  const haveLeftOut = counts.some((of) => leftOutOutcomes.some((kind) => of[kind] > 0));
  return haveLeftOut ? { kinds: outcomeKinds, suffix: '_left_out' } : { kinds: pushOutcomes, suffix: '' };
}

const movedColumns = sql`n.state, n.lane, n.devices, ${devicesDone} as done, n.started_at as "startedAt"`;

/**
 * If the pause that the slice waits for has ended meanwhile, nothing would wake the slice, so it is due at once. Under
 * this lock, a concurrent statement that ends the pause runs after this one and sees the waiting slice.
 */
function notBefore(appId: string, { notBefore: moment, waitsFor }: SliceWaiting): RawBuilder<Date> {
  // A slice was due when it was leased, so keeping its moment makes it due at once.
  if (waitsFor === undefined) return sql<Date>`coalesce(${moment}::timestamptz, not_before)`;
  return sql<Date>`case when exists (
      select from route_states as r
      where r.app_id = ${appId} and r.route = any (${waitsFor}::text[]) and r.pause is not null
      for share
    ) then coalesce(${moment}::timestamptz, not_before) else not_before end`;
}

/** Why nothing was sent to some devices; null if all were sent to. */
export function lastReason(
  refused: RawBuilder<unknown>,
  unsent: RawBuilder<unknown>,
): RawBuilder<string | null> {
  const others = sql`nullif(array_to_string(${unsent}, '; '), '')`;
  return sql<string | null>`nullif(concat_ws('; ', ${refusalReason(refused)}, ${others}), '')`;
}
