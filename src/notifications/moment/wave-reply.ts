/**
 * The waves of a notification as the API shows them. A wave consists of the devices that are due at the same moment.
 */
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import type { NotificationWavesTable } from '../../db/feature-tables/wave-tables.ts';
import { count, timeText } from '../../api/reply.ts';
import { leftOutReasons } from './moment.ts';

export const plannedWave = z
  .strictObject({
    due_at: timeText.describe('The moment of its devices; the time to live counts from it.'),
    action: z
      .enum(['send', 'drop', 'expire'])
      .describe('`drop` and `expire` send nothing, and the devices get the outcome `dropped` or `expired`.'),
    reason: z.enum(leftOutReasons).nullable().describe('Why nothing is sent.'),
    spread_seconds: z.number().describe('Its devices are sent to evenly within this time.'),
    time_zones: z.array(z.string()).describe('The time zones of its devices.'),
    devices: count,
    without_time_zone: count.describe(
      'How many of them have no known time zone, so that `no_time_zone` decides.',
    ),
    by_own_quiet_hours: count.describe('How many of them are in this wave because of their own quiet hours.'),
  })
  .meta({ id: 'PlannedWave' });

export const waveReply = plannedWave
  .extend({
    state: z
      .enum(['planned', 'waiting', 'sending', 'done', 'canceled'])
      .describe(
        '`planned`: the notification was a dry run or failed. `canceled`: it was canceled before the end of this wave.',
      ),
  })
  .meta({ id: 'Wave' });

export type PlannedWave = z.output<typeof plannedWave>;
export type WaveReply = z.output<typeof waveReply>;

type WaveColumns = Pick<
  Selectable<NotificationWavesTable>,
  'due_at' | 'action' | 'spread_ms' | 'zones' | 'devices' | 'without_zone' | 'by_own_hours'
> & { reason: string | null };

/** In the order of time, as planning numbered them. */
export async function readWaveReplies(
  db: Kysely<Database>,
  appId: string,
  notificationId: string,
): Promise<WaveReply[]> {
  const { rows } = await sql<WaveColumns & Pick<WaveReply, 'state'>>`
    select w.due_at, w.action, w.reason, w.spread_ms, w.devices, w.without_zone, w.by_own_hours,
      w.zones || array(
        select distinct split_part(own, ' ', 1) from unnest(w.own_hours) as own
        where split_part(own, ' ', 1) <> '' and split_part(own, ' ', 1) <> all (w.zones)
      ) as zones,
      case
        when w.state = 'over' then case n.state when 'canceled' then 'canceled' else 'planned' end
        when w.state = 'waiting' then case n.state when 'canceled' then 'canceled' else 'waiting' end
        when n.state not in ('sending', 'canceled') or not exists (
          select from delivery_slices as s
          where s.app_id = w.app_id and s.notification_id = w.notification_id and s.state <> 'done'
            and s.number >= w.first_slice and s.number < w.first_slice + w.slices
        ) then 'done'
        when n.state = 'canceled' then 'canceled' else 'sending'
      end as state
    from notification_waves as w
    join notifications as n on n.app_id = w.app_id and n.id = w.notification_id
    where w.app_id = ${appId} and w.notification_id = ${notificationId}
    order by w.wave`.execute(db);
  return rows.map((row) => {
    const { state } = row;
    return Object.assign(plannedWaveFrom(row), { state });
  });
}

export function plannedWaveFrom(row: WaveColumns): PlannedWave {
  return {
    due_at: row.due_at.toISOString(),
    action: row.action,
    reason: leftOutReasons.find((reason) => reason === row.reason) ?? null,
    spread_seconds: row.spread_ms / 1_000,
    time_zones: row.zones.toSorted(),
    devices: row.devices,
    without_time_zone: row.without_zone,
    by_own_quiet_hours: row.by_own_hours,
  };
}
