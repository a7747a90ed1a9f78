/**
 * The slots that one worker has for the jobs of a lane. A job that has given way continues without a slot, so another
 * can start: at most three jobs to a slot, however long they wait.
 */
export const JOBS_PER_SLOT_MAX = 3;

/** The slot of one job. */
export interface Slot {
  /** The job continues without its slot. A second call, or one after the end, does nothing. */
  giveWay: () => void;
  /** Resolves when the slot is free again: the job has given way or ended. */
  whenFreed: () => Promise<void>;
  /** The job has ended. */
  leave: () => void;
}

export class Slots {
  readonly #count: number;
  readonly #listeners = new Set<() => void>();
  #taken = 0;
  #jobs = 0;

  constructor(count: number) {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /** Slots that can be taken now. */
  get free(): number {
    return Math.min(this.#count - this.#taken, this.#count * JOBS_PER_SLOT_MAX - this.#jobs);
  }

  get isFree(): boolean {
    return this.free > 0;
  }

  /** @returns a function that removes the listener, which is called whenever a slot may have become free */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when a slot is free, or when `signal` is aborted. */
  async whenFree(signal: AbortSignal): Promise<void> {
    while (!this.isFree && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const listener = (): void => resolve();
      const forget = this.onFree(listener);
      signal.addEventListener('abort', listener);
      await promise;
      forget();
      signal.removeEventListener('abort', listener);
    }
  }

  /** @returns undefined if `signal` was aborted before a slot was free */
  async takeWhenFree(signal: AbortSignal): Promise<Slot | undefined> {
    while (!this.isFree && !signal.aborted) await this.whenFree(signal);
    return signal.aborted ? undefined : this.take();
  }

  /** Takes a slot. The caller checks first that one is free. */
  take(): Slot {
    this.#taken += 1;
    this.#jobs += 1;
    let freed: PromiseWithResolvers<void> | undefined;
    let hasSlot = true;
    let hasEnded = false;
    const giveWay = (): void => {
      if (!hasSlot) return;
      hasSlot = false;
      this.#taken -= 1;
      freed?.resolve();
      this.#notify();
    };
    return {
      giveWay,
      whenFreed: async () => {
        if (!hasSlot) return;
        freed ??= Promise.withResolvers();
        await freed.promise;
      },
      leave: () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#jobs -= 1;
        if (hasSlot) giveWay();
        else this.#notify();
      },
    };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
