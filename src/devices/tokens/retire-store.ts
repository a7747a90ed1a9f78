/** The statement parts that retire push tokens after a gateway has reported them dead. */
import { type RawBuilder, sql } from 'kysely';
import type { NamedToken } from '../../gateways/apns/push-types.ts';
import type { TokenKey } from '../../apps/token-keys.ts';

/** The form in which a retired token is kept. */
export interface EncryptedToken {
  tokenHash: Buffer;
  encryptedToken: Buffer;
}

/** @param tokenKey the app's token key */
export function encryptToken(tokenKey: TokenKey, pushToken: string): EncryptedToken {
  return { tokenHash: tokenKey.hash(pushToken), encryptedToken: tokenKey.encrypt(pushToken) };
}

/** A push token that a gateway has reported dead. */
export interface DeadToken extends EncryptedToken {
  deviceId: string;
  /** The token that the push was sent to. The device may have another one now. */
  pushToken: string;
  /** The time from the gateway, if it gives one (APNs, status 410). A token presented later is valid again. */
  deadSince: Date | null;
  /** The gateway's own code, such as `BadDeviceToken`; the `reason` of a verdict. */
  reason: string;
  /** Set if the token is not the device's token for alerts. */
  named?: NamedToken;
}

/** A bulk notification retires many tokens. 500 ids are some 20 KB, which every receiver accepts. */
const DEVICES_PER_EVENT = 500;
/**
 * A bulk notification retires a few tokens at a time. Their events wait this long, so that webhooks/gather.ts can merge them.
 */
const GATHERED_FOR_MS = 5_000;

/**
 * The common table expressions of a statement that retires tokens of an app: `retired` has a row for each device,
 * `queued` one for each webhook delivery. A device is left unchanged if it has another token by now, or has presented
 * the token again since. The tokens are stored in `retired_tokens` (`token-store.ts`). Devices are locked in id order
 * (see `../store.ts`).
 */
export function retiringTokens(appId: string, tokens: readonly DeadToken[], now: Date): RawBuilder<unknown> {
  const sendAt = new Date(now.getTime() + GATHERED_FOR_MS);
  return sql`
    dead as (
      select device.app_id, device.id, device.push_token_type, device.token_registered_at,
        token.token_hash, token.encrypted_token, token.reason
      from devices as device
      join unnest(
        ${tokens.map(() => appId)}::uuid[],
        ${tokens.map((token) => token.deviceId)}::uuid[],
        ${tokens.map((token) => token.pushToken)}::text[],
        ${tokens.map((token) => token.deadSince)}::timestamptz[],
        ${tokens.map((token) => token.tokenHash)}::bytea[],
        ${tokens.map((token) => token.encryptedToken)}::bytea[],
        ${tokens.map((token) => token.reason)}::text[]
      ) as token (app_id, device_id, push_token, dead_since, token_hash, encrypted_token, reason)
        on device.app_id = token.app_id
        and device.id = token.device_id
        and device.push_token = token.push_token
        and (token.dead_since is null or device.token_registered_at <= token.dead_since)
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
        select app_id, id, (row_number() over (partition by app_id order by id) - 1) / ${DEVICES_PER_EVENT} as part
        from retired
      ) as numbered
      group by app_id, part
    ), queued as (
      insert into webhook_deliveries (app_id, webhook_id, id, type, data, created_at, due_at)
      select event.app_id, webhook.id, gen_random_uuid(), 'device.unregistered', event.data, ${now}, ${sendAt}
      from event
      join webhooks as webhook using (app_id)
      where 'device.unregistered' = any (webhook.events)
      for key share of webhook
      returning id
    )`;
}
