/**
 * The outcomes per second of a notification, from its counters. They grow in steps: outcomes are saved a hundred at a
 * time (`delivery/outcomes/outcome-saver.ts`), and at 20 per second a step comes every five seconds. So the rate is measured from
 * step to step.
 */

import { KNOWN_AFTER_MS } from '../../notifications/counters.ts';

/** The rate is measured over this time, or over the last steps if those took longer. */
const OVER_MS = 5_000;
const STEPS_MIN = 2;
/** Nothing moves if no step comes for this many times the longest wait between recent steps. */
const WAITS = 3;
const STILL_AFTER_MS_MAX = 60_000;

/** Outcomes that had been counted at a moment (Unix ms). */
interface Sample {
  atMs: number;
  done: number;
}

export class OutcomeRate {
  /** Where measuring begins, and the last steps, each with its moment. */
  #steps: Sample[] = [];
  /** Whether the first of these steps is a moment between two real steps. */
  #beginsBetween = true;
  #isStill = false;
  #measuredMs = 0;

  /**
   * @param isHeld whether a worker holds devices, so that some outcomes may not be saved yet
   * @returns outcomes per second; null while that is not known
   */
  add(sample: Sample, isHeld: boolean): number | null {
    const last = this.#steps.at(-1);
    if (last === undefined) {
      this.#steps = [sample];
      return null;
    }
    if (sample.done !== last.done) this.#step(sample);
    else if (this.#isStill) return this.#standStill(sample);
    const { atMs } = sample;
    const latest = this.#steps.at(-1) ?? sample;
    if (atMs - latest.atMs >= this.#stillAfterMs(isHeld)) return this.#standStill(sample);
    this.#forget(atMs);
    const [first = sample] = this.#steps;
    // Between two steps the rate stays; it falls once the next one is late.
    const endMs = atMs - latest.atMs > this.#longestWaitMs() ? atMs : latest.atMs;
    this.#measuredMs = endMs - first.atMs;
    return latest.done === first.done ? null : ((latest.done - first.done) / (endMs - first.atMs)) * 1_000;
  }

  /** Whether the rate was measured for long enough to reckon with it. */
  get isKnown(): boolean {
    return !this.#isStill && this.#measuredMs >= KNOWN_AFTER_MS;
  }

  #step(sample: Sample): void {
    if (this.#steps.at(-1)?.atMs === sample.atMs) this.#steps.pop();
    this.#steps.push(sample);
    this.#isStill = false;
    if (!this.#beginsBetween || this.#steps.length <= STEPS_MIN) return;
    this.#steps.shift();
    this.#beginsBetween = false;
  }

  #standStill(sample: Sample): number {
    this.#steps = [sample];
    this.#measuredMs = 0;
    this.#beginsBetween = true;
    this.#isStill = true;
    return 0;
  }

  #forget(nowMs: number): void {
    const isOld = ({ atMs }: Sample): boolean => nowMs - atMs >= OVER_MS;
    const first = Math.min(this.#steps.findLastIndex(isOld), this.#steps.length - 1 - STEPS_MIN);
    if (first > 0) this.#steps.splice(0, first);
  }

  #stillAfterMs(isHeld: boolean): number {
    if (!isHeld) return OVER_MS;
    if (this.#steps.length < 2) return STILL_AFTER_MS_MAX;
    return Math.min(STILL_AFTER_MS_MAX, Math.max(OVER_MS, WAITS * this.#longestWaitMs()));
  }

  #longestWaitMs(): number {
    return Math.max(
      0,
      ...this.#steps.map(({ atMs }, index) => atMs - (this.#steps[index - 1]?.atMs ?? atMs)),
    );
  }
}
