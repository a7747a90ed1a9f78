/**
 * The places that one worker has for the jobs of a lane. A job that has given way goes on without one, and another
 * begins in its place: there are never more than three jobs to a place all the same, however long they wait.
 */
const JOBS_TO_A_PLACE_MAX = 3;

/** Of one job. */
export interface Place {
  /** The job goes on without it. To give way twice, or after the end, does nothing. */
  giveWay: () => void;
  /** The job has ended. */
  leave: () => void;
}

export class Places {
  readonly #count: number;
  readonly #onFree: () => void;
  #taken = 0;
  #jobs = 0;

  /** @param onFree there may be a free place now */
  constructor(count: number, onFree: () => void) {
    this.#count = count;
    this.#onFree = onFree;
  }

  get isFree(): boolean {
    return this.#taken < this.#count && this.#jobs < this.#count * JOBS_TO_A_PLACE_MAX;
  }

  /** Asks nobody whether there is one. */
  take(): Place {
    this.#taken += 1;
    this.#jobs += 1;
    let hasPlace = true;
    const giveWay = (): void => {
      if (!hasPlace) return;
      hasPlace = false;
      this.#taken -= 1;
      this.#onFree();
    };
    return {
      giveWay,
      leave: () => {
        this.#jobs -= 1;
        if (hasPlace) giveWay();
        else this.#onFree();
      },
    };
  }
}
