/** One claim while it is sent: takes the outcomes of its pushes, and makes it a slice if it must become one. */
import type { SharedRuns } from '../../scheduling/shared-runs.ts';
import type { Claimed } from './claim-store.ts';
import type { OutcomeKind } from '../outcomes/packed.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import { LEASE_MS, type LeasedSlice } from '../slice-store.ts';
import type { DeliveryContext } from '../send/deliver.ts';
import { holdLease, isLeaseOver, type Lease, type Moment, momentOf } from '../lease.ts';
import type { OutcomeSink } from '../send/slice-state.ts';

type Claim = Claimed & Pick<LeasedSlice, 'origin'>;

/** Makes claims into leased slices. The result is false if the claim is no longer valid. */
export type ClaimLeases = SharedRuns<Claim, boolean>;

export interface ClaimAttemptOptions {
  context: DeliveryContext;
  leases: ClaimLeases;
  claim: Claim;
  outcomes: SliceOutcomes;
}

/** A claim that is not finished by then becomes a slice, long before another worker may take it over. */
const WHOLE_MS_MAX = LEASE_MS / 3;

export class ClaimAttempt implements OutcomeSink {
  readonly #options: ClaimAttemptOptions;
  /** From when the claim lasts as long as a lease. */
  readonly #claimedAt: Moment;
  readonly #slow: NodeJS.Timeout;
  /** Set from when it begins to become a slice. */
  #becoming: Promise<void> | undefined;
  /** Set when it is a slice. */
  #lease: Lease | undefined;

  /** Always call `release` afterwards. */
  constructor(options: ClaimAttemptOptions) {
    this.#options = options;
    const { monotonicMs } = momentOf(options.context);
    this.#claimedAt = { wallMs: options.claim.startedAt.getTime(), monotonicMs };
    this.#slow = setTimeout(() => void this.becomeSlice(), WHOLE_MS_MAX);
  }

  /** Whether its outcomes can be saved without a slice: each is that of a push, and no token is to be retired. */
  get isWhole(): boolean {
    const { outcomes } = this.#options;
    return this.#becoming === undefined && !outcomes.hasDeadTokens && outcomes.counts.dropped === 0;
  }

  /** Whether another worker may have taken it over. */
  get isLeaseOver(): boolean {
    return this.#lease?.isOver() ?? isLeaseOver(this.#options.context, this.#claimedAt);
  }

  record(outcomes: SliceOutcomes, row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    if (this.#lease === undefined) outcomes.set(row, kind, reason, atMs);
    else this.#options.context.saver.record(outcomes, row, kind, reason, atMs);
  }

  async saveNow(outcomes: SliceOutcomes): Promise<void> {
    await this.becomeSlice();
    await this.#options.context.saver.saveNow(outcomes);
  }

  /**
   * Makes the claim a slice that this worker has leased. Never rejects: if that fails, or the claim is no longer valid, the
   * outcomes say so.
   */
  async becomeSlice(): Promise<void> {
    this.#becoming ??= this.#become();
    return this.#becoming;
  }

  /** It does not become a slice any more, or its lease is not renewed any more. */
  release(): void {
    clearTimeout(this.#slow);
    this.#lease?.release();
  }

  async #become(): Promise<void> {
    const { context, leases, claim, outcomes } = this.#options;
    const leasedAt = momentOf(context);
    try {
      if (!(await leases.add(claim))) return outcomes.saved('lost');
    } catch (error) {
      return outcomes.failed(error instanceof Error ? error : new Error(String(error)));
    }
    this.#lease = holdLease(context, outcomes.slice, leasedAt);
    this.#lease.lost.addEventListener('abort', () => outcomes.stop());
    context.saver.add(outcomes);
    return undefined;
  }
}
