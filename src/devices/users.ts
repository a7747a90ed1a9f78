/** Changes the attributes of a user, which are stored on each of the user's devices. */
import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError, invalidRequest } from '../api/errors.ts';
import { unstorableText } from '../json/lossless.ts';
import { customChange } from './custom-attributes.ts';
import { parseBy } from '../api/parse.ts';
import { count } from '../api/reply.ts';
import { tooManyAttributes } from './device-errors.ts';
import { updateCustom } from './store.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * A person has a few devices. More than this usually means that devices share an id by mistake (`guest`), and one call
 * must not change all devices of an app.
 */
const DEVICES_MAX = 1000;

export const userBody = z
  .strictObject({
    user: z.strictObject({ custom: customChange }).meta({ id: 'UserUpdate' }),
  })
  .meta({ id: 'UpdateUser' });

export const userReply = z
  .strictObject({
    devices: count.describe('The number of devices that the user has.'),
  })
  .meta({ id: 'UserDevices' });

export type UserUpdate = z.output<typeof userBody>['user'];

/**
 * `{"user": {"custom": {"<name>": {"type", "value"} or null}}}`
 * @throws {ApiError} `invalid_request`, at paths such as `user.custom.plan.value`
 */
export function parseUserBody(body: unknown): UserUpdate {
  return parseBy(userBody, body).user;
}

/**
 * Merges the custom attributes into every device that the user has now, in one transaction.
 * @throws {ApiError} `not_found` if no device has that user, `invalid_request` if one of the devices would
 * have too many attributes
 */
export async function updateUser(
  db: Kysely<Database>,
  appId: string,
  userId: string,
  { custom }: UserUpdate,
  clock: Clock,
): Promise<z.output<typeof userReply>> {
  return retryOnConflict(db, async (trx) => {
    const ids = await lockDevicesOf(trx, appId, userId, 'update');
    const updated = await updateCustom(trx, appId, ids, custom, clock());
    if (updated < ids.length) throw invalidRequest([tooManyAttributes('user.custom')]);
    return { devices: updated };
  });
}

/**
 * Locks the user's devices against any change, or (`share`) only against erasure.
 * @returns their ids
 * @throws {ApiError} `not_found` if the user has no device, `invalid_request` for more than 1,000
 */
export async function lockDevicesOf(
  trx: Transaction<Database>,
  appId: string,
  userId: string,
  strength: 'update' | 'share',
): Promise<string[]> {
  if (unstorableText(userId) !== undefined) throw userNotFound();
  const devices = trx
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(DEVICES_MAX + 1);
  const rows = await (strength === 'update' ? devices.forUpdate() : devices.forKeyShare()).execute();
  if (rows.length === 0) throw userNotFound();
  if (rows.length > DEVICES_MAX) {
    const message = `has more than ${DEVICES_MAX} devices; address the devices one by one`;
    throw invalidRequest([{ path: 'user_id', message }]);
  }
  return rows.map(({ id }) => id);
}

/** A user exists only through its devices. */
function userNotFound(): ApiError {
  return new ApiError('not_found', {
    message: 'The user does not exist: no device of the app has that user_id.',
  });
}
