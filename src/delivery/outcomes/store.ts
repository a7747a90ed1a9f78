/** The statements that store what came of slices: outcomes and counters move in one, or not at all. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { preparedAs } from '../../db/prepared.ts';
import type { Database, NotificationState } from '../../db/tables.ts';
import { retiringTokens } from '../../devices/tokens/retire.ts';
import { type OutcomeKind, outcomeKinds } from './packed.ts';
import type { NumberedPart } from './batch.ts';
import type { DeadToken, SliceEnd, SliceWaiting } from './recorder.ts';
import { held, type LeasedSlice, type NotificationKey } from '../slice-store.ts';

/** The notification after its counters have moved. */
export interface Moved {
  state: NotificationState;
  lane: 'direct' | 'bulk';
  devices: number;
  /** Devices that have an outcome. */
  done: number;
  startedAt: Date | null;
}

/** The same at the end of an attempt. */
export interface MovedToEnd extends Moved {
  reason: string | null;
  /** This was the end of the notification. */
  endsNow: boolean;
}

/** The same when parts have been added. */
export interface MovedOn extends Moved {
  /** The places of the parts whose slices are still ours, from 1. */
  held: number[];
}

/**
 * Writes the end of the slice, adds to the counters and takes a finished slice off, or does nothing where the slice
 * is not ours. The lock of the notification's row puts its slices in line, and whoever has waited for it sees what
 * the one before him has written (read committed); so exactly one of them sees itself as the last.
 */
export async function endSlice(
  db: Kysely<Database>,
  slice: LeasedSlice,
  { outcomes, counts, deadTokens, next, unsent }: SliceEnd,
  now: Date,
): Promise<MovedToEnd | undefined> {
  const isDone = next.state === 'done';
  const settled = outcomeKinds.reduce((sum, kind) => sum + counts[kind], 0);
  const closes = isDone ? sql`n.state = 'sending' and n.slices_left = 1` : sql`false`;
  const isUnsent = unsent.length > 0;
  const allUnsent = isUnsent
    ? sql`array(select distinct note from unnest(n.unsent || ${unsent}::text[]) as note order by note)`
    : sql`n.unsent`;
  const nothingPassed = sql`n.accepted + ${counts.accepted} = 0 and (n.refused <> '{}' or ${allUnsent} <> '{}')`;
  const waiting = next.state === 'waiting' ? next : undefined;
  const retiring = retiringFirst(slice.appId, deadTokens, now);
  const { rows } =
    await sql<MovedToEnd>`${preparedAs(`record_${isDone ? 'done' : waiting?.waitsFor === undefined ? 'handed_on' : 'paused'}${isUnsent ? '_unsent' : ''}${retiring.suffix}`)}
    with ${retiring.parts} slice as (
      update delivery_slices set
        state = ${next.state},
        outcomes = ${outcomes},
        lease_until = null,
        not_before = ${waiting === undefined ? sql`not_before` : notBefore(slice.appId, waiting, now)},
        waits_for = ${waiting?.waitsFor ?? null}::text[],
        finished_at = ${isDone ? now : null}
      where ${retiring.comesFirst} and ${held(slice)}
      returning number
    ), parts as (
      delete from delivery_progress
      where app_id = ${slice.appId} and notification_id = ${slice.notificationId} and number = ${slice.number}
        and exists (select from slice)
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
      unsent = ${allUnsent},
      reason = case when ${closes} then ${lastReason(sql`n.refused`, allUnsent)}
        else coalesce(${waiting?.reason ?? null}::text, n.reason) end,
      ended_at = case when ${closes} then ${now} else n.ended_at end
    from slice
    where n.app_id = ${slice.appId} and n.id = ${slice.notificationId}
    returning ${movedColumns}, n.reason, n.ended_at is not distinct from ${now} as "endsNow"`.execute(db);
  return rows[0];
}

/**
 * Adds the parts of those slices that are still ours, and their counts. The locks of the slices keep others from
 * leasing them meanwhile; they are taken in order, since there may be several such statements at once. A part that is
 * there already was counted then, and only the answer was lost on the way.
 */
export async function addParts(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  parts: readonly NumberedPart[],
  now: Date,
): Promise<MovedOn | undefined> {
  const column = <T>(read: (part: NumberedPart) => T): T[] => parts.map(read);
  const numbers = column(({ slice }) => slice.number);
  const deadTokens = parts.flatMap((part) => part.deadTokens);
  const retiring = retiringFirst(appId, deadTokens, now);
  const { rows } = await sql<MovedOn>`${preparedAs(`record_parts${retiring.suffix}`)}
    with ${retiring.parts} held as materialized (
      select part.*
      from unnest(
        ${numbers}::int[], ${column(({ slice }) => slice.attempt)}::int[],
        ${column(({ part }) => part)}::int[], ${column(({ outcomes }) => outcomes)}::bytea[],
        ${column(({ counts }) => counts.accepted)}::int[], ${column(({ counts }) => counts.rejected)}::int[],
        ${column(({ counts }) => counts.unregistered)}::int[], ${column(({ counts }) => counts.no_token)}::int[],
        ${column(({ counts }) => counts.ambiguous)}::int[]
      ) with ordinality
        as part (number, attempt, part, outcomes, accepted, rejected, unregistered, no_token, ambiguous, place)
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
    )
    update notifications as n set
      accepted = n.accepted + ${sumOfAdded('accepted')},
      rejected = n.rejected + ${sumOfAdded('rejected')},
      unregistered = n.unregistered + ${sumOfAdded('unregistered')},
      no_token = n.no_token + ${sumOfAdded('no_token')},
      ambiguous = n.ambiguous + ${sumOfAdded('ambiguous')}
    where n.app_id = ${appId} and n.id = ${notificationId}
    returning ${movedColumns}, array(select place::int from held) as held`.execute(db);
  return rows[0];
}

/**
 * Dead tokens are retired by the statement that stores their outcomes, so that no crash comes between. And before the
 * rest of it, since all slices of a notification wait for the row of its counters. Dead is dead, whoever has the slice
 * by now.
 */
function retiringFirst(appId: string, deadTokens: readonly DeadToken[], now: Date) {
  if (deadTokens.length === 0) return { parts: sql``, comesFirst: sql`true`, suffix: '' };
  const tokens = deadTokens.map((token) => ({ appId, ...token }));
  return {
    parts: sql`${retiringTokens(tokens, now)},`,
    comesFirst: sql`(select count(*) from retired) + (select count(*) from told) >= 0`,
    suffix: '_and_dead_tokens',
  };
}

/** Of the parts that an update adds. */
function sumOfAdded(kind: OutcomeKind) {
  return sql`coalesce((select sum(${sql.ref(kind)}) from added), 0)`;
}

/** Devices that have an outcome: within an update before it, in what it returns after it. */
const devicesDone = sql`(n.accepted + n.rejected + n.unregistered + n.no_token + n.ambiguous)`;

const movedColumns = sql`n.state, n.lane, n.devices, ${devicesDone} as done, n.started_at as "startedAt"`;

/**
 * A pause that it waits for may have ended meanwhile: then nobody tells it of that any more. The lock has whoever ends it
 * at this moment do so after us, and then find us waiting.
 */
function notBefore(
  appId: string,
  { notBefore: moment, waitsFor }: SliceWaiting,
  now: Date,
): RawBuilder<Date> {
  if (waitsFor === undefined) return sql<Date>`${moment}::timestamptz`;
  return sql<Date>`case when exists (
      select from route_states as r
      where r.app_id = ${appId} and r.route = any (${waitsFor}::text[]) and r.pause is not null
      for share
    ) then ${moment}::timestamptz else ${now}::timestamptz end`;
}

/** Why some devices were not sent to; null where all were. */
function lastReason(refused: RawBuilder<unknown>, unsent: RawBuilder<unknown>): RawBuilder<string | null> {
  const others = sql`nullif(array_to_string(${unsent}, '; '), '')`;
  return sql<string | null>`nullif(concat_ws('; ', ${refusalReason(refused)}, ${others}), '')`;
}

/** Names every route on which the credentials were refused; null where there is none. */
export function refusalReason(refused: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<
    string | null
  >`(select 'credentials refused: ' || string_agg(key || ' ' || value, ', ' order by key)
    from jsonb_each_text(${refused}))`;
}
