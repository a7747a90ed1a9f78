/**
 * Keeps the record of one slice up with its pushes: gathers the outcomes, has them stored while the slice is
 * under way, and at its end. Until then each push counts against the worker's allowance for what is not on
 * record; so what a crash may repeat is bounded, however slow the gateways or the database are.
 */
import type { NotificationState } from '../db/tables.ts';
import type { OutcomeKind } from './outcome.ts';
import { type OutcomeCounts, OutcomeSheet } from './outcome-sheet.ts';
import type { UnrecordedPushes } from './unrecorded-pushes.ts';

/**
 * Outcomes that are worth a statement of their own before the slice is done: a third of a slice. Each rewrites what
 * was known of the slice before, which with 200 took a tenth of the throughput.
 */
const PROGRESS_OUTCOMES = 420;

export interface DeadToken {
  deviceId: string;
  pushToken: string;
  deadSince: Date | null;
}

/** What a record makes of its slice: it goes on, it is done, or it is given back until a moment. */
export type SliceNext = { state: 'leased' } | { state: 'done' } | { state: 'waiting'; notBefore: Date };

/** One record of a slice. */
export interface SliceEntry {
  /** All that is known of the slice, packed. */
  outcomes: Buffer;
  /**
   * The length of what was stored before. Where the row holds anything else the entry is not counted: it was
   * already, and only the answer was lost on the way.
   */
  bytesBefore: number;
  /** What has come to it since then. */
  counts: OutcomeCounts;
  deadTokens: readonly DeadToken[];
  next: SliceNext;
}

export interface SliceRecordOptions {
  /** What earlier attempts recorded, packed. */
  earlier: Buffer | null;
  unrecorded: UnrecordedPushes;
  /**
   * Stores an entry.
   * @returns how it stands with the notification; `lost` where the slice is no longer ours and nothing was stored
   */
  store: (entry: SliceEntry) => Promise<NotificationState | 'lost'>;
}

export class SliceRecord {
  readonly #options: SliceRecordOptions;
  readonly #sheet: OutcomeSheet;
  readonly #earlierCounts: OutcomeCounts;
  readonly #over = new AbortController();
  #deadTokens: DeadToken[] = [];
  /** Pushes that count against the allowance. */
  #taken = 0;
  /** A run waits for room: whatever is known is worth storing. */
  #isShort = false;
  #stored: { settled: number; counts: OutcomeCounts; bytes: number };
  #storing: Promise<void> | undefined;
  #isClosing = false;
  #isLost = false;
  #failure: Error | undefined;

  constructor(options: SliceRecordOptions) {
    this.#options = options;
    this.#sheet = new OutcomeSheet(options.earlier);
    this.#earlierCounts = this.#sheet.counts();
    this.#stored = { settled: 0, counts: this.#earlierCounts, bytes: options.earlier?.length ?? 0 };
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
    return difference(this.#sheet.counts(), this.#earlierCounts);
  }

  /** Those devices that have no outcome from an earlier attempt. */
  pending<Device extends { id: string }>(devices: readonly Device[]): readonly Device[] {
    return this.#sheet.pending(devices);
  }

  /** Adds pending devices, in the order of their ids. @returns the row of the first */
  add(devices: readonly { id: string }[]): number {
    return this.#sheet.add(devices);
  }

  /**
   * Asks for leave to begin pushes, and waits where the allowance is spent. Each ends in `settle` or `putOff`.
   * @returns how many may begin: at least one, or 0 where `stop` was aborted
   */
  async room(wanted: number, stop: AbortSignal): Promise<number> {
    const { unrecorded } = this.#options;
    while (!stop.aborted) {
      const taken = unrecorded.take(wanted);
      this.#taken += taken;
      if (taken > 0) return taken;
      this.#isShort = true;
      this.#storeWhereDue();
      await unrecorded.untilGivenBack(stop);
      this.#isShort = false;
    }
    return 0;
  }

  /** A push has its outcome. */
  settle(row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    this.#sheet.set(row, kind, reason, atMs);
    this.#storeWhereDue();
  }

  /** A push was not made, or not delivered, and is begun again later. */
  putOff(): void {
    this.#giveBack(1);
  }

  /** To be said before `settle`: a dead token is retired together with its outcome. */
  tokenDied(token: DeadToken): void {
    this.#deadTokens.push(token);
  }

  /** Stores what is known, before a wait. */
  async catchUp(): Promise<void> {
    await this.#storingEnds();
    if (this.#unstored === 0 || this.over.aborted) return;
    this.#storing = this.#storeProgress();
    await this.#storingEnds();
  }

  /**
   * The last entry, and the end of this record. Call it whatever has happened: it gives the allowance back.
   * @throws the database's error
   */
  async close(next: SliceNext): Promise<void> {
    try {
      this.#isClosing = true;
      await this.#storingEnds();
      if (this.#failure !== undefined) throw this.#failure;
      if (!this.#isLost) await this.#store(next);
    } finally {
      this.#giveBack(this.#taken);
    }
  }

  get #unstored(): number {
    return this.#sheet.settled - this.#stored.settled;
  }

  async #storingEnds(): Promise<void> {
    while (this.#storing !== undefined) await this.#storing;
  }

  #storeWhereDue(): void {
    if (this.#storing !== undefined || this.#isClosing || this.over.aborted) return;
    if (this.#unstored >= (this.#isShort ? 1 : PROGRESS_OUTCOMES)) this.#storing = this.#storeProgress();
  }

  async #storeProgress(): Promise<void> {
    try {
      await this.#store({ state: 'leased' });
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#over.abort();
    }
    this.#storing = undefined;
    this.#storeWhereDue();
  }

  async #store(next: SliceNext): Promise<void> {
    const { settled } = this.#sheet;
    const counts = this.#sheet.counts();
    const outcomes = this.#sheet.pack();
    const deadTokens = this.#deadTokens;
    this.#deadTokens = [];
    const before = this.#stored;
    const state = await this.#options.store({
      outcomes,
      bytesBefore: before.bytes,
      counts: difference(counts, before.counts),
      deadTokens,
      next,
    });
    if (state === 'lost') this.#isLost = true;
    else this.#stored = { settled, counts, bytes: outcomes.length };
    if (state !== 'sending') this.#over.abort();
    this.#giveBack(settled - before.settled);
  }

  #giveBack(count: number): void {
    this.#taken -= count;
    this.#options.unrecorded.giveBack(count);
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
