/** The statement of a registration, and how it finds a device by what else the app knows of it. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { attributesSet } from './custom-attributes.ts';
import { type DeviceChange, type DeviceRow, mergedCustom, type TokenState, withinLimit } from './store.ts';
import { columnsOfNewDevice, columnsOfKnownDevice } from './location-from-address.ts';

export interface Upsert {
  /** The device, if it becomes one. */
  key: Pick<DeviceRow, 'app_id' | 'id' | 'created_at'>;
  platform: DeviceRow['platform'];
  pushToken: string;
  tokenHash: Buffer;
  /** The id that the app says it was given. */
  saidId: string | undefined;
  change: DeviceChange;
}

/**
 * Inserts a device, or merges into the one of the app that has the push token: one statement, so that any number of
 * calls with one token at once end with one device.
 * @returns undefined, with nothing changed, where it is not that simple: the token was retired, the device that
 *   `saidId` names has another token or was erased, the platform differs, or there would be too many custom attributes
 * @throws a serialization failure where the token was retired meanwhile
 */
export async function upsertDevice(
  db: Kysely<Database>,
  { key, platform, pushToken, tokenHash, saidId, change }: Upsert,
): Promise<DeviceRow | undefined> {
  const { app_id: appId } = key;
  const { columns, custom, addressLocation = {} } = change;
  const said = Object.entries(columns).filter(([, value]) => value !== undefined);
  const inserted = [
    ...said,
    ...Object.entries(columnsOfNewDevice(addressLocation)),
    ...Object.entries({ ...key, platform, custom: stringifyJson(attributesSet(custom)) }),
  ];
  const merged = mergedCustom(custom);
  const updated = [
    ...said.map(([name]) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`),
    ...Object.entries(columnsOfKnownDevice(addressLocation)).map(
      ([name, value]) => sql`${sql.ref(name)} = ${value}`,
    ),
  ];
  const { rows } = await sql<DeviceRow>`
    insert into devices (${sql.join(inserted.map(([name]) => sql.ref(name)))})
    select ${sql.join(inserted.map(([, value]) => value))}
    where not exists (select from retired_tokens where app_id = ${appId} and token_hash = ${tokenHash})
      ${saidId === undefined ? sql`` : isNoOther(appId, saidId, pushToken)}
    on conflict (app_id, push_token) do update
    set ${sql.join(updated)}, custom = ${merged}
    where devices.platform = excluded.platform and ${withinLimit(merged)}
    returning devices.*,
      case when devices.id = ${key.id} then refuse_retired_token(${appId}, ${tokenHash}) end`.execute(db);
  return rows[0];
}

/** Of the id that an app says it was given: it is this token's device, or is unknown. */
function isNoOther(appId: string, id: string, pushToken: string) {
  return sql`
    and not exists (
      select from devices where app_id = ${appId} and id = ${id} and push_token is distinct from ${pushToken}
    )
    and not exists (select from erased_devices where app_id = ${appId} and id = ${id})`;
}

/** What an app tells of the device that it registers. */
export interface Hints {
  saidId: string | undefined;
  pushToken: string;
  tokenHash: Buffer;
  previous: { pushToken: string; tokenHash: Buffer } | undefined;
}

/** The device that they lead to, the first of: the id, the token, the one before it. Nothing is locked. */
export async function findDevice(
  db: Kysely<Database>,
  appId: string,
  { saidId, pushToken, tokenHash, previous }: Hints,
): Promise<TokenState | undefined> {
  const { rows } = await sql<TokenState>`
    with lead as (
      select ${saidId ?? null}::uuid as id, 1 as rank
      union all select id, 2 from devices where app_id = ${appId} and push_token = ${pushToken}
      union all select device_id, 3 from retired_tokens where app_id = ${appId} and token_hash = ${tokenHash}
      union all select id, 4 from devices where app_id = ${appId} and push_token = ${previous?.pushToken ?? null}
      union all
      select device_id, 5 from retired_tokens
      where app_id = ${appId} and token_hash = ${previous?.tokenHash ?? null}
    )
    select device.id, device.platform, device.push_token, device.development
    from lead join devices as device on device.app_id = ${appId} and device.id = lead.id
    order by lead.rank limit 1`.execute(db);
  return rows[0];
}
