/**
 * The state of one attempt at a slice, which its routes share. It uses no database: outcomes go to an `OutcomeSink`.
 */
import type { Clock } from '../../clock.ts';
import type { PushMessage } from '../../gateways/gateway.ts';
import { gatewayOf, type Route } from '../../route.ts';
import { type OwnReason, reasonSentence } from '../../gateways/reason.ts';
import type { PerDevice } from '../../notifications/content/per-device.ts';
import type { Observe, OfNotification } from '../../observe.ts';
import type { OutcomeKind } from '../outcomes/packed.ts';
import { withVariant } from '../outcomes/reason-and-variant.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import type { UniqueId } from '../outcomes/unique-ids.ts';
import type { Refused } from '../routes/refusal.ts';
import type { SliceCaps } from '../caps/slice-caps.ts';
import type { CarefulSlice } from '../troubles/careful.ts';
import { InProgress } from './in-progress.ts';
import type { AppGateways } from './open-gateways.ts';
import type { Push } from './push.ts';
import { type Deadline, deadlineOf } from './time-to-live.ts';
import { WaitingPushes } from './waiting-pushes.ts';

/** Takes the outcomes of an attempt, as `OutcomeSaver` does. */
export interface OutcomeSink {
  record(outcomes: SliceOutcomes, row: number, kind: OutcomeKind, reason: string | null, atMs: number): void;
  /** Resolves when all outcomes so far are saved. Called before a wait. */
  saveNow(outcomes: SliceOutcomes): Promise<void>;
}

export interface SliceRunOptions {
  /** With the default payload. */
  message: PushMessage;
  /** Decides what each device gets; undefined: every device gets `message`. */
  perDevice?: PerDevice | undefined;
  /** Id of the request that created the notification. */
  requestId: string;
  gateways: AppGateways;
  /** Routes on which the credentials have already been refused for this notification, with the reason. */
  refused: Readonly<Partial<Record<Route, string>>>;
  /** Whether the run sends the whole notification, so that what it learns about dead tokens helps no other run. */
  isWhole?: boolean;
  /** Undefined: the notification has no frequency cap. */
  caps?: Pick<SliceCaps, 'reserve'> | undefined;
  /** Set if steps that may kill the process are noted before they begin. */
  careful?: Pick<CarefulSlice, 'notesPushes' | 'attemptForAll' | 'inTurn' | 'reading'> | undefined;
  /** Ids of devices whose pushes killed a process; nothing is sent to them. */
  poison?: readonly string[] | undefined;
  saver: OutcomeSink;
  outcomes: SliceOutcomes;
  /** How long the first push goes alone while the gateway is silent (ms). */
  aloneMsMax?: number;
  /** Ends the run for a reason that its outcomes do not know. */
  stop?: AbortSignal | undefined;
  /** Whether another worker may have the slice, because the lease was not renewed in time. By default never. */
  isLeaseOver?: () => boolean;
  clock: Clock;
  observe: Observe;
  random: () => number;
  /** Called before the end, with Apple’s ids of the pushes to development devices, if there are any. Never rejects. */
  onUniqueIds: (ids: readonly UniqueId[]) => Promise<void>;
  /** Called once per route. */
  onRefused: (route: Route, refused: Refused) => Promise<void>;
}

/** Why pushes cannot be sent. */
export interface Obstacle {
  /** The reason recorded for each device. */
  readonly reason: OwnReason;
  /** A part of the reason that the notification shows. */
  readonly sentence: string;
}

export const EXPIRED: Obstacle = { reason: 'expired', sentence: reasonSentence('expired') };

export class SliceState {
  readonly options: SliceRunOptions;
  readonly deadline: Deadline;
  readonly waiting: WaitingPushes;
  readonly inProgress = new InProgress();
  readonly ofNotification: OfNotification;
  /** Apple's ids of pushes to development devices. */
  readonly uniqueIds: UniqueId[] = [];
  readonly #unsent: string[] = [];
  #failure: Error | undefined;

  constructor(options: SliceRunOptions) {
    const { message, requestId, gateways } = options;
    this.options = options;
    this.deadline = deadlineOf(message, this.nowMs());
    this.waiting = new WaitingPushes(gateways, this.deadline.sendUntilMs);
    this.ofNotification = { notificationId: message.notificationId, requestId };
  }

  /** Whether no more pushes begin, because the worker stops, the slice is lost or an error occurred. */
  get stopped(): boolean {
    const { outcomes, stop, isLeaseOver } = this.options;
    if (this.#failure !== undefined || outcomes.isOver || stop?.aborted === true) return true;
    // It stays so, even if a late renewal succeeds: some pushes have been turned away meanwhile.
    if (isLeaseOver?.() === true) outcomes.stop();
    return outcomes.isOver;
  }

  /** The error that ended the attempt. Outcomes known by then are recorded. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Sentences that say why devices were not sent to, apart from refused credentials; each once. */
  get unsent(): readonly string[] {
    return this.#unsent;
  }

  /** Ends the attempt: no more pushes begin, and answers to those in progress are still recorded. */
  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Whether the time to live is over, so that nothing more is sent. */
  get isExpired(): boolean {
    return this.nowMs() > this.deadline.sendUntilMs;
  }

  nowMs(): number {
    return this.options.clock().getTime();
  }

  record({ row, route, group, isIphoneByFcm }: Push, outcome: OutcomeKind, reason: string | null): void {
    const { saver, outcomes, observe } = this.options;
    const { notificationId, requestId } = this.ofNotification;
    saver.record(outcomes, row, outcome, withVariant(reason, group), this.nowMs());
    const gateway = gatewayOf(route);
    observe({ kind: 'push_finished', notificationId, requestId, gateway, isIphoneByFcm, outcome, reason });
  }

  /** Records that a push will not be sent, or not again. */
  giveUp(
    push: Push,
    { reason, sentence }: Obstacle,
    outcome: Extract<OutcomeKind, 'rejected' | 'ambiguous'> = 'rejected',
  ): void {
    if (!this.#unsent.includes(sentence)) this.#unsent.push(sentence);
    this.record(push, outcome, reason);
  }
}
