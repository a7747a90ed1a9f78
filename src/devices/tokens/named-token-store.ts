/** The statements on `named_tokens`, except for reading them for sending (`targeting/devices-with-token.ts`). */
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, DevicesTable } from '../../db/tables.ts';
import type { NamedToken } from '../../gateways/apns/push-types.ts';
import type { DeadToken } from './retire-store.ts';

/** A token that is sent again within this time is not written again. */
const PRESENTED_EVERY = sql`interval '1 hour'`;

type UserOfDevice = Pick<Selectable<DevicesTable>, 'user_id' | 'user_email'>;
type Token = Omit<Insertable<Database['named_tokens']>, 'registered_at' | 'presented_at'>;

/**
 * Stores a token of an iOS device, if the device has fewer than `tokensMax` others. A token that the device has already keeps
 * the time of its first registration.
 * @param limits `provenFor`: the user that the device must still have
 * @returns undefined if the app does not have the device, or it has another user by now
 */
export async function storeNamedToken(
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
export async function deleteNamedToken(
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
