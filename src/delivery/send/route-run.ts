/**
 * Sends the pushes of one slice on one route: keeps the gateway's pace, probes a paused route with one push, and turns
 * each verdict into an outcome, a retry or a wait.
 */
import type { BadgeChange, SendMessage, Verdict } from '../../gateways/gateway.ts';
import { gatewayOf, type Route } from '../../route.ts';
import { retryDelayMs } from '../../gateways/retry-delay.ts';
import type { Version } from '../../notifications/content/payload-versions.ts';
import { isOnPush, type Refused, refusalSentence } from '../routes/refusal.ts';
import { TokenGuard } from '../routes/token-guard.ts';
import type { OpenGateway } from './open-gateways.ts';
import { isSendable, type Push, type SendablePush } from './push.ts';
import { EXPIRED, type Obstacle, type SliceRunOptions, type SliceState } from './slice-state.ts';

type Retry = Extract<Verdict, { kind: 'retry' }>;
type Unregistered = Extract<Verdict, { kind: 'unregistered' }>;

export class RouteRun {
  readonly #slice: SliceState;
  readonly #route: Route;
  readonly #entry: OpenGateway;
  readonly #isWanted: () => boolean;
  /** Sends what every device gets. */
  readonly #send: SendMessage;
  /** Versions that some devices get instead; each is compiled for the first such device. */
  #sendVersion: Map<Version, SendMessage> | undefined;
  /** The change that an accepted push makes to the kept badge of its device. */
  readonly #badge: BadgeChange | undefined;
  /** Set if a refusal is noted while it is read. */
  readonly #careful: SliceRunOptions['careful'];
  /** Shared by all runs of the notification in this process, if there may be others. */
  readonly #guard: TokenGuard;
  /** Why the credentials were refused; undefined if they were not. */
  #refused: string | undefined;
  /** A probe is in flight: one push is tried although the route is paused. */
  #isProbing = false;

  constructor(slice: SliceState, route: Route, entry: OpenGateway) {
    const { message, refused, isWhole = false, careful } = slice.options;
    this.#slice = slice;
    this.#route = route;
    this.#entry = entry;
    this.#refused = refused[route];
    this.#badge = message.apns?.badge;
    this.#careful = careful?.notesPushes === true ? careful : undefined;
    const { ofNotification: of } = slice;
    this.#guard = isWhole ? new TokenGuard(entry.state, of) : entry.state.guardOf(of);
    // Checked just before a push leaves, because it may have waited in the gateway. It is a constant first, because V8 puts
    // a function that is assigned to a field directly into the old generation, which would keep the run alive
    // (docs/decisions/0007).
    const isWanted = (): boolean =>
      !slice.stopped &&
      this.#refused === undefined &&
      !slice.isExpired &&
      (entry.state.pause === undefined || this.#isProbing);
    this.#isWanted = isWanted;
    this.#send = entry.gateway.compile(message, isWanted);
  }

  /** Resolves when the gateway can take more pushes; undefined if it can now. */
  whenReady(): Promise<void> | undefined {
    return this.#entry.gateway.whenReady();
  }

  /** Resolves when all pushes that wait in the gateway have left. */
  async whenSent(): Promise<void> {
    await this.#entry.gateway.whenSent();
  }

  /** Decides about the held tokens of this slice that were reported dead: no more answers will come. */
  decideHeld(): void {
    this.#guard.decideFor(this);
  }

  /** Sends the pushes that the gateway's pace allows now; the others wait. */
  async begin(pushes: readonly Push[]): Promise<void> {
    const { pace, state } = this.#entry;
    let sendable = this.#sendable(pushes);
    if (state.pause !== undefined) sendable = await this.#probe(sendable);
    if (sendable.length === 0) return;
    const unpaced = sendable.reduce((count, { isPaced }) => (isPaced ? count : count + 1), 0);
    const turn = unpaced === 0 ? 0 : pace.take(unpaced);
    const turnMs = typeof turn === 'number' ? turn : await turn;
    const pausedUntilMs = unpaced === sendable.length ? 0 : await pace.pausedUntil();
    if (!this.#slice.stopped) this.#sendFrom(sendable, { turnMs, pausedUntilMs });
  }

  /**
   * @param from the earliest moments of sending (Unix ms): `turnMs` for pushes whose allowance has just been taken,
   *   `pausedUntilMs` for pushes that already had theirs
   */
  #sendFrom(
    sendable: readonly SendablePush[],
    { turnMs, pausedUntilMs }: { turnMs: number; pausedUntilMs: number },
  ): void {
    const { waiting, deadline } = this.#slice;
    const nowMs = this.#slice.nowMs();
    for (const push of sendable) {
      const notBeforeMs = push.isPaced ? pausedUntilMs : turnMs;
      push.isPaced = true;
      if (notBeforeMs > deadline.sendUntilMs) this.#slice.giveUp(push, EXPIRED);
      else if (notBeforeMs > nowMs) waiting.delay(push, notBeforeMs);
      else void this.#try(push);
    }
  }

  /** Records the outcome of pushes that will not be sent. @returns the others */
  #sendable(pushes: readonly Push[]): readonly SendablePush[] {
    const obstacle = this.#slice.isExpired ? this.#expiry() : undefined;
    const sendable: SendablePush[] = [];
    for (const push of pushes) {
      if (!isSendable(push)) this.#slice.record(push, 'no_token', null);
      else if (this.#refused !== undefined) this.#slice.record(push, 'rejected', this.#refused);
      else if (obstacle !== undefined) this.#slice.giveUp(push, obstacle);
      else if (!this.#isDropped(push)) sendable.push(push);
    }
    return sendable;
  }

  /** Decides what the device gets. @returns true if it gets nothing, which is then recorded */
  #isDropped(push: Push): boolean {
    const { perDevice } = this.#slice.options;
    if (perDevice === undefined) return false;
    push.choice ??= perDevice.choose(push.facts, push.group);
    const { dropped } = push.choice;
    if (dropped === undefined) return false;
    this.#slice.record(push, 'dropped', dropped);
    return true;
  }

  /** Why a push did not leave within its time to live. */
  #expiry(): Obstacle {
    const sentence = this.#entry.state.pauseSentence;
    return sentence === undefined ? EXPIRED : { reason: 'route_paused', sentence };
  }

  /** Tries one push on a paused route if a probe is due. @returns the pushes that may be sent now; the others wait */
  async #probe(pushes: readonly SendablePush[]): Promise<readonly SendablePush[]> {
    const { state } = this.#entry;
    const [first, ...others] = pushes;
    if (first === undefined || !(await state.mayProbe())) return this.#holdIfPaused(pushes);
    this.#isProbing = true;
    const verdict = await this.#try(first);
    this.#isProbing = false;
    if (verdict !== undefined && isOnPush(verdict)) state.probed();
    return this.#holdIfPaused(others);
  }

  #holdIfPaused(pushes: readonly SendablePush[]): readonly SendablePush[] {
    if (this.#entry.state.pause === undefined) return pushes;
    for (const push of pushes) this.#slice.waiting.hold(push);
    return [];
  }

  /**
   * Holds a push that the gateway has answered until the route is no longer paused, or gives it up if it may be sent
   * only once.
   */
  #holdAnswered(push: Push): void {
    push.isPaced = false;
    if (this.#slice.deadline.isOnce) this.#slice.giveUp(push, this.#expiry());
    else this.#slice.waiting.hold(push);
  }

  /** Sends a push once. Never rejects. @returns undefined if an error ended the attempt at the slice */
  async #try(push: SendablePush): Promise<Verdict | undefined> {
    let verdict: Verdict | undefined;
    const reading = this.#careful?.reading(push.recipient.deviceId);
    this.#slice.inProgress.begin();
    this.#entry.answers.begun();
    try {
      verdict = await this.#sendOf(push)(push.recipient, push.choice?.own, reading?.begin);
      this.#entry.answers.ended(verdict);
      if (verdict.kind === 'credentials_refused') await this.#refuse(push, verdict);
      else this.#judge(push, verdict);
    } catch (error) {
      if (verdict === undefined) this.#entry.answers.ended(undefined);
      this.#slice.fail(error);
    }
    reading?.end();
    this.#slice.inProgress.end();
    return verdict;
  }

  #sendOf({ choice }: Push): SendMessage {
    if (choice === undefined) return this.#send;
    const { version } = choice;
    this.#sendVersion ??= new Map();
    const known = this.#sendVersion.get(version);
    if (known !== undefined) return known;
    const { payload, priority } = version;
    const message = { ...this.#slice.options.message, payload, priority };
    const send = this.#entry.gateway.compile(message, this.#isWanted);
    this.#sendVersion.set(version, send);
    return send;
  }

  #judge(push: SendablePush, verdict: Exclude<Verdict, Refused>): void {
    if (verdict.kind === 'retry') return this.#retry(push, verdict);
    if (verdict.kind === 'ambiguous') return this.#slice.record(push, verdict.kind, verdict.reason);
    this.#entry.credentialsAccepted = true;
    if (verdict.kind === 'unregistered') return this.#tokenDied(push, verdict);
    if (verdict.kind === 'accepted') {
      this.#entry.state.accepted();
      if (this.#badge !== undefined && showsBadge(this.#route, push)) {
        this.#slice.options.outcomes.moveBadge(push.recipient.deviceId, this.#badge);
      }
      const { uniqueId } = verdict;
      if (uniqueId !== undefined) {
        this.#slice.uniqueIds.push({ deviceId: push.recipient.deviceId, uniqueId });
      }
    }
    this.#guard.passed();
    this.#slice.record(push, verdict.kind, verdict.kind === 'accepted' ? null : verdict.reason);
  }

  #tokenDied(push: SendablePush, { deadSince, reason }: Unregistered): void {
    const { deviceId, pushToken } = push.recipient;
    const { outcomes, message } = this.#slice.options;
    const { token } = message;
    const doubt = (): void => this.#slice.record(push, 'unregistered', reason);
    const believe = (): void => {
      outcomes.addDeadToken({ deviceId, pushToken, deadSince, reason, ...(token && { named: token }) });
      doubt();
    };
    // Activities end in thousands at once, which says nothing about the route.
    if (token !== undefined) return believe();
    this.#guard.died(reason, {
      owner: this,
      believe,
      doubt,
      keep: () => this.#holdAnswered(push),
    });
  }

  #retry(push: Push, { reason, detail, afterMs, scope, unsent }: Retry): void {
    const { pace, state } = this.#entry;
    const { random, observe, outcomes } = this.#slice.options;
    const { waiting, deadline, ofNotification } = this.#slice;
    const gateway = gatewayOf(this.#route);
    if (this.#refused !== undefined) return this.#slice.record(push, 'rejected', this.#refused);
    if (this.#slice.isExpired && unsent === true) return this.#slice.giveUp(push, this.#expiry());
    // A run that has ended sends nothing more: another attempt at the slice does.
    if (unsent === true && (state.pause !== undefined || this.#slice.stopped)) return waiting.hold(push);
    if (deadline.isOnce && unsent !== true) return this.#slice.record(push, 'rejected', reason);
    push.tries += 1;
    push.isPaced = false;
    // Earlier attempts at the slice count, because it is given back between long waits.
    const attempt = push.tries + outcomes.slice.attempt - 1;
    const dueMs = this.#slice.nowMs() + retryDelayMs(gateway, attempt, afterMs, random);
    if (dueMs > deadline.retryUntilMs) return this.#slice.record(push, 'rejected', reason);
    if (scope === 'project') pace.pauseUntil(dueMs);
    this.#entry.answers.willRetry(dueMs);
    observe({ kind: 'push_retried', ...ofNotification, gateway, reason, detail, attempt });
    waiting.delay(push, dueMs);
  }

  /**
   * If the credentials have never worked, the notification is not sent on this route. If they have, they may work
   * again, so the route is paused.
   */
  async #refuse(push: Push, verdict: Refused): Promise<void> {
    const { state } = this.#entry;
    if (state.isProven || verdict.clock !== undefined) {
      state.pauseFor('credentials', refusalSentence(verdict), this.#slice.ofNotification);
      return this.#holdAnswered(push);
    }
    this.#slice.record(push, 'rejected', verdict.reason);
    if (this.#refused !== undefined) return;
    this.#refused = verdict.reason;
    await this.#slice.options.onRefused(this.#route, verdict);
  }
}

/** Android has no badge that a push sets. */
function showsBadge(route: Route, { recipient }: SendablePush): boolean {
  return route !== 'fcm' || recipient.pushTokenType === 'fcm';
}
