/** Maps the API key of a call to its app and permissions. Look-ups are cached (`recent-look-ups.ts`). */
import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { openRecentLookUps } from './recent-look-ups.ts';
import { type ApiKey, hashOf, noteUse, readApiKey } from './api-keys.ts';
import type { Caller } from './caller.ts';

export type Keyring = ReturnType<typeof openKeyring>;

/** As in Basic authorization; the user name is empty or the app's bundle id. */
interface KeyCredentials {
  username: string;
  key: string;
}

const LAST_USED_EVERY_MS = 60_000;

export function openKeyring({ db, clock }: { db: Kysely<Database>; clock: Clock }) {
  /** Hashes of the keys that existed when they were last looked up; never more than there are keys. */
  const served = new Set<string>();
  const lookUps = openRecentLookUps(async (hash) => {
    const found = await readApiKey(db, hash);
    if (found === undefined) served.delete(hash.toString('base64'));
    else served.add(hash.toString('base64'));
    return found;
  });

  function admit(apiKey: ApiKey, username: string, now: Date): Caller | undefined {
    const { caller } = apiKey;
    if (username !== '' && username !== caller.bundleId) return undefined;
    // At most once a minute, without delaying the call; if it fails, a later call repeats it.
    const lastUsedMs = apiKey.lastUsedAt?.getTime() ?? -Infinity;
    if (lastUsedMs <= now.getTime() - LAST_USED_EVERY_MS) {
      apiKey.lastUsedAt = now;
      const dueBefore = new Date(now.getTime() - LAST_USED_EVERY_MS);
      noteUse(db, caller.by.id, { now, dueBefore }).catch(() => undefined);
    }
    return caller;
  }

  return {
    /**
     * Authenticates by a look-up of the last two seconds, without a query.
     * @returns undefined also if the key has not been looked up; `authenticate` does that
     */
    recall: ({ username, key }: KeyCredentials): Caller | undefined => {
      const now = clock();
      const known = lookUps.recall(hashOf(key), now.getTime());
      return known && admit(known, username, now);
    },
    /** Whether the last look-up found the key. Makes no query, so the key may have been revoked since. */
    hasServed: (key: string): boolean => served.has(hashOf(key).toString('base64')),
    /** Call it after this process has changed a key or an app: the next call with any key makes a query. */
    clear: (): void => lookUps.clear(),
    /** @returns undefined if the key is unknown or revoked, or the user name is wrong; the result does not say which */
    authenticate: async ({ username, key }: KeyCredentials): Promise<Caller | undefined> => {
      const hash = hashOf(key);
      const now = clock();
      const apiKey = await lookUps.lookUp(hash, now.getTime());
      return apiKey !== undefined && timingSafeEqual(apiKey.hash, hash)
        ? admit(apiKey, username, now)
        : undefined;
    },
  };
}
