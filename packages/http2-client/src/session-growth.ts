/** Decides how many sessions a pool opens, and when: growth under load, and backoff while connecting fails. */
import type { PoolLimits } from './pool-options.ts';
import type { TransportFailure } from './transport-reason.ts';

/** The load of a pool whose requests wait because no session has a free stream. */
export interface Load {
  /** Sessions that accept requests now or will do so soon. */
  readonly sessions: number;
  /** Whether each of them has answered a request. */
  readonly haveAllAnswered: boolean;
  readonly inFlight: number;
  /** The number of requests that may be in flight. */
  readonly window: number;
  /** Whether the window, and not the sessions, is the bottleneck. */
  readonly isWindowFull: boolean;
}

export class SessionGrowth {
  readonly #limits: PoolLimits;
  /** When the sessions became the bottleneck. */
  #fullSince: number | undefined;
  /** How many sessions in a row ended without an answer. */
  #failures = 0;
  #lastFailure: TransportFailure | undefined;
  #connectNotBefore = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** Why the last session that answered no request ended; undefined once a request is answered. */
  get lastFailure(): TransportFailure | undefined {
    return this.#lastFailure;
  }

  onAnswer(): void {
    this.#failures = 0;
    this.#lastFailure = undefined;
  }

  /** No request waits, or a session has a free stream. */
  onFreeStream(): void {
    this.#fullSince = undefined;
  }

  /** Sessions that end before their first answer are replaced after a growing delay: Apple forbids frequent reconnects. */
  onSessionEnd(hasAnswered: boolean, failure: TransportFailure, now: number): void {
    if (hasAnswered) return;
    this.#lastFailure = failure;
    const { reconnectAfterMs, reconnectAfterMsMax } = this.#limits;
    const backoffMs = Math.min(reconnectAfterMs * 2 ** this.#failures, reconnectAfterMsMax);
    this.#connectNotBefore = now + backoffMs * (0.5 + Math.random() / 2);
    this.#failures += 1;
  }

  sessionsToOpen(load: Load, now: number): number {
    const count = load.sessions === 0 ? 1 : this.#growth(load, now);
    if (count === 0 || now < this.#connectNotBefore) return 0; // the next check of timeouts calls this again
    this.#fullSince = undefined;
    return count;
  }

  /**
   * When all sessions have been full for a while, returns as many as the window needs, at most doubling them: over a
   * long distance the window outgrows single additions.
   */
  #growth({ sessions, haveAllAnswered, inFlight, window, isWindowFull }: Load, now: number): number {
    if (isWindowFull || !haveAllAnswered) this.#fullSince = undefined;
    else this.#fullSince ??= now;
    const { growAfterMs, sessionsMax } = this.#limits;
    if (this.#fullSince === undefined || now - this.#fullSince < growAfterMs) return 0;
    const needed = Math.max(Math.ceil((window - inFlight) / (inFlight / sessions)), 1);
    return Math.max(Math.min(needed, sessions, sessionsMax - sessions), 0);
  }
}
