/** The waiting pushes of a slice: each waits until a due time, or until its route is no longer paused. */
import type { Route } from '../../route.ts';
import type { SliceNext } from '../outcomes/store.ts';
import type { AppGateways } from './open-gateways.ts';
import type { Push } from './push.ts';

/** The end of a pause wakes the slices that wait for it; this is the longest wait if nothing wakes them. */
const PAUSED_MS_MAX = 5 * 60_000;
/** Bounds of the interval at which a slice in progress checks whether its route is still paused. */
const CHECK_MS_MIN = 250;
const CHECK_MS_MAX = 1_000;

const DONE: SliceNext = { state: 'done' };

export class WaitingPushes {
  readonly #gateways: AppGateways;
  readonly #sendUntilMs: number;
  /** Each until its own due time: by the pace of a gateway, or until a retry. */
  #delayed: Push[] = [];
  #held: Push[] = [];

  /** @param sendUntilMs the moment after which they are given up (Unix ms) */
  constructor(gateways: AppGateways, sendUntilMs: number) {
    this.#gateways = gateways;
    this.#sendUntilMs = sendUntilMs;
  }

  get size(): number {
    return this.#delayed.length + this.#held.length;
  }

  delay(push: Push, untilMs: number): void {
    push.dueMs = untilMs;
    this.#delayed.push(push);
  }

  /** Keeps a push until its route is no longer paused. */
  hold(push: Push): void {
    this.#held.push(push);
  }

  /** When the first push may be tried (Unix ms); `Infinity` if that is unknown. */
  get soonestMs(): number {
    let soonestMs = this.#delayedUntilMs;
    for (const route of this.#heldRoutes) soonestMs = Math.min(soonestMs, this.#nextTryMs(route));
    return soonestMs;
  }

  /** How long to wait before the next `takeDue` (ms). It is bounded, because the clock may be changed meanwhile. */
  waitMs(nowMs: number, waitMsMax: number): number {
    const waitMs = this.soonestMs - nowMs;
    if (this.#held.length === 0) return Math.min(Math.max(waitMs, 0), waitMsMax);
    return Math.min(Math.max(waitMs, CHECK_MS_MIN), CHECK_MS_MAX);
  }

  /** Removes and returns the pushes that may be tried now. */
  takeDue(nowMs: number): Push[] {
    const due = this.#delayed.filter(({ dueMs }) => dueMs <= nowMs);
    this.#delayed = this.#delayed.filter(({ dueMs }) => dueMs > nowMs);
    if (this.#held.length === 0) return due;
    const open = new Set([...this.#heldRoutes].filter((route) => this.#nextTryMs(route) <= nowMs));
    const freed = this.#held.filter(({ route }) => open.has(route));
    this.#held = this.#held.filter(({ route }) => !open.has(route));
    return [...due, ...freed];
  }

  /** The next state of the slice if the attempt ends now. */
  next(nowMs: number): SliceNext {
    if (this.size === 0) return DONE;
    const waitsFor = [...this.#heldRoutes].filter((route) => this.#sentence(route) !== undefined).sort();
    const isFree = waitsFor.length < this.#heldRoutes.size;
    const pausedUntilMs =
      waitsFor.length === 0 ? Infinity : Math.min(nowMs + PAUSED_MS_MAX, this.#sendUntilMs + 1);
    const notBefore = isFree ? null : new Date(Math.min(this.#delayedUntilMs, pausedUntilMs));
    if (waitsFor.length === 0) return { state: 'waiting', notBefore };
    const reason = waitsFor.map((route) => this.#sentence(route)).join('; ');
    return { state: 'waiting', notBefore, waitsFor, reason };
  }

  get #delayedUntilMs(): number {
    return this.#delayed.reduce((soonest, { dueMs }) => Math.min(soonest, dueMs), Infinity);
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
