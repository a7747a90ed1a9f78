/**
 * Feeds the devices of one slice to the gateways and settles an outcome for each. Knows no database: what it
 * finds goes into a `SliceRecord`.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { MatchingDevice } from '../audiences/matching-devices.ts';
import type { Clock } from '../clock.ts';
import {
  type Gateway,
  gatewayOf,
  type PushMessage,
  type Recipient,
  type Route,
  routes,
  type Verdict,
} from '../gateways/gateway.ts';
import type { Observe } from '../observe.ts';
import type { AppGateways, OpenGateway } from './open-gateways.ts';
import type { OutcomeKind } from './outcome.ts';
import { PutOff } from './put-off.ts';
import type { SliceRecord } from './record-slice.ts';
import { retryDelayMs } from './retry.ts';
import { type Deadline, deadlineOf, EXPIRED } from './time-to-live.ts';

export interface SliceRunOptions {
  message: PushMessage;
  /** Of the request that created the notification; null where it is not known. */
  requestId: string | null;
  gateways: AppGateways;
  /** Routes on which the credentials have been refused for this notification already, with the gateway's reason. */
  refused: Readonly<Partial<Record<Route, string>>>;
  record: SliceRecord;
  stop: AbortSignal;
  clock: Clock;
  observe: Observe;
  random: () => number;
  /** Told once a route. */
  onRefused: (route: Route, reason: string) => Promise<void>;
}

/** One push, through all its tries. */
interface Push {
  /** Null for a device without a push token. */
  readonly recipient: Recipient | null;
  readonly route: Route;
  /** Of the device in the record. */
  readonly row: number;
  /** Tries so far. */
  tries: number;
  /** It has its place in the pace of the gateway already, and takes no other. */
  isPaced: boolean;
  /** Not before this moment (Unix ms). */
  dueMs: number;
}

type SendablePush = Push & { readonly recipient: Recipient };

/** A verdict on one push; the other kind is on the credentials. */
type Judged = Exclude<Verdict, { kind: 'credentials_refused' }>;

/** A route with the message compiled for it. */
interface Channel {
  entry: OpenGateway;
  send: ReturnType<Gateway['compile']>;
}

/** Pushes of one page that may still be under way when the next one is begun. */
const UNDER_WAY_MAX = 250;
/** Pushes begun in one turn of the event loop: a fraction of a millisecond, so that nobody waits behind a page. */
const BEGIN_AT_ONCE = 50;
/** A slice waits for retries no longer than this; then it is handed on, so that jobs stay short. */
const RETRY_IN_PLACE_MS = 10_000;

export class SliceRun {
  readonly #options: SliceRunOptions;
  readonly #record: SliceRecord;
  readonly #channels: Partial<Record<Route, Channel>> = {};
  readonly #refused: Partial<Record<Route, string>>;
  readonly #putOff = new PutOff<Push>();
  readonly #deadline: Deadline;
  #underWay = 0;
  #landing: { underWay: number; resolve: () => void } | undefined;
  #failure: Error | undefined;

  constructor(options: SliceRunOptions) {
    this.#options = options;
    this.#record = options.record;
    this.#refused = { ...options.refused };
    this.#deadline = deadlineOf(options.message, this.#nowMs());
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
    await this.#landed(UNDER_WAY_MAX);
    const pending = this.#record.pending(devices);
    const firstRow = this.#record.add(pending);
    const pushes = pending.map((device, index): Push => ({
      recipient: recipientOf(device),
      route: routeOf(device),
      row: firstRow + index,
      tries: 0,
      isPaced: false,
      dueMs: 0,
    }));
    // The first push on a route that has not proven itself goes alone: bad credentials show at once.
    const probes = unprovenRoutes(this.#options.gateways).flatMap((route) => firstPush(pushes, route));
    if (probes.length === 0) {
      await this.#begin(pushes);
    } else {
      await this.#begin(probes);
      await this.#landed(0);
      await this.#begin(pushes.filter((push) => !probes.includes(push)));
    }
  }

  /**
   * Waits for the pushes under way, and tries again what a gateway put off, as often as time allows.
   * @param giveWay told where only answers are waited for
   * @returns null where every device has its outcome, else when to go on
   */
  async finish(giveWay?: () => void): Promise<Date | null> {
    if (giveWay !== undefined) void this.#giveWayWhenSent(giveWay);
    await this.#landed(0);
    const untilMs = this.#nowMs() + RETRY_IN_PLACE_MS;
    while (!this.stopped && this.#putOff.soonestMs <= untilMs) {
      await this.#record.catchUp();
      const waitMs = Math.max(this.#putOff.soonestMs - this.#nowMs(), 0);
      // An abort ends the wait; the loop's condition then ends the loop.
      await wait(waitMs, undefined, { signal: this.#options.stop }).catch(() => undefined);
      await this.#begin(this.#putOff.takeDue(this.#nowMs()));
      await this.#landed(0);
    }
    if (this.stopped) return this.#options.clock();
    return this.#putOff.size === 0 ? null : new Date(this.#putOff.soonestMs);
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
    // What waits for its turn when the run is stopped, the route found to be refused, or the time over, leaves no more.
    const isWanted = (): boolean => !this.stopped && this.#refused[route] === undefined && !this.#isOver;
    return (this.#channels[route] ??= {
      entry,
      send: entry.gateway.compile(this.#options.message, isWanted),
    });
  }

  /** Settles those pushes that there is no use in sending. @returns the others */
  #sendable(route: Route, pushes: readonly Push[]): SendablePush[] {
    const refusal =
      this.#options.gateways[route] === undefined
        ? `no ${route} credentials`
        : (this.#refused[route] ?? (this.#isOver ? EXPIRED : undefined));
    const sendable: SendablePush[] = [];
    for (const push of pushes) {
      if (!isSendable(push)) this.#settle(push, 'no_token', null);
      else if (refusal !== undefined) this.#settle(push, 'rejected', refusal);
      else sendable.push(push);
    }
    return sendable;
  }

  /** Sends those whose place in the gateway's pace has come; the others wait for it. */
  async #send(channel: Channel, pushes: readonly SendablePush[]): Promise<void> {
    const { pace } = channel.entry;
    const newOnes = pushes.reduce((count, { isPaced }) => (isPaced ? count : count + 1), 0);
    const placeMs = newOnes === 0 ? 0 : await pace.take(newOnes);
    const pausedUntilMs = newOnes === pushes.length ? 0 : await pace.pausedUntil();
    if (this.stopped) return;
    const nowMs = this.#nowMs();
    for (const push of pushes) {
      const notBeforeMs = push.isPaced ? pausedUntilMs : placeMs;
      push.isPaced = true;
      if (notBeforeMs > this.#deadline.sendUntilMs) this.#settle(push, 'rejected', EXPIRED);
      else if (notBeforeMs > nowMs) this.#waitUntil(push, notBeforeMs);
      else void this.#try(channel, push);
    }
  }

  /** Not where pushes wait for their places in a gateway's pace: one that somebody waits for would get a later place. */
  async #giveWayWhenSent(giveWay: () => void): Promise<void> {
    const channels = Object.values(this.#channels);
    await Promise.all(channels.map(async ({ entry }) => entry.gateway.whenSent()));
    if (this.#putOff.size === 0) giveWay();
  }

  /** Resolves when so many pushes are under way, or less. */
  async #landed(underWay: number): Promise<void> {
    if (this.#underWay <= underWay) return;
    await new Promise<void>((resolve) => {
      this.#landing = { underWay, resolve };
    });
  }

  /** Pushes once. Never rejects. */
  async #try(channel: Channel, push: SendablePush): Promise<void> {
    this.#underWay += 1;
    try {
      const verdict = await channel.send(push.recipient);
      if (verdict.kind === 'credentials_refused') await this.#refuse(push, verdict.reason);
      else this.#judge(push, channel.entry, verdict);
    } catch (error) {
      this.fail(error);
    }
    this.#underWay -= 1;
    if (this.#landing !== undefined && this.#underWay <= this.#landing.underWay) this.#landing.resolve();
  }

  #judge(push: SendablePush, entry: OpenGateway, verdict: Judged): void {
    if (verdict.kind === 'retry') return this.#retry(push, entry, verdict);
    if (verdict.kind !== 'ambiguous') entry.proven = true;
    if (verdict.kind === 'unregistered') {
      const { deviceId, pushToken } = push.recipient;
      const { deadSince, reason } = verdict;
      this.#record.tokenDied({ deviceId, pushToken, deadSince, reason });
    }
    this.#settle(push, verdict.kind, verdict.kind === 'accepted' ? null : verdict.reason);
  }

  #retry(push: Push, entry: OpenGateway, verdict: Extract<Verdict, { kind: 'retry' }>): void {
    const { random, observe, requestId } = this.#options;
    const { notificationId } = this.#options.message;
    const gateway = gatewayOf(push.route);
    const { reason, afterMs, scope, unsent = false } = verdict;
    const { retryUntilMs, isOnce } = this.#deadline;
    if (this.#isOver) return this.#settle(push, 'rejected', unsent ? EXPIRED : reason);
    if (isOnce && !unsent) return this.#settle(push, 'rejected', reason);
    push.tries += 1;
    push.isPaced = false;
    const dueMs = this.#nowMs() + retryDelayMs(gateway, push.tries, afterMs, random);
    if (dueMs > retryUntilMs) return this.#settle(push, 'rejected', reason);
    if (scope === 'project') entry.pace.pauseUntil(dueMs);
    observe({ kind: 'push_retried', notificationId, requestId, gateway, reason, attempt: push.tries });
    this.#waitUntil(push, dueMs);
  }

  #waitUntil(push: Push, dueMs: number): void {
    push.dueMs = dueMs;
    this.#putOff.add(push);
  }

  async #refuse(push: Push, reason: string): Promise<void> {
    const { route } = push;
    this.#settle(push, 'rejected', reason);
    if (this.#refused[route] !== undefined) return;
    this.#refused[route] = reason;
    await this.#options.onRefused(route, reason);
  }

  #settle({ row, route }: Push, outcome: OutcomeKind, reason: string | null): void {
    const { observe, message, requestId } = this.#options;
    const { notificationId } = message;
    this.#record.settle(row, outcome, reason, this.#nowMs());
    observe({ kind: 'push_settled', notificationId, requestId, gateway: gatewayOf(route), outcome, reason });
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

function firstPush(pushes: readonly Push[], route: Route): Push[] {
  const first = pushes.find((push) => push.route === route && isSendable(push));
  return first === undefined ? [] : [first];
}

function isSendable(push: Push): push is SendablePush {
  return push.recipient !== null;
}

function recipientOf(device: MatchingDevice): Recipient | null {
  const { id: deviceId, push_token: pushToken, push_token_type: pushTokenType } = device;
  return pushToken === null ? null : { deviceId, pushToken, pushTokenType };
}

/** A development device lives behind Apple's sandbox; to Google it means nothing. */
function routeOf({ platform, development }: MatchingDevice): Route {
  if (platform !== 'iOS') return 'fcm';
  return development ? 'apns_sandbox' : 'apns_production';
}
