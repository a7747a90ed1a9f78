/**
 * Counts a thread's outcomes that the database does not have yet. A crash would repeat their pushes, like the requests in
 * flight, so the gateways count both against the same limit (`Reserved` in `http2-client`). While the database is away, the
 * outcomes of all requests in flight use up the limit, so that nothing more is sent and memory stays bounded.
 */

/**
 * Outcomes in a statement do not count for this long: Postgres executes what has reached its socket even if this process dies,
 * and answers within milliseconds. A statement without an answer by then waits for a lock, or for the database.
 */
const ANSWERED_WITHIN_MS = 100;

/** Indexes of the counters. */
const NEW = 0;
const LATE = 1;

export class UnsavedOutcomes {
  readonly #counters: Int32Array;
  readonly #listeners = new Set<() => void>();

  /** @param counters of a thread, where another thread reads them too (`unsavedCounters`) */
  constructor(counters: Int32Array = unsavedCounters()) {
    this.#counters = counters;
  }

  get count(): number {
    return countOf(this.#counters);
  }

  /** The number of outcomes that are in no statement yet. */
  get waiting(): number {
    return this.#counters[NEW] ?? 0;
  }

  add(count: number): void {
    this.#change(NEW, count);
  }

  /** Call it for outcomes that are in a statement from now on, or never will be. */
  remove(count: number): void {
    this.#change(NEW, -count);
  }

  /** Counts outcomes again if their statement takes long, until it ends. */
  async whileSaving<T>(count: number, statement: Promise<T>): Promise<T> {
    let late = 0;
    const timer = setTimeout(() => this.#change(LATE, (late = count)), ANSWERED_WITHIN_MS);
    try {
      return await statement;
    } finally {
      clearTimeout(timer);
      this.#change(LATE, -late);
    }
  }

  /** @returns a function that removes the listener */
  onRemoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #change(counter: typeof NEW | typeof LATE, by: number): void {
    if (by === 0) return;
    this.#counters[counter] = (this.#counters[counter] ?? 0) + by;
    if (by > 0) return;
    for (const listener of this.#listeners) listener();
  }
}

/** Counters that a thread writes and others read. */
export function unsavedCounters(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

export function countOf(counters: Int32Array): number {
  return (counters[NEW] ?? 0) + (counters[LATE] ?? 0);
}
