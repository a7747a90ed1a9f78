/**
 * How many requests to keep in flight, found from their round trips as TCP Vegas does (Brakmo and Peterson,
 * 1995): the quickest round trip is the way itself, what the others take beyond it is spent in a queue. While
 * few requests stand in queues, more in flight means more throughput; once many do, more only means waiting.
 * So next door a few hundred are enough, and some dozens while somebody waits; half a continent away there are
 * thousands.
 */

import type { Haste } from '../haste.ts';

/**
 * Requests in queues (ours, the kernel's, the peer's) below which to send more, and above which to send fewer; or
 * that share of all in flight, where it is more. Over a long way a busy process alone makes some of them late.
 */
interface Queued {
  readonly min: number;
  readonly max: number;
}

/**
 * Next door, a turn of the event loop is as long as what is in flight takes, and everybody who waits for something
 * waits some turns. Few in flight keep turns short, but we and the peer then work by turns as well, and neither is
 * busy: that is for while somebody waits (docs/decisions/0007 has the figures).
 */
const IN_HASTE: Queued = { min: 28, max: 56 };
const AT_LEISURE: Queued = { min: 80, max: 160 };
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
  #wasHasty = false;
  readonly #haste: Haste;
  /** Until queues are seen for the first time, it doubles. */
  #isStarting = true;

  /** @param haste while it is on, queues are kept short */
  constructor(haste: Haste) {
    this.#haste = haste;
  }

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
    if (this.#answers >= this.#size) this.#adapt(this.#haste.isOn(now));
  }

  /** A little at a time next door, and over a long way not for minutes. */
  get #step(): number {
    return Math.max(STEP_MIN, this.#size >> 3);
  }

  #adapt(isHasty: boolean): void {
    const { min, max } = isHasty ? IN_HASTE : AT_LEISURE;
    const meanMs = this.#sumMs / this.#answers;
    const quickestMs = Math.min(this.#quickestMs, this.#quickestBeforeMs);
    const queued = meanMs === 0 ? 0 : this.#size * (1 - quickestMs / meanMs);
    const isQuick = queued < Math.max(min, this.#size * QUEUED_SHARE_MIN);
    this.#isStarting &&= isQuick;
    if (this.#wasFull && isQuick) {
      this.#size = Math.min(this.#isStarting ? this.#size * 2 : this.#size + this.#step, SIZE_MAX);
    } else if (queued > Math.max(max, this.#size * QUEUED_SHARE_MAX)) {
      this.#size = Math.max(Math.floor(this.#size * 0.9), SIZE_MIN);
    }
    if (isHasty && !this.#wasHasty) {
      const onTheWay = this.#size - queued;
      const enough = Math.ceil(Math.max(onTheWay + min, onTheWay / (1 - QUEUED_SHARE_MIN)));
      this.#size = Math.max(Math.min(this.#size, enough), SIZE_MIN);
    }
    this.#wasHasty = isHasty;
    this.#answers = 0;
    this.#sumMs = 0;
    this.#wasFull = false;
  }
}
