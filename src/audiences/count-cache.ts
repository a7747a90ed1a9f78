/**
 * What dashboards poll: audiences with their device counts. One that is cheap to count is served again only while
 * nothing has been written since, so it is exact right after a change, whichever process that came through; one that
 * is dear is served up to a given age, and counted anew before it gets there. However many ask at the same time, an
 * audience is counted once.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { DeviceCount } from '../targeting/count-devices.ts';

/** An audience as it was read. */
export interface Reading {
  count: DeviceCount;
  /** How long counting took; waiting for its turn aside. */
  countMs: number;
  /** No filter looks at the time: while nothing is written the count stays true. */
  isTimeless: boolean;
  /** The audience and its count as they are sent: JSON. */
  body: string;
}

type Read = (inBackground: boolean) => Promise<Reading>;

export interface Readings {
  /**
   * @param key names the audience
   * @param read reads and counts it, as of now; in the background where nobody waits for it
   * @returns a reading as good as one begun after this call, or, where counting is dear, not older than the maximum age
   * @throws what `read` throws, to everybody who waits for it
   */
  get(key: string, read: Read): Promise<Reading>;
  /** The audience is no more: what is known of it is not served again. Who waits for a reading still gets it. */
  forget(key: string): void;
}

interface Made {
  reading: Reading;
  /** How manieth of its audience it is. */
  number: number;
  /** Of the database, before it was made. */
  state: string;
  /** It was begun then, or found to be true still. */
  trueAtMs: number;
  isDear: boolean;
}

interface Entry {
  begun: number;
  /** How manieth call of all it was that asked for it last. */
  askedLast: number;
  last?: Made;
  running?: Promise<void>;
}

/** Up to here a count costs no more than the rest of the request. */
const CHEAP_MS = 15;
/** What a first count may spend on a connection and on plans. One hiccup alone makes no count a dear one either. */
const FIRST_EXTRA_MS = 100;
/** Readings remembered, and characters of their bodies; those that were asked for longest ago are forgotten first. */
const ENTRIES_MAX = 1_000;
const CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * @param readState tells whether anything was written (see `database-state.ts`)
 * @param maxAgeMs how old a reading may be when it is served; 0 counts afresh every time
 */
export function openReadings({
  clock,
  maxAgeMs,
  readState,
}: {
  clock: Clock;
  maxAgeMs: number;
  readState: () => Promise<string>;
}): Readings {
  const entries = new Map<string, Entry>();
  const stateFromNow = shared(readState);
  let characters = 0;
  let asked = 0;

  const ageMs = ({ trueAtMs }: Made): number => clock().getTime() - trueAtMs;
  const isTrue = (made: Made, state: string): boolean =>
    made.state === state && (made.reading.isTimeless || ageMs(made) <= maxAgeMs);

  function entryOf(key: string): Entry {
    asked += 1;
    const entry = entries.get(key) ?? { begun: 0, askedLast: 0 };
    entry.askedLast = asked;
    // It keeps its place: a map that loses an entry with every call leaves a trail of tables (docs/decisions/0007).
    entries.set(key, entry);
    while (entries.size > ENTRIES_MAX || characters > CHARACTERS_MAX) forget(oldestKey());
    return entry;
  }

  function oldestKey(): string {
    let oldest = { key: '', askedLast: Infinity };
    for (const [key, { askedLast }] of entries) {
      if (askedLast < oldest.askedLast) oldest = { key, askedLast };
    }
    return oldest.key;
  }

  /** Who waits for it still gets it. */
  function forget(key: string): void {
    characters -= entries.get(key)?.last?.reading.body.length ?? 0;
    entries.delete(key);
  }

  async function make(key: string, entry: Entry, state: string, read: () => Promise<Reading>): Promise<void> {
    entry.begun += 1;
    const number = entry.begun;
    const trueAtMs = clock().getTime();
    const reading = await read();
    const { countMs } = reading;
    const isDear = Math.min(countMs, entry.last?.reading.countMs ?? countMs - FIRST_EXTRA_MS) > CHEAP_MS;
    if (entries.get(key) === entry) {
      characters += reading.body.length - (entry.last?.reading.body.length ?? 0);
    }
    entry.last = { reading, number, state, trueAtMs, isDear };
  }

  /** For a dear one, before it is too old. Where nothing was written it is as good as a new one. */
  async function refresh(key: string, entry: Entry, last: Made, read: Read): Promise<void> {
    const askedAtMs = clock().getTime();
    const state = await stateFromNow();
    if (last.reading.isTimeless && last.state === state) {
      last.trueAtMs = askedAtMs;
    } else {
      const hasTime = last.reading.countMs < maxAgeMs / 4;
      await make(key, entry, state, async () => read(hasTime));
    }
  }

  /** One at a time for each audience. */
  function run(entry: Entry, work: () => Promise<void>): Promise<void> {
    const running = work().finally(() => {
      delete entry.running;
    });
    entry.running = running;
    return running;
  }

  return {
    forget,
    async get(key, read) {
      const entry = entryOf(key);
      const { begun: begunBefore } = entry;
      const { last } = entry;
      if (last?.isDear === true && ageMs(last) <= maxAgeMs) {
        // Halfway there the next one starts, so that who polls never waits; a failure shows when it is too old.
        if (ageMs(last) > maxAgeMs / 2 && entry.running === undefined) {
          run(entry, async () => refresh(key, entry, last, read)).catch(() => undefined);
        }
        return last.reading;
      }
      const state = await stateFromNow();
      for (;;) {
        const { last: made } = entry;
        if (made !== undefined) {
          const isYoung = made.isDear && ageMs(made) <= maxAgeMs;
          if (made.number > begunBefore || isYoung || isTrue(made, state)) return made.reading;
        }
        await (entry.running ?? run(entry, async () => make(key, entry, state, async () => read(false))));
      }
    },
  };
}

/**
 * Who calls while the work is being done shares the one that begins next: nobody gets what began before. It begins at
 * the end of a turn of the event loop, so that whose requests arrive together share it at once.
 */
function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> | undefined;
  let next: Promise<Result> | undefined;
  async function begin(): Promise<Result> {
    await running;
    await endOfTurn();
    next = undefined;
    const result = work();
    running = result.catch(() => undefined).finally(() => (running = undefined));
    return result;
  }
  return () => (next ??= begin());
}
