/** Sends the pushes of one slice, page by page, and waits a few seconds for retries. */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { PushMessage } from '../../gateways/gateway.ts';
import { type Route, routes } from '../../route.ts';
import { HOLD_OUT } from '../../notifications/content/assign-variant.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import type { SliceNext } from '../outcomes/store.ts';
import type { AppGateways } from './open-gateways.ts';
import { firstPush, isSendable, type Push, pushOf } from './push.ts';
import { RouteRun } from './route-run.ts';
import { type Obstacle, type SliceRunOptions, SliceState } from './slice-state.ts';

/** How long the first push goes alone while the gateway is silent. */
const ALONE_MS_MAX = 5_000;
/** Pushes of one page that may still be in progress when the next page begins. */
const IN_PROGRESS_MAX = 250;
/**
 * Pushes begun per turn of the event loop: they take a fraction of a millisecond, so that other work is not held up.
 */
const BEGIN_AT_ONCE = 50;
/** After a death, this many devices of a page are noted one by one, even if all get the same content. */
const NOTED_MAX = 20;
/** The longest wait for retries. After it the slice is given back to the queue, so that jobs stay short. */
const RETRY_IN_PLACE_MS = 10_000;

export class SliceRun {
  readonly #options: SliceRunOptions;
  /** Its caller reads from it whether and why the run has stopped, and ends the run by `fail`. */
  readonly state: SliceState;
  readonly #routeRuns: Partial<Record<Route, RouteRun>> = {};
  #isSmallPage = false;

  constructor(options: SliceRunOptions) {
    this.#options = options;
    this.state = new SliceState(options);
  }

  /**
   * Begins a push to each device that has no outcome yet.
   * @param devices sorted by id; their ids follow those of earlier calls
   */
  async push(devices: readonly MatchingDevice[]): Promise<void> {
    const { outcomes, gateways } = this.#options;
    const { inProgress } = this.state;
    const enough = inProgress.atMost(IN_PROGRESS_MAX);
    if (enough !== undefined) await enough;
    const pending = outcomes.pending(devices);
    this.#isSmallPage = pending.length <= NOTED_MAX;
    const firstRow = outcomes.add(pending);
    const groupOf = this.#options.perDevice?.groupOf;
    const all = pending.map((device, index) =>
      pushOf(device, firstRow + index, groupOf?.(device.id, device.facts)),
    );
    const { poison = [] } = this.#options;
    const due = this.#options.message.token === undefined ? all : this.#withoutLeftOut(all, pending);
    const wanted = poison.length === 0 ? due : this.#withoutPoison(due, poison);
    // Before the frequency cap: a device that is held out uses nothing of it.
    const each = groupOf === undefined ? wanted : this.#withoutHeldOut(wanted);
    const pushes = this.#options.caps === undefined ? each : await this.#withinCap(each, this.#options.caps);
    // Until the gateway has accepted the credentials, the first push goes alone, so that bad ones cost one request.
    const first = unconfirmedRoutes(gateways).flatMap((route) => firstPush(pushes, route));
    if (first.length === 0) {
      await this.#begin(pushes);
    } else {
      await this.#begin(first);
      await this.#answeredSoon();
      await this.#begin(pushes.filter((push) => !first.includes(push)));
    }
  }

  /**
   * Waits for the pushes in progress, and retries pushes that are due soon.
   * @param giveWay called when all pushes have been sent and only the answers are missing
   * @returns the next state of the slice
   */
  async finish(giveWay?: () => void): Promise<SliceNext> {
    const { waiting, uniqueIds } = this.state;
    if (giveWay !== undefined) void this.#giveWayWhenSent(giveWay);
    const answered = this.state.inProgress.atMost(0);
    if (answered !== undefined) await answered;
    this.#decideHeld();
    if (waiting.size > 0) await this.#retryInPlace();
    if (uniqueIds.length > 0) await this.#options.onUniqueIds(uniqueIds);
    if (this.state.stopped) return { state: 'waiting', notBefore: null };
    return waiting.next(this.state.nowMs());
  }

  /** Resolves when no push is in progress, or after a while: a gateway may swallow one push and answer the others. */
  async #answeredSoon(): Promise<void> {
    const answered = this.state.inProgress.atMost(0);
    if (answered === undefined) return;
    const { aloneMsMax = ALONE_MS_MAX } = this.#options;
    const late = new AbortController();
    const waited = wait(aloneMsMax, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([answered, waited]);
    late.abort();
  }

  /** Retries the pushes that are due soon. */
  async #retryInPlace(): Promise<void> {
    const { saver, outcomes, stop, message } = this.#options;
    const { waiting } = this.state;
    const inPlaceMs = isReplaceable(message) ? 0 : RETRY_IN_PLACE_MS;
    const untilMs = this.state.nowMs() + inPlaceMs;
    const endAt = performance.now() + inPlaceMs; // the clock may be set back meanwhile
    while (!this.state.stopped && waiting.soonestMs <= untilMs && performance.now() < endAt) {
      await saver.saveNow(outcomes);
      const waitMs = waiting.waitMs(this.state.nowMs(), inPlaceMs);
      // An abort ends the wait; the condition of the loop then ends the loop.
      const signal = stop === undefined ? outcomes.over : AbortSignal.any([stop, outcomes.over]);
      await wait(waitMs, undefined, { signal }).catch(() => undefined);
      await this.#begin(waiting.takeDue(this.state.nowMs()));
      await this.state.inProgress.atMost(0);
      this.#decideHeld();
    }
  }

  /**
   * Gives up the pushes during which processes have died.
   * @param poison ids of their devices
   * @returns the others
   */
  #withoutPoison(pushes: readonly Push[], poison: readonly string[]): readonly Push[] {
    const { outcomes, observe } = this.#options;
    return pushes.filter((push) => {
      const id = push.recipient?.deviceId;
      if (id === undefined || !poison.includes(id)) return true;
      const sentence = `the push to the device ${id} stopped the process twice`;
      // The last process may have handed it to the gateway.
      this.state.giveUp(push, { reason: 'stopped_the_process', sentence }, 'ambiguous');
      const { number } = outcomes.slice;
      observe({ kind: 'push_stopped_process', ...this.state.ofNotification, number, deviceId: id });
      return false;
    });
  }

  /**
   * Records the devices that get nothing, because what they would get is out of date.
   * @param devices the devices of the pushes, in the same order
   * @returns the others
   */
  #withoutLeftOut(pushes: readonly Push[], devices: readonly MatchingDevice[]): readonly Push[] {
    return pushes.filter((push, index) => {
      const reason = devices[index]?.leftOut ?? null;
      if (reason === null) return true;
      this.state.record(push, 'dropped', reason);
      return false;
    });
  }

  /**
   * Records the devices that are held out. One without a push token could not have got anything, in any group.
   * @returns the others
   */
  #withoutHeldOut(pushes: readonly Push[]): readonly Push[] {
    return pushes.filter((push) => {
      if (push.group !== HOLD_OUT || !isSendable(push)) return true;
      this.state.record(push, 'dropped', 'held_out');
      return false;
    });
  }

  /** Records the devices that have reached the frequency cap. @returns the others */
  async #withinCap(
    pushes: readonly Push[],
    caps: NonNullable<SliceRunOptions['caps']>,
  ): Promise<readonly Push[]> {
    const sendable = pushes.filter(isSendable);
    const free = await caps.reserve(sendable.map(({ recipient }) => recipient.deviceId));
    return pushes.filter((push) => {
      if (!isSendable(push) || free.has(push.recipient.deviceId)) return true;
      this.state.record(push, 'capped', null);
      return false;
    });
  }

  /** Decides about the tokens that were reported dead, once no push is in progress. */
  #decideHeld(): void {
    for (const route of routes) this.#routeRuns[route]?.decideHeld();
  }

  /**
   * Begins pushes as fast as their gateways take them.
   * @returns a promise that resolves when all have begun, or the run is stopped; undefined if there are none
   */
  #begin(pushes: readonly Push[]): Promise<unknown> | undefined {
    const [first] = pushes;
    if (first === undefined) return undefined;
    if (pushes.every(({ route }) => route === first.route)) return this.#feed(first.route, pushes);
    const byRoute = Map.groupBy(pushes, ({ route }) => route);
    return Promise.all([...byRoute].map(async ([route, ofRoute]) => this.#feed(route, ofRoute)));
  }

  /**
   * Whether a push is noted as well before it is compiled, and not only before a refusal of it is read.
   * Payloads of all devices, or of a variant, were compiled by the process that created the notification.
   * Those of templates are made of values of the device. A few pushes are noted in any case, because that
   * takes only moments.
   */
  get #isEachNoted(): boolean {
    return this.#options.perDevice?.hasTemplates === true || this.#isSmallPage;
  }

  /** Begins a few pushes at a time, as soon as the gateway can take more. Never rejects. */
  async #feed(route: Route, pushes: readonly Push[]): Promise<void> {
    const { careful, outcomes } = this.#options;
    try {
      const routeRun =
        careful === undefined || this.#routeRuns[route] !== undefined
          ? this.#routeRunOf(route)
          : await careful.attemptForAll(`compile for ${route}`, async () => this.#routeRunOf(route));
      if (careful !== undefined && this.#options.gateways[route] !== undefined) {
        // Another worker has the slice, or is trying the same: this attempt is over, and none of its devices is done.
        if (routeRun === undefined) return outcomes.stop();
        if (careful.notesPushes && this.#isEachNoted)
          return await this.#beginNoted(routeRun, pushes, careful);
      }
      for (let next = 0; next < pushes.length && !this.state.stopped; next += BEGIN_AT_ONCE) {
        if (next > 0) await turn();
        const ready = routeRun?.whenReady();
        if (ready !== undefined) await ready;
        if (this.state.stopped) return;
        const some = pushes.slice(next, next + BEGIN_AT_ONCE);
        if (routeRun === undefined) this.#rejectWithoutCredentials(route, some);
        else await routeRun.begin(some);
      }
    } catch (error) {
      this.state.fail(error);
    }
  }

  /** Begins one push at a time. None is noted while the gateway can take no more. */
  async #beginNoted(
    routeRun: RouteRun,
    pushes: readonly Push[],
    careful: NonNullable<SliceRunOptions['careful']>,
  ): Promise<void> {
    let next = 0;
    while (next < pushes.length) {
      const ready = routeRun.whenReady();
      if (ready !== undefined) await ready;
      if (this.state.stopped) return;
      const isHeld = await careful.inTurn(async (note) => {
        for (; !this.state.stopped && routeRun.whenReady() === undefined; next++) {
          const push = pushes[next];
          if (push === undefined) break;
          if (isSendable(push) && !(await note(push.recipient.deviceId))) return false;
          await routeRun.begin([push]);
        }
        return true;
      });
      if (!isHeld) return;
    }
  }

  /** Created for the first device of the route, because few notifications have devices on all routes. */
  #routeRunOf(route: Route): RouteRun | undefined {
    const entry = this.#options.gateways[route];
    if (entry === undefined) return undefined;
    return (this.#routeRuns[route] ??= new RouteRun(this.state, route, entry));
  }

  #rejectWithoutCredentials(route: Route, pushes: readonly Push[]): void {
    const obstacle: Obstacle = { reason: 'no_credentials', sentence: `no ${route} credentials` };
    for (const push of pushes) {
      if (isSendable(push)) this.state.giveUp(push, obstacle);
      else this.state.record(push, 'no_token', null);
    }
  }

  /** Gives way unless pushes wait for a gateway's pace: another notification would have to wait even longer. */
  async #giveWayWhenSent(giveWay: () => void): Promise<void> {
    await Promise.all(Object.values(this.#routeRuns).map(async (routeRun) => routeRun.whenSent()));
    if (this.state.waiting.size === 0) giveWay();
  }
}

/** Whether a newer notification may replace it, which only a new attempt at the slice notices. */
function isReplaceable({ apns }: PushMessage): boolean {
  return apns?.activity?.event === 'update';
}

function unconfirmedRoutes(gateways: AppGateways): Route[] {
  return routes.filter((route) => gateways[route]?.credentialsAccepted === false);
}
