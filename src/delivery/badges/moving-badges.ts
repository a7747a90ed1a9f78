/** Moves the badges that are kept for devices (docs/decisions/0041). */
import { sql } from 'kysely';
import { fewRows, listParameter } from '../../db/prepared.ts';
import { BADGE_MAX, type BadgeChange } from '../../gateways/gateway.ts';

/** A device whose kept badge is to follow the push that it was sent. */
export interface MovedBadge {
  deviceId: string;
  change: BadgeChange;
}

interface Moved extends MovedBadge {
  appId: string;
  /** The number of the slice, or the id of the notification, that it is saved with. */
  of: string | number;
}

/** The common table expression of the saving statement, and the column in it that holds `of`. */
const saving = {
  slice: { table: sql`slice`, column: sql`number`, type: 'int' },
  parts: { table: sql`added`, column: sql`number`, type: 'int' },
  claims: { table: sql`ended`, column: sql`id`, type: 'uuid' },
} as const;

/**
 * Moves badges in the statement that saves the outcomes of their pushes, so that each push counts once, however often
 * the statement is repeated. Steps are added to the current badge, so two pushes to a device at once count as two.
 * Devices are locked in the order of their ids, by all such statements. Setting a badge to its current value costs no
 * write.
 */
export function movingBadges(moved: readonly Moved[], saved: keyof typeof saving) {
  if (moved.length === 0) return { expressions: sql``, comeFirst: sql`true`, suffix: '' };
  const { table, column, type } = saving[saved];
  const appIds = moved.map(({ appId }) => appId);
  const deviceIds = moved.map(({ deviceId }) => deviceId);
  const of = moved.map((one) => one.of);
  const badges = moved.map(({ change }) => ('to' in change ? change.to : null));
  const steps = moved.map(({ change }) => ('by' in change ? change.by : 0));
  const expressions = sql`, wanted as materialized (
      select change.app_id, change.id, max(change.badge) as badge, sum(change.step) as step
      from unnest(
        ${listParameter(appIds, 'uuid')}, ${listParameter(deviceIds, 'uuid')}, ${listParameter(of, type)},
        ${listParameter(badges, 'int')}, ${listParameter(steps, 'int')}
      ) with ordinality as change (app_id, id, saved_with, badge, step, position)
      where ${fewRows} and change.saved_with in (select ${column} from ${table})
      group by change.app_id, change.id
    ), kept as materialized (
      select d.app_id, d.id,
        least(greatest(coalesce(wanted.badge, d.kept_badge, d.badge, 0) + wanted.step, 0), ${sql.lit(BADGE_MAX)})::int as badge
      from wanted join devices as d on d.app_id = wanted.app_id and d.id = wanted.id
      where wanted.step <> 0 or wanted.badge <> coalesce(d.kept_badge, d.badge, 0)
      order by d.app_id, d.id
      for no key update of d
    ), moved as (
      update devices as d set kept_badge = kept.badge
      from kept
      where d.app_id = kept.app_id and d.id = kept.id
      returning d.id
    )`;
  // The badges come before the notification's counters, whose lock all its slices wait for.
  return { expressions, comeFirst: sql`(select count(*) from moved) >= 0`, suffix: '_and_badges' };
}
