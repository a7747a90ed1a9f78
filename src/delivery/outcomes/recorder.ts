/**
 * Keeps the record of one slice up with its pushes: gathers the outcomes, has them stored in parts while the slice
 * is under way, and all of them at its end. What has not been handed to the database counts among the requests in
 * flight; so what a crash repeats is bounded by these, however slow the database is.
 */
import type { NotificationState } from '../../db/tables.ts';
import type { TokenKey } from '../../apps/token-keys.ts';
import { type DeadToken as RetiringToken, type HiddenToken, hideToken } from '../../devices/tokens/retire.ts';
import type { Route } from '../../gateways/gateway.ts';
import type { UnrecordedOutcomes } from '../../gateways/in-flight-budget.ts';
import type { OutcomeKind } from './packed.ts';
import { type OutcomeCounts, OutcomeSheet } from './slice-outcomes.ts';
import type { NotificationProgress, PartSource, Progress } from './batch.ts';
import type { LeasedSlice } from '../slice-store.ts';

/** A push token that a gateway has called dead. */
export type DeadToken = Omit<RetiringToken, 'appId'>;

/** What has come to a slice since the part before. */
export interface SlicePart {
  /** Packed. */
  outcomes: Buffer;
  counts: OutcomeCounts;
  deadTokens: readonly DeadToken[];
}

/** What becomes of a slice when an attempt ends: it is done, or given back until a moment. */
export type SliceNext = { state: 'done' } | SliceWaiting;

export interface SliceWaiting {
  state: 'waiting';
  notBefore: Date;
  /** Paused routes whose end it waits for: then it goes on at once. */
  waitsFor?: readonly Route[];
  /** What the record of the notification says meanwhile. */
  reason?: string | undefined;
}

/** The end of an attempt. Its counts and dead tokens are those that no part held. */
export interface SliceEnd extends SlicePart {
  /** All that is known of the slice, packed. */
  outcomes: Buffer;
  next: SliceNext;
  /** Why devices were not sent to, beside refused credentials: sentences, each once. */
  unsent: readonly string[];
}

export interface SliceRecordOptions {
  slice: LeasedSlice;
  /** Of its app. */
  tokenKey: TokenKey;
  /** Where they are counted until the database has been handed them. */
  unrecorded: UnrecordedOutcomes;
  progress: Progress;
  /**
   * Stores the end of the attempt.
   * @returns how it stands with the notification; `lost` where the slice is no longer ours and nothing was stored
   */
  end: (end: SliceEnd) => Promise<NotificationState | 'lost'>;
}

export class SliceRecord implements PartSource {
  readonly #options: SliceRecordOptions;
  readonly #progress: NotificationProgress;
  readonly #sheet: OutcomeSheet;
  readonly #over = new AbortController();
  #deadTokens: DeadToken[] = [];
  /** Of all parts until now. */
  #inParts: OutcomeCounts;
  #settledInParts = 0;
  /** Outcomes that the database has not been handed. */
  #unrecorded = 0;
  #isLost = false;
  #failure: Error | undefined;

  constructor(options: SliceRecordOptions) {
    this.#options = options;
    this.#sheet = new OutcomeSheet(options.slice.earlier);
    this.#inParts = this.#sheet.counts();
    this.#progress = options.progress.join(options.slice, this);
  }

  /** Aborted where there is nothing more to do: the slice is lost, its notification has ended, storing failed. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Devices that have got their outcome in this attempt. */
  get settled(): number {
    return this.#sheet.settled;
  }

  /** Their outcomes, by kind. */
  get counts(): OutcomeCounts {
    return this.#sheet.counts();
  }

  /** Those devices that have no outcome from an earlier attempt. */
  pending<Device extends { id: string }>(devices: readonly Device[]): readonly Device[] {
    return this.#sheet.pending(devices);
  }

  /** Adds pending devices, in the order of their ids. @returns the row of the first */
  add(devices: readonly { id: string }[]): number {
    return this.#sheet.add(devices);
  }

  /** A push has its outcome. */
  settle(row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    this.#sheet.set(row, kind, reason, atMs);
    if (this.#isGivenUp) return;
    this.#unrecorded += 1;
    this.#options.unrecorded.add(1);
    this.#progress.outcomeCame();
  }

  /** To be said before `settle`: a dead token is retired together with its outcome. */
  tokenDied(token: Omit<DeadToken, keyof HiddenToken>): void {
    this.#deadTokens.push({ ...token, ...hideToken(this.#options.tokenKey, token.pushToken) });
  }

  /** Stores what is known, before a wait. */
  async catchUp(): Promise<void> {
    await this.#progress.catchUp();
  }

  get unstored(): number {
    return this.#sheet.settled - this.#settledInParts;
  }

  takePart(): SlicePart {
    const part = { outcomes: this.#sheet.packPart(), ...this.#sincePart() };
    this.#inParts = this.#sheet.counts();
    this.#settledInParts = this.#sheet.settled;
    this.#handedOver();
    return part;
  }

  partStored(state: NotificationState | 'lost'): void {
    if (state === 'lost') this.#isLost = true;
    if (state !== 'sending') this.#over.abort();
    if (this.#isGivenUp) this.#handedOver();
  }

  partFailed(error: Error): void {
    this.#failure = error;
    this.#over.abort();
    this.#handedOver();
  }

  /**
   * Stores the end of the attempt. Call it whatever has happened: nothing of the slice counts as unrecorded afterwards.
   * @throws the database's error
   */
  async close(next: SliceNext, unsent: readonly string[] = []): Promise<void> {
    try {
      await this.#progress.leave(this);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isLost) return;
      const ended = this.#options.end({ outcomes: this.#sheet.pack(), ...this.#sincePart(), next, unsent });
      this.#handedOver();
      await ended;
    } finally {
      this.#handedOver();
    }
  }

  /** What comes yet, nobody stores. */
  get #isGivenUp(): boolean {
    return this.#isLost || this.#failure !== undefined;
  }

  #sincePart(): Omit<SlicePart, 'outcomes'> {
    const deadTokens = this.#deadTokens;
    this.#deadTokens = [];
    return { counts: difference(this.#sheet.counts(), this.#inParts), deadTokens };
  }

  /** None of the outcomes that have come is ours to look after any more. */
  #handedOver(): void {
    this.#options.unrecorded.remove(this.#unrecorded);
    this.#unrecorded = 0;
  }
}

function difference(counts: OutcomeCounts, before: OutcomeCounts): OutcomeCounts {
  return {
    accepted: counts.accepted - before.accepted,
    rejected: counts.rejected - before.rejected,
    unregistered: counts.unregistered - before.unregistered,
    no_token: counts.no_token - before.no_token,
    ambiguous: counts.ambiguous - before.ambiguous,
  };
}
