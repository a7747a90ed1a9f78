/** Reads a notification that is being sent. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { androidColumns, androidSettingsOf } from '../../apps/android-settings.ts';
import type { TokenKeys } from '../../apps/token-keys.ts';
import { capOfGroup, type FrequencyCap, frequencyCapsOf } from '../../apps/frequency-caps.ts';
import type { Filter } from '../../filters/filter.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Database } from '../../db/tables.ts';
import type { PushMessage } from '../../gateways/gateway.ts';
import { type PerDevice, perDeviceOf } from '../../notifications/content/per-device.ts';
import { messageFrom, type NotificationContent, sendingRulesFrom } from '../../notifications/message.ts';
import { contentToSend } from '../../notifications/sensitive/stored-body.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import { leftOutOf } from '../activities/left-out.ts';
import type { NotificationKey } from '../slice-store.ts';
import type { CutWave } from '../waves/wave.ts';
import { readWaves } from '../waves/wave-store.ts';

/**
 * A notification as delivery needs it: its message, its audience, and what else does not change while it is
 * being sent.
 */
export interface ActiveNotification {
  /** With the default payload. */
  message: PushMessage;
  /** Undefined if every device gets the same. */
  perDevice: PerDevice | undefined;
  bundleId: string;
  filters: Filter[];
  /**
   * When it was planned. Relative dates in filters count from this moment, so that they are the same for every slice.
   */
  startedAt: Date;
  lane: 'direct' | 'bulk';
  /** Of a notification for other push tokens: why a device is left out, in SQL (`readDevicesWithToken`). */
  leftOut: RawBuilder<string | null> | undefined;
  /**
   * When the newest device that may be in it was registered, with microseconds; null: planned by an earlier release, or claimed
   * and not planned.
   */
  newestDevice: string | null;
  /** The most devices that it may be sent to; null: no limit. */
  maxRecipients: number | null;
  /** The frequency cap of its group. */
  cap: FrequencyCap | undefined;
  /** Whether it goes to a large share of its app's devices. */
  isBroad: boolean;
  /** Its waves, in their order; none if all devices are due at the same moment. */
  waves: readonly CutWave[];
  /** The snapshot of the statement that planned the waves; null without waves. */
  plannedIn: string | null;
}

/**
 * The share from which a notification is broad. Measured: devices of a filter that selects half of them are read a
 * third faster from `devices` than through the index.
 */
const BROAD_SHARE = 0.2;

/**
 * Postgres' own estimate of how many devices the app has, which costs nothing to read. Without statistics for the app,
 * it is the number of devices of all apps, so that the notification counts as narrow, which is the cheaper mistake. The table may be
 * partitioned; then each partition has statistics of its own.
 */
const devicesOfApp = sql`
  select sum(greatest(reltuples, 0) * coalesce((
    select common.share
    from pg_stats, unnest(most_common_vals::text::uuid[], most_common_freqs) as common (app_id, share)
    where schemaname = relnamespace::regnamespace::text and tablename = relname and attname = 'app_id'
      and not inherited and common.app_id = n.app_id
  ), 1))
  from (
    select 'device_targets'::regclass::oid
    union all
    select inhrelid from pg_inherits where inhparent = 'device_targets'::regclass
  ) as part (oid)
  join pg_class using (oid)
  where relkind = 'r' and (relispartition or oid = 'device_targets'::regclass)`;

/** @throws if the notification does not exist or has ended, which cannot happen while one of its slices is leased */
export async function readActiveNotification(
  db: Kysely<Database>,
  key: NotificationKey,
  tokenKeys: TokenKeys,
): Promise<ActiveNotification> {
  const row = await db
    .selectFrom('notifications as n')
    .innerJoin('apps', 'apps.id', 'n.app_id')
    .select([
      'n.id',
      'n.body',
      'n.encrypted_body',
      'n.created_at',
      'n.due_at',
      'n.started_at',
      'n.lane',
      'n.planned_in',
    ])
    .select(sql<string | null>`n.newest_device::text`.as('newest_device'))
    .select(['apps.bundle_id', 'apps.frequency_caps'])
    .select([...androidColumns, targetFilters.as('filters')])
    .select(sql<boolean>`n.devices >= ${BROAD_SHARE} * (${devicesOfApp})`.as('is_broad'))
    .where('n.app_id', '=', key.appId)
    .where('n.id', '=', key.notificationId)
    .executeTakeFirstOrThrow();
  const stored = { appId: key.appId, id: row.id, body: row.body, encryptedBody: row.encrypted_body };
  const content = await contentToSend(stored, tokenKeys);
  const message = messageFrom(row, content, androidSettingsOf(row));
  return {
    message,
    leftOut: leftOutOf(message, row.created_at),
    perDevice: perDeviceOf(content, row.id),
    cap: capOf(content, row.frequency_caps),
    newestDevice: row.newest_device,
    maxRecipients: sendingRulesFrom(content).maxRecipients,
    bundleId: row.bundle_id,
    filters: filtersOfAudience(row.filters),
    startedAt: row.started_at ?? row.due_at,
    lane: row.lane,
    isBroad: row.is_broad,
    waves: row.planned_in === null ? [] : await readWaves(db, key),
    plannedIn: row.planned_in,
  };
}

function capOf({ group }: NotificationContent, stored: unknown): FrequencyCap | undefined {
  return group === undefined ? undefined : capOfGroup(frequencyCapsOf(stored), group);
}
