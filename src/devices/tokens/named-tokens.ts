/**
 * Push tokens of a device besides the one for alerts: for its Live Activities, widgets and other push types. The app
 * registers each under a name, and a notification is sent to the devices that have a token of that name.
 */
import { type Insertable, type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database, DevicesTable } from '../../db/tables.ts';
import { invalidRequest } from '../../api/errors.ts';
import { type NamedToken, namedTokenTypes } from '../../gateways/apns/push-types.ts';
import { unstorableText } from '../../json/lossless.ts';
import { isWithin, parseBy } from '../../api/parse.ts';
import { timeText } from '../../api/reply.ts';
import { assertDeviceId, missingDevice, noSuchDevice } from '../device-errors.ts';
import { userToken } from '../device-schema.ts';
import { pushTokens } from '../push-token.ts';
import type { DeviceRow } from '../store.ts';
import type { DeadToken } from './retire-store.ts';

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
  provenFor?: UserOfDevice,
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

/** A token that is sent again within this time is not written again. */
const PRESENTED_EVERY = sql`interval '1 hour'`;

type UserOfDevice = Pick<DeviceRow, 'user_id' | 'user_email'>;
type Token = Omit<Insertable<Database['named_tokens']>, 'registered_at' | 'presented_at'>;

/**
 * Stores a token of an iOS device, if the device has fewer than `tokensMax` others. A token that the device has already keeps
 * the time of its first registration.
 * @param limits `provenFor`: the user that the device must still have
 * @returns undefined if the app does not have the device, or it has another user by now
 */
async function storeNamedToken(
  db: Kysely<Database>,
  { app_id: appId, device_id: deviceId, type, name, push_token: pushToken }: Token,
  { now, tokensMax, provenFor }: { now: Date; tokensMax: number; provenFor?: UserOfDevice | undefined },
): Promise<{ platform: DevicesTable['platform']; isStored: boolean } | undefined> {
  const { rows } = await sql<{ platform: DevicesTable['platform']; isStored: boolean }>`
    with device as materialized (
      select d.app_id, d.id, d.platform, d.platform = 'iOS' and ${tokensMax} > (
        select count(*) from named_tokens as t
        where t.app_id = d.app_id and t.device_id = d.id and (t.type, t.name) <> (${type}, ${name})
      ) as fits
      from devices as d where d.app_id = ${appId} and d.id = ${deviceId} ${stillOf(provenFor)}
    ), taken as (
      delete from named_tokens as t using device
      where device.fits and t.app_id = device.app_id and t.push_token = ${pushToken} and t.device_id <> device.id
    ), stored as (
      insert into named_tokens as t (app_id, type, name, device_id, push_token, registered_at, presented_at)
      select app_id, ${type}, ${name}, id, ${pushToken}, ${now}::timestamptz, ${now}::timestamptz from device where fits
      on conflict (app_id, type, name, device_id) do update set
        push_token = excluded.push_token,
        registered_at = case t.push_token when excluded.push_token then t.registered_at else excluded.registered_at end,
        presented_at = excluded.presented_at
      where t.push_token <> excluded.push_token or t.presented_at < excluded.presented_at - ${PRESENTED_EVERY}
    )
    select platform, fits as "isStored" from device`.execute(db);
  return rows[0];
}

/** Keeps the user of the device until the token is stored: a user that comes later must not get it. */
function stillOf(user: UserOfDevice | undefined): RawBuilder<unknown> {
  if (user === undefined) return sql`for key share of d`;
  return sql`and (d.user_id, d.user_email) is not distinct from (${user.user_id}::text, ${user.user_email}::text) for share of d`;
}

/** @returns whether the app has the device */
async function deleteNamedToken(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
  { type, name }: NamedToken,
): Promise<boolean> {
  const { rows } = await sql`
    with deleted as (
      delete from named_tokens
      where app_id = ${appId} and type = ${type} and name = ${name} and device_id = ${deviceId}
    )
    select from devices where app_id = ${appId} and id = ${deviceId}`.execute(db);
  return rows.length > 0;
}

/** Whether the device has registered a token under that name. */
export async function isTokenRegistered(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
  { type, name }: NamedToken,
): Promise<boolean> {
  const row = await db
    .selectFrom('named_tokens')
    .select('name')
    .where('app_id', '=', appId)
    .where('type', '=', type)
    .where('name', '=', name)
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The common table expression `retired` of a statement that saves outcomes: deletes tokens that Apple has reported dead. A token
 * stays if the app has registered another one under the name, or first sent it after Apple's time.
 */
export function deletingNamedTokens(
  appId: string,
  { type, name }: NamedToken,
  tokens: readonly DeadToken[],
): RawBuilder<unknown> {
  return sql`
    retired as (
      delete from named_tokens as t
      using unnest(
        ${tokens.map((token) => token.deviceId)}::uuid[],
        ${tokens.map((token) => token.pushToken)}::text[],
        ${tokens.map((token) => token.deadSince)}::timestamptz[]
      ) as dead (device_id, push_token, dead_since)
      where t.app_id = ${appId} and t.type = ${type} and t.name = ${name}
        and t.device_id = dead.device_id and t.push_token = dead.push_token
        and (dead.dead_since is null or t.registered_at <= dead.dead_since)
      returning t.device_id
    )`;
}
