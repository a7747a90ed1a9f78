/**
 * The one statement of an import: it stores a batch of devices as registering each of them would, but leaves
 * a row alone where nothing differs. What is new is inserted in the order of push tokens, so that two imports
 * wait in a line; what is known is then locked in the order of ids, as everywhere (see `store.ts`).
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Database, DevicesTable } from '../db/tables.ts';
import { stringifyJson } from '../json.ts';
import { changeFrom } from './change.ts';
import { CUSTOM_ATTRIBUTES_MAX, type CustomChange } from './custom-attributes.ts';
import type { DeviceRegistration } from './device-schema.ts';

/** `raced`: another call got in between, so that this device must be stored again. */
export type ImportOutcome = 'imported' | 'updated' | 'unchanged' | 'too_many_attributes' | 'raced';

type AttributeColumn = Exclude<
  keyof Updateable<DevicesTable>,
  'app_id' | 'id' | 'push_token' | 'token_registered_at' | 'created_at' | 'registered_at' | 'custom'
>;

/** Every column that a line may speak of, with its type and what a device has that never told. */
const ATTRIBUTES: Readonly<Record<AttributeColumn, { type: string; otherwise: string }>> = {
  platform: { type: 'text', otherwise: 'null' },
  locale: { type: 'text', otherwise: 'null' },
  time_zone: { type: 'text', otherwise: 'null' },
  badge: { type: 'integer', otherwise: 'null' },
  os_name: { type: 'text', otherwise: 'null' },
  os_version: { type: 'text', otherwise: 'null' },
  app_version: { type: 'text', otherwise: 'null' },
  sdk_version: { type: 'text', otherwise: 'null' },
  country: { type: 'text', otherwise: 'null' },
  marketing_name: { type: 'text', otherwise: 'null' },
  user_id: { type: 'text', otherwise: 'null' },
  user_email: { type: 'text', otherwise: 'null' },
  development: { type: 'boolean', otherwise: 'false' },
  notifications_allowed: { type: 'text', otherwise: "'Unknown'" },
  tags: { type: 'text[]', otherwise: "'{}'" },
  latitude: { type: 'double precision', otherwise: 'null' },
  longitude: { type: 'double precision', otherwise: 'null' },
  sdk_latitude: { type: 'double precision', otherwise: 'null' },
  sdk_longitude: { type: 'double precision', otherwise: 'null' },
};
const columns = Object.keys(ATTRIBUTES);
const NEVER = new Date(0);

/** Odd, so that 256 steps meet every byte; and any few of them lie well apart. */
const STRIDE = 157;

/** A piece of the statement for each column, such as `device.locale, device.time_zone`. */
function each(piece: (column: string) => string): RawBuilder<unknown> {
  return sql.raw(columns.map(piece).join(', '));
}

const declared = sql.raw(
  Object.entries(ATTRIBUTES)
    .map(([column, { type }]) => `${column} ${type}`)
    .join(', '),
);
const inserted = sql.raw(
  Object.entries(ATTRIBUTES)
    .map(([column, { otherwise }]) => `coalesce(said.${column}, ${otherwise})`)
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
const differs = sql`
  (${each((column) => `merged.${column}`)}, merged.custom) is distinct from
  (${each((column) => `device.${column}`)}, device.custom)`;

/**
 * @param said by lines (`saidBy`), in their order; no two of them with one push token
 * @returns what became of each, by position. A line over the limit of custom attributes changes nothing.
 */
export async function storeDevices(
  db: Kysely<Database>,
  appId: string,
  said: readonly string[],
  now: Date,
): Promise<ImportOutcome[]> {
  const { rows } = await sql<{ outcome: ImportOutcome }>`
    with said as materialized (
      -- The app as a column and not as a constant: by the constant the planner judges an app that is newer than
      -- its statistics to have a single device, and reads all that it has instead of the index of tokens.
      select ${appId}::uuid as app_id, line.* from jsonb_to_recordset(${`[${said.join(',')}]`}::jsonb) as line (
        line integer, new_id uuid, push_token text, ${declared},
        custom jsonb, custom_removed text[], cleared text[]
      )
    ), inserted as (
      insert into devices (
        app_id, id, push_token, token_registered_at, created_at, registered_at, custom,
        ${each((column) => column)}
      )
      -- No app has presented the token here: whatever a gateway says of it is newer.
      select said.app_id, said.new_id, said.push_token, 'epoch', ${now}::timestamptz, ${now}::timestamptz,
        said.custom, ${inserted}
      from said
      order by said.push_token
      on conflict (app_id, push_token) do nothing
      returning id
    ), others as materialized (
      -- Materialized, so that nothing is looked for that is new: that would cost 7 µs a device.
      select * from said where not exists (select from inserted where inserted.id = said.new_id)
    ), known as materialized (
      select said.line, device.id, ${fits} as fits, ${differs} as differs
      from others as said
      join devices as device on device.app_id = said.app_id and device.push_token = said.push_token
      ${merge}
    ), locked as materialized (
      -- Judged again: another call may have changed the device while we waited for it.
      select said.line, device.app_id, device.id, merged.*
      from known
      join others as said using (line)
      join devices as device
        on device.app_id = said.app_id and device.id = known.id and device.push_token = said.push_token
      ${merge}
      where known.fits and known.differs and ${fits} and ${differs}
      order by device.id
      for update of device
    ), updated as (
      update devices
      set ${each((column) => `${column} = locked.${column}`)}, custom = locked.custom, registered_at = ${now}
      from locked
      where devices.app_id = locked.app_id and devices.id = locked.id
      returning locked.line
    )
    select case
      when inserted.id is not null then 'imported'
      when updated.line is not null then 'updated'
      when not known.fits then 'too_many_attributes'
      when not known.differs then 'unchanged'
      else 'raced'
    end as outcome
    from said
    left join known using (line)
    left join updated using (line)
    left join inserted on inserted.id = said.new_id
    order by said.line`.execute(db);
  return rows.map((row) => row.outcome);
}

/**
 * Ids for the new devices of a batch: random, but for two bytes. The first goes evenly over all ids, which deliveries
 * cut into ranges; the second is common to the batch. So a batch touches 256 places of each index that leads with ids
 * and not as many as it has devices: 5 µs a device less of Postgres' time.
 */
export function idsOfBatch(): (line: number) => string {
  const [start = 0, common = 0] = randomBytes(2);
  return (line) => {
    const first = (start + line * STRIDE) % 256;
    return `${hex(first)}${hex(common)}${randomUUID().slice(4)}`;
  };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/**
 * What a line says, as the statement reads it: JSON, and text at once, which is less to keep until its batch is stored
 * than the values. Null is "not said": what is to be null is `cleared`.
 * @param newId of the device, if it is new
 */
export function saidBy(registration: DeviceRegistration, line: number, newId: string): string {
  const { columns: attributes, custom } = changeFrom(registration, registration.push_token, NEVER);
  const set: CustomChange = {};
  const removed: string[] = [];
  for (const [name, attribute] of Object.entries(custom ?? {})) {
    if (attribute === null) removed.push(name);
    else set[name] = attribute;
  }
  const cleared = Object.entries(attributes).flatMap(([column, value]) => (value === null ? [column] : []));
  if (custom === null) cleared.push('custom');
  return stringifyJson({
    ...attributes,
    // The statement has its own.
    registered_at: undefined,
    token_registered_at: undefined,
    platform: registration.platform,
    line,
    new_id: newId,
    custom: set,
    ...(removed.length > 0 && { custom_removed: removed }),
    ...(cleared.length > 0 && { cleared }),
  });
}
