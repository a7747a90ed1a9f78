/** What an import does about push tokens that were retired: a line with one is of the device that had it. */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import type { NumberedDevice } from './batch.ts';
import type { Turns } from './turns.ts';

/** `taken_back`: its device has the token again, and `raced`: so it has, by another call. Else why the line is not stored. */
export type TakenBack = 'taken_back' | 'old_token' | 'other_platform' | 'raced';

/** No app has presented the token here: whatever a gateway says of it is newer. */
const NEVER = new Date(0);
/** Half a millisecond. */
const HASHED_AT_ONCE = 100;

interface Import {
  appId: string;
  tokenKey: TokenKey;
  turns: Turns;
}

/**
 * Gives tokens that were retired back to their devices, where these have no other: unlike an app, an import may hold
 * what is out of date. Devices are locked in the order of their ids.
 * @param devices no two of them with one push token, and none with one that a device has
 * @returns for those whose token was retired, by that token
 */
export async function takeBackTokens(
  db: Kysely<Database>,
  { appId, now, ...hashing }: Import & { now: Date },
  devices: readonly NumberedDevice[],
): Promise<ReadonlyMap<string, TakenBack>> {
  if (devices.length === 0 || !(await hasAnyRetired(db, appId))) return new Map();
  const hashes = await hashTokens(devices, hashing);
  const { rows } = await sql<{ token: string; outcome: TakenBack }>`
    with found as materialized (
      select told.token, told.hash, device.app_id, device.id, retired.push_token_type,
        device.platform = told.platform as fits, device.push_token
      from (
        -- The app as a column and not as a constant, as where tokens are looked for (import-store.ts).
        select ${appId}::uuid as app_id, *
        from unnest(
          ${devices.map(({ pushToken }) => pushToken)}::text[],
          ${hashes}::bytea[],
          ${devices.map(({ platform }) => platform)}::text[]
        ) as line (token, hash, platform)
        offset 0
      ) as told
      join retired_tokens as retired on retired.app_id = told.app_id and retired.token_hash = told.hash
      join devices as device on device.app_id = retired.app_id and device.id = retired.device_id
      order by device.id
      for update of device
    ), chosen as (
      select distinct on (id) * from found where fits and push_token is null order by id, token
    ), back as (
      update devices
      set push_token = chosen.token, push_token_type = chosen.push_token_type, token_registered_at = ${NEVER},
        registered_at = ${now}
      from chosen
      where devices.app_id = chosen.app_id and devices.id = chosen.id
    ), forgotten as (
      delete from retired_tokens using chosen
      where retired_tokens.app_id = chosen.app_id and retired_tokens.token_hash = chosen.hash
    )
    select found.token,
      case when chosen.token is not null then 'taken_back' when found.push_token = found.token then 'raced'
        when not found.fits then 'other_platform' else 'old_token' end as outcome
    from found left join chosen using (token)`.execute(db);
  return new Map(rows.map(({ token, outcome }) => [token, outcome]));
}

/**
 * Whether a token of these devices was retired. Asked after they were copied: a token that was being retired meanwhile
 * held the copy up until it was.
 */
export async function haveRetired(
  db: Kysely<Database>,
  { appId, ...hashing }: Import,
  devices: readonly NumberedDevice[],
): Promise<boolean> {
  if (!(await hasAnyRetired(db, appId))) return false;
  const hashes = await hashTokens(devices, hashing);
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (
        select ${appId}::uuid as app_id,
          unnest(${hashes}::bytea[]) as token_hash offset 0
      ) as told join retired_tokens using (app_id, token_hash)
    ) as found`.execute(db);
  return rows[0]?.found ?? false;
}

async function hashTokens(
  devices: readonly NumberedDevice[],
  { tokenKey, turns }: Omit<Import, 'appId'>,
): Promise<Buffer[]> {
  const hashes: Buffer[] = [];
  for (const [index, { pushToken }] of devices.entries()) {
    if (index % HASHED_AT_ONCE === 0) await turns.whenFree();
    hashes.push(tokenKey.hash(pushToken));
  }
  return hashes;
}

/** Nearly no app has when its devices are imported; then no token need be hashed, which takes Node 4 µs a line. */
async function hasAnyRetired(db: Kysely<Database>, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom('retired_tokens')
    .select('app_id')
    .where('app_id', '=', appId)
    // By the primary key: Postgres would look through the table for the first row of the app.
    .orderBy('app_id')
    .orderBy('token_hash')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
