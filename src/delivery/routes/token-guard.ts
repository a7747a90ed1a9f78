/**
 * Keeps a broadcast from retiring all push tokens of an app. If a route is set up wrongly (another environment, topic or
 * Firebase project), the gateway calls every token dead. So tokens called dead among a notification's first answers on a
 * route are held until there are enough answers to decide: then all of them are retired, or none is.
 */

import type { OfNotification } from '../../observe.ts';

/**
 * Answers needed to decide. In a good list far less than half of the tokens are dead. If seven in ten are, 80 of the first
 * 100 answers are dead by chance in one case of 60; if six in ten are, in one of 60,000 (binomial). Fewer answers would be a
 * biased sample, since a refusal may come faster than an acceptance.
 */
const SAMPLE_ANSWERS = 100;
const DEAD_SHARE_MAX = 0.8;
/**
 * Answers needed to decide if no push was ever accepted with the credentials, over all notifications: more than the stale
 * devices of one user. If one was accepted, the dead tokens of a small audience are retired.
 */
const UNPROVEN_ANSWERS = 10;

/**
 * With 410 Apple says that the token was valid for this topic and environment, and until when. Such an answer does not
 * point to a wrong set-up.
 */
const CERTAIN: ReadonlySet<string> = new Set(['Unregistered', 'ExpiredToken']);

/** A push whose token was called dead, until that is decided. */
export interface Held {
  /** For `decideFor`. */
  owner: object;
  /** The token is dead: retires it and records the outcome. */
  believe: () => void;
  /** The route is set up wrongly: keeps the token and lets the push wait. */
  keep: () => void;
}

/** The state that the guards of all notifications on a route share. */
export interface GuardedRoute {
  /** Whether a push was ever accepted with these credentials. */
  readonly isProven: boolean;
  /** Whether an operator has confirmed that the route is set up correctly. */
  readonly isUnguarded: boolean;
  /** Whether the route is paused for its dead tokens. */
  readonly isTripped: boolean;
  /** Answers until the first push was accepted. */
  readonly unproven: Tally;
  /** Pauses the route. @param word the gateway's word for most of the dead tokens */
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
  readonly #reasons = new Map<string, number>();
  #held: Held[] = [];

  constructor(route: GuardedRoute, of: OfNotification) {
    this.#route = route;
    this.#of = of;
  }

  /** Counts an answer that does not call the token dead. */
  passed(): void {
    if (this.#isSampled) return;
    this.#count(false);
  }

  /** Counts an answer that calls the token dead, and decides about it now or later. @param reason the gateway's word */
  died(reason: string, held: Held): void {
    if (CERTAIN.has(reason)) {
      this.passed();
      return held.believe();
    }
    if (this.#route.isUnguarded) return held.believe();
    if (this.#route.isTripped) return held.keep();
    if (this.#isSampled) return held.believe();
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    this.#held.push(held);
    this.#count(true);
  }

  /** Decides the held pushes of this owner: it can wait no longer. */
  decideFor(owner: object): void {
    const own = this.#held.filter((held) => held.owner === owner);
    if (own.length === 0) return;
    if (!this.#route.isProven && isUnlikely(this.#route.unproven, UNPROVEN_ANSWERS)) return this.#trip();
    this.#held = this.#held.filter((held) => held.owner !== owner);
    for (const { believe } of own) believe();
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
    const [[reason] = ['']] = [...this.#reasons].sort(([, left], [, right]) => right - left);
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
