/**
 * Keeps a broadcast from wiping out the push tokens of an app. Where a route is set up wrongly (another environment,
 * another topic, another Firebase project), a gateway calls every token dead. So the deaths among the first answers that
 * a notification gets on a route are held back until there are enough answers to tell: then they are all believed, or
 * none is.
 */

import type { OfNotification } from '../../observe.ts';

/**
 * So many answers tell. Of a good list far less than half the tokens are dead; by chance, 80 of the first 100 are where
 * seven in ten of all are dead in one case of 60, and where six in ten are in one of 60,000 (binomial). The first answers
 * are no fair sample, since a refusal may come quicker than a yes; so no fewer.
 */
const SAMPLE_ANSWERS = 100;
const DEAD_SHARE_MAX = 0.8;
/**
 * Where nothing was ever accepted with the credentials, so many answers tell, of all notifications together: the stale
 * devices of one user are fewer. Where something was, a small audience is believed.
 */
const UNPROVEN_ANSWERS = 10;

/**
 * Apple says with 410 that a token which was good for the topic and environment is so no more, and since when: such an
 * answer is no sign of a wrong set-up.
 */
const CERTAIN: ReadonlySet<string> = new Set(['Unregistered', 'ExpiredToken']);

/** What becomes of a push whose token was called dead. */
export interface Held {
  /** Whose it is: see `decideFor`. */
  owner: object;
  /** The token is dead: it is retired, the device has its outcome. */
  believe: () => void;
  /** The route is wrong: the token is kept, and the push waits. */
  keep: () => void;
}

/** What the guards of all notifications on a route share. */
export interface GuardedRoute {
  /** A push was accepted with these credentials, ever. */
  readonly isProven: boolean;
  /** An operator has said that the route is right. */
  readonly isUnguarded: boolean;
  /** The route is paused for its dead tokens, by whoever noticed. */
  readonly isTripped: boolean;
  /** Answers until the first push was accepted. */
  readonly unproven: Tally;
  /** Pauses it. @param word the gateway's, for most of the dead tokens */
  trip(word: string, of: OfNotification): void;
}

export interface Tally {
  answers: number;
  dead: number;
}

/** Of one notification on one route, in one process. */
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

  /** An answer that speaks for the route, or says nothing against it. */
  passed(): void {
    if (this.#isSampled) return;
    this.#count(false);
  }

  /** A token was called dead, with the gateway's word for it. What becomes of the push is said now or later. */
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

  /** Decides what is held of this owner, who can wait no longer. */
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
