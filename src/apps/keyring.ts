/**
 * Maps the API key of a call to its app and permissions. Look-ups are cached for two seconds, so that a busy caller
 * costs the database one look-up in that time instead of one per call. A revoked key still works for that long.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { type AuthenticatedKey, type ApiKey, hashOf, noteUse, readApiKey } from './api-keys.ts';

export interface Keyring {
  /**
   * Authenticates by a look-up of the last two seconds, without a query.
   * @returns undefined also if the key has not been looked up; `authenticate` does that
   */
  recall(credentials: { username: string; key: string }): AuthenticatedKey | undefined;
  /**
   * @param credentials as in Basic authorization; the user name is empty or the app's bundle id
   * @returns undefined if the key is unknown or revoked, or the user name is wrong; the result does not say which
   */
  authenticate(credentials: { username: string; key: string }): Promise<AuthenticatedKey | undefined>;
  /** Whether the last look-up found the key. Makes no query, so the key may have been revoked since. */
  hasServed(key: string): boolean;
}

/** After a revocation, calls with the key are refused within this time, which docs/api.md states. */
export const KNOWN_FOR_MS = 2_000;
const LAST_USED_EVERY_MS = 60_000;

interface LookUp {
  found: Promise<ApiKey | undefined>;
  /** The result of `found`; undefined until then. */
  apiKey?: ApiKey;
  /** When the query started. */
  startedMs: number;
}

export function openKeyring({ db, clock }: { db: Kysely<Database>; clock: Clock }): Keyring {
  /** By hash of the key, the oldest first. */
  const lookUps = new Map<string, LookUp>();
  /** Hashes of keys that their last look-up found; never more than there are keys. */
  const served = new Set<string>();

  /** Concurrent calls share one query. */
  function lookUp(hash: Buffer, nowMs: number): Promise<ApiKey | undefined> {
    const id = hash.toString('base64');
    const known = lookUps.get(id);
    if (known !== undefined && isFresh(known, nowMs)) return known.found;
    lookUps.delete(id);
    for (const [oldId, old] of lookUps) {
      if (isFresh(old, nowMs)) break;
      lookUps.delete(oldId);
    }
    const started: LookUp = { found: ask(id, hash), startedMs: nowMs };
    lookUps.set(id, started);
    void keepResult(started);
    return started.found;
  }

  /** Unknown keys are not cached: guesses take no memory, and a new key works at once. */
  async function ask(id: string, hash: Buffer): Promise<ApiKey | undefined> {
    let found: ApiKey | undefined;
    try {
      found = await readApiKey(db, hash);
    } finally {
      if (found === undefined) lookUps.delete(id);
    }
    if (found === undefined) served.delete(id);
    else served.add(id);
    return found;
  }

  function admit(apiKey: ApiKey, username: string, now: Date): AuthenticatedKey | undefined {
    if (username !== '' && username !== apiKey.bundleId) return undefined;
    // At most once a minute, without delaying the call; if it fails, a later call repeats it.
    const lastUsedMs = apiKey.lastUsedAt?.getTime() ?? -Infinity;
    if (lastUsedMs <= now.getTime() - LAST_USED_EVERY_MS) {
      apiKey.lastUsedAt = now;
      const dueBefore = new Date(now.getTime() - LAST_USED_EVERY_MS);
      noteUse(db, apiKey.keyId, { now, dueBefore }).catch(() => undefined);
    }
    const { keyId, appId, bundleId, scopes, android } = apiKey;
    return { keyId, appId, bundleId, scopes, android };
  }

  return {
    recall: ({ username, key }) => {
      const known = lookUps.get(hashOf(key).toString('base64'));
      const now = clock();
      if (known?.apiKey === undefined || !isFresh(known, now.getTime())) return undefined;
      return admit(known.apiKey, username, now);
    },
    hasServed: (key) => served.has(hashOf(key).toString('base64')),
    authenticate: async ({ username, key }) => {
      const hash = hashOf(key);
      const now = clock();
      const apiKey = await lookUp(hash, now.getTime());
      return apiKey !== undefined && timingSafeEqual(apiKey.hash, hash)
        ? admit(apiKey, username, now)
        : undefined;
    },
  };
}

async function keepResult(lookUp: LookUp): Promise<void> {
  const apiKey = await lookUp.found.catch(() => undefined);
  if (apiKey !== undefined) lookUp.apiKey = apiKey;
}

/** False if the clock was set back meanwhile; otherwise two seconds could become an hour. */
function isFresh({ startedMs }: LookUp, nowMs: number): boolean {
  return nowMs >= startedMs && nowMs - startedMs < KNOWN_FOR_MS;
}
