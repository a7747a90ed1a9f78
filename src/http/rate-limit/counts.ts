/**
 * Counts by name, in windows of time that all processes cut alike. Counting is done in memory and asks nobody;
 * where processes share a Redis, they tell each other a few times a second. So a request never waits for Redis,
 * and where Redis is away each process still counts for itself.
 */
import type { Clock } from '../../clock.ts';

/** What was counted in the window that is now, and for how long that window still lasts, in milliseconds. */
export interface Counted {
  current: number;
  ttl: number;
}

export interface Counts {
  add: (name: string, windowMs: number) => Counted;
  read: (name: string, windowMs: number) => Counted;
  /**
   * Tells what has been counted since the last time, and learns what all have counted of those names.
   * Rejects where the counts cannot be shared now.
   */
  exchange: () => Promise<void>;
}

interface Added {
  name: string;
  by: number;
  /** How long the sum is wanted. */
  keptMs: number;
}

/** Where processes add up what they have counted. */
export interface SharedCounts {
  /** @returns the sums, in the order of `added`; rejects where the counts cannot be shared now */
  add: (added: readonly Added[]) => Promise<number[]>;
  close: () => void;
}

interface Count {
  endsMs: number;
  windowMs: number;
  own: number;
  /** Of the own ones, those that the others know of. */
  told: number;
  byOthers: number;
}

/** A name is an API key or an address; of more than these, those that came first are counted anew. */
const NAMES_MAX = 100_000;
/** Those that grow fastest are told first: only they can reach a limit. */
const NAMES_PER_EXCHANGE_MAX = 1_000;

export function openCounts(clock: Clock, shared: SharedCounts | undefined): Counts {
  const counts = new Map<string, Count>();

  function countOf(name: string, windowMs: number, endsMs: number): Count {
    const known = counts.get(name);
    if (known?.endsMs === endsMs) return known;
    const count = { endsMs, windowMs, own: 0, told: 0, byOthers: 0 };
    counts.delete(name); // so that it goes to the end
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
        .map(([name, count]) => ({ name, count, by: count.own - count.told }))
        .filter(({ by }) => by > 0)
        .sort((left, right) => right.by - left.by)
        .slice(0, NAMES_PER_EXCHANGE_MAX);
      if (due.length === 0) return;
      // Told once, come what may: after a failure nobody knows whether it counted, and it must not count twice.
      const told = due.map(({ count }) => (count.told = count.own));
      const sums = await shared.add(
        due.map(({ name, count, by }) => ({
          name: `${name}:${count.endsMs}`,
          by,
          keptMs: 2 * count.windowMs,
        })),
      );
      for (const [index, { count }] of due.entries()) {
        count.byOthers = Math.max(0, (sums[index] ?? 0) - (told[index] ?? 0));
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
