/** The statements that many registrations share. Each stores what it can, and leaves the other lines to their own transactions. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { fewRows, listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database, DeviceEventsTable } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { declaredAttributes, eachAttribute } from '../to-columns.ts';
import type { DeviceRow } from '../store.ts';

/** Identifies a push token in one app. */
export interface TokenOfApp {
  appId: string;
  pushToken: string;
}

/** A device of the app. */
export interface KnownDevice {
  row: DeviceRow;
  /** The transaction that wrote the row: while it is the same, all values are too. */
  version: string;
  events: readonly Selectable<DeviceEventsTable>[];
}

/**
 * @param tokens each of them once
 * @returns the device that has the token, for each in order; undefined if no device of the app has it
 */
export async function readKnown(
  db: Kysely<Database>,
  tokens: readonly TokenOfApp[],
): Promise<(KnownDevice | undefined)[]> {
  // A subquery looks up each device by its key: the planner does not see their number, and a join could keep a plan
  // that reads the whole table, from when it was small.
  const { rows } = await sql<DeviceRow & { version: string }>`${preparedAs('read_known_devices')}
    select device.*
    from unnest(
        (select ${tokens.map(({ appId }) => appId)}::uuid[]), (select ${tokens.map(({ pushToken }) => pushToken)}::text[])
      ) as line (app_id, push_token)
    cross join lateral (
      select devices.*, devices.xmin::text as version from devices
      where devices.app_id = line.app_id and devices.push_token = line.push_token
      offset 0
    ) as device`.execute(db);
  const eventsById = await readEventsById(db, rows);
  const known = new Map<string, KnownDevice>();
  for (const { version, ...row } of rows) {
    const events = eventsById.get(row.id) ?? [];
    known.set(keyOf({ appId: row.app_id, pushToken: row.push_token ?? '' }), { row, version, events });
  }
  return tokens.map((token) => known.get(keyOf(token)));
}

async function readEventsById(
  db: Kysely<Database>,
  devices: readonly Pick<DeviceRow, 'app_id' | 'id'>[],
): Promise<Map<string, Selectable<DeviceEventsTable>[]>> {
  if (devices.length === 0) return new Map();
  const appIds = devices.map((device) => device.app_id);
  const ids = devices.map(({ id }) => id);
  const { rows } = await sql<Selectable<DeviceEventsTable>>`${preparedAs('read_events_of_devices')}
    select event.*
    from unnest(${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}) as device (app_id, id)
    cross join lateral (
      select * from device_events where device_events.app_id = device.app_id and device_id = device.id offset 0
    ) as event`.execute(db);
  return Map.groupBy(rows, (event) => event.device_id);
}

export function keyOf({ appId, pushToken }: TokenOfApp): string {
  return `${appId} ${pushToken}`;
}

const columns = eachAttribute((column) => column);
const setColumns = eachAttribute((column) => `${column} = locked.${column}`);

/** A device to insert. */
export interface NewLine {
  row: DeviceRow;
  tokenHash: Buffer;
}

/**
 * Inserts devices. They are sorted by token, so that two processes that insert the same tokens do not deadlock.
 * @returns for each device, in order, whether it was inserted; it is not if a device of the app has the token by now, or had
 *   it last
 * @throws a serialization failure if one of the tokens was retired while the statement ran
 */
export async function insertDevices(db: Kysely<Database>, lines: readonly NewLine[]): Promise<boolean[]> {
  const json = stringifyJson(
    lines.map(({ row, tokenHash }) => ({ ...row, token_hash: `\\x${tokenHash.toString('hex')}` })),
  );
  const { rows } = await sql<{ id: string }>`${preparedAs('insert_devices')}
    with line as materialized (
      select * from json_to_recordset(${json}) as line (
        app_id uuid, id uuid, push_token text, token_hash bytea, created_at timestamptz, ${declaredAttributes}, custom jsonb
      )
    ), inserted as (
      insert into devices (
        app_id, id, push_token, created_at, registered_at, token_registered_at, ${columns}, custom
      )
      select app_id, id, push_token, created_at, created_at, created_at, ${columns}, custom
      from line
      where (
        select true from retired_tokens as retired
        where retired.app_id = line.app_id and retired.token_hash = line.token_hash
      ) is null
      order by app_id, push_token collate "C"
      on conflict (app_id, push_token) do nothing
      returning app_id, id
    )
    select id, refuse_retired_token(app_id, token_hash) from inserted join line using (app_id, id)`.execute(
    db,
  );
  return areIn(rows, lines);
}

/** A device to update. */
export interface ChangedLine {
  row: DeviceRow;
  /** The version of the row that was read. */
  version: string;
  changesCustom: boolean;
}

/**
 * Updates devices whose rows have not changed since they were read. A device that another call has locked is left out, so
 * the statement waits for none, and cannot deadlock.
 * @returns for each device, in order, whether it was updated
 */
export async function updateDevices(db: Kysely<Database>, lines: readonly ChangedLine[]): Promise<boolean[]> {
  const json = stringifyJson(
    lines.map(({ row, version, changesCustom }) => ({
      ...row,
      version,
      custom: changesCustom ? row.custom : undefined,
    })),
  );
  const { rows } = await sql<{ id: string }>`${preparedAs('update_registered_devices')}
    with line as materialized (
      select * from rows from (json_to_recordset(${json}) as (
        app_id uuid, id uuid, version xid, registered_at timestamptz, ${declaredAttributes}, custom jsonb
      )) with ordinality as line (
        app_id, id, version, registered_at, ${columns}, custom, position
      )
      where ${fewRows}
    ), locked as materialized (
      select line.*
      from line join devices as device using (app_id, id)
      where device.xmin = line.version
      order by device.app_id, device.id
      for no key update of device skip locked
    )
    update devices
    set registered_at = locked.registered_at, token_registered_at = locked.registered_at,
      ${setColumns}, custom = coalesce(locked.custom, devices.custom)
    from locked
    where devices.app_id = locked.app_id and devices.id = locked.id
    returning devices.id`.execute(db);
  return areIn(rows, lines);
}

function areIn(stored: readonly { id: string }[], lines: readonly { row: DeviceRow }[]): boolean[] {
  const ids = new Set(stored.map(({ id }) => id));
  return lines.map(({ row }) => ids.has(row.id));
}
