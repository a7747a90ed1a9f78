/**
 * Delivers notifications that were claimed as a whole (`claim-store.ts`). If all their pushes are answered within moments,
 * one statement saves the ends of many of them. Otherwise (a retry, a paused route, a dead token, a stopping worker, slow
 * answers) the claim becomes a slice that this worker has leased, and ends like any other slice.
 */
import type { SendingApp } from '../../apps/sending-app.ts';
import type { PushMessage } from '../../gateways/gateway.ts';
import { Groups } from '../../scheduling/groups.ts';
import type { PerDevice } from '../../notifications/content/per-device.ts';
import { readFacts } from '../../targeting/device-facts.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { type Span, within } from '../../tracing/span.ts';
import { type Claimed, leaseClaims, sliceOfClaim } from './claim-store.ts';
import { forGroup, OutcomesNotSaved, persist, type SliceNext } from '../outcomes/store.ts';
import { openWholeEnds, type WholeEnds } from '../outcomes/whole-ends.ts';
import { LEASE_MS, type LeasedSlice } from '../slice-store.ts';
import { beginSlice, traceOutcomes } from '../trace.ts';
import { giveBackFailed } from '../troubles/give-up.ts';
import { AttemptsInProgress } from './attempts-in-progress.ts';
import { ClaimAttempt, type ClaimLeases } from './claim-attempt.ts';
import { type DeliveryContext, observeFinished, openRun } from '../send/deliver.ts';
import { followSessions } from '../send/follow-sessions.ts';
import type { SliceRun } from '../send/slice-run.ts';

/** A claim of this worker, with everything that is needed to send it. */
export interface ClaimedNotification extends Claimed {
  origin: LeasedSlice['origin'];
  app: SendingApp;
  /** With the default payload. */
  message: PushMessage;
  /** Undefined if every device gets the same. */
  perDevice: PerDevice | undefined;
  /** All devices of its audience, sorted by id. */
  devices: readonly MatchingDevice[];
}

/** A claim that is not finished by then becomes a slice, long before another worker may take it over. */
const WHOLE_MS_MAX = LEASE_MS / 3;
const CHECK_EVERY_MS = 1_000;
const LEASES_PER_STATEMENT = 200;

export class ClaimDeliveries {
  readonly #context: DeliveryContext;
  readonly #ends: WholeEnds;
  readonly #leases: ClaimLeases;
  readonly #inProgress = new AttemptsInProgress();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param isBroadcasting whether this process is sending a broadcast */
  constructor(context: DeliveryContext, isBroadcasting: () => boolean = () => false) {
    this.#context = context;
    this.#ends = openWholeEnds(context, isBroadcasting);
    this.#leases = new Groups({
      itemsMax: LEASES_PER_STATEMENT,
      runsMax: 1,
      isFaultOfItem: (error) => error instanceof OutcomesNotSaved,
      run: async (claims) => {
        const [first] = claims;
        if (first === undefined) return [];
        const leased = await persist(forGroup(context, claims), first, async (now) =>
          leaseClaims(context.db, claims, now, context.notifications.holder),
        );
        return claims.map(({ notificationId }) => leased.has(notificationId));
      },
    });
  }

  /**
   * Resolves when the notification has ended, or its slice was given back.
   * @throws the error that ended the attempt, as `deliverNextSlice` does; a claim that is no slice yet is then taken over when its
   *   lease has expired
   */
  async deliver(claim: ClaimedNotification): Promise<void> {
    const slice = sliceOfClaim(claim);
    const span = beginSlice(this.#context.tracer, slice);
    try {
      await within(span, () => this.#deliver(claim, slice, span));
    } catch (error) {
      await giveBackFailed(this.#context, slice, error);
      throw error;
    }
  }

  /** No more pushes begin; those in flight are still recorded, and unfinished claims are given back as slices. */
  stop(): void {
    this.#isStopped = true;
    for (const { outcomes } of this.#inProgress.all()) outcomes.stop();
  }

  async #deliver(claim: ClaimedNotification, slice: LeasedSlice, span: Span): Promise<void> {
    const { batches, tokenKeys, gateways: allGateways } = this.#context;
    const { appId, app, message, perDevice } = claim;
    const startedMs = performance.now();
    const tokenKey = await tokenKeys.of(appId);
    const gateways = await allGateways.forApp({ appId, bundleId: app.bundleId }, app.credentials);
    const outcomes = batches.openClaim(slice, tokenKey);
    const attempt = new ClaimAttempt({ context: this.#context, leases: this.#leases, claim, outcomes });
    this.#begin(attempt);
    const run = openRun(this.#context, {
      slice,
      message,
      perDevice,
      refused: {},
      isWhole: true,
      gateways,
      batches: attempt,
      outcomes,
      isLeaseOver: () => attempt.isLeaseOver,
      span,
      onRefused: () => attempt.refuse(),
    });
    const unfollow = followSessions(gateways, span);
    try {
      try {
        await run.push(perDevice === undefined ? claim.devices : await this.#withFacts(claim, perDevice));
      } catch (error) {
        run.fail(error);
      }
      const next = await run.finish();
      traceOutcomes(span, outcomes);
      await within(span.begin('record outcomes'), () => this.#end(attempt, run, next));
    } finally {
      unfollow();
      this.#inProgress.remove(attempt);
      attempt.release();
    }
    if (run.failure !== undefined) throw run.failure;
    observeFinished(this.#context, outcomes, startedMs);
  }

  /** @returns the devices of the claim with the attributes that decide what each gets */
  async #withFacts(
    { appId, devices }: ClaimedNotification,
    perDevice: PerDevice,
  ): Promise<readonly MatchingDevice[]> {
    const deviceIds = devices.map(({ id }) => id);
    const facts = await readFacts(this.#context.db, { appId, deviceIds, facts: perDevice.facts });
    return devices.map((device) => ({ ...device, facts: facts.get(device.id) }));
  }

  #begin(attempt: ClaimAttempt): void {
    if (this.#isStopped) attempt.outcomes.stop();
    this.#inProgress.add(attempt);
    this.#timer ??= setInterval(() => this.#leaseSlow(), CHECK_EVERY_MS);
  }

  /** Makes slices of the claims that take long. */
  #leaseSlow(): void {
    const beforeMs = performance.now() - WHOLE_MS_MAX;
    for (const attempt of this.#inProgress.all()) {
      if (attempt.startedMs <= beforeMs && attempt.isWhole) void attempt.becomeSlice();
    }
    if (this.#inProgress.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #end(attempt: ClaimAttempt, run: SliceRun, next: SliceNext): Promise<void> {
    const { outcomes, claim } = attempt;
    const isPlain = next.state === 'done' && run.failure === undefined && run.unsent.length === 0;
    if (isPlain && attempt.isPlain) {
      this.#inProgress.remove(attempt);
      try {
        await this.#ends.add({ claim, outcomes });
      } catch (error) {
        await this.#leases.add(claim); // as a slice, it is given up
        throw error;
      }
      return;
    }
    await attempt.becomeSlice();
    await this.#context.batches.end(outcomes, next, run.unsent);
  }
}
