/**
 * How old the data of a replica is at most. A replica that shows a beat also shows all that was committed before that beat was
 * sent. So its data is at most as old as the time since then, on the clock of this process alone.
 */

/** Beats that the replica does not show yet. At one per second, a replica that lags longer is not used anyway. */
const KEPT_MAX = 120;

export class Staleness {
  #beats: { number: number; sentAtMs: number }[] = [];
  #shown: number | undefined;

  /** @param sentAtMs before the statement left, on a clock that never goes back */
  sent(number: number, sentAtMs: number): void {
    // After a failover that has lost beats, numbers come again: the old ones say nothing any more.
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

  /** Changes whenever the replica has been seen to move on. */
  get beatShown(): number | undefined {
    return this.#shown;
  }
}
