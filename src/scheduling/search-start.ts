/**
 * From when on a search that is repeated every second has to look for rows that are due. While a transaction holds an old snapshot (a
 * dump, a replica), Postgres keeps the index entries of rows that are no longer due, and a search from the first one reads all of
 * them each time (docs/decisions/0059-old-snapshots.md). So the next search begins where this one found the first row.
 *
 * A row may be written with an earlier time: by a slow transaction, or by another clock. Therefore everything is searched again from
 * time to time: every second, as long as that takes a hundredth of the time.
 */
const BEGINNING = new Date(0);
const WHOLE_EVERY_MS_MIN = 1_000;
const WHOLE_EVERY_MS_MAX = 300_000;
/** Of the time, in which everything is searched. */
const WHOLE_SHARE = 0.01;

export class SearchStart {
  readonly #marginMs: number;
  readonly #monotonicMs: () => number;
  #next = BEGINNING;
  #from = BEGINNING;
  #startedMs = 0;
  #startedAt = BEGINNING;
  #wholeAtMs = -Infinity;

  /** @param marginMs how much earlier than those before it a row may usually be */
  constructor(marginMs = 0, monotonicMs = (): number => performance.now()) {
    this.#marginMs = marginMs;
    this.#monotonicMs = monotonicMs;
  }

  /** @returns the time of the earliest rows to search for */
  begin(now: Date): Date {
    this.#startedMs = this.#monotonicMs();
    const isPutBack = now < this.#startedAt;
    this.#startedAt = now;
    this.#from = isPutBack || this.#startedMs >= this.#wholeAtMs ? BEGINNING : this.#next;
    return this.#from;
  }

  /** Whether the search that has begun is for everything. */
  get isWhole(): boolean {
    return this.#from.getTime() === 0;
  }

  /** Ends a search. If it has failed, the next one begins where it began. @param oldest nothing that was searched for is older */
  end(oldest: Date): void {
    const endedMs = this.#monotonicMs();
    this.#next = new Date(Math.max(oldest.getTime() - this.#marginMs, 0));
    if (!this.isWhole) return;
    const pauseMs = (endedMs - this.#startedMs) / WHOLE_SHARE;
    this.#wholeAtMs = endedMs + Math.min(Math.max(pauseMs, WHOLE_EVERY_MS_MIN), WHOLE_EVERY_MS_MAX);
  }
}
