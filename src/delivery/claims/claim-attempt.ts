/** One claim while it is sent: takes the outcomes of its pushes, and makes it a slice if it must become one. */
import type { Groups } from '../../scheduling/groups.ts';
import type { Claimed } from './claim-store.ts';
import type { OutcomeKind } from '../outcomes/packed.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import type { LeasedSlice } from '../slice-store.ts';
import type { DeliveryContext } from '../send/deliver.ts';
import { holdLease, isLeaseOver, type Lease, type Moment, momentOf } from '../lease.ts';
import type { OutcomeSink } from '../send/slice-state.ts';

type Claim = Claimed & Pick<LeasedSlice, 'origin'>;

/** Makes claims into leased slices. The result is false if the claim is no longer valid. */
export type ClaimLeases = Groups<Claim, boolean>;

export interface ClaimAttemptOptions {
  context: DeliveryContext;
  leases: ClaimLeases;
  claim: Claim;
  outcomes: SliceOutcomes;
}

export class ClaimAttempt implements OutcomeSink {
  /** Its index among those in progress; undefined if it is not. */
  place: number | undefined;
  readonly claim: Claim;
  readonly outcomes: SliceOutcomes;
  /** Monotonic. */
  readonly startedMs = performance.now();
  readonly #context: DeliveryContext;
  readonly #leases: ClaimLeases;
  #becoming: Promise<void> | undefined;
  #isSlice = false;
  #isRefused = false;
  #isOver = false;
  /** From when the claim lasts as long as a lease. */
  readonly #claimedAt: Moment;
  #lease: Lease | undefined;

  constructor({ context, leases, claim, outcomes }: ClaimAttemptOptions) {
    this.claim = claim;
    this.outcomes = outcomes;
    this.#context = context;
    this.#leases = leases;
    const { monotonicMs } = momentOf(context);
    this.#claimedAt = { wallMs: claim.startedAt.getTime(), monotonicMs };
  }

  /** Whether it is not becoming a slice. */
  get isWhole(): boolean {
    return this.#becoming === undefined;
  }

  /**
   * Whether its outcomes can be saved without a slice: each is that of a push, no token is to be retired, and no route refused
   * the credentials.
   */
  get isPlain(): boolean {
    return (
      this.isWhole && !this.#isRefused && !this.outcomes.hasDeadTokens && this.outcomes.counts.dropped === 0
    );
  }

  /** Whether another worker may have taken it over. */
  get isLeaseOver(): boolean {
    return this.#lease === undefined ? isLeaseOver(this.#context, this.#claimedAt) : this.#lease.isOver();
  }

  refuse(): void {
    this.#isRefused = true;
  }

  record(outcomes: SliceOutcomes, row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    if (this.#isSlice) this.#context.batches.record(outcomes, row, kind, reason, atMs);
    else outcomes.set(row, kind, reason, atMs);
  }

  async saveNow(outcomes: SliceOutcomes): Promise<void> {
    await this.becomeSlice();
    await this.#context.batches.saveNow(outcomes);
  }

  /**
   * Makes the claim a slice that this worker has leased. Never rejects: if that fails, or the claim is no longer valid, the
   * outcomes say so.
   */
  async becomeSlice(): Promise<void> {
    this.#becoming ??= this.#become();
    return this.#becoming;
  }

  /** Call it at the end of the attempt. */
  release(): void {
    this.#isOver = true;
    this.#lease?.release();
  }

  async #become(): Promise<void> {
    const { outcomes } = this;
    const leasedAt = momentOf(this.#context);
    try {
      if (!(await this.#leases.add(this.claim))) return outcomes.saved('lost');
    } catch (error) {
      return outcomes.failed(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.#isOver) return undefined;
    this.#isSlice = true;
    this.#context.batches.add(outcomes);
    this.#lease = holdLease(this.#context, outcomes.slice, leasedAt);
    this.#lease.lost.addEventListener('abort', () => outcomes.stop());
    return undefined;
  }
}
