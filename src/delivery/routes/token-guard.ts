/**
 * Keeps a bulk notification from retiring all push tokens of an app. If a route is set up wrongly (another environment, topic
 * or Firebase project), the gateway reports every token dead. So the tokens that a notification's first answers on a
 * route report dead are held. When there are enough answers to decide, either all held tokens are retired or none. A small
 * audience never gives enough answers: its dead tokens are retired only if the route has just worked, and otherwise kept,
 * although the push has its outcome. The gateway reports them again at the next push.
 */

import { CONFIRMED_DEAD } from '../../gateways/reason.ts';
import type { OfNotification } from '../../observe.ts';

/**
 * Answers needed to decide. In a good list, far fewer than half of the tokens are dead. If 70% are dead, 80 of the
 * first 100 answers report a dead token by chance in one of 60 cases; if 60% are dead, in one of 60,000 (binomial).
 * Fewer answers would be a biased sample, because a refusal may come faster than an acceptance.
 */
const SAMPLE_ANSWERS = 100;
const DEAD_SHARE_MAX = 0.8;
/**
 * Answers needed to decide if no push has ever been accepted with the credentials, counted over all notifications. One
 * user does not have as many stale devices.
 */
const UNPROVEN_ANSWERS = 10;
/**
 * This many tokens reported dead in a row say nothing about any one token: a working route accepts a push in between.
 */
const IN_A_ROW_MAX = 10;

/** A push whose token was reported dead, held until the guard decides about it. */
export interface Held {
  /** Its slice, as passed to `decideFor`. */
  owner: object;
  /** The token is dead: retires it and records the outcome. */
  believe: () => void;
  /** Records the outcome, and leaves the token to the device. */
  doubt: () => void;
  /** The route is set up wrongly: keeps the token and lets the push wait. */
  keep: () => void;
}

/** The state that the guards of all notifications on a route share. */
export interface GuardedRoute {
  /** Whether a push was ever accepted with these credentials. */
  readonly isProven: boolean;
  /** Whether an operator has confirmed that the route is set up correctly. */
  readonly isUnguarded: boolean;
  /** Whether the route is paused because of its dead tokens. */
  readonly isTripped: boolean;
  /** Counts answers until the first push is accepted. */
  readonly unproven: Tally;
  /** How many tokens were reported dead since a push was accepted, over all notifications of this process. */
  deadInARow: number;
  /** Pauses the route. @param word the reason that the gateway gave for most of the dead tokens */
  trip(word: string, of: OfNotification): void;
}

export interface Tally {
  answers: number;
  dead: number;
}

/** The guard of one notification on one route, in one process. */
export class TokenGuard {
  readonly #route: GuardedRoute;
  readonly #of: OfNotification;
  readonly #tally: Tally = { answers: 0, dead: 0 };
  /** How many tokens were reported dead for each reason. */
  #reasons: Map<string, number> | undefined;
  #held: Held[] = [];

  constructor(route: GuardedRoute, of: OfNotification) {
    this.#route = route;
    this.#of = of;
  }

  /** Counts an answer that does not report the token dead. */
  passed(): void {
    if (this.#isSampled) return;
    this.#count(false);
  }

  /**
   * Counts an answer that reports the token dead, and decides about the token now or later.
   * @param reason the gateway's own reason
   */
  died(reason: string, held: Held): void {
    if (CONFIRMED_DEAD.has(reason)) {
      this.passed();
      return held.believe();
    }
    if (this.#route.isUnguarded) return held.believe();
    if (this.#route.isTripped) return held.keep();
    if (this.#isSampled) return held.believe();
    this.#route.deadInARow += 1;
    this.#reasons ??= new Map();
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    this.#held.push(held);
    this.#count(true);
  }

  /** Decides about the held pushes of an owner that can wait no longer. */
  decideFor(owner: object): void {
    if (this.#held.length === 0) return;
    const own = this.#held.filter((held) => held.owner === owner);
    if (own.length === 0) return;
    if (!this.#route.isProven && isUnlikely(this.#route.unproven, UNPROVEN_ANSWERS)) return this.#trip();
    this.#held = this.#held.filter((held) => held.owner !== owner);
    const isConvincing = this.#route.isProven && this.#route.deadInARow < IN_A_ROW_MAX;
    for (const { believe, doubt } of own) {
      if (isConvincing) believe();
      else doubt();
    }
  }

  get #isSampled(): boolean {
    return this.#tally.answers >= SAMPLE_ANSWERS;
  }

  #count(isDead: boolean): void {
    const tallies = this.#route.isProven ? [this.#tally] : [this.#tally, this.#route.unproven];
    for (const tally of tallies) {
      tally.answers += 1;
      if (isDead) tally.dead += 1;
    }
    if (!this.#isSampled) return;
    if (isUnlikely(this.#tally, SAMPLE_ANSWERS)) this.#trip();
    else this.#takeHeld().forEach(({ believe }) => believe());
  }

  #trip(): void {
    const [[reason] = ['']] = [...(this.#reasons ?? [])].sort(([, left], [, right]) => right - left);
    this.#route.trip(reason, this.#of);
    this.#takeHeld().forEach(({ keep }) => keep());
  }

  #takeHeld(): Held[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }
}

function isUnlikely({ answers, dead }: Tally, answersMin: number): boolean {
  return answers >= answersMin && dead >= DEAD_SHARE_MAX * answers;
}
