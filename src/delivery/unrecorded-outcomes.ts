/**
 * The outcomes that a worker process knows and has not stored yet. With the requests in flight they are what a
 * crash repeats; so while there are too many, no slice of a broadcast begins another push.
 */
import { addAbortListener } from 'node:events';

export class UnrecordedOutcomes {
  readonly #max: number;
  #count = 0;
  #waiting: (() => void)[] = [];

  /** @param max of all slices under way together; `Infinity` for no bound */
  constructor(max: number) {
    this.#max = max;
  }

  get areTooMany(): boolean {
    return this.#count >= this.#max;
  }

  add(count: number): void {
    this.#count += count;
  }

  /** For those that are on record, or that nobody will store. */
  remove(count: number): void {
    this.#count -= count;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when some have been removed, or when `stop` is aborted. */
  async untilRemoved(stop: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = addAbortListener(stop, () => resolve());
    this.#waiting.push(resolve);
    await promise;
    listener[Symbol.dispose]();
  }
}
