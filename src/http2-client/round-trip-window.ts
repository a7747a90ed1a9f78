/**
 * How many requests to keep in flight, found from their round trips as TCP Vegas does (Brakmo and Peterson,
 * 1995): the quickest round trip is the way itself, what the others take beyond it is spent in a queue. While
 * few requests stand in queues, more in flight means more throughput; once many do, more only means waiting.
 * So next door a few hundred are enough; half a continent away there are thousands.
 */

/**
 * Requests in queues (ours, the kernel's, the peer's) below which to send more, and above which to send fewer; or
 * that share of all in flight, where it is more. Over a long way a busy process alone makes some of them late. With
 * half as many we and the peer work by turns, and neither is busy; more are repeated by a crash
 * (docs/decisions/0007 has the figures).
 */
const QUEUED_MIN = 80;
const QUEUED_MAX = 160;
const STEP_MIN = 24;
const QUEUED_SHARE_MIN = 0.25;
const QUEUED_SHARE_MAX = 0.5;
/** Never fewer: a burst must not start from one. */
const SIZE_MIN = 32;
const SIZE_MAX = 2_000;
/** The way itself may change; a quickest round trip older than two of these is forgotten. */
const EPOCH_MS = 10_000;

export class RoundTripWindow {
  #size = SIZE_MIN;
  #quickestMs = Number.POSITIVE_INFINITY;
  #quickestBeforeMs = Number.POSITIVE_INFINITY;
  #epochSince = Number.NEGATIVE_INFINITY;
  /** Of the answers since the size was last looked at. */
  #answers = 0;
  #sumMs = 0;
  #wasFull = false;
  /** Until queues are seen for the first time, it doubles. */
  #isStarting = true;

  get size(): number {
    return this.#size;
  }

  /**
   * An answer has come.
   * @param isFull others wait for a place: the window is what limits the throughput
   * @param now on the monotonic clock, in milliseconds
   */
  answered(durationMs: number, isFull: boolean, now: number): void {
    if (now - this.#epochSince >= EPOCH_MS) {
      this.#epochSince = now;
      this.#quickestBeforeMs = this.#quickestMs;
      this.#quickestMs = Number.POSITIVE_INFINITY;
    }
    this.#quickestMs = Math.min(this.#quickestMs, durationMs);
    this.#answers += 1;
    this.#sumMs += durationMs;
    this.#wasFull ||= isFull;
    if (this.#answers >= this.#size) this.#adapt();
  }

  /** A little at a time next door, and over a long way not for minutes. */
  get #step(): number {
    return Math.max(STEP_MIN, this.#size >> 3);
  }

  #adapt(): void {
    const meanMs = this.#sumMs / this.#answers;
    const quickestMs = Math.min(this.#quickestMs, this.#quickestBeforeMs);
    const queued = meanMs === 0 ? 0 : this.#size * (1 - quickestMs / meanMs);
    const isQuick = queued < Math.max(QUEUED_MIN, this.#size * QUEUED_SHARE_MIN);
    this.#isStarting &&= isQuick;
    if (this.#wasFull && isQuick) {
      this.#size = Math.min(this.#isStarting ? this.#size * 2 : this.#size + this.#step, SIZE_MAX);
    } else if (queued > Math.max(QUEUED_MAX, this.#size * QUEUED_SHARE_MAX)) {
      this.#size = Math.max(Math.floor(this.#size * 0.9), SIZE_MIN);
    }
    this.#answers = 0;
    this.#sumMs = 0;
    this.#wasFull = false;
  }
}
