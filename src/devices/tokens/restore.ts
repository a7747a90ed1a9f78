/** Gives push tokens that gateways retired back to their devices: after a broadcast with the wrong credentials, say. */
import type { Kysely } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { PeriodicJob } from '../../periodically.ts';
import { FIRST_UUID } from '../../uuid.ts';
import { countRestorable, giveBack, readRestorable, type Restorable, wipeTokens } from './restore-store.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

/** For so long a retired token is kept itself, and not only its hash. docs/security.md tells it. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
const DEVICES_AT_ONCE = 1_000;
const WIPED_EVERY_MS = 60 * 60_000;

export interface Restored {
  /** Devices that have their token again, or would have with `isDryRun`. */
  restored: number;
  /** Devices that have got another token since, and keep it. */
  withAnotherToken: number;
}

export interface RestoreOptions {
  appId: string;
  tokenKey: TokenKey;
  /** Only what was retired from then on; undefined: the last 30 days. */
  since?: Date | undefined;
  /** Only what was retired for that reason, in the gateway's words; undefined: any. */
  reason?: string | undefined;
  isDryRun?: boolean;
}

/**
 * A device gets the token that it lost last, as of when it presented it. In batches, a transaction each; where it is cut
 * off, what was given back stays, and a second run goes on.
 * @throws {ApiError} `unavailable` where other calls got in the way time and again
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
    const page = { afterId, limit: DEVICES_AT_ONCE };
    const batch = await retryOnConflict(db, async (trx) => {
      const kept = await readRestorable(trx, which, page);
      const tokens = kept.map((token) => ({ ...token, pushToken: tokenKey.decrypt(token.encryptedToken) }));
      const count = tokens.length === 0 ? 0 : await giveBack(trx, appId, tokens);
      return { count, lastId: kept.length < DEVICES_AT_ONCE ? undefined : kept.at(-1)?.deviceId };
    });
    restored += batch.count;
    afterId = batch.lastId;
  }
  return { restored, withAnotherToken };
}

/** Wipes tokens whose time is over, until there are none. @param stop ends it after the statement under way */
export async function wipeOldTokens(db: Kysely<Database>, clock: Clock, stop: AbortSignal): Promise<number> {
  let wiped = 0;
  let last = DEVICES_AT_ONCE;
  while (last === DEVICES_AT_ONCE && !stop.aborted) {
    last = await wipeTokens(db, keptSince(clock()), DEVICES_AT_ONCE);
    wiped += last;
  }
  return wiped;
}

export function wipeRetiredTokensJob(db: Kysely<Database>, clock: Clock): PeriodicJob {
  return {
    name: 'wipe-retired-tokens',
    everyMs: WIPED_EVERY_MS,
    run: async (stop) => {
      await wipeOldTokens(db, clock, stop);
    },
  };
}

function keptSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_DAYS * DAY_MS);
}
