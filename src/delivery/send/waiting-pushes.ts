/** The pushes of a slice that wait: for a moment, or for a route that is paused. */
import type { Route } from '../../gateways/gateway.ts';
import type { AppGateways } from './open-gateways.ts';
import type { Push } from './push.ts';
import { PutOff } from './delayed-pushes.ts';
import type { SliceNext } from '../outcomes/store.ts';

/** Who waits for a pause to end is told of its end; this is for the case that nobody was there to tell. */
const PAUSED_MS_MAX = 5 * 60_000;
/** How often those who wait in place look whether their route is paused still, at the most and at the least. */
const LOOK_MS_MIN = 250;
const LOOK_MS_MAX = 1_000;

export class WaitingPushes {
  readonly #gateways: AppGateways;
  readonly #sendUntilMs: number;
  readonly #putOff = new PutOff<Push>();
  #held: Push[] = [];

  /** @param sendUntilMs after this they are to be given up (Unix ms) */
  constructor(gateways: AppGateways, sendUntilMs: number) {
    this.#gateways = gateways;
    this.#sendUntilMs = sendUntilMs;
  }

  get size(): number {
    return this.#putOff.size + this.#held.length;
  }

  putOff(push: Push, untilMs: number): void {
    push.dueMs = untilMs;
    this.#putOff.add(push);
  }

  /** Until its route is paused no more. */
  hold(push: Push): void {
    this.#held.push(push);
  }

  /** When the first of them may be tried (Unix ms); `Infinity` where nobody knows. */
  get soonestMs(): number {
    let soonestMs = this.#putOff.soonestMs;
    for (const route of this.#heldRoutes) soonestMs = Math.min(soonestMs, this.#nextTryMs(route));
    return soonestMs;
  }

  /** How long to wait before looking for them (ms), however the clock is set meanwhile. */
  waitMs(nowMs: number, waitMsMax: number): number {
    const waitMs = this.soonestMs - nowMs;
    if (this.#held.length === 0) return Math.min(Math.max(waitMs, 0), waitMsMax);
    return Math.min(Math.max(waitMs, LOOK_MS_MIN), LOOK_MS_MAX);
  }

  /** Takes out those that may be tried. */
  takeDue(nowMs: number): Push[] {
    const due = this.#putOff.takeDue(nowMs);
    if (this.#held.length === 0) return due;
    const open = new Set([...this.#heldRoutes].filter((route) => this.#nextTryMs(route) <= nowMs));
    const freed = this.#held.filter(({ route }) => open.has(route));
    this.#held = this.#held.filter(({ route }) => !open.has(route));
    return [...due, ...freed];
  }

  /** What becomes of the slice, where it waits in place no longer. */
  next(nowMs: number): SliceNext {
    if (this.size === 0) return { state: 'done' };
    const waitsFor = [...this.#heldRoutes].filter((route) => this.#sentence(route) !== undefined).sort();
    const isFree = waitsFor.length < this.#heldRoutes.size;
    const pausedUntilMs =
      waitsFor.length === 0 ? Infinity : Math.min(nowMs + PAUSED_MS_MAX, this.#sendUntilMs + 1);
    const notBefore = new Date(isFree ? nowMs : Math.min(this.#putOff.soonestMs, pausedUntilMs));
    if (waitsFor.length === 0) return { state: 'waiting', notBefore };
    const reason = waitsFor.map((route) => this.#sentence(route)).join('; ');
    return { state: 'waiting', notBefore, waitsFor, reason };
  }

  get #heldRoutes(): Set<Route> {
    return new Set(this.#held.map(({ route }) => route));
  }

  #sentence(route: Route): string | undefined {
    return this.#gateways[route]?.state.pauseSentence;
  }

  #nextTryMs(route: Route): number {
    return Math.min(this.#gateways[route]?.state.nextTryMs ?? 0, this.#sendUntilMs + 1);
  }
}
