/**
 * Computes the maximum age of a replica's data. A replica that shows a beat also shows all that was committed before
 * that beat was sent. So its data is at most as old as the time since then, measured on the clock of this process
 * alone.
 */

/** Beats that the replica does not show yet. At one per second, a replica that lags longer is not used anyway. */
const KEPT_MAX = 120;

export class Staleness {
  #beats: { number: number; sentAtMs: number }[] = [];
  #shown: number | undefined;

  /** @param sentAtMs a time before the statement was sent, on a monotonic clock */
  sent(number: number, sentAtMs: number): void {
    // A failover that has lost beats makes numbers repeat: the old beats then say nothing any more.
    if (number <= (this.#beats.at(-1)?.number ?? 0)) {
      this.#beats = [];
      this.#shown = undefined;
    }
    this.#beats.push({ number, sentAtMs });
    if (this.#beats.length > KEPT_MAX) this.#beats.shift();
  }

  /** @param number the beat that the replica shows */
  shown(number: number): void {
    this.#shown = number;
    const known = this.#beats.findLastIndex((beat) => beat.number <= number);
    if (known > 0) this.#beats.splice(0, known);
  }

  /** @returns undefined if the replica has shown none of the beats */
  ageMs(nowMs: number): number | undefined {
    const [oldest] = this.#beats;
    if (oldest === undefined || this.#shown === undefined || oldest.number > this.#shown) return undefined;
    return nowMs - oldest.sentAtMs;
  }

  /** Changes whenever the replica shows a new beat. */
  get beatShown(): number | undefined {
    return this.#shown;
  }
}
