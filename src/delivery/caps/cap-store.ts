/** The uses of frequency caps. A row holds all uses of a cap by one user or device, so its lock serialises them. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { FrequencyCap } from '../../apps/frequency-caps.ts';
import { listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { durationMs } from '../../time/duration.ts';
import { held, type LeasedSlice } from '../slice-store.ts';

/** A leased slice of a notification that uses a cap. */
export interface CappedSlice {
  slice: LeasedSlice;
  cap: FrequencyCap;
}

/**
 * Reserves a use of the cap for each device, or for its user. A notification counts once per user, and another attempt
 * at a slice finds the uses of the previous attempt. Rows are locked in one order, so that statements of several
 * notifications do not wait for each other in a circle.
 * @returns the ids of the devices that may be sent to
 */
export async function reserveUses(
  db: Kysely<Database>,
  { slice: { appId, notificationId, number }, cap }: CappedSlice,
  deviceIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  const { atMost, perMs } = limitsOf(cap);
  const added = (uses: RawBuilder<unknown>) =>
    sql`add_cap_use(${uses}, ${notificationId}, ${number}::int, ${now.getTime()}::bigint, ${atMost}::int[], ${perMs}::bigint[])`;
  const { rows } = await sql<{ id: string }>`${preparedAs(`reserve_cap_uses_by_${cap.by}`)}
    with wanted as materialized (
      select d.id, ${subjectOf('d', cap.by)} as subject
      from devices as d
      where d.app_id = ${appId} and d.id = any(${listParameter(deviceIds, 'uuid')})
    ), reserved as (
      insert into cap_uses as c (app_id, cap_group, subject, uses)
      select ${appId}::uuid, ${cap.group}::text, one.subject, ${added(sql`'[]'`)}
      from (select distinct subject from wanted order by subject) as one
      on conflict (app_id, subject, cap_group) do update set uses = ${added(sql`c.uses`)}
      returning subject, uses @> jsonb_build_array(jsonb_build_object('notification', ${notificationId}::text)) as is_free
    )
    select wanted.id from wanted join reserved using (subject) where reserved.is_free`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Gives back the uses of devices whose pushes did not leave. A user's use stays as long as another device of the same slice, or
 * another slice, has it. Does nothing if this worker does not hold the slice any more: another one may have reserved the same
 * uses again. Giving back twice does no harm.
 * @param spent devices of the slice whose pushes left, or may have
 */
export async function giveBackUses(
  db: Kysely<Database>,
  { slice, cap }: CappedSlice,
  { unused, spent }: { unused: readonly string[]; spent: readonly string[] },
): Promise<void> {
  const { appId, notificationId, number } = slice;
  await sql`
    with slice as materialized (
      select number from delivery_slices where ${held(slice)} for no key update
    ), unused as materialized (
      select c.subject from cap_uses as c
      where exists (select from slice) and c.app_id = ${appId} and c.cap_group = ${cap.group}
        and c.subject in (${subjectsOf(appId, cap, unused)} except ${subjectsOf(appId, cap, spent)})
      order by c.subject
      for no key update of c
    )
    update cap_uses as c set uses = remove_cap_use(c.uses, ${notificationId}, ${number})
    from unused
    where c.app_id = ${appId} and c.cap_group = ${cap.group} and c.subject = unused.subject`.execute(db);
}

function subjectsOf(appId: string, { by }: FrequencyCap, ids: readonly string[]): RawBuilder<unknown> {
  return sql`(
    select ${subjectOf('d', by)} from devices as d where d.app_id = ${appId} and d.id = any(${ids}::uuid[])
  )`;
}

/** A notification that has used a cap. */
export interface CapUse {
  notificationId: string;
  at: Date;
}

const usesSchema = z.array(z.object({ notification: z.string(), at: z.number(), slices: z.array(z.int()) }));

/** @returns the notifications that have used the cap of the device or its user, the oldest first */
export async function readUses(
  db: Kysely<Database>,
  { appId, cap, deviceId }: { appId: string; cap: FrequencyCap; deviceId: string },
): Promise<CapUse[]> {
  const { rows } = await sql<{ uses: unknown }>`
    select c.uses from devices as d
    join cap_uses as c on c.app_id = d.app_id and c.cap_group = ${cap.group} and c.subject = ${subjectOf('d', cap.by)}
    where d.app_id = ${appId} and d.id = ${deviceId}`.execute(db);
  return usesSchema
    .parse(rows[0]?.uses ?? [])
    .map(({ notification, at }) => ({ notificationId: notification, at: new Date(at) }))
    .toSorted((left, right) => left.at.getTime() - right.at.getTime());
}

/** SQL: the key by which uses are counted: the user of the device `alias`, or the device itself. */
export function subjectOf(alias: string, by: FrequencyCap['by']): RawBuilder<string> {
  const device = sql<string>`('device ' || ${sql.ref(`${alias}.id`)})`;
  return by === 'device'
    ? device
    : sql<string>`coalesce('user ' || ${sql.ref(`${alias}.user_id`)}, ${device})`;
}

/** The limits of a cap as two lists of the same length. */
export function limitsOf({ limits }: FrequencyCap): { atMost: number[]; perMs: number[] } {
  return {
    atMost: limits.map((limit) => limit.at_most),
    perMs: limits.map(({ per }) => durationMs(per) ?? 0),
  };
}
