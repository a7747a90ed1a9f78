/** The statements of a registration: the upsert, and the search for the device by its id and tokens. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { attributesSet } from './custom-attributes.ts';
import { type DeviceChange, type DeviceRow, mergedCustom, type TokenState, withinLimit } from './store.ts';
import { columnsOfNewDevice, columnsOfKnownDevice } from './address/location-from-address.ts';

export interface Upsert {
  /** The key of the new device, if one is inserted. */
  key: Pick<DeviceRow, 'app_id' | 'id' | 'created_at'>;
  platform: DeviceRow['platform'];
  pushToken: string;
  tokenHash: Buffer;
  /** The id in the request, from an earlier registration. */
  hintedId: string | undefined;
  change: DeviceChange;
}

/**
 * Inserts a device, or updates the app's device that has the push token. It is one statement, so that concurrent calls
 * with the same token create only one device.
 * @returns undefined, with nothing changed, if the token is a retired one, the device of `hintedId` has another token
 *   or was erased, the platform differs, or there would be too many custom attributes
 * @throws a serialization failure if the token was retired while the statement ran
 */
export async function upsertDevice(
  db: Kysely<Database>,
  { key, platform, pushToken, tokenHash, hintedId, change }: Upsert,
): Promise<DeviceRow | undefined> {
  const { app_id: appId } = key;
  const { columns, custom, addressLocation = {} } = change;
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  const inserted = [
    ...given,
    ...Object.entries(columnsOfNewDevice(addressLocation)),
    ...Object.entries({ ...key, platform, custom: stringifyJson(attributesSet(custom)) }),
  ];
  const merged = mergedCustom(custom);
  const updated = [
    ...given.map(([name]) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`),
    ...Object.entries(columnsOfKnownDevice(addressLocation)).map(
      ([name, value]) => sql`${sql.ref(name)} = ${value}`,
    ),
  ];
  const { rows } = await sql<DeviceRow>`
    insert into devices (${sql.join(inserted.map(([name]) => sql.ref(name)))})
    select ${sql.join(inserted.map(([, value]) => value))}
    where not exists (select from retired_tokens where app_id = ${appId} and token_hash = ${tokenHash})
      ${hintedId === undefined ? sql`` : isNoOther(appId, hintedId, pushToken)}
    on conflict (app_id, push_token) do update
    set ${sql.join(updated)}, custom = ${merged}
    where devices.platform = excluded.platform and ${withinLimit(merged)}
    returning devices.*,
      case when devices.id = ${key.id} then refuse_retired_token(${appId}, ${tokenHash}) end`.execute(db);
  return rows[0];
}

/** SQL condition: the id belongs to no device, or to the device with this token. */
function isNoOther(appId: string, id: string, pushToken: string) {
  return sql`
    and not exists (
      select from devices where app_id = ${appId} and id = ${id} and push_token is distinct from ${pushToken}
    )
    and not exists (select from erased_devices where app_id = ${appId} and id = ${id})`;
}

/** Ways to identify the device of a registration. */
export interface Hints {
  hintedId: string | undefined;
  pushToken: string;
  tokenHash: Buffer;
  previous: { pushToken: string; tokenHash: Buffer } | undefined;
}

/** Finds the device by its id, otherwise by its token, otherwise by its previous token. Locks nothing. */
export async function findDevice(
  db: Kysely<Database>,
  appId: string,
  { hintedId, pushToken, tokenHash, previous }: Hints,
): Promise<TokenState | undefined> {
  const { rows } = await sql<TokenState>`
    with lead as (
      select ${hintedId ?? null}::uuid as id, 1 as rank
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
