/**
 * Sends the pushes of one slice through the gateways and records an outcome for each device. It knows no database:
 * outcomes go to `OutcomeBatches`.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import type { Clock } from '../../clock.ts';
import { gatewayOf, type PushMessage, type Route, routes, type Verdict } from '../../gateways/gateway.ts';
import type { Observe, OfNotification } from '../../observe.ts';
import { type Channel, openChannel } from './channel.ts';
import type { AppGateways, OpenGateway } from './open-gateways.ts';
import type { OutcomeKind } from '../outcomes/packed.ts';
import { firstPush, isSendable, type Push, pushOf, type SendablePush } from './push.ts';
import type { OutcomeBatches } from '../outcomes/batch.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import type { SliceNext } from '../outcomes/store.ts';
import { retryDelayMs } from './retry.ts';
import { isOnPush, type Refused, refusalSentence } from '../routes/refusal.ts';
import { type Deadline, deadlineOf, EXPIRED } from './time-to-live.ts';
import { UnderWay } from './under-way.ts';
import { WaitingPushes } from './waiting-pushes.ts';

export interface SliceRunOptions {
  message: PushMessage;
  /** Of the request that created the notification; null where it is not known. */
  requestId: string;
  gateways: AppGateways;
  /** Routes on which the credentials have been refused for this notification already, with the gateway's reason. */
  refused: Readonly<Partial<Record<Route, string>>>;
  batches: OutcomeBatches;
  outcomes: SliceOutcomes;
  stop: AbortSignal;
  clock: Clock;
  observe: Observe;
  random: () => number;
  /** Told once a route. */
  onRefused: (route: Route, reason: string) => Promise<void>;
}

/** A verdict on one push; the other kind is on the credentials. */
type Judged = Exclude<Verdict, Refused>;

/** Pushes of one page that may still be under way when the next one is begun. */
const UNDER_WAY_MAX = 250;
/** Pushes begun in one turn of the event loop: a fraction of a millisecond, so that nobody waits behind a page. */
const BEGIN_AT_ONCE = 50;
/** A slice waits for retries no longer than this; then it is handed on, so that jobs stay short. */
const RETRY_IN_PLACE_MS = 10_000;

export class SliceRun {
  readonly #options: SliceRunOptions;
  readonly #outcomes: SliceOutcomes;
  readonly #channels: Partial<Record<Route, Channel>> = {};
  readonly #refused: Partial<Record<Route, string>>;
  readonly #waiting: WaitingPushes;
  readonly #deadline: Deadline;
  readonly #unsent = new Set<string>();
  readonly #underWay = new UnderWay();
  #failure: Error | undefined;

  constructor(options: SliceRunOptions) {
    this.#options = options;
    this.#outcomes = options.outcomes;
    this.#refused = { ...options.refused };
    this.#deadline = deadlineOf(options.message, this.#nowMs());
    this.#waiting = new WaitingPushes(options.gateways, this.#deadline.sendUntilMs);
  }

  /** No further push is begun: the worker stops, the slice is lost, or something broke. */
  get stopped(): boolean {
    return this.#failure !== undefined || this.#options.stop.aborted;
  }

  /** What broke the run off. What had been found until then is in the record. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Begins a push to each device that has no outcome yet.
   * @param devices in the order of their ids, after all that came before
   */
  async push(devices: readonly MatchingDevice[]): Promise<void> {
    await this.#underWay.landed(UNDER_WAY_MAX);
    const pending = this.#outcomes.pending(devices);
    const firstRow = this.#outcomes.add(pending);
    const pushes = pending.map((device, index) => pushOf(device, firstRow + index));
    // The first push on a route that has not proven itself goes alone: bad credentials show at once.
    const probes = unprovenRoutes(this.#options.gateways).flatMap((route) => firstPush(pushes, route));
    if (probes.length === 0) {
      await this.#begin(pushes);
    } else {
      await this.#begin(probes);
      await this.#underWay.landed(0);
      await this.#begin(pushes.filter((push) => !probes.includes(push)));
    }
  }

  /** Why devices were not sent to, beside refused credentials: sentences. */
  get unsent(): readonly string[] {
    return [...this.#unsent];
  }

  /**
   * Waits for the pushes under way, and tries again what a gateway put off, as often as time allows.
   * @param giveWay told where only answers are waited for
   * @returns what becomes of the slice
   */
  async finish(giveWay?: () => void): Promise<SliceNext> {
    if (giveWay !== undefined) void this.#giveWayWhenSent(giveWay);
    await this.#decided();
    const untilMs = this.#nowMs() + RETRY_IN_PLACE_MS;
    const handOnAt = performance.now() + RETRY_IN_PLACE_MS; // the clock may be put back meanwhile
    while (!this.stopped && this.#waiting.soonestMs <= untilMs && performance.now() < handOnAt) {
      await this.#options.batches.saveNow(this.#outcomes);
      const waitMs = this.#waiting.waitMs(this.#nowMs(), RETRY_IN_PLACE_MS);
      // An abort ends the wait; the loop's condition then ends the loop.
      await wait(waitMs, undefined, { signal: this.#options.stop }).catch(() => undefined);
      await this.#begin(this.#waiting.takeDue(this.#nowMs()));
      await this.#decided();
    }
    if (this.stopped) return { state: 'waiting', notBefore: this.#options.clock() };
    return this.#waiting.next(this.#nowMs());
  }

  /** Resolves when no push is under way, and it is known of each token that was called dead whether it is. */
  async #decided(): Promise<void> {
    await this.#underWay.landed(0);
    for (const { guard } of Object.values(this.#channels)) guard.decideFor(this);
  }

  /** Breaks off: the pushes under way are still heard out, none is begun. */
  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Begins pushes as their gateways take them; resolves when all are begun, or the run is stopped. */
  async #begin(pushes: readonly Push[]): Promise<void> {
    const byRoute = Map.groupBy(pushes, ({ route }) => route);
    await Promise.all([...byRoute].map(async ([route, ofRoute]) => this.#feed(route, ofRoute)));
  }

  /** Begins a few at a time, as soon as the gateway can do with more. Never rejects. */
  async #feed(route: Route, pushes: readonly Push[]): Promise<void> {
    const channel = this.#channelOf(route);
    let next = 0;
    try {
      while (next < pushes.length && !this.stopped) {
        if (next > 0) await turn();
        await channel?.entry.gateway.whenReady();
        if (this.stopped) return;
        const sendable = this.#sendable(route, pushes.slice(next, next + BEGIN_AT_ONCE));
        if (channel !== undefined && sendable.length > 0) await this.#send(channel, sendable);
        next += BEGIN_AT_ONCE;
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** Compiles the message for a route when its first device comes: few notifications have devices on all of them. */
  #channelOf(route: Route): Channel | undefined {
    const entry = this.#options.gateways[route];
    if (entry === undefined) return undefined;
    // What waits for its turn when the run is stopped, the time over, or the route refused, leaves no more.
    const isWanted = (): boolean => !this.stopped && this.#refused[route] === undefined && !this.#isOver;
    const { message } = this.#options;
    return (this.#channels[route] ??= openChannel(entry, message, this.#ofNotification, isWanted));
  }

  /** Settles those pushes that there is no use in sending. @returns the others */
  #sendable(route: Route, pushes: readonly Push[]): SendablePush[] {
    const entry = this.#options.gateways[route];
    const refusal = entry === undefined ? undefined : this.#refused[route];
    const obstacle =
      entry === undefined ? `no ${route} credentials` : this.#isOver ? this.#lateness(entry) : undefined;
    const sendable: SendablePush[] = [];
    for (const push of pushes) {
      if (!isSendable(push)) this.#settle(push, 'no_token', null);
      else if (refusal !== undefined) this.#settle(push, 'rejected', refusal);
      else if (obstacle !== undefined) this.#giveUp(push, obstacle);
      else sendable.push(push);
    }
    return sendable;
  }

  /** What kept a push until its time was over. */
  #lateness(entry: OpenGateway): string {
    return entry.state.pauseSentence ?? EXPIRED;
  }

  /** @param obstacle why it was not sent: the record of the notification says so too */
  #giveUp(push: Push, obstacle: string): void {
    this.#unsent.add(obstacle);
    this.#settle(push, 'rejected', obstacle);
  }

  /** Sends those whose place in the gateway's pace has come; the others wait for it. */
  async #send(channel: Channel, sendable: readonly SendablePush[]): Promise<void> {
    const { pace, state } = channel.entry;
    const pushes = state.pause === undefined ? sendable : await this.#probe(channel, sendable);
    if (pushes.length === 0) return;
    const newOnes = pushes.reduce((count, { isPaced }) => (isPaced ? count : count + 1), 0);
    const placeMs = newOnes === 0 ? 0 : await pace.take(newOnes);
    const pausedUntilMs = newOnes === pushes.length ? 0 : await pace.pausedUntil();
    if (this.stopped) return;
    const nowMs = this.#nowMs();
    for (const push of pushes) {
      const notBeforeMs = push.isPaced ? pausedUntilMs : placeMs;
      push.isPaced = true;
      if (notBeforeMs > this.#deadline.sendUntilMs) this.#giveUp(push, EXPIRED);
      else if (notBeforeMs > nowMs) this.#waiting.putOff(push, notBeforeMs);
      else void this.#try(channel, push);
    }
  }

  /** Of a paused route: tries one push where that is due. @returns what may be sent now; the others wait */
  async #probe(channel: Channel, pushes: readonly SendablePush[]): Promise<readonly SendablePush[]> {
    const { state } = channel.entry;
    const [first, ...others] = pushes;
    if (first === undefined || !(await state.mayProbe())) return this.#unlessPaused(channel, pushes);
    channel.isProbing = true;
    const verdict = await this.#try(channel, first);
    channel.isProbing = false;
    if (verdict !== undefined && isOnPush(verdict)) state.probed();
    return this.#unlessPaused(channel, others);
  }

  #unlessPaused({ entry }: Channel, pushes: readonly SendablePush[]): readonly SendablePush[] {
    if (entry.state.pause === undefined) return pushes;
    for (const push of pushes) this.#waiting.hold(push);
    return [];
  }

  /** Keeps a push that a gateway has answered until its route is paused no more. */
  #holdAnswered(push: Push, entry: OpenGateway): void {
    push.isPaced = false;
    if (this.#deadline.isOnce) this.#giveUp(push, this.#lateness(entry));
    else this.#waiting.hold(push);
  }

  /** Not where pushes wait for their places in a gateway's pace: one that somebody waits for would get a later place. */
  async #giveWayWhenSent(giveWay: () => void): Promise<void> {
    const channels = Object.values(this.#channels);
    await Promise.all(channels.map(async ({ entry }) => entry.gateway.whenSent()));
    if (this.#waiting.size === 0) giveWay();
  }

  /** Pushes once. Never rejects. @returns undefined where that broke the run off */
  async #try(channel: Channel, push: SendablePush): Promise<Verdict | undefined> {
    let verdict: Verdict | undefined;
    this.#underWay.begun();
    try {
      verdict = await channel.send(push.recipient);
      if (verdict.kind === 'credentials_refused') await this.#refuse(push, channel.entry, verdict);
      else this.#judge(push, channel, verdict);
    } catch (error) {
      this.fail(error);
    }
    this.#underWay.ended();
    return verdict;
  }

  #judge(push: SendablePush, channel: Channel, verdict: Judged): void {
    const { entry, guard } = channel;
    if (verdict.kind === 'retry') return this.#retry(push, entry, verdict);
    if (verdict.kind === 'ambiguous') return this.#settle(push, verdict.kind, verdict.reason);
    entry.proven = true;
    if (verdict.kind === 'unregistered') return this.#died(push, channel, verdict);
    if (verdict.kind === 'accepted') entry.state.accepted();
    guard.passed();
    this.#settle(push, verdict.kind, verdict.kind === 'accepted' ? null : verdict.reason);
  }

  #died(
    push: SendablePush,
    { entry, guard }: Channel,
    verdict: Extract<Verdict, { kind: 'unregistered' }>,
  ): void {
    const { deviceId, pushToken } = push.recipient;
    const { deadSince, reason } = verdict;
    guard.died(reason, {
      owner: this,
      believe: () => {
        this.#outcomes.addDeadToken({ deviceId, pushToken, deadSince, reason });
        this.#settle(push, 'unregistered', reason);
      },
      keep: () => this.#holdAnswered(push, entry),
    });
  }

  #retry(push: Push, entry: OpenGateway, verdict: Extract<Verdict, { kind: 'retry' }>): void {
    const { random, observe, requestId } = this.#options;
    const { notificationId } = this.#options.message;
    const gateway = gatewayOf(push.route);
    const { reason, afterMs, scope, unsent = false } = verdict;
    const { retryUntilMs, isOnce } = this.#deadline;
    const refusal = this.#refused[push.route];
    if (refusal !== undefined) return this.#settle(push, 'rejected', refusal);
    if (this.#isOver && unsent) return this.#giveUp(push, this.#lateness(entry));
    if (unsent && entry.state.pause !== undefined) return this.#waiting.hold(push);
    if (isOnce && !unsent) return this.#settle(push, 'rejected', reason);
    push.tries += 1;
    push.isPaced = false;
    const dueMs = this.#nowMs() + retryDelayMs(gateway, push.tries, afterMs, random);
    if (dueMs > retryUntilMs) return this.#settle(push, 'rejected', reason);
    if (scope === 'project') entry.pace.pauseUntil(dueMs);
    observe({ kind: 'push_retried', notificationId, requestId, gateway, reason, attempt: push.tries });
    this.#waiting.putOff(push, dueMs);
  }

  /** Credentials that never worked are refused for this notification; those that did may work again. */
  async #refuse(push: Push, entry: OpenGateway, verdict: Refused): Promise<void> {
    const { route } = push;
    const { reason, clock } = verdict;
    if (entry.state.isProven || clock !== undefined) {
      entry.state.pauseFor('credentials', refusalSentence(verdict), this.#ofNotification);
      return this.#holdAnswered(push, entry);
    }
    this.#settle(push, 'rejected', reason);
    if (this.#refused[route] !== undefined) return;
    this.#refused[route] = reason;
    await this.#options.onRefused(route, reason);
  }

  #settle({ row, route }: Push, outcome: OutcomeKind, reason: string | null): void {
    const { batches, observe, message, requestId } = this.#options;
    const { notificationId } = message;
    batches.record(this.#outcomes, row, outcome, reason, this.#nowMs());
    observe({ kind: 'push_settled', notificationId, requestId, gateway: gatewayOf(route), outcome, reason });
  }

  get #ofNotification(): OfNotification {
    const { message, requestId } = this.#options;
    return { notificationId: message.notificationId, requestId };
  }

  /** The time to live: nothing leaves any more. */
  get #isOver(): boolean {
    return this.#nowMs() > this.#deadline.sendUntilMs;
  }

  #nowMs(): number {
    return this.#options.clock().getTime();
  }
}

function unprovenRoutes(gateways: AppGateways): Route[] {
  return routes.filter((route) => gateways[route]?.proven === false);
}
