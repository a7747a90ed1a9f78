/**
 * Limits the work of a template. Work is counted in the characters that filters read and write, so it is the same on
 * every machine.
 */

/** The most work for one payload of one device. The slowest filters take some 50 ns per character, so this is 2 ms at most. */
export const PAYLOAD_WORK_MAX = 40_000;

/** The work of an output, and of each filter, besides their characters. */
export const STEP_WORK = 50;

export class Work {
  #left = PAYLOAD_WORK_MAX;

  /** Whether the work was used up. From then on, nothing is done. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  get spent(): number {
    return PAYLOAD_WORK_MAX - this.#left;
  }

  /** @throws {Error} if the work is used up */
  spend(units: number): void {
    if (this.#left >= 0) this.#left -= units;
    if (this.#left < 0) throw new Error('the template takes too much work');
  }
}
