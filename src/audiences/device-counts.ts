/**
 * The device counts that dashboards poll. A count that is cheap is always made afresh, so it is exact right
 * after a change; one that is dear is served from what was counted last, up to a given age, and refreshed
 * before it gets there. However many ask at the same time, an audience is counted once.
 */
import type { Clock } from '../clock.ts';

/** Counts one audience, as of now. */
type CountNow = () => Promise<number>;

export interface DeviceCounts {
  /**
   * @param key names the audience
   * @returns a count made after this call, or, where counting is dear, one not older than the maximum age
   * @throws what `countNow` throws, to everybody who waits for it
   */
  get(key: string, countNow: CountNow): Promise<number>;
}

interface Counted {
  devices: number;
  startedAtMs: number;
  tookMs: number;
}

interface Entry {
  last?: Counted;
  running?: Promise<Counted>;
  /** The count that starts when the running one ends: for those who came while it ran. */
  following?: Promise<Counted>;
}

/** Up to here a count costs no more than the rest of the request. */
const CHEAP_MS = 15;
/** Audiences remembered; the one that was asked for longest ago is forgotten first. */
const ENTRIES_MAX = 1_000;

/** @param maxAgeMs how old a dear count may be when it is served; 0 counts afresh every time */
export function openDeviceCounts({ clock, maxAgeMs }: { clock: Clock; maxAgeMs: number }): DeviceCounts {
  const entries = new Map<string, Entry>();

  function entryOf(key: string): Entry {
    const entry = entries.get(key) ?? {};
    entries.delete(key);
    entries.set(key, entry); // now the youngest
    const oldest = entries.size > ENTRIES_MAX ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  function run(entry: Entry, countNow: CountNow): Promise<Counted> {
    const count = async (): Promise<Counted> => {
      const startedAtMs = clock().getTime();
      const beganMs = performance.now();
      const devices = await countNow();
      entry.last = { devices, startedAtMs, tookMs: performance.now() - beganMs };
      return entry.last;
    };
    const running = count().finally(() => {
      if (entry.running === running) delete entry.running;
    });
    entry.running = running;
    return running;
  }

  /** A count that starts no earlier than this call. */
  function runAfresh(entry: Entry, countNow: CountNow): Promise<Counted> {
    if (entry.running === undefined) return run(entry, countNow);
    entry.following ??= entry.running
      .catch(() => undefined) // whoever waits for that one has been told
      .then(async () => {
        delete entry.following;
        return run(entry, countNow);
      });
    return entry.following;
  }

  return {
    async get(key, countNow) {
      const entry = entryOf(key);
      const { last } = entry;
      if (last === undefined || last.tookMs <= CHEAP_MS) return (await runAfresh(entry, countNow)).devices;
      const ageMs = clock().getTime() - last.startedAtMs;
      if (ageMs > maxAgeMs) return (await (entry.running ?? run(entry, countNow))).devices;
      // Halfway there the next one starts, so that who polls never waits; a failure shows when it is too old.
      if (ageMs > maxAgeMs / 2 && entry.running === undefined) run(entry, countNow).catch(() => undefined);
      return last.devices;
    },
  };
}
