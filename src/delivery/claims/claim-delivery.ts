/**
 * Delivers notifications that were claimed as a whole (`claim-store.ts`). If all their pushes are answered within moments,
 * one statement saves the ends of many of them. Otherwise (a retry, a paused route, a dead token, a stopping worker, slow
 * answers) the claim becomes a slice that this worker has leased, and ends like any other slice.
 */
import type { SendingApp } from '../../apps/sending-app.ts';
import type { PushMessage } from '../../gateways/gateway.ts';
import { SharedRuns } from '../../scheduling/shared-runs.ts';
import type { PerDevice } from '../../notifications/content/per-device.ts';
import { readFacts } from '../../targeting/device-facts.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { type Span, within } from '../../tracing/span.ts';
import { type Claimed, leaseClaims, sliceOfClaim } from './claim-store.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import { forSharedStatement, OutcomesNotSaved, persist } from '../outcomes/store.ts';
import { openClaimEnds, type ClaimEnds } from '../outcomes/claim-ends.ts';
import type { LeasedSlice } from '../slice-store.ts';
import { beginSlice } from '../trace.ts';
import { giveBackFailed } from '../troubles/give-up.ts';
import { ClaimAttempt, type ClaimLeases } from './claim-attempt.ts';
import { type DeliveryContext, finishRun, openRun } from '../send/deliver.ts';

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

const LEASES_PER_STATEMENT = 200;

export class ClaimDeliveries {
  readonly #context: DeliveryContext;
  readonly #ends: ClaimEnds;
  readonly #leases: ClaimLeases;
  readonly #stop = new AbortController();

  /** @param isSendingBulk whether this process is sending a bulk notification */
  constructor(context: DeliveryContext, isSendingBulk: () => boolean = () => false) {
    this.#context = context;
    this.#ends = openClaimEnds(context, isSendingBulk);
    this.#leases = new SharedRuns({
      itemsMax: LEASES_PER_STATEMENT,
      runsMax: 1,
      isFaultOfItem: (error) => error instanceof OutcomesNotSaved,
      run: async (claims) => {
        const [first] = claims;
        if (first === undefined) return [];
        const leased = await persist(forSharedStatement(context, claims), first, async (now) =>
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
      // A claim that is no slice yet cannot be given back.
      await giveBackFailed(this.#context, slice, { error, isOver: () => true });
      throw error;
    }
  }

  /** No more pushes begin; those in flight are still recorded, and unfinished claims are given back as slices. */
  stop(): void {
    this.#stop.abort();
  }

  async #deliver(claim: ClaimedNotification, slice: LeasedSlice, span: Span): Promise<void> {
    const { saver, tokenKeys, gateways: allGateways } = this.#context;
    const { appId, app, message, perDevice, devices } = claim;
    const tokenKey = await tokenKeys.of(appId);
    const gateways = await allGateways.forApp({ appId, bundleId: app.bundleId }, app.credentials);
    const outcomes = saver.openClaim(slice, tokenKey);
    const attempt = new ClaimAttempt({ context: this.#context, leases: this.#leases, claim, outcomes });
    const run = openRun(this.#context, {
      slice,
      message,
      perDevice,
      refused: {},
      isWhole: true,
      gateways,
      saver: attempt,
      outcomes,
      stop: this.#stop.signal,
      isLeaseOver: () => attempt.isLeaseOver,
      span,
      onRefused: () => void attempt.becomeSlice(), // whose end names the reason
    });
    const pages = perDevice === undefined ? [devices] : this.#withFacts(claim, perDevice);
    try {
      await finishRun(this.#context, run, {
        outcomes,
        gateways,
        span,
        pages,
        end: async (next) => {
          const isDone =
            next.state === 'done' && run.state.failure === undefined && run.state.unsent.length === 0;
          if (isDone && attempt.isWhole) {
            attempt.release();
            await this.#saveEnd(claim, outcomes);
          } else {
            await attempt.becomeSlice();
            await saver.end(outcomes, next, run.state.unsent);
          }
        },
      });
    } finally {
      attempt.release();
    }
  }

  /** @returns the devices of the claim with the attributes that decide what each gets */
  async *#withFacts(
    { appId, devices }: ClaimedNotification,
    perDevice: PerDevice,
  ): AsyncGenerator<readonly MatchingDevice[]> {
    const deviceIds = devices.map(({ id }) => id);
    const facts = await readFacts(this.#context.db, { appId, deviceIds, facts: perDevice.facts });
    yield devices.map((device) => ({ ...device, facts: facts.get(device.id) }));
  }

  async #saveEnd(claim: ClaimedNotification, outcomes: SliceOutcomes): Promise<void> {
    try {
      await this.#ends.add({ claim, outcomes });
    } catch (error) {
      await this.#leases.add(claim); // as a slice, it is given up
      throw error;
    }
  }
}
