/**
 * Look-ups of secrets, cached for two seconds, so that a busy caller costs the database one look-up in that time instead of
 * one per call. A revoked secret still works for that long.
 */

/** After a revocation, calls with the secret are refused within this time, as docs/api.md states. */
export const KNOWN_FOR_MS = 2_000;

export interface RecentLookUps<Found> {
  /**
   * Makes no query.
   * @param hash the hash of the secret
   * @returns undefined also if the secret has not been looked up in the last two seconds
   */
  recall(hash: Buffer, nowMs: number): Found | undefined;
  /** Concurrent calls share one query. @returns undefined if the secret is unknown or revoked */
  lookUp(hash: Buffer, nowMs: number): Promise<Found | undefined>;
  /** Drops the cached result, so that the next call makes a query. */
  forget(hash: Buffer): void;
  /** Drops all cached results. */
  clear(): void;
}

interface LookUp<Found> {
  found: Promise<Found | undefined>;
  /** The result of the query; undefined until it has ended. */
  result?: Found;
  /** When the query started. */
  startedMs: number;
}

/** @param ask makes the query. Unknown secrets are not cached: guesses take no memory, and a new secret works at once */
export function openRecentLookUps<Found>(
  ask: (hash: Buffer) => Promise<Found | undefined>,
): RecentLookUps<Found> {
  /** Keyed by hash, oldest first. */
  const lookUps = new Map<string, LookUp<Found>>();

  async function askOnce(id: string, hash: Buffer): Promise<Found | undefined> {
    let found: Found | undefined;
    try {
      found = await ask(hash);
    } finally {
      if (found === undefined) lookUps.delete(id);
    }
    return found;
  }

  return {
    recall: (hash, nowMs) => {
      const known = lookUps.get(hash.toString('base64'));
      return known !== undefined && isFresh(known, nowMs) ? known.result : undefined;
    },
    lookUp: (hash, nowMs) => {
      const id = hash.toString('base64');
      const known = lookUps.get(id);
      if (known !== undefined && isFresh(known, nowMs)) return known.found;
      lookUps.delete(id);
      for (const [oldId, old] of lookUps) {
        if (isFresh(old, nowMs)) break;
        lookUps.delete(oldId);
      }
      const started: LookUp<Found> = { found: askOnce(id, hash), startedMs: nowMs };
      lookUps.set(id, started);
      void keepResult(started);
      return started.found;
    },
    forget: (hash) => void lookUps.delete(hash.toString('base64')),
    clear: () => lookUps.clear(),
  };
}

async function keepResult<Found>(lookUp: LookUp<Found>): Promise<void> {
  const result = await lookUp.found.catch(() => undefined);
  if (result !== undefined) lookUp.result = result;
}

/** False if the clock was set back meanwhile; otherwise two seconds could become an hour. */
function isFresh({ startedMs }: LookUp<unknown>, nowMs: number): boolean {
  return nowMs >= startedMs && nowMs - startedMs < KNOWN_FOR_MS;
}
