/**
 * The state of a route with the app's current credentials: whether they have ever worked, and whether sending is
 * paused. All workers share it through Postgres: it is read for each slice, together with the versions of the
 * credentials, and changes are written back.
 */
import type { Pause, PauseCause, StoredRouteState } from '../../apps/route-states.ts';
import type { Clock } from '../../clock.ts';
import { databaseError } from '../../db/database-error.ts';
import { gatewayOf, type Route } from '../../route.ts';
import type { Observe, OfNotification } from '../../observe.ts';
import { firstProbeMs, isProbeDue, type PauseStored, pauseSentence } from './route-store.ts';
import { type GuardedRoute, type Tally, TokenGuard } from './token-guard.ts';

/** Stores the state for all workers. */
export interface RouteStore {
  /** Stores that a push has been accepted. */
  prove(): Promise<void>;
  /** @returns `unguarded` if nothing was stored because an operator has confirmed that the dead tokens are dead */
  pause(pause: { cause: PauseCause; reason: string; notificationId: string }): Promise<PauseStored>;
  /** @returns when the next probe is due (Unix ms); undefined if another worker has this one */
  takeProbe(): Promise<number | undefined>;
  /** @returns whether the route was paused */
  endPause(cause: PauseCause): Promise<boolean>;
}

export interface RouteStateOptions {
  route: Route;
  store: RouteStore;
  clock: Clock;
  observe: Observe;
}

/** Few bulk notifications are sent at once. */
const GUARDS_MAX = 32;

/** Advice for operators when most push tokens of a route are refused. */
const CHECKS: Readonly<Record<Route, string>> = {
  apns_production:
    'check that these devices are not development devices, and that the bundle id of the app matches the build',
  apns_sandbox:
    'check that these are development devices, and that the bundle id of the app matches the build',
  web_push: 'check that the VAPID key of the app is the one with which its pages subscribe',
  fcm: 'check that the service account belongs to the Firebase project that the app is built with',
};

export class RouteState implements GuardedRoute {
  /** Counts answers until the first push is accepted. */
  readonly unproven: Tally = { answers: 0, dead: 0 };
  deadInARow = 0;
  readonly #options: RouteStateOptions;
  readonly #guards = new Map<string, TokenGuard>();
  readonly #writing = new Set<Promise<unknown>>();
  #isProven = false;
  #pause: Pause | undefined;
  #unguardedUntilMs = 0;
  /** When the last change of this process was stored (monotonic). */
  #storedAt = 0;

  constructor(options: RouteStateOptions) {
    this.#options = options;
  }

  /** Undefined if the route is not paused. */
  get pause(): Pause | undefined {
    return this.#pause;
  }

  get pauseSentence(): string | undefined {
    return this.#pause === undefined ? undefined : pauseSentence(this.#options.route, this.#pause.reason);
  }

  /** Whether a push was ever accepted with these credentials, by any worker. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Whether an operator has confirmed that the route is set up correctly, however many tokens are dead. */
  get isUnguarded(): boolean {
    return this.#nowMs() < this.#unguardedUntilMs;
  }

  /** Whether the route is paused because too many tokens are reported dead. */
  get isTripped(): boolean {
    return this.#pause?.cause === 'tokens';
  }

  /**
   * Takes over the stored state, unless this process has changed the state since the read began.
   * @param readAt when the read began (monotonic, `performance.now()`)
   */
  learn(stored: StoredRouteState | undefined, readAt: number): void {
    if (stored?.isProven === true) this.#isProven = true;
    this.#unguardedUntilMs = stored?.unguardedUntilMs ?? 0;
    if (this.#writing.size > 0 || readAt < this.#storedAt) return;
    this.#pause = stored?.pause ?? undefined;
  }

  /** Call it when the gateway has accepted a push. */
  accepted(): void {
    this.deadInARow = 0;
    if (this.#isProven) return;
    this.#isProven = true;
    this.#write(async () => this.#options.store.prove());
  }

  /**
   * Pauses the route: in this process at once, and for all workers once that is stored.
   * @param reason a sentence
   */
  pauseFor(cause: PauseCause, reason: string, of: OfNotification): void {
    if (this.#pause !== undefined) return;
    const nowMs = this.#nowMs();
    const probeAtMs = cause === 'credentials' ? firstProbeMs(nowMs) : null;
    this.#pause = { cause, reason, sinceMs: nowMs, probeAtMs };
    const { route, store, observe } = this.#options;
    const { notificationId } = of;
    this.#write(async () => {
      const stored = await store.pause({ cause, reason, notificationId });
      if (stored === 'unguarded') {
        this.#pause = undefined;
        this.#unguardedUntilMs = Infinity; // the next slice reads the real time
      }
      if (stored === 'paused')
        observe({ kind: 'route_paused', gateway: gatewayOf(route), route, cause, reason, ...of });
    });
  }

  /** @param word the reason that the gateway gave for most of the dead tokens */
  trip(word: string, of: OfNotification): void {
    const reason = `most push tokens are refused (${word}); ${CHECKS[this.#options.route]}`;
    this.pauseFor('tokens', reason, of);
  }

  /**
   * The earliest time at which a push may be tried (Unix ms): 0 if the route is not paused, otherwise the time of the
   * next probe; `Infinity` if the pause has no probes.
   */
  get nextTryMs(): number {
    if (this.#pause === undefined) return 0;
    const { probeAtMs } = this.#pause;
    if (probeAtMs === null) return Infinity;
    return isProbeDue(probeAtMs, this.#nowMs()) ? 0 : probeAtMs;
  }

  /** Takes the next probe of a paused route. @returns false if it is not due, or another worker has it */
  async mayProbe(): Promise<boolean> {
    const pause = this.#pause;
    if (pause === undefined || pause.probeAtMs === null || this.nextTryMs > 0) return false;
    const nextMs = await this.#options.store.takeProbe();
    if (nextMs === undefined || this.#pause !== pause) return false;
    this.#pause = { ...pause, probeAtMs: nextMs };
    this.#storedAt = performance.now();
    return true;
  }

  /** Ends the pause for all workers, after the gateway has accepted the credentials with a probe. */
  probed(): void {
    const { route, store, observe } = this.#options;
    this.#pause = undefined;
    this.#write(async () => {
      const wasPaused = await store.endPause('credentials');
      if (wasPaused) observe({ kind: 'route_resumed', gateway: gatewayOf(route), route });
    });
  }

  /** The guard that decides about a notification's tokens on this route. */
  guardOf(of: OfNotification): TokenGuard {
    const { notificationId } = of;
    const guard = this.#guards.get(notificationId) ?? new TokenGuard(this, of);
    this.#guards.delete(notificationId);
    this.#guards.set(notificationId, guard);
    for (const oldest of this.#guards.keys()) {
      if (this.#guards.size <= GUARDS_MAX) break;
      this.#guards.delete(oldest);
    }
    return guard;
  }

  /** Resolves when all changes have been stored or have failed. */
  async stored(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** Stores a change in the background, so that sending does not wait for it. */
  #write(store: () => Promise<void>): void {
    const { observe } = this.#options;
    const writing = store()
      .catch((error: unknown) => observe(databaseError(error, 'route states')))
      .finally(() => {
        this.#writing.delete(writing);
        this.#storedAt = performance.now();
      });
    this.#writing.add(writing);
  }

  #nowMs(): number {
    return this.#options.clock().getTime();
  }
}
