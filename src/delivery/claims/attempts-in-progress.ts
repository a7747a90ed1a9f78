/**
 * The claims that this process is sending. They begin and end thousands of times per second, so they are in an array: V8 rebuilds
 * the table of a set that loses entries as fast as it gains them and links the old table to the new one. Once one table is in the
 * old generation, all that follow survive, with the claims in them (docs/decisions/0007).
 */
import type { ClaimAttempt } from './claim-attempt.ts';

export class AttemptsInProgress {
  readonly #attempts: ClaimAttempt[] = [];

  get size(): number {
    return this.#attempts.length;
  }

  add(attempt: ClaimAttempt): void {
    attempt.place = this.#attempts.length;
    this.#attempts.push(attempt);
  }

  /** The last one takes its place. Removing one twice does nothing. */
  remove(attempt: ClaimAttempt): void {
    const { place } = attempt;
    if (place === undefined) return;
    attempt.place = undefined;
    const last = this.#attempts.pop();
    if (last === undefined || last === attempt) return;
    this.#attempts[place] = last;
    last.place = place;
  }

  /** In no order. */
  all(): ClaimAttempt[] {
    return [...this.#attempts];
  }
}
