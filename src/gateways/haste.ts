/** Who has waited for a single push may soon be followed by another. */
const LASTS_MS = 5_000;

/**
 * Whether somebody waits for a single push, through whichever gateway. One for a process: its gateways share an event
 * loop, and what one of them has in flight makes the turns of the others longer.
 */
export class Haste {
  #untilMs = Number.NEGATIVE_INFINITY;

  /** A single push is to be sent. @param now on the monotonic clock, in milliseconds */
  begin(now: number): void {
    this.#untilMs = now + LASTS_MS;
  }

  /** @param now on the monotonic clock, in milliseconds */
  isOn(now: number): boolean {
    return now < this.#untilMs;
  }
}
