/**
 * Push tokens of a device besides the one for alerts: for its Live Activities, widgets and other push types. The app
 * registers each under a name, and a notification is sent to the devices that have a token of that name.
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { invalidRequest } from '../../api/errors.ts';
import { type NamedToken, namedTokenTypes } from '../../gateways/apns/push-types.ts';
import { unstorableText } from '../../json/lossless.ts';
import { isWithin, parseBy } from '../../api/parse.ts';
import { timeText } from '../../api/reply.ts';
import { assertDeviceId, missingDevice, noSuchDevice } from '../device-errors.ts';
import { userToken } from '../device-schema.ts';
import { pushTokens } from '../push-token.ts';
import type { DeviceRow } from '../store.ts';
import { deleteNamedToken, storeNamedToken } from './named-token-store.ts';

/** An activity lasts for hours, so a device has few tokens; with more, the app probably never removes any. */
export const NAMED_TOKENS_MAX = 100;
const NAME_CHARACTERS_MAX = 255;

export const namedTokenBody = z
  .strictObject({
    push_token: pushTokens.iOS.describe('The token that iOS gave the app, in hexadecimal digits.'),
    user_token: userToken.describe('For the user of the device. Needed where the app demands it.').nullish(),
  })
  .meta({ id: 'RegisterDeviceToken' });

export const namedTokensReply = z
  .strictObject({
    tokens: z.array(
      z
        .strictObject({
          token_type: z.enum(namedTokenTypes),
          token_name: z.string(),
          registered_at: timeText.describe('When the app first sent the token.'),
        })
        .meta({ id: 'DeviceToken' }),
    ),
  })
  .meta({ id: 'DeviceTokens' });

/** @throws {ApiError} `invalid_request` */
export function parseNamedTokenBody(body: unknown): z.output<typeof namedTokenBody> {
  return parseBy(namedTokenBody, body);
}

/**
 * Stores the token under its type and name; another device that had the token loses it.
 * @param provenFor the user that the device must still have; undefined: any
 * @throws {ApiError} `not_found`, `device_erased`; `invalid_request` for an Android device, or one with too many tokens
 */
export async function registerNamedToken(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
  path: { token_type: string; token_name: string },
  pushToken: string,
  clock: Clock,
  provenFor?: Pick<DeviceRow, 'user_id' | 'user_email'>,
): Promise<void> {
  assertDeviceId(deviceId);
  const token = tokenAt(path);
  const row = { app_id: appId, device_id: deviceId, ...token, push_token: pushToken };
  const found = await storeNamedToken(db, row, { now: clock(), tokensMax: NAMED_TOKENS_MAX, provenFor });
  if (found === undefined) throw await missingDevice(db, appId, deviceId);
  if (found.platform !== 'iOS') {
    throw invalidRequest([{ path: 'token_type', message: 'is for iOS, and the device is Android' }]);
  }
  if (!found.isStored) {
    const message = `must leave the device with at most ${NAMED_TOKENS_MAX} tokens; remove unused ones`;
    throw invalidRequest([{ path: 'token_name', message }]);
  }
}

/** Removing a token that the device does not have also succeeds. @throws {ApiError} `not_found`, `device_erased` */
export async function removeNamedToken(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
  path: { token_type: string; token_name: string },
): Promise<void> {
  assertDeviceId(deviceId);
  const isKnown = await deleteNamedToken(db, { appId, deviceId }, tokenAt(path));
  if (!isKnown) throw await missingDevice(db, appId, deviceId);
}

/** @throws {ApiError} `not_found`, also for an erased device */
export async function listNamedTokens(
  db: Kysely<Database>,
  appId: string,
  deviceId: string,
): Promise<z.input<typeof namedTokensReply>> {
  assertDeviceId(deviceId);
  const rows = await db
    .selectFrom('devices as d')
    .leftJoin('named_tokens as t', (join) =>
      join.onRef('t.app_id', '=', 'd.app_id').onRef('t.device_id', '=', 'd.id'),
    )
    .select(['t.type', 't.name', 't.registered_at'])
    .where('d.app_id', '=', appId)
    .where('d.id', '=', deviceId)
    .orderBy('t.registered_at', 'desc')
    .execute();
  if (rows.length === 0) throw noSuchDevice();
  const tokens = rows.flatMap(({ type, name, registered_at: registeredAt }) => {
    const tokenType = namedTokenTypes.find((known) => known === type);
    if (tokenType === undefined || name === null || registeredAt === null) return [];
    return [{ token_type: tokenType, token_name: name, registered_at: registeredAt.toISOString() }];
  });
  return { tokens };
}

/** @throws {ApiError} `invalid_request` for an unknown type or an unusable name */
function tokenAt(path: { token_type: string; token_name: string }): NamedToken {
  const type = namedTokenTypes.find((known) => known === path.token_type);
  if (type === undefined) {
    const message = `must be one of ${namedTokenTypes.join(', ')}`;
    throw invalidRequest([{ path: 'token_type', message }]);
  }
  const { token_name: name } = path;
  if (!isWithin(name, 1, NAME_CHARACTERS_MAX) || unstorableText(name) !== undefined) {
    const message = `must be text of 1 to ${NAME_CHARACTERS_MAX} characters`;
    throw invalidRequest([{ path: 'token_name', message }]);
  }
  return { type, name };
}
