/**
 * The statements that move a push token from device to device, and those on `retired_tokens`, which know a token again
 * when it comes back. A token that some device has is not in that table, and a device's row is locked before the rows
 * of its tokens.
 */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import type { DeviceRow } from '../store.ts';

/** Why a device lost a token, where no gateway said that it is dead. */
const REPLACED = 'replaced';
/** What Apple says of a token of its other environment (and of one that is none). */
const OF_ANOTHER_ENVIRONMENT = 'BadDeviceToken';

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

/** A token that is a device's again. */
export interface RestoredToken {
  pushToken: string;
  pushTokenType: DeviceRow['push_token_type'];
  presentedAt: Date | null;
}

/**
 * Takes up again the token that a device without one has set aside: Apple did not know it in the environment that the
 * device was in, and `development` is about to change. The device is locked, and is to get the token.
 * @param development as it shall be
 * @returns undefined where there is none, or the environment stays
 */
export async function restoreSetAsideToken(
  trx: Kysely<Database>,
  { appId, deviceId, tokenKey }: Omit<TokenOfDevice, 'pushToken' | 'now'>,
  development: boolean,
): Promise<RestoredToken | undefined> {
  const device = await trx
    .selectFrom('devices')
    .select(['push_token', 'development'])
    .where('app_id', '=', appId)
    .where('id', '=', deviceId)
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
  // A process of a release that knew no retired tokens has made a device of it.
  if (holder !== undefined) return undefined;
  await trx
    .deleteFrom('retired_tokens')
    .where('app_id', '=', appId)
    .where('token_hash', '=', aside.token_hash)
    .execute();
  return {
    pushToken,
    pushTokenType: aside.push_token_type,
    presentedAt: aside.presented_at,
  };
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
