/**
 * Feeds the devices of one slice to the gateways and gathers an outcome for each. Knows no database: what it
 * found is a value (`SliceResult`) that `record` stores.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { MatchingDevice } from '../audiences/matching-devices.ts';
import type { Clock } from '../clock.ts';
import type { GatewayName, Lane, PushMessage, Recipient, Verdict } from '../gateways/gateway.ts';
import type { Observe } from '../observe.ts';
import type { AppGateways, OpenGateway } from './open-gateways.ts';
import type { Outcome, OutcomeKind } from './outcome.ts';
import { retryDelayMs } from './retry.ts';

export interface SliceRunOptions {
  message: PushMessage;
  lane: Lane;
  gateways: AppGateways;
  /** Gateways that have refused the credentials for this notification already, with their reason. */
  refused: Readonly<Partial<Record<GatewayName, string>>>;
  /** What earlier attempts at this slice recorded. Those devices are not pushed to again. */
  outcomes: ReadonlyMap<string, Outcome>;
  stop: AbortSignal;
  clock: Clock;
  observe: Observe;
  random: () => number;
  /** Told once a gateway. `stop`: no gateway is left to send through. */
  onRefused: (gateway: GatewayName, reason: string) => Promise<'go_on' | 'stop'>;
}

export interface DeadToken {
  deviceId: string;
  pushToken: string;
  deadSince: Date | null;
}

export interface SliceResult {
  /** Every outcome known, earlier attempts included. */
  outcomes: ReadonlyMap<string, Outcome>;
  /** Those that this run has added. */
  fresh: ReadonlyMap<string, Outcome>;
  deadTokens: readonly DeadToken[];
  /** Null where every device has its outcome; else when to go on. */
  goOnAt: Date | null;
}

interface Attempt {
  device: MatchingDevice;
  gateway: GatewayName;
  /** Tries before this one. */
  tries: number;
  /** It has its place in the pace of the gateway already, and takes no other. */
  isPaced: boolean;
}

interface WaitingAttempt extends Attempt {
  dueMs: number;
}

/** Pushes of one slice on their way at once; several slices together fill the windows of the sessions. */
const IN_FLIGHT_MAX = 250;
/** A slice waits for retries no longer than this; then it is handed on, so that jobs stay short. */
const RETRY_IN_PLACE_MS = 10_000;
/** However short the time to live, a gateway's hiccup of a minute loses no push; nor is one tried for ever. */
const TRY_FOR_MS_MIN = 60_000;
const TRY_FOR_MS_MAX = 24 * 60 * 60_000;

export class SliceRun {
  readonly #options: SliceRunOptions;
  readonly #senders = new Map<GatewayName, ReturnType<OpenGateway['gateway']['compile']>>();
  readonly #refused: Partial<Record<GatewayName, string>>;
  readonly #outcomes: Map<string, Outcome>;
  readonly #fresh = new Map<string, Outcome>();
  readonly #deadTokens: DeadToken[] = [];
  #waiting: WaitingAttempt[] = [];
  #noGatewayLeft = false;
  readonly #giveUpMs: number;

  constructor(options: SliceRunOptions) {
    this.#options = options;
    this.#refused = { ...options.refused };
    this.#outcomes = new Map(options.outcomes);
    const { dueAt, timeToLiveSeconds } = options.message;
    const tryForMs = Math.min(Math.max(timeToLiveSeconds * 1_000, TRY_FOR_MS_MIN), TRY_FOR_MS_MAX);
    // From now where the server was down when the notification was due: it has not been tried yet.
    this.#giveUpMs = Math.max(dueAt.getTime(), options.clock().getTime()) + tryForMs;
    for (const entry of [options.gateways.apns, options.gateways.fcm]) {
      if (entry !== undefined) this.#senders.set(entry.gateway.name, entry.gateway.compile(options.message));
    }
  }

  /** No further device is begun: the worker stops, the lease is lost, or no gateway is left. */
  get stopped(): boolean {
    return this.#noGatewayLeft || this.#options.stop.aborted;
  }

  /** Pushes to each device that has no outcome yet. Resolves when each has one or waits for a retry. */
  async push(devices: readonly MatchingDevice[]): Promise<void> {
    const open = devices.filter((device) => !this.#outcomes.has(device.id));
    const attempts = open.map((device): Attempt => ({
      device,
      gateway: gatewayOf(device),
      tries: 0,
      isPaced: false,
    }));
    // The first push through a gateway that has not proven itself goes alone: bad credentials show at once.
    const probes = new Set(
      unprovenGateways(this.#options.gateways).flatMap((name) => firstPush(attempts, name)),
    );
    await this.#attemptAll([...probes]);
    await this.#attemptAll(attempts.filter((attempt) => !probes.has(attempt)));
  }

  /** Tries again what a gateway put off, as often as time allows. */
  async retryWaiting(): Promise<void> {
    const untilMs = this.#nowMs() + RETRY_IN_PLACE_MS;
    while (this.#waiting.length > 0 && !this.stopped) {
      const soonestMs = Math.min(...this.#waiting.map((waiting) => waiting.dueMs));
      if (soonestMs > untilMs) return;
      // An abort ends the wait; the loop's condition then ends the loop.
      await wait(Math.max(soonestMs - this.#nowMs(), 0), undefined, { signal: this.#options.stop }).catch(
        () => undefined,
      );
      const nowMs = this.#nowMs();
      const due = this.#waiting.filter((waiting) => waiting.dueMs <= nowMs);
      this.#waiting = this.#waiting.filter((waiting) => waiting.dueMs > nowMs);
      await this.#attemptAll(due);
    }
  }

  /** What has been found. Devices still waiting, or not begun, are for a later attempt. */
  finish(): SliceResult {
    return {
      outcomes: this.#outcomes,
      fresh: this.#fresh,
      deadTokens: this.#deadTokens,
      goOnAt: this.#goOnAt(),
    };
  }

  #goOnAt(): Date | null {
    if (this.stopped) return this.#options.clock();
    if (this.#waiting.length === 0) return null;
    return new Date(Math.min(...this.#waiting.map(({ dueMs }) => dueMs)));
  }

  async #attemptAll(attempts: readonly Attempt[]): Promise<void> {
    const next = attempts.values();
    const runner = async (): Promise<void> => {
      for (const attempt of next) {
        const sending = this.#attempt(attempt);
        if (sending !== undefined) await sending;
      }
    };
    await Promise.all(Array.from({ length: Math.min(IN_FLIGHT_MAX, attempts.length) }, runner));
  }

  /** Pushes once. At the rate of pushes every promise counts: nothing to wait for, none returned. */
  #attempt(attempt: Attempt): Promise<void> | undefined {
    const { device, gateway } = attempt;
    const { push_token: pushToken } = device;
    if (this.stopped) return undefined;
    if (pushToken === null) return this.#settle(device, 'no_token', null);
    const entry = this.#options.gateways[gateway];
    const send = this.#senders.get(gateway);
    const refusal = this.#refused[gateway];
    if (entry === undefined || send === undefined) {
      return this.#settle(device, 'rejected', `no ${gateway} credentials`);
    }
    if (refusal !== undefined) return this.#settle(device, 'rejected', refusal);

    const recipient: Recipient = { deviceId: device.id, pushToken, development: device.development };
    const sendPaced = (notBeforeMs: number): Promise<void> | undefined => {
      if (notBeforeMs > this.#nowMs()) {
        this.#waiting.push({ ...attempt, isPaced: true, dueMs: notBeforeMs });
        return undefined;
      }
      return send(recipient, this.#options.lane).then((verdict) =>
        this.#judge(attempt, entry, recipient, verdict),
      );
    };
    const taken = attempt.isPaced ? entry.pace.notBeforeMs : entry.pace.take();
    return typeof taken === 'number' ? sendPaced(taken) : taken.then(sendPaced);
  }

  #judge(
    attempt: Attempt,
    entry: OpenGateway,
    recipient: Recipient,
    verdict: Verdict,
  ): Promise<void> | undefined {
    const { device } = attempt;
    if (verdict.kind === 'retry') return this.#putOff(attempt, entry, verdict);
    if (verdict.kind === 'accepted') {
      entry.proven = true;
      return this.#settle(device, 'accepted', null);
    }
    const { kind, reason } = verdict;
    switch (kind) {
      case 'rejected':
        entry.proven = true;
        return this.#settle(device, 'rejected', reason);
      case 'unregistered': {
        const { deadSince } = verdict;
        entry.proven = true;
        this.#deadTokens.push({ deviceId: device.id, pushToken: recipient.pushToken, deadSince });
        return this.#settle(device, 'unregistered', reason);
      }
      case 'ambiguous':
        return this.#settle(device, 'ambiguous', reason);
      case 'credentials_refused':
        this.#settle(device, 'rejected', reason);
        return this.#refuse(attempt.gateway, reason);
    }
  }

  #putOff(attempt: Attempt, entry: OpenGateway, verdict: Extract<Verdict, { kind: 'retry' }>): undefined {
    const { random, observe } = this.#options;
    const tries = attempt.tries + 1;
    const dueMs = this.#nowMs() + retryDelayMs(attempt.gateway, tries, verdict.afterMs, random);
    if (dueMs > this.#giveUpMs) return this.#settle(attempt.device, 'rejected', verdict.reason);
    if (verdict.scope === 'project') entry.pace.pauseUntil(dueMs);
    observe({ kind: 'push_retried', gateway: attempt.gateway, reason: verdict.reason, attempt: tries });
    this.#waiting.push({ ...attempt, tries, isPaced: false, dueMs });
  }

  async #refuse(gateway: GatewayName, reason: string): Promise<void> {
    if (this.#refused[gateway] !== undefined) return;
    this.#refused[gateway] = reason;
    if ((await this.#options.onRefused(gateway, reason)) === 'stop') this.#noGatewayLeft = true;
  }

  #settle(device: MatchingDevice, kind: OutcomeKind, reason: string | null): undefined {
    const outcome: Outcome = { kind, reason, atMs: this.#nowMs() };
    this.#outcomes.set(device.id, outcome);
    this.#fresh.set(device.id, outcome);
    this.#options.observe({ kind: 'push_settled', gateway: gatewayOf(device), outcome: kind, reason });
  }

  #nowMs(): number {
    return this.#options.clock().getTime();
  }
}

function unprovenGateways({ apns, fcm }: AppGateways): GatewayName[] {
  return [apns, fcm].flatMap((entry) => (entry?.proven === false ? [entry.gateway.name] : []));
}

function firstPush(attempts: readonly Attempt[], gateway: GatewayName): Attempt[] {
  const first = attempts.find((attempt) => attempt.gateway === gateway && attempt.device.push_token !== null);
  return first === undefined ? [] : [first];
}

function gatewayOf(device: MatchingDevice): GatewayName {
  return device.platform === 'iOS' ? 'apns' : 'fcm';
}
