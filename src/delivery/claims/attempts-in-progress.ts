/**
 * The claims that this process is sending: an array, because thousands of them begin and end per second. A set would keep
 * those that have ended alive, for the reason that `packages/http2-client/src/stream-table.ts` gives for maps.
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
