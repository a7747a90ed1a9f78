/**
 * The statements that move a push token from device to device and maintain `retired_tokens`, by which a token is
 * recognised when it returns. That table never holds a token that a device has. A device's row is locked before the
 * rows of its tokens.
 */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import { type DeviceRow, selectDevice } from '../store.ts';

/** The stored reason if the device replaced its token, and no gateway reported it dead. */
export const REPLACED = 'replaced';
/** Apple's reason for a token of the other environment (and for a malformed token). */
export const OF_ANOTHER_ENVIRONMENT = 'BadDeviceToken';

interface TokenOfDevice {
  appId: string;
  deviceId: string;
  pushToken: string;
  tokenKey: TokenKey;
  now: Date;
}

/**
 * Takes a push token from the device that has it, so that `deviceId` can get it, and locks both devices. Under an
 * advisory lock, concurrent calls that take one token run one after the other. Without it, the token could move to a third
 * device meanwhile, which could no longer be locked in id order. The previous token of `deviceId` is stored in
 * `retired_tokens`.
 */
export async function takePushToken(
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
  if (own !== undefined) await remember(trx, { appId, tokenKey, now }, own);
}

/**
 * Finds the token that was set aside because Apple did not know it in the device's environment, and removes it from
 * `retired_tokens`. Locks the device; the caller stores the token in it.
 * @param development the new value
 * @returns its columns; undefined if no token was set aside, the device has one, another device has it, or
 *   the environment stays
 */
export async function restoreSetAsideToken(
  trx: Kysely<Database>,
  { appId, deviceId, tokenKey }: Omit<TokenOfDevice, 'pushToken' | 'now'>,
  development: boolean,
): Promise<Pick<DeviceRow, 'push_token' | 'push_token_type' | 'token_registered_at'> | undefined> {
  const device = await selectDevice(trx, appId, deviceId)
    .select(['push_token', 'development'])
    .forUpdate()
    .executeTakeFirst();
  if (device === undefined || device.push_token !== null || device.development === development) {
    return undefined;
  }
  const aside = await trx
    .selectFrom('retired_tokens')
    .select(['token_hash', 'encrypted_token', 'push_token_type', 'presented_at'])
    .where('app_id', '=', appId)
    .where('device_id', '=', deviceId)
    .where('reason', '=', OF_ANOTHER_ENVIRONMENT)
    .where('encrypted_token', 'is not', null)
    .orderBy('retired_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (aside === undefined || aside.encrypted_token === null) return undefined;
  const pushToken = tokenKey.decrypt(aside.encrypted_token);
  const holder = await trx
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where('push_token', '=', pushToken)
    .executeTakeFirst();
  // Another device has registered the token since.
  if (holder !== undefined) return undefined;
  await trx
    .deleteFrom('retired_tokens')
    .where('app_id', '=', appId)
    .where('token_hash', '=', aside.token_hash)
    .execute();
  const { push_token_type, presented_at } = aside;
  return { push_token: pushToken, push_token_type, token_registered_at: presented_at };
}

/** Stores the hash of the token that a device is about to replace: the device gets it back only by presenting it. */
async function remember(
  trx: Kysely<Database>,
  { appId, tokenKey, now }: Pick<TokenOfDevice, 'appId' | 'tokenKey' | 'now'>,
  device: Pick<DeviceRow, 'id' | 'push_token' | 'push_token_type' | 'token_registered_at'>,
): Promise<void> {
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
