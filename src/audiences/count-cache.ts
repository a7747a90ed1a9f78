/**
 * Caches audiences with their device counts, for dashboards that poll. A cheap count is served again only if nothing has
 * been written to the database since, so it is exact right after a change by any process. An expensive count is served up
 * to a maximum age, and refreshed before it reaches that age. Requests that arrive together share one count
 * (docs/decisions/0008).
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { DeviceCount } from '../targeting/count-devices.ts';

/** An audience with its device count. */
export interface CountedAudience {
  count: DeviceCount;
  /** The duration of the count, without the wait for the count limiter. */
  countMs: number;
  /** Whether no filter depends on the current time: such a count stays exact while nothing is written. */
  isTimeless: boolean;
  /** The reply as JSON: the audience with its count. */
  body: string;
}

/** Reads and counts an audience. `inBackground` is true if no caller waits for the count. */
type Count = (inBackground: boolean) => Promise<CountedAudience>;

export interface CountCache {
  /**
   * @param key identifies the audience
   * @returns a count as exact as one started after this call or, if counting is expensive, one that is not older than the
   *   maximum age
   * @throws the error of `count`, to each caller that waits for that count
   */
  get(key: string, count: Count): Promise<CountedAudience>;
  /** Removes a deleted audience. Callers that already wait for its count still get it. */
  forget(key: string): void;
}

interface CachedCount {
  audience: CountedAudience;
  /** Its number among the counts of this audience, from 1. */
  sequence: number;
  /** The snapshot of the database, read before the count. */
  snapshot: string;
  /** When the count started, or was last confirmed. */
  validAtMs: number;
  isExpensive: boolean;
}

interface Entry {
  /** The number of counts of this audience that have started. */
  started: number;
  /** The sequence number of the last call of `get` for this audience, among all calls. */
  lastUse: number;
  cached?: CachedCount;
  running?: Promise<void>;
}

/** A count up to this long costs no more than the rest of the request. */
const CHEAP_MS = 15;
/** Subtracted from the first count: opening a connection and planning must not make it look expensive. */
const FIRST_EXTRA_MS = 100;
/** The most entries, and the most characters in all their bodies. The least recently used entry is removed first. */
const ENTRIES_MAX = 1_000;
const CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * @param readSnapshot returns the same text as long as nothing is written to the database (`db/snapshot.ts`)
 * @param maxAgeMs the maximum age of a count that may be outdated; 0 never serves one
 */
export function openCountCache({
  clock,
  maxAgeMs,
  readSnapshot,
}: {
  clock: Clock;
  maxAgeMs: number;
  readSnapshot: () => Promise<string>;
}): CountCache {
  const entries = new Map<string, Entry>();
  const nextSnapshot = shared(readSnapshot);
  let characters = 0;
  let uses = 0;

  const ageMs = ({ validAtMs }: CachedCount): number => clock().getTime() - validAtMs;
  const isCurrent = (cached: CachedCount, snapshot: string): boolean =>
    cached.snapshot === snapshot && (cached.audience.isTimeless || ageMs(cached) <= maxAgeMs);

  function entryOf(key: string): Entry {
    uses += 1;
    const entry = entries.get(key) ?? { started: 0, lastUse: 0 };
    entry.lastUse = uses;
    // Not moved to the end of the map: deleting an entry on every call creates garbage (docs/decisions/0007).
    entries.set(key, entry);
    while (entries.size > ENTRIES_MAX || characters > CHARACTERS_MAX) forget(leastRecentlyUsed());
    return entry;
  }

  function leastRecentlyUsed(): string {
    let oldest = { key: '', lastUse: Infinity };
    for (const [key, { lastUse }] of entries) {
      if (lastUse < oldest.lastUse) oldest = { key, lastUse };
    }
    return oldest.key;
  }

  function forget(key: string): void {
    characters -= entries.get(key)?.cached?.audience.body.length ?? 0;
    entries.delete(key);
  }

  async function store(
    key: string,
    entry: Entry,
    snapshot: string,
    count: () => Promise<CountedAudience>,
  ): Promise<void> {
    entry.started += 1;
    const sequence = entry.started;
    const validAtMs = clock().getTime();
    const audience = await count();
    const { countMs } = audience;
    // An audience is expensive after two slow counts in a row; a single one may be a hiccup.
    const isExpensive =
      Math.min(countMs, entry.cached?.audience.countMs ?? countMs - FIRST_EXTRA_MS) > CHEAP_MS;
    if (entries.get(key) === entry) {
      characters += audience.body.length - (entry.cached?.audience.body.length ?? 0);
    }
    entry.cached = { audience, sequence, snapshot, validAtMs, isExpensive };
  }

  /** Renews an expensive count before it is too old. If nothing was written, confirms the old count instead. */
  async function refresh(key: string, entry: Entry, cached: CachedCount, count: Count): Promise<void> {
    const askedAtMs = clock().getTime();
    const snapshot = await nextSnapshot();
    if (cached.audience.isTimeless && cached.snapshot === snapshot) {
      cached.validAtMs = askedAtMs;
    } else {
      const hasTime = cached.audience.countMs < maxAgeMs / 4;
      await store(key, entry, snapshot, async () => count(hasTime));
    }
  }

  /** Runs a count; each audience has at most one at a time. */
  function run(entry: Entry, work: () => Promise<void>): Promise<void> {
    const running = work().finally(() => {
      delete entry.running;
    });
    entry.running = running;
    return running;
  }

  return {
    forget,
    async get(key, count) {
      const entry = entryOf(key);
      const { started: startedBefore } = entry;
      const { cached: old } = entry;
      if (old?.isExpensive === true && ageMs(old) <= maxAgeMs) {
        // Refreshed at half the maximum age, so that a poller never waits. An error is ignored until the count is too old.
        if (ageMs(old) > maxAgeMs / 2 && entry.running === undefined) {
          run(entry, async () => refresh(key, entry, old, count)).catch(() => undefined);
        }
        return old.audience;
      }
      const snapshot = await nextSnapshot();
      for (;;) {
        const { cached } = entry;
        if (cached !== undefined) {
          const isYoung = cached.isExpensive && ageMs(cached) <= maxAgeMs;
          if (cached.sequence > startedBefore || isYoung || isCurrent(cached, snapshot))
            return cached.audience;
        }
        await (entry.running ??
          run(entry, async () => store(key, entry, snapshot, async () => count(false))));
      }
    },
  };
}

/**
 * Shares runs of `work`. Callers that arrive during a run share the next one, so no caller gets a result from a run that
 * started before its call. A run starts at the end of a turn of the event loop, so that requests that arrive together share
 * it.
 */
function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> | undefined;
  let next: Promise<Result> | undefined;
  async function start(): Promise<Result> {
    await running;
    await endOfTurn();
    next = undefined;
    const result = work();
    running = result.catch(() => undefined).finally(() => (running = undefined));
    return result;
  }
  return () => (next ??= start());
}
