/**
 * Merges lines of an import into devices that are known, by one statement, as registering each of them would, but leaves
 * a row alone where nothing differs. Devices are locked in the order of their ids, as everywhere (see `store.ts`).
 */
import { type Kysely, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Database, DevicesTable } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { changeFrom } from '../to-columns.ts';
import { attributesSet, CUSTOM_ATTRIBUTES_MAX } from '../custom-attributes.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import type { NumberedDevice } from './batch.ts';
import { readDeviceAgain } from './line.ts';
import type { Turns } from './turns.ts';

/** `raced`: there is no such device, or it is no longer as it was found; so the line must be stored again. */
export type MergeOutcome = 'updated' | 'unchanged' | 'too_many_attributes' | 'other_platform' | 'raced';

type AttributeColumn = Exclude<
  keyof Updateable<DevicesTable>,
  'app_id' | 'id' | 'push_token' | 'token_registered_at' | 'created_at' | 'registered_at' | 'custom'
>;

/** Every column that a line may speak of, with its type. */
const ATTRIBUTES: Readonly<Record<AttributeColumn, string>> = {
  platform: 'text',
  push_token_type: 'text',
  locale: 'text',
  time_zone: 'text',
  badge: 'integer',
  os_name: 'text',
  os_version: 'text',
  app_version: 'text',
  sdk_version: 'text',
  country: 'text',
  marketing_name: 'text',
  user_id: 'text',
  user_email: 'text',
  development: 'boolean',
  notifications_allowed: 'text',
  tags: 'text[]',
  latitude: 'double precision',
  longitude: 'double precision',
  sdk_latitude: 'double precision',
  sdk_longitude: 'double precision',
  country_from_address: 'boolean',
  location_from_address: 'boolean',
};
const columns = Object.keys(ATTRIBUTES);
const NEVER = new Date(0);

/** A piece of the statement for each column, such as `device.locale, device.time_zone`. */
function each(piece: (column: string) => string): RawBuilder<unknown> {
  return sql.raw(columns.map(piece).join(', '));
}

const declared = sql.raw(
  Object.entries(ATTRIBUTES)
    .map(([column, type]) => `${column} ${type}`)
    .join(', '),
);
/** The attributes of `device` after the line: what it names is set, what it clears is null, the rest stays. */
const merge = sql`cross join lateral (
  select
    ${each((column) => `case when '${column}' = any(said.cleared) then null else coalesce(said.${column}, device.${column}) end as ${column}`)},
    (case when 'custom' = any(said.cleared) then '{}' else device.custom end || said.custom)
      - coalesce(said.custom_removed, '{}') as custom
) as merged`;
const fits = sql`(select count(*) from jsonb_object_keys(merged.custom)) <= ${sql.lit(CUSTOM_ATTRIBUTES_MAX)}`;
/** A line with the very custom attributes that the device has changes none of them: those need not be merged to know it. */
const differs = sql`(
  (${each((column) => `merged.${column}`)}) is distinct from (${each((column) => `device.${column}`)})
  or (device.custom <> said.custom and merged.custom <> device.custom)
)`;

/**
 * @param devices in the order of their lines; no two of them with one push token
 * @returns what became of each, by position. A line over the limit of custom attributes,
 * or of another platform, changes nothing.
 */
export async function mergeDevices(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
  { now, turns }: { now: Date; turns: Turns },
): Promise<MergeOutcome[]> {
  await turns.whenFree();
  const said: string[] = [];
  for (const device of devices) {
    if (device.said === undefined) await turns.whenFree();
    said.push(device.said ?? saidBy(device.line, readDeviceAgain(device.bytes)));
  }
  const { rows } = await sql<{ outcome: MergeOutcome }>`
    with said as materialized (
      -- The app as a column and not as a constant, as where tokens are looked for (import-store.ts).
      select ${appId}::uuid as app_id, line.* from jsonb_to_recordset(${`[${said.join(',')}]`}::jsonb) as line (
        line integer, push_token text, ${declared},
        custom jsonb, custom_removed text[], cleared text[]
      )
    ), known as materialized (
      select said.line, device.id,
        case when said.platform <> device.platform then 'other_platform'
          when not ${differs} then 'unchanged' when not ${fits} then 'too_many_attributes' end as outcome
      from said
      join devices as device on device.app_id = said.app_id and device.push_token = said.push_token
      ${merge}
    ), locked as materialized (
      -- Judged again: another call may have changed the device while we waited for it.
      select said.line, device.app_id, device.id, merged.*
      from known
      join said using (line)
      join devices as device
        on device.app_id = said.app_id and device.id = known.id and device.push_token = said.push_token
      ${merge}
      where known.outcome is null and said.platform = device.platform and ${differs} and ${fits}
      order by device.id
      for update of device
    ), updated as (
      update devices
      set ${each((column) => `${column} = locked.${column}`)}, custom = locked.custom, registered_at = ${now}
      from locked
      where devices.app_id = locked.app_id and devices.id = locked.id
      returning locked.line
    )
    select case when updated.line is not null then 'updated' else coalesce(known.outcome, 'raced') end as outcome
    from said
    left join known using (line)
    left join updated using (line)
    order by said.line`.execute(db);
  return rows.map((row) => row.outcome);
}

/** What a line says, as JSON for the statement. Null is "not said": what is to be null is `cleared`. */
export function saidBy(line: number, registration: DeviceRegistration): string {
  const { columns: attributes, custom } = changeFrom(registration, registration.push_token, NEVER);
  const cleared = namesOfNull(attributes);
  if (custom === null) cleared.push('custom');
  const removed = namesOfNull(custom ?? {});
  return stringifyJson({
    ...attributes,
    // The statement has its own.
    registered_at: undefined,
    token_registered_at: undefined,
    platform: registration.platform,
    line,
    custom: attributesSet(custom),
    ...(removed.length > 0 && { custom_removed: removed }),
    ...(cleared.length > 0 && { cleared }),
  });
}

function namesOfNull(values: object): string[] {
  // As a rule there is none.
  if (!Object.values(values).includes(null)) return [];
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [name] : []));
}
