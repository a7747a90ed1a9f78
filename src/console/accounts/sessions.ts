/** Maps the cookie of a request to its session, as the keyring does with keys. Look-ups are cached (`apps/recent-look-ups.ts`). */
import type { Kysely } from 'kysely';
import { hashOf } from '../../apps/api-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { openRecentLookUps } from '../../apps/recent-look-ups.ts';
import { IDLE_MS, noteSessionUse, readSession, type Session } from './session-store.ts';

export interface Sessions {
  /** Without a query, by a look-up of the last two seconds; undefined also if there was none. */
  recall(secret: string): Session | undefined;
  /** @returns undefined if the session is unknown or has ended */
  find(secret: string): Promise<Session | undefined>;
  /** Drops the cached look-up of a session that this process has ended. */
  forget(secret: string): void;
  /** Call it after this process has changed an app: the next call of any session makes a query. */
  clear(): void;
}

const LAST_USED_EVERY_MS = 60_000;

export function openSessions({
  db,
  clock,
  requiresFactor = false,
}: {
  db: Kysely<Database>;
  clock: Clock;
  /** Whether users with a password need a second factor. */
  requiresFactor?: boolean | undefined;
}): Sessions {
  const lookUps = openRecentLookUps(async (hash) => readSession(db, hash, { now: clock(), requiresFactor }));

  function admit(session: Session, now: Date): Session | undefined {
    const nowMs = now.getTime();
    const lastUsedMs = session.lastUsedAt.getTime();
    if (nowMs >= session.expiresAt.getTime() || nowMs - lastUsedMs >= IDLE_MS) return undefined;
    // At most once a minute, without delaying the call; if it fails, a later call repeats it.
    if (nowMs - lastUsedMs >= LAST_USED_EVERY_MS) {
      session.lastUsedAt = now;
      const dueBefore = new Date(nowMs - LAST_USED_EVERY_MS);
      noteSessionUse(db, session.id, { now, dueBefore }).catch(() => undefined);
    }
    return session;
  }

  return {
    recall: (secret) => {
      const now = clock();
      const known = lookUps.recall(hashOf(secret), now.getTime());
      return known && admit(known, now);
    },
    find: async (secret) => {
      const now = clock();
      const session = await lookUps.lookUp(hashOf(secret), now.getTime());
      return session && admit(session, now);
    },
    forget: (secret) => lookUps.forget(hashOf(secret)),
    clear: () => lookUps.clear(),
  };
}
