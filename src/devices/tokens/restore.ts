/** Gives retired push tokens back to their devices, for example after a bulk notification with the wrong credentials. */
import type { Kysely } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { FIRST_UUID } from '../../uuid.ts';
import { countRestorable, giveBack, readRestorable, type Restorable, wipeTokens } from './restore-store.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

/** The encrypted token is kept for this long, its hash for longer. Stated in docs/security.md. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
const DEVICES_PER_PAGE = 1_000;
const WIPE_EVERY_MS = 60 * 60_000;

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
