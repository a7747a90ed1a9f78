/** Handles retired push tokens in an import: a line with such a token belongs to the device that had it. */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import type { EventLoopShare } from '../../scheduling/event-loop-share.ts';
import { NEVER } from './copy.ts';
import type { DeviceLine } from './device-line.ts';

/**
 * `taken_back`: the device has the token again; `conflict`: another call gave it back meanwhile. The others are reasons
 * to reject the line.
 */
export type TakenBack = 'taken_back' | 'old_token' | 'other_platform' | 'conflict';

/** This many hashes take half a millisecond. */
const HASHES_PER_STEP = 100;

/**
 * Gives retired tokens back to their devices. A device that has another token keeps it: unlike an app, an import may be
 * out of date. Locks the devices in id order.
 * @param lines with different push tokens, none of which belongs to a device
 * @returns an outcome for each retired token
 */
export async function takeBackTokens(
  db: Kysely<Database>,
  { appId, tokenKey, share, now }: { appId: string; tokenKey: TokenKey; share: EventLoopShare; now: Date },
  lines: readonly DeviceLine[],
): Promise<ReadonlyMap<string, TakenBack>> {
  if (lines.length === 0 || !(await hasAnyRetired(db, appId))) return new Map();
  const registrations = lines.map(({ registration }) => registration);
  const hashes: Buffer[] = [];
  for (const [index, { push_token: pushToken }] of registrations.entries()) {
    if (index % HASHES_PER_STEP === 0) await share.whenFree();
    hashes.push(tokenKey.hash(pushToken));
  }
  const { rows } = await sql<{ token: string; outcome: TakenBack }>`
    with found as materialized (
      select line.token, line.hash, device.app_id, device.id, retired.push_token_type,
        device.platform = line.platform as fits, device.push_token
      from (
        -- The app as a column and not as a constant: see findTokens in store.ts.
        select ${appId}::uuid as app_id, *
        from unnest(
          ${registrations.map((registration) => registration.push_token)}::text[],
          ${hashes}::bytea[],
          ${registrations.map(({ platform }) => platform)}::text[]
        ) as item (token, hash, platform)
        offset 0
      ) as line
      join retired_tokens as retired on retired.app_id = line.app_id and retired.token_hash = line.hash
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
      case when chosen.token is not null then 'taken_back' when found.push_token = found.token then 'conflict'
        when not found.fits then 'other_platform' else 'old_token' end as outcome
    from found left join chosen using (token)`.execute(db);
  return new Map(rows.map(({ token, outcome }) => [token, outcome]));
}

/** Most apps have no retired tokens when they import devices. Then no token is hashed, which saves 4 µs per line. */
async function hasAnyRetired(db: Kysely<Database>, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom('retired_tokens')
    .select('app_id')
    .where('app_id', '=', appId)
    // The order makes Postgres use the primary key; without it, Postgres scans the table for a row of the app.
    .orderBy('app_id')
    .orderBy('token_hash')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
