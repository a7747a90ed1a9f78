/**
 * The statements that move a push token from device to device, and those on `retired_tokens`, which know a token again
 * when it comes back. A token that some device has is not in that table, and a device's row is locked before the rows
 * of its tokens.
 */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../apps/token-keys.ts';
import type { Database } from '../db/tables.ts';
import type { DeviceRow } from './store.ts';

/** Why a device lost a token, where no gateway said that it is dead. */
const REPLACED = 'replaced';

export interface TokenOfDevice {
  appId: string;
  deviceId: string;
  pushToken: string;
  tokenKey: TokenKey;
  now: Date;
}

/**
 * Makes way for a push token that a device is about to get, with that device locked, and the one that has the token.
 * Claims of one token wait for each other first: else a token that moves on meanwhile would have to be taken from a
 * third device, out of the order of ids. The token that the device has until now is remembered as its own.
 */
export async function claimPushToken(
  trx: Kysely<Database>,
  { appId, deviceId, pushToken, tokenKey, now }: TokenOfDevice,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${appId} ${pushToken}`}, 0))`.execute(trx);
  const locked = await trx
    .selectFrom('devices')
    .select(['id', 'push_token', 'push_token_type', 'token_registered_at'])
    .where('app_id', '=', appId)
    .where((eb) => eb.or([eb('id', '=', deviceId), eb('push_token', '=', pushToken)]))
    .orderBy('id')
    .forUpdate()
    .execute();
  const own = locked.find(({ id }) => id === deviceId);
  if (own?.push_token === pushToken) return;
  if (locked.some(({ id }) => id !== deviceId)) {
    await trx
      .updateTable('devices')
      .set({ push_token: null, token_registered_at: null })
      .where('app_id', '=', appId)
      .where('push_token', '=', pushToken)
      .where('id', '<>', deviceId)
      .execute();
  }
  await trx
    .deleteFrom('retired_tokens')
    .where('app_id', '=', appId)
    .where('token_hash', '=', tokenKey.hash(pushToken))
    .execute();
  if (own !== undefined) await remember(trx, { appId, tokenKey, now, device: own });
}

interface Remembered {
  appId: string;
  tokenKey: TokenKey;
  now: Date;
  device: Pick<DeviceRow, 'id' | 'push_token' | 'push_token_type' | 'token_registered_at'>;
}

/** Remembers the token of a device that is about to get another: by its hash, for only the token gives it back. */
async function remember(trx: Kysely<Database>, { appId, tokenKey, now, device }: Remembered): Promise<void> {
  if (device.push_token === null) return;
  const row = {
    device_id: device.id,
    reason: REPLACED,
    retired_at: now,
    presented_at: device.token_registered_at,
    push_token_type: device.push_token_type,
    encrypted_token: null,
  };
  await trx
    .insertInto('retired_tokens')
    .values({ app_id: appId, token_hash: tokenKey.hash(device.push_token), ...row })
    .onConflict((conflict) => conflict.columns(['app_id', 'token_hash']).doUpdateSet(row))
    .execute();
}
