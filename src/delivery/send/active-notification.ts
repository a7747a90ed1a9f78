import { type Kysely, sql } from 'kysely';
import { androidColumns, androidSettingsOf } from '../../apps/android-settings.ts';
import type { Filter } from '../../filters/filter.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Database } from '../../db/tables.ts';
import type { PushMessage, Route } from '../../gateways/gateway.ts';
import { messageFrom, parseContent } from '../../notifications/message.ts';
import type { NotificationKey } from '../slice-store.ts';

/** A notification as delivery needs it: what it says, and whom it is for. */
export interface ActiveNotification {
  message: PushMessage;
  bundleId: string;
  filters: Filter[];
  /** When it was planned: relative math-dates are evaluated at this moment, in every slice the same. */
  startedAt: Date;
  lane: 'direct' | 'bulk';
  /** It is for a good part of the devices of its app. */
  isBroad: boolean;
  /** Routes on which the credentials have been refused for it, with the gateway's reason. */
  refused: Partial<Record<Route, string>>;
}

/** What cannot change any more once a notification is being sent. */
export type FixedNotification = Omit<ActiveNotification, 'refused'>;

/** Measured: a filter that selects half is read a third quicker from the devices themselves. */
const BROAD_SHARE = 0.2;
/** A body may have a megabyte; and few broadcasts are under way at once. */
const KEPT_MAX = 32;

/** The notifications that a process is sending, each read once and kept while its slices follow one another. */
export class ActiveNotifications {
  /** The longest unused first. */
  readonly #kept = new Map<string, FixedNotification>();

  /** @throws where the row is gone, which a leased slice rules out */
  async read(db: Kysely<Database>, key: NotificationKey): Promise<FixedNotification> {
    const { notificationId } = key;
    const notification = this.#kept.get(notificationId) ?? (await readActiveNotification(db, key));
    this.#kept.delete(notificationId);
    this.#kept.set(notificationId, notification);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    return notification;
  }
}

/**
 * Postgres' own estimate of how many devices the app has, which costs nothing. Where it knows nothing of the app it is
 * that of all apps together, and errs to the side that costs less.
 */
const devicesOfApp = sql`
  select greatest(reltuples, 0) * coalesce((
    select common.share
    from pg_stats, unnest(most_common_vals::text::uuid[], most_common_freqs) as common (app_id, share)
    where schemaname = relnamespace::regnamespace::text and tablename = relname and attname = 'app_id'
      and not inherited and common.app_id = n.app_id
  ), 1)
  from pg_class where oid = 'device_targets'::regclass`;

async function readActiveNotification(
  db: Kysely<Database>,
  key: NotificationKey,
): Promise<FixedNotification> {
  const row = await db
    .selectFrom('notifications as n')
    .innerJoin('apps', 'apps.id', 'n.app_id')
    .innerJoin('audiences as a', (join) =>
      join.onRef('a.app_id', '=', 'n.app_id').onRef('a.id', '=', 'n.audience_id'),
    )
    .select(['n.id', 'n.body', 'n.due_at', 'n.started_at', 'n.lane', 'apps.bundle_id', 'a.filters'])
    .select(androidColumns)
    .select(sql<boolean>`n.devices >= ${BROAD_SHARE} * (${devicesOfApp})`.as('is_broad'))
    .where('n.app_id', '=', key.appId)
    .where('n.id', '=', key.notificationId)
    .executeTakeFirstOrThrow();
  return {
    message: messageFrom(row, parseContent(row.body), androidSettingsOf(row)),
    bundleId: row.bundle_id,
    filters: filtersOfAudience(row.filters),
    startedAt: row.started_at ?? row.due_at,
    lane: row.lane,
    isBroad: row.is_broad,
  };
}
