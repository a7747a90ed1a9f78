/**
 * Counts per name in fixed time windows, which are the same in all processes. Counting happens in memory; processes that
 * share a Redis exchange their counts a few times per second. So a request never waits for Redis, and while Redis is
 * unavailable, each process counts alone.
 */
import type { Clock } from '../../clock.ts';

/** The count of the current window, and the milliseconds until that window ends. */
export interface Counted {
  current: number;
  ttl: number;
}

export interface Counts {
  add: (name: string, windowMs: number) => Counted;
  read: (name: string, windowMs: number) => Counted;
  /**
   * Publishes the counts since the last exchange, and reads the sums of all processes for the same names. Rejects if
   * the counts cannot be shared now.
   */
  exchange: () => Promise<void>;
}

interface Added {
  name: string;
  by: number;
  /** How long the sum is kept. */
  keptMs: number;
}

/** A store in which processes add up their counts. */
export interface SharedCounts {
  /** @returns the sums over all processes, in the order of `added`; rejects if the counts cannot be shared now */
  add: (added: readonly Added[]) => Promise<number[]>;
  close: () => void;
}

interface Count {
  endsMs: number;
  windowMs: number;
  own: number;
  /** The part of `own` that has been published. */
  published: number;
  byOthers: number;
}

/**
 * Names are API keys and addresses. Beyond this number, the oldest counts are dropped, and their names start again at
 * 0.
 */
const NAMES_MAX = 100_000;
/** The counts that grow fastest are published first, because only they can reach a limit. */
const NAMES_PER_EXCHANGE_MAX = 1_000;

export function openCounts(clock: Clock, shared: SharedCounts | undefined): Counts {
  const counts = new Map<string, Count>();

  function countOf(name: string, windowMs: number, endsMs: number): Count {
    const known = counts.get(name);
    if (known?.endsMs === endsMs) return known;
    const count = { endsMs, windowMs, own: 0, published: 0, byOthers: 0 };
    counts.delete(name); // moves it to the end
    counts.set(name, count);
    if (counts.size > NAMES_MAX) dropFirst(counts);
    return count;
  }

  return {
    add: (name, windowMs) => {
      const nowMs = clock().getTime();
      const endsMs = endOfWindow(nowMs, windowMs);
      const count = countOf(name, windowMs, endsMs);
      count.own++;
      return { current: count.own + count.byOthers, ttl: endsMs - nowMs };
    },
    read: (name, windowMs) => {
      const nowMs = clock().getTime();
      const endsMs = endOfWindow(nowMs, windowMs);
      const known = counts.get(name);
      const current = known?.endsMs === endsMs ? known.own + known.byOthers : 0;
      return { current, ttl: endsMs - nowMs };
    },
    exchange: async () => {
      const nowMs = clock().getTime();
      for (const [name, { endsMs }] of counts) if (endsMs <= nowMs) counts.delete(name);
      if (shared === undefined) return;
      const due = [...counts]
        .map(([name, count]) => ({ name, count, by: count.own - count.published }))
        .filter(({ by }) => by > 0)
        .sort((left, right) => right.by - left.by)
        .slice(0, NAMES_PER_EXCHANGE_MAX);
      if (due.length === 0) return;
      // Not published again after a failure: Redis may have added it all the same, and nothing must count twice.
      const published = due.map(({ count }) => (count.published = count.own));
      const sums = await shared.add(
        due.map(({ name, count, by }) => ({
          name: `${name}:${count.endsMs}`,
          by,
          keptMs: 2 * count.windowMs,
        })),
      );
      for (const [index, { count }] of due.entries()) {
        count.byOthers = Math.max(0, (sums[index] ?? 0) - (published[index] ?? 0));
      }
    },
  };
}

function endOfWindow(nowMs: number, windowMs: number): number {
  return (Math.floor(nowMs / windowMs) + 1) * windowMs;
}

function dropFirst(counts: Map<string, Count>): void {
  const { value: first } = counts.keys().next();
  if (first !== undefined) counts.delete(first);
}
