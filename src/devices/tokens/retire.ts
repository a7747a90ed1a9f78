/** Retires push tokens that a gateway has called dead. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TokenKey, TokenKeys } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';

/** What is kept of a token. */
export interface HiddenToken {
  tokenHash: Buffer;
  encryptedToken: Buffer;
}

/** @param tokenKey of the app */
export function hideToken(tokenKey: TokenKey, pushToken: string): HiddenToken {
  return { tokenHash: tokenKey.hash(pushToken), encryptedToken: tokenKey.encrypt(pushToken) };
}

export interface DeadToken extends HiddenToken {
  appId: string;
  deviceId: string;
  /** The token that was sent to: the device may have another by now. */
  pushToken: string;
  /** Since when, where the gateway says so: a token presented after that lives again (APNs, status 410). */
  deadSince: Date | null;
  /** In the gateway's own words, such as `BadDeviceToken`: a verdict's `reason`. */
  reason: string;
}

/** Devices an event: many die at once, and a receiver takes some 20 KB as easily as one id. */
const DEVICES_AN_EVENT = 500;
/** Until it is sent: a broadcast retires a few tokens at a time, which are gathered meanwhile (webhooks/gather.ts). */
const GATHERED_FOR_MS = 5_000;

/**
 * One statement for any number of tokens; it runs inside a transaction too.
 * @returns how many were retired: not those that the device no longer has or has presented again since
 */
export async function retireTokens(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  tokens: readonly Omit<DeadToken, keyof HiddenToken>[],
  now: Date,
): Promise<number> {
  if (tokens.length === 0) return 0;
  const dead = await Promise.all(
    tokens.map(async (token) => ({
      ...token,
      ...hideToken(await tokenKeys.of(token.appId), token.pushToken),
    })),
  );
  const { rows } = await sql<{ retired: number }>`
    with ${retiringTokens(dead, now)} select count(*) as retired from retired`.execute(db);
  return rows[0]?.retired ?? 0;
}

/**
 * The same as the first parts of a statement's `with`: `retired` has a row for each device, `told` one for each
 * delivery of a webhook. The tokens are remembered (`token-store.ts`). Devices are locked in the order of their ids, as everywhere (see `store.ts`). The webhooks of
 * their app that ask for it are told of them.
 */
export function retiringTokens(tokens: readonly DeadToken[], now: Date): RawBuilder<unknown> {
  const sendAt = new Date(now.getTime() + GATHERED_FOR_MS);
  return sql`
    dead as (
      select device.app_id, device.id, device.push_token_type, device.token_registered_at,
        told.token_hash, told.encrypted_token, told.reason
      from devices as device
      join unnest(
        ${tokens.map((token) => token.appId)}::uuid[],
        ${tokens.map((token) => token.deviceId)}::uuid[],
        ${tokens.map((token) => token.pushToken)}::text[],
        ${tokens.map((token) => token.deadSince)}::timestamptz[],
        ${tokens.map((token) => token.tokenHash)}::bytea[],
        ${tokens.map((token) => token.encryptedToken)}::bytea[],
        ${tokens.map((token) => token.reason)}::text[]
      ) as told (app_id, device_id, push_token, dead_since, token_hash, encrypted_token, reason)
        on device.app_id = told.app_id
        and device.id = told.device_id
        and device.push_token = told.push_token
        and (told.dead_since is null or device.token_registered_at <= told.dead_since)
      order by device.app_id, device.id
      for update of device
    ), retired as (
      update devices
      set push_token = null, token_registered_at = null
      from dead
      where devices.app_id = dead.app_id and devices.id = dead.id
      returning devices.app_id, devices.id, dead.push_token_type, dead.token_registered_at,
        dead.token_hash, dead.encrypted_token, dead.reason
    ), remembered as (
      insert into retired_tokens (
        app_id, token_hash, device_id, reason, retired_at, presented_at, push_token_type, encrypted_token
      )
      select app_id, token_hash, id, reason, ${now}, token_registered_at, push_token_type, encrypted_token
      from retired
      order by app_id, token_hash
      on conflict (app_id, token_hash) do update
      set device_id = excluded.device_id, reason = excluded.reason, retired_at = excluded.retired_at,
        presented_at = excluded.presented_at, push_token_type = excluded.push_token_type,
        encrypted_token = excluded.encrypted_token
    ), event as (
      select app_id, jsonb_build_object('device_ids', jsonb_agg(id order by id)) as data
      from (
        select app_id, id, (row_number() over (partition by app_id order by id) - 1) / ${DEVICES_AN_EVENT} as part
        from retired
      ) as numbered
      group by app_id, part
    ), told as (
      insert into webhook_deliveries (app_id, webhook_id, id, type, data, created_at, due_at)
      select event.app_id, webhook.id, gen_random_uuid(), 'device.unregistered', event.data, ${now}, ${sendAt}
      from event
      join webhooks as webhook using (app_id)
      where 'device.unregistered' = any (webhook.events)
      for key share of webhook
      returning id
    )`;
}
