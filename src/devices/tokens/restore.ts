/** Gives retired push tokens back to their devices, for example after a bulk notification with the wrong credentials. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { FIRST_UUID } from '../../uuid.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

/** The encrypted token is kept for this long, its hash for longer. Stated in docs/security.md. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
const DEVICES_PER_PAGE = 1_000;
const WIPE_EVERY_MS = 60 * 60_000;

/** Selects retired tokens of an app. */
interface Restorable {
  appId: string;
  since: Date;
  /** The gateway's code; undefined: any code. */
  reason: string | undefined;
}

interface KeptToken {
  deviceId: string;
  tokenHash: Buffer;
  encryptedToken: Buffer;
  pushTokenType: 'token' | 'fid';
  presentedAt: Date | null;
}

export interface Restored {
  /** Devices that got their token back; with `isDryRun`, devices that would get it back. */
  restored: number;
  /** Devices that have a new token by now, and keep it. */
  withAnotherToken: number;
}

export interface RestoreOptions {
  appId: string;
  tokenKey: TokenKey;
  /** Only tokens retired since this time; undefined: in the last 30 days. */
  since?: Date | undefined;
  /** Only tokens retired for this reason, a code of the gateway; undefined: any reason. */
  reason?: string | undefined;
  isDryRun?: boolean;
}

/**
 * Gives each device the token that it lost last, with the time at which it had presented it. Each page is a
 * transaction: an interrupted run keeps its finished pages, and a second run continues.
 * @throws {ApiError} `unavailable` if other calls keep changing the same devices
 */
export async function restoreTokens(
  db: Kysely<Database>,
  { appId, tokenKey, since, reason, isDryRun = false }: RestoreOptions,
  clock: Clock,
): Promise<Restored> {
  const earliest = keptSince(clock());
  const which: Restorable = {
    appId,
    reason,
    since: since !== undefined && since > earliest ? since : earliest,
  };
  const { restorable, withAnotherToken } = await countRestorable(db, which);
  if (isDryRun) return { restored: restorable, withAnotherToken };
  let restored = 0;
  let afterId: string | undefined = FIRST_UUID;
  while (afterId !== undefined) {
    const page = { afterId, limit: DEVICES_PER_PAGE };
    const restoredPage = await retryOnConflict(db, async (trx) => {
      const kept = await readRestorable(trx, which, page);
      const tokens = kept.map((token) => ({ ...token, pushToken: tokenKey.decrypt(token.encryptedToken) }));
      const count = tokens.length === 0 ? 0 : await giveBack(trx, appId, tokens);
      return { count, lastId: kept.length < DEVICES_PER_PAGE ? undefined : kept.at(-1)?.deviceId };
    });
    restored += restoredPage.count;
    afterId = restoredPage.lastId;
  }
  return { restored, withAnotherToken };
}

/** Wipes tokens older than 30 days, a page at a time. @param stop ends it after the current page */
export async function wipeOldTokens(db: Kysely<Database>, clock: Clock, stop: AbortSignal): Promise<number> {
  let wiped = 0;
  let last = DEVICES_PER_PAGE;
  while (last === DEVICES_PER_PAGE && !stop.aborted) {
    last = await wipeTokens(db, keptSince(clock()), DEVICES_PER_PAGE);
    wiped += last;
  }
  return wiped;
}

export function wipeRetiredTokensJob(db: Kysely<Database>, clock: Clock): PeriodicJob {
  return {
    name: 'wipe-retired-tokens',
    everyMs: WIPE_EVERY_MS,
    run: async (stop) => {
      await wipeOldTokens(db, clock, stop);
    },
  };
}

function keptSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_DAYS * DAY_MS);
}

/** Counts the devices that lost a token: how many still have none, and how many have a new one. */
async function countRestorable(
  db: Kysely<Database>,
  which: Restorable,
): Promise<{ restorable: number; withAnotherToken: number }> {
  const { rows } = await sql<{ restorable: number; withAnotherToken: number }>`
    select count(distinct device.id) filter (where device.push_token is null) as restorable,
      count(distinct device.id) filter (where device.push_token is not null) as "withAnotherToken"
    from ${retiredTokens(which)}`.execute(db);
  return rows[0] ?? { restorable: 0, withAnotherToken: 0 };
}

/** Reads the token that each device without a token lost last, sorted by device id. */
async function readRestorable(
  db: Kysely<Database>,
  which: Restorable,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<KeptToken[]> {
  const { rows } = await sql<KeptToken>`
    select distinct on (retired.device_id) retired.device_id as "deviceId", retired.token_hash as "tokenHash",
      retired.encrypted_token as "encryptedToken", retired.push_token_type as "pushTokenType",
      retired.presented_at as "presentedAt"
    from ${retiredTokens(which)} and retired.device_id > ${afterId} and device.push_token is null
    order by retired.device_id, retired.retired_at desc
    limit ${limit}`.execute(db);
  return rows;
}

/**
 * Gives tokens back to devices that still have none, unless another device has the token. Locks the devices in id
 * order.
 * @returns the number of tokens given back
 */
async function giveBack(
  db: Kysely<Database>,
  appId: string,
  tokens: readonly (KeptToken & { pushToken: string })[],
): Promise<number> {
  const { rows } = await sql<{ restored: number }>`
    with given as (
      select ${appId}::uuid as app_id, token.*
      from unnest(
        ${tokens.map(({ deviceId }) => deviceId)}::uuid[],
        ${tokens.map(({ tokenHash }) => tokenHash)}::bytea[],
        ${tokens.map(({ pushToken }) => pushToken)}::text[],
        ${tokens.map(({ pushTokenType }) => pushTokenType)}::text[],
        ${tokens.map(({ presentedAt }) => presentedAt)}::timestamptz[]
      ) as token (device_id, token_hash, push_token, push_token_type, presented_at)
    ), locked as materialized (
      select given.*
      from given
      join devices as device on device.app_id = given.app_id and device.id = given.device_id
      where device.push_token is null and not exists (
        select from devices as other where other.app_id = given.app_id and other.push_token = given.push_token
      )
      order by device.id
      for update of device
    ), restored as (
      update devices
      set push_token = locked.push_token, push_token_type = locked.push_token_type,
        token_registered_at = coalesce(locked.presented_at, 'epoch')
      from locked
      where devices.app_id = locked.app_id and devices.id = locked.device_id
      returning devices.id
    ), forgotten as (
      delete from retired_tokens using locked
      where retired_tokens.app_id = locked.app_id and retired_tokens.token_hash = locked.token_hash
    )
    select count(*) as restored from restored`.execute(db);
  return rows[0]?.restored ?? 0;
}

/**
 * Wipes tokens retired before a time, but keeps their hashes. @returns their number, below `limit` in the last page
 */
async function wipeTokens(db: Kysely<Database>, retiredBefore: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update retired_tokens set encrypted_token = null
    where (app_id, token_hash) in (
      select app_id, token_hash from retired_tokens
      where encrypted_token is not null and retired_at < ${retiredBefore}
      limit ${limit}
      for update skip locked
    )`.execute(db);
  return Number(numAffectedRows);
}

function retiredTokens({ appId, since, reason }: Restorable): RawBuilder<unknown> {
  return sql`retired_tokens as retired
    join devices as device on device.app_id = retired.app_id and device.id = retired.device_id
    where retired.app_id = ${appId} and retired.encrypted_token is not null and retired.retired_at >= ${since}
      ${reason === undefined ? sql`` : sql`and retired.reason = ${reason}`}`;
}
