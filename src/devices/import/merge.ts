/**
 * Merges lines of an import into known devices: makes an item per line and runs the statement. The result is the same
 * as registering each line, except that a row without changes is not written. Devices are locked in id order (see
 * `../store.ts`).
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { eachAttribute, namesUser, toColumns } from '../to-columns.ts';
import { attributesSet, CUSTOM_ATTRIBUTES_MAX } from '../custom-attributes.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import { NEVER } from './copy.ts';

/** `conflict`: the device does not exist, or was changed meanwhile, so the line must be stored again. */
export type MergeOutcome = 'updated' | 'unchanged' | 'too_many_attributes' | 'other_platform' | 'conflict';

/** Like `eachAttribute`, with the quiet hours, which registrations store by a statement of their own. */
function eachColumn(piece: (column: string, type: string) => string): RawBuilder<unknown> {
  return sql`${eachAttribute(piece)}, ${sql.raw(piece('quiet_hours', 'jsonb'))}`;
}

/** A user that was verified before stays so since then; another one is since the time of the import. */
const verifiedAt = `case when item.user_verified_at is null
  or device.user_verified_at is not null
    and (${mergedColumn('user_id')}) is not distinct from device.user_id
    and (${mergedColumn('user_email')}) is not distinct from device.user_email
  then device.user_verified_at else item.stored_at end`;

/**
 * The attributes of `device` after the merge: given attributes are set, cleared ones become null, and the others stay.
 */
const merge = sql`cross join lateral (
  select
    ${eachColumn((column) => `${column === 'user_verified_at' ? verifiedAt : mergedColumn(column)} as ${column}`)},
    (case when 'custom' = any(item.cleared) then '{}' else device.custom end || item.custom)
      - coalesce(item.custom_removed, '{}') as custom
) as merged`;
const fits = sql`(select count(*) from jsonb_object_keys(merged.custom)) <= ${sql.lit(CUSTOM_ATTRIBUTES_MAX)}`;
/** Custom attributes that the device already has are not merged, to save time. */
const differs = sql`(
  (${eachColumn((column) => `merged.${column}`)}) is distinct from (${eachColumn((column) => `device.${column}`)})
  or (device.custom <> item.custom and merged.custom <> device.custom)
)`;

/**
 * @param items from `mergeItem`, in line order, with different push tokens
 * @returns an outcome for each item, by position. A line changes nothing if its platform differs or if the device would
 *   have too many custom attributes.
 */
export async function mergeDevices(
  db: Kysely<Database>,
  appId: string,
  items: readonly string[],
  now: Date,
): Promise<MergeOutcome[]> {
  const { rows } = await sql<{ outcome: MergeOutcome }>`
    with item as materialized (
      -- The app as a column and not as a constant: see findTokens in store.ts.
      select ${appId}::uuid as app_id, ${now}::timestamptz as stored_at, line.* from jsonb_to_recordset(${`[${items.join(',')}]`}::jsonb) as line (
        line integer, push_token text, ${eachColumn((column, type) => `${column} ${type}`)},
        custom jsonb, custom_removed text[], cleared text[]
      )
    ), known as materialized (
      select item.line, device.id,
        case when item.platform <> device.platform then 'other_platform'
          when not ${differs} then 'unchanged' when not ${fits} then 'too_many_attributes' end as outcome
      from item
      join devices as device on device.app_id = item.app_id and device.push_token = item.push_token
      ${merge}
    ), locked as materialized (
      -- Compares again: another call may have changed the device while we waited for its lock.
      select item.line, device.app_id, device.id, merged.*
      from known
      join item using (line)
      join devices as device
        on device.app_id = item.app_id and device.id = known.id and device.push_token = item.push_token
      ${merge}
      where known.outcome is null and item.platform = device.platform and ${differs} and ${fits}
      order by device.id
      for update of device
    ), updated as (
      update devices
      set ${eachColumn((column) => `${column} = locked.${column}`)}, custom = locked.custom, registered_at = ${now}
      from locked
      where devices.app_id = locked.app_id and devices.id = locked.id
      returning locked.line
    )
    select case when updated.line is not null then 'updated' else coalesce(known.outcome, 'conflict') end as outcome
    from item
    left join known using (line)
    left join updated using (line)
    order by item.line`.execute(db);
  return rows.map((row) => row.outcome);
}

/**
 * A line as JSON for the statement. Attributes that are null there stay; `cleared` names the attributes that become
 * null.
 */
export function mergeItem(line: number, registration: DeviceRegistration): string {
  const isUserVerified = namesUser(registration); // the statement has the time
  const { columns, custom } = toColumns(registration, registration.push_token, NEVER, isUserVerified);
  const cleared = namesOfNull(columns);
  if (custom === null) cleared.push('custom');
  const removed = namesOfNull(custom ?? {});
  return stringifyJson({
    ...columns,
    // The statement sets them.
    registered_at: undefined,
    token_registered_at: undefined,
    platform: registration.platform,
    line,
    custom: attributesSet(custom),
    ...(removed.length > 0 && { custom_removed: removed }),
    ...(cleared.length > 0 && { cleared }),
  });
}

function mergedColumn(column: string): string {
  return `case when '${column}' = any(item.cleared) then null else coalesce(item.${column}, device.${column}) end`;
}

function namesOfNull(values: object): string[] {
  // Usually there are none.
  if (!Object.values(values).includes(null)) return [];
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [name] : []));
}
