/**
 * Caches audiences with their device counts, for dashboards that poll. A cheap count is served again only while nothing has
 * been written to the database, so it is exact right after a change, whichever process made the change. An expensive
 * count is served up to a maximum age, and refreshed before it reaches that. Requests that arrive together share one
 * count (docs/decisions/0008).
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { DeviceCount } from '../targeting/count-devices.ts';

/** An audience with its device count. */
export interface CountedAudience {
  count: DeviceCount;
  /** The duration of the count, without the wait for the count limiter. */
  countMs: number;
  /** Whether no filter depends on the time: such a count stays exact while nothing is written. */
  isTimeless: boolean;
  /** The reply as JSON: the audience with its count. */
  body: string;
}

/** Reads and counts an audience; `inBackground` where no caller waits for it. */
type Count = (inBackground: boolean) => Promise<CountedAudience>;

export interface CountCache {
  /**
   * @param key identifies the audience
   * @returns a count as good as one started after this call or, where counting is expensive, one that is not older than
   *   the maximum age
   * @throws what `count` throws, to each caller that waits for that count
   */
  get(key: string, count: Count): Promise<CountedAudience>;
  /** Removes a deleted audience. Callers that already wait for its count still get it. */
  forget(key: string): void;
}

interface CachedCount {
  audience: CountedAudience;
  /** Its number among the counts of this audience, from 1. */
  sequence: number;
  /** The database's snapshot from before the count. */
  snapshot: string;
  /** When the count started, or was last confirmed. */
  validAtMs: number;
  isExpensive: boolean;
}

interface Entry {
  /** The number of counts of this audience that have started. */
  started: number;
  /** The number, among all calls of `get`, of the last one for this audience. */
  lastUse: number;
  cached?: CachedCount;
  running?: Promise<void>;
}

/** A count up to this long costs no more than the rest of the request. */
const CHEAP_MS = 15;
/** The allowance of a first count for a new connection and for planning, so that neither makes it look expensive. */
const FIRST_EXTRA_MS = 100;
/** Limits of the cache: entries, and characters of their bodies. The least recently used entry is removed first. */
const ENTRIES_MAX = 1_000;
const CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * @param readSnapshot names the state of the database (`db/snapshot.ts`)
 * @param maxAgeMs the greatest age at which a count is served; 0 counts for each call
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
    // Not moved to the map's end: deleting an entry with every call leaves garbage tables (docs/decisions/0007).
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
    // Two slow counts in a row make an audience expensive; one may be a hiccup.
    const isExpensive =
      Math.min(countMs, entry.cached?.audience.countMs ?? countMs - FIRST_EXTRA_MS) > CHEAP_MS;
    if (entries.get(key) === entry) {
      characters += audience.body.length - (entry.cached?.audience.body.length ?? 0);
    }
    entry.cached = { audience, sequence, snapshot, validAtMs, isExpensive };
  }

  /** Renews an expensive count before it is too old. Where nothing was written, the old count is confirmed instead. */
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

  /** Each audience has at most one count running. */
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
        // Refreshed at half the age, so that a poller never waits. An error shows when the old count is too old.
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
 * Callers that arrive while the work runs share its next run: no caller gets a result that was started before its call.
 * A run starts at the end of a turn of the event loop, so that requests which arrive together share it at once.
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
