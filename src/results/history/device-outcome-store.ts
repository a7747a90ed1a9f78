/**
 * Finds the outcome of one device: looks up the slice by its range of ids, and searches its packed outcomes. A notification
 * that was sent as a whole has them in its own row, which counts as its only slice.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { NotificationState } from '../../notifications/look-up/notification-reply.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import { devicesDone } from '../../delivery/outcomes/devices-done.ts';
import { findOutcome, type Outcome } from '../../delivery/outcomes/packed.ts';

/** Ids are UUIDs, in lower case. */
export interface DeliveryKey {
  appId: string;
  notificationId: string;
  deviceId: string;
  now: Date;
}

export interface FoundDelivery {
  /** Undefined if none is saved. */
  outcome: Outcome | undefined;
  /** The state of the slice that has the device's id in its range; null if there is none, or it was pruned. */
  sliceState: 'waiting' | 'leased' | 'done' | null;
  hasOutcomes: boolean;
  /** Whether the notification failed before it was cut into slices, or its slice was given up. */
  failedWhole: boolean;
  hasDevice: boolean;
  /** JSON of the filters of its target. */
  filters: unknown;
  /** The state of the notification, with its reason and its times. */
  state: NotificationState;
  reason: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
  prunedAt: Date | null;
}

/** Reads all of it in one statement. @returns undefined if the app has no such notification */
export async function findDelivery(
  db: Kysely<Database>,
  { appId, notificationId, deviceId }: DeliveryKey,
): Promise<FoundDelivery | undefined> {
  const row = await db
    .selectFrom('notifications as n')
    .leftJoinLateral(
      // One slice has the id in its range; with waves, one slice of each wave does.
      (query) =>
        query
          .selectFrom('delivery_slices as s')
          .select([
            sql<'waiting' | 'leased' | 'done' | null>`case when bool_or(s.state = 'leased') then 'leased'
              when bool_or(s.state = 'waiting') then 'waiting' when count(*) > 0 then 'done' end`.as('state'),
            sql<Buffer[] | null>`array_agg(s.outcomes) filter (where s.outcomes is not null)`.as('outcomes'),
            sql<number[] | null>`array_agg(s.number)`.as('numbers'),
            sql<boolean>`coalesce(bool_or(s.gave_up is not null), false)`.as('gave_up'),
          ])
          .whereRef('s.app_id', '=', 'n.app_id')
          .whereRef('s.notification_id', '=', 'n.id')
          .where('s.first_id', '<=', deviceId)
          .where('s.last_id', '>=', deviceId)
          .as('s'),
      (join) => join.onTrue(),
    )
    .leftJoin('devices as d', (join) => join.onRef('d.app_id', '=', 'n.app_id').on('d.id', '=', deviceId))
    .select([
      'n.started_at as startedAt',
      'n.ended_at as endedAt',
      'n.pruned_at as prunedAt',
      'n.state',
      'n.reason',
    ])
    .select([sql<boolean>`d.id is not null`.as('hasDevice'), targetFilters.as('filters')])
    .select(
      sql<FoundDelivery['sliceState']>`case when n.outcomes is not null then 'done'
        when n.state in ('sending', 'canceled') and n.planned_in is not null and coalesce(s.state, 'done') = 'done' and exists (
          select from notification_waves as w
          where w.app_id = n.app_id and w.notification_id = n.id and w.state <> 'started'
        ) then 'waiting' else s.state end`.as('sliceState'),
    )
    .select(
      sql<Buffer[] | null>`case when n.outcomes is null then s.outcomes else array[n.outcomes] end`.as(
        'outcomes',
      ),
    )
    .select(
      sql<Buffer[]>`array(
        select p.outcomes from delivery_progress as p
        where p.app_id = n.app_id and p.notification_id = n.id and p.number = any (s.numbers)
      )`.as('parts'),
    )
    .select(
      // A dry run may count devices that would be left out.
      sql<boolean>`n.state <> 'validated' and ${devicesDone} > 0`.as('hasOutcomes'),
    )
    .select(
      sql<boolean>`n.state = 'failed' and (s.gave_up or s.state is null and (n.rejected = n.devices
        or ${devicesDone} = 0))`.as('failedWhole'),
    )
    .where('n.app_id', '=', appId)
    .where('n.id', '=', notificationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { outcomes, parts, ...found } = row;
  const recorded = [...(outcomes ?? []), ...parts];
  return { ...found, outcome: recorded.flatMap((packed) => findOutcome(packed, deviceId) ?? [])[0] };
}
