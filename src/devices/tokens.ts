/** Retires push tokens that a gateway has called dead. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

export interface DeadToken {
  appId: string;
  deviceId: string;
  /** The token that was sent to: the device may have another by now. */
  pushToken: string;
  /** Since when, where the gateway says so: a token presented after that lives again (APNs, status 410). */
  deadSince: Date | null;
}

/**
 * One statement for any number of tokens; it runs inside a transaction too. Devices are locked in the order
 * of their ids, as everywhere (see `store.ts`).
 * @returns how many were retired: not those that the device no longer has or has presented again since
 */
export async function retireTokens(db: Kysely<Database>, tokens: readonly DeadToken[]): Promise<number> {
  if (tokens.length === 0) return 0;
  const result = await sql`
    with dead as (
      select device.app_id, device.id
      from devices as device
      join unnest(
        ${tokens.map((token) => token.appId)}::uuid[],
        ${tokens.map((token) => token.deviceId)}::uuid[],
        ${tokens.map((token) => token.pushToken)}::text[],
        ${tokens.map((token) => token.deadSince)}::timestamptz[]
      ) as told (app_id, device_id, push_token, dead_since)
        on device.app_id = told.app_id
        and device.id = told.device_id
        and device.push_token = told.push_token
        and (told.dead_since is null or device.token_registered_at <= told.dead_since)
      order by device.app_id, device.id
      for update of device
    )
    update devices
    set push_token = null, token_registered_at = null
    from dead
    where devices.app_id = dead.app_id and devices.id = dead.id`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
