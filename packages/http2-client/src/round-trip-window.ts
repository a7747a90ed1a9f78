/**
 * The number of requests to keep in flight, derived from round trips as in TCP Vegas (Brakmo and Peterson, 1995): the
 * shortest round trip is the distance, and the rest was spent in queues. While few requests are queued, more requests
 * in flight raise the throughput; when many are queued, more only make the queues longer. A nearby peer needs a few
 * hundred requests in flight, a peer half a continent away needs thousands.
 */

/**
 * The window grows while fewer requests than the minimum are queued (in our process, the kernel and the peer), and
 * shrinks while more than the maximum are queued. For a large window the limits are shares of it, because over a long
 * distance our busy process by itself delays some requests. With half these numbers the two sides take turns and
 * neither is busy; with higher ones a crash repeats more requests (docs/decisions/0007 has the figures).
 */
const QUEUED_MIN = 80;
const QUEUED_MAX = 160;
const STEP_MIN = 24;
const QUEUED_SHARE_MIN = 0.25;
const QUEUED_SHARE_MAX = 0.5;
/** The smallest window; also the first, so that a burst does not start with a single request. */
const SIZE_MIN = 32;
const SIZE_MAX = 2_000;
/** The distance may change, so a shortest round trip older than two epochs is forgotten. */
const EPOCH_MS = 10_000;

export class RoundTripWindow {
  #size = SIZE_MIN;
  #shortestMs = Number.POSITIVE_INFINITY;
  #shortestBeforeMs = Number.POSITIVE_INFINITY;
  #epochSince = Number.NEGATIVE_INFINITY;
  /** Statistics of the answers since the size was last adapted. */
  #answers = 0;
  #sumMs = 0;
  #wasFull = false;
  /** The window doubles until a queue is seen for the first time. */
  #isStarting = true;

  get size(): number {
    return this.#size;
  }

  /**
   * Called for every answer.
   * @param isFull whether other requests wait, so that the window limits the throughput
   * @param now on the monotonic clock, in milliseconds
   */
  answered(durationMs: number, isFull: boolean, now: number): void {
    if (now - this.#epochSince >= EPOCH_MS) {
      this.#epochSince = now;
      this.#shortestBeforeMs = this.#shortestMs;
      this.#shortestMs = Number.POSITIVE_INFINITY;
    }
    this.#shortestMs = Math.min(this.#shortestMs, durationMs);
    this.#answers += 1;
    this.#sumMs += durationMs;
    this.#wasFull ||= isFull;
    if (this.#answers >= this.#size) this.#adapt();
  }

  /** Steps grow with the window, because a large window would take minutes to adapt in small steps. */
  get #step(): number {
    return Math.max(STEP_MIN, this.#size >> 3);
  }

  #adapt(): void {
    const meanMs = this.#sumMs / this.#answers;
    const shortestMs = Math.min(this.#shortestMs, this.#shortestBeforeMs);
    const queued = meanMs === 0 ? 0 : this.#size * (1 - shortestMs / meanMs);
    const isQueueShort = queued < Math.max(QUEUED_MIN, this.#size * QUEUED_SHARE_MIN);
    this.#isStarting &&= isQueueShort;
    if (this.#wasFull && isQueueShort) {
      this.#size = Math.min(this.#isStarting ? this.#size * 2 : this.#size + this.#step, SIZE_MAX);
    } else if (queued > Math.max(QUEUED_MAX, this.#size * QUEUED_SHARE_MAX)) {
      this.#size = Math.max(Math.floor(this.#size * 0.9), SIZE_MIN);
    }
    this.#answers = 0;
    this.#sumMs = 0;
    this.#wasFull = false;
  }
}
