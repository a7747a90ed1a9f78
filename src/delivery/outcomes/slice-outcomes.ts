/**
 * The outcomes of one attempt at a slice: one row per device, filled in as the gateways answer, and a record of which
 * rows have been handed to the database. It only holds data: `OutcomeSaver` decides when to save.
 *
 * A row takes 26 bytes and a few assignments. Rows are sorted by device id, so packing need not sort.
 */
import type { TokenKey } from '../../apps/token-keys.ts';
import { type DeadToken, type EncryptedToken, encryptToken } from '../../devices/tokens/retire-store.ts';
import type { BadgeChange } from '../../gateways/gateway.ts';
import type { MovedBadge } from '../badges/moving-badges.ts';
import type { NotificationState } from '../../notifications/look-up/notification-reply.ts';
import type { UnsavedOutcomes } from './unsaved-outcomes.ts';
import type { LeasedSlice } from '../slice-store.ts';
import {
  noOutcomes,
  idsBytes,
  NO_OUTCOME,
  type Outcome,
  type OutcomeColumns,
  type OutcomeKind,
  outcomeKinds,
  packColumns,
  packOutcomes,
  ReasonTable,
  rowsWithOutcome,
  unpackOutcomes,
} from './packed.ts';

/** Device counts per outcome. */
export type OutcomeCounts = Readonly<Record<OutcomeKind, number>>;

/** Outcomes of a slice that are saved together. Counts, dead tokens and badges are those that no earlier part contained. */
export interface SlicePart {
  slice: LeasedSlice;
  /** Number of the part, from 0 in each attempt, so that a repeated statement saves nothing twice. */
  part: number;
  /** Packed. */
  outcomes: Buffer;
  counts: OutcomeCounts;
  deadTokens: readonly DeadToken[];
  movedBadges: readonly MovedBadge[];
}

/** The state of the notification after a save; `lost` if another worker has the slice, and nothing was saved. */
export type SaveResult = NotificationState | 'lost';

interface SliceOutcomesOptions {
  slice: LeasedSlice;
  /** The key of the slice's app. */
  tokenKey: TokenKey;
  /** Counts the outcomes until they are handed to the database. */
  unsaved: UnsavedOutcomes;
}

/**
 * The state of a slice before its first row. Slices share it, so that a single push does not create all of it for one
 * row.
 */
const NO_EARLIER: ReadonlyMap<string, Outcome> = new Map();
const NO_ROWS: Omit<OutcomeColumns, 'reasons'> = {
  ids: Buffer.alloc(0),
  kinds: new Uint8Array(0),
  reasonIndexes: new Uint8Array(0),
  times: new Float64Array(0),
};

export class SliceOutcomes {
  readonly slice: LeasedSlice;
  readonly #tokenKey: TokenKey;
  readonly #unsaved: UnsavedOutcomes;
  /** Outcomes that earlier attempts saved; usually none. Their devices get no row. */
  readonly #earlier: ReadonlyMap<string, Outcome>;
  readonly #reasons = new ReasonTable();
  readonly #counts = { ...noOutcomes };
  /** Made when somebody waits for it: most slices end without a wait. */
  #over: AbortController | undefined;
  #isOver = false;
  #rows = NO_ROWS;
  /**
   * Rows whose outcome is in no part yet, in the order in which they were set; `#unsaved` counts them. None
   * are added once the slice is lost or a save has failed.
   */
  #unsavedRows: number[] = [];
  #deadTokens: DeadToken[] = [];
  #movedBadges: MovedBadge[] = [];
  /** The counts when the last part was taken. */
  #countsInParts: OutcomeCounts = noOutcomes;
  #parts = 0;
  #isLost = false;
  #failure: Error | undefined;

  constructor({ slice, tokenKey, unsaved }: SliceOutcomesOptions) {
    this.slice = slice;
    this.#tokenKey = tokenKey;
    this.#unsaved = unsaved;
    this.#earlier =
      slice.earlier.length === 0
        ? NO_EARLIER
        : new Map(slice.earlier.flatMap((packed) => [...unpackOutcomes(packed)]));
  }

  /** Whether no more pushes should begin: the slice is lost, its notification has ended, or saving failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborted when no more pushes should begin. */
  get over(): AbortSignal {
    this.#over ??= new AbortController();
    if (this.#isOver) this.#over.abort();
    return this.#over.signal;
  }

  /** Whether another worker has the slice. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The error of a save that failed. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether the next part retires tokens. */
  get hasDeadTokens(): boolean {
    return this.#deadTokens.length > 0;
  }

  /** The number of devices that got their outcome in earlier attempts. */
  get earlierSize(): number {
    return this.#earlier.size;
  }

  /** The number of devices that got their outcome in this attempt. */
  get size(): number {
    let size = 0;
    for (const kind of outcomeKinds) size += this.#counts[kind];
    return size;
  }

  /** Device counts per outcome in this attempt, as of now. */
  get counts(): OutcomeCounts {
    return { ...this.#counts };
  }

  /** Whether some outcomes are in no part yet. */
  get hasUnsaved(): boolean {
    return this.#unsavedRows.length > 0;
  }

  /** The given devices that have no outcome from an earlier attempt. */
  pending<Device extends { id: string }>(devices: readonly Device[]): readonly Device[] {
    return this.#earlier.size === 0 ? devices : devices.filter(({ id }) => !this.#earlier.has(id));
  }

  /**
   * Adds a row for each device.
   * @param devices pending devices, sorted by id (lower case); their ids follow all that were added before
   * @returns the row of the first device
   */
  add(devices: readonly { id: string }[]): number {
    const before = this.#rows;
    const first = before.kinds.length;
    const size = first + devices.length;
    const added = idsBytes(devices.map(({ id }) => id));
    const ids = first === 0 ? added : Buffer.concat([before.ids, added]);
    const kinds = new Uint8Array(size).fill(NO_OUTCOME);
    const reasonIndexes = new Uint8Array(size);
    const times = new Float64Array(size);
    if (first > 0) {
      kinds.set(before.kinds);
      reasonIndexes.set(before.reasonIndexes);
      times.set(before.times);
    }
    this.#rows = { ids, kinds, reasonIndexes, times };
    return first;
  }

  /** Sets the outcome of a row; call it once per row, by way of `OutcomeSaver.record`. */
  set(row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    const { kinds, reasonIndexes, times } = this.#rows;
    kinds[row] = outcomeKinds.indexOf(kind);
    reasonIndexes[row] = this.#reasons.indexOf(reason);
    times[row] = atMs;
    this.#counts[kind] += 1;
    if (this.#isLost || this.#failure !== undefined) return; // it will never be saved
    this.#unsavedRows.push(row);
    this.#unsaved.add(1);
  }

  /**
   * Adds a dead token to the next part. Call it before setting the row's outcome, because both must be in the same
   * part.
   */
  addDeadToken(token: Omit<DeadToken, keyof EncryptedToken>): void {
    this.#deadTokens.push({ ...token, ...encryptToken(this.#tokenKey, token.pushToken) });
  }

  /** Moves the kept badge of a device with the next part. Call it before setting the row's outcome, like `addDeadToken`. */
  moveBadge(deviceId: string, change: BadgeChange): void {
    this.#movedBadges.push({ deviceId, change });
  }

  /** Takes the outcomes since the last part. The caller must hand them to the database at once. */
  takePart(): SlicePart {
    return this.#take(this.#packRows(Uint32Array.from(this.#unsavedRows).sort()));
  }

  /**
   * Takes the last part of the attempt. Its `outcomes` are all outcomes of the slice, including those of earlier
   * attempts.
   */
  takeEnd(): SlicePart {
    const packed = this.#packRows(rowsWithOutcome(this.#rows.kinds));
    if (this.#earlier.size === 0) return this.#take(packed);
    return this.#take(packOutcomes(new Map([...this.#earlier, ...unpackOutcomes(packed)])));
  }

  /** The outcomes of each device so far, including those of earlier attempts. */
  kinds(): Map<string, OutcomeKind> {
    const packed = this.#packRows(rowsWithOutcome(this.#rows.kinds));
    const all = [...this.#earlier, ...unpackOutcomes(packed)];
    return new Map(all.map(([id, { kind }]) => [id, kind]));
  }

  /** Call it when the caller has a reason to begin no more pushes. */
  stop(): void {
    this.#isOver = true;
    this.#over?.abort();
  }

  /** Call it when a part has been saved, or the slice turned out to be lost. */
  saved(result: SaveResult): void {
    if (result !== 'sending') this.stop();
    if (result !== 'lost') return;
    this.#isLost = true;
    this.#uncount();
  }

  /** Call it when a part could not be saved and will not be retried. */
  failed(error: Error): void {
    this.#failure = error;
    this.stop();
    this.#uncount();
  }

  #take(outcomes: Buffer): SlicePart {
    const counts = difference(this.#counts, this.#countsInParts);
    const deadTokens = this.#deadTokens;
    const movedBadges = this.#movedBadges;
    this.#countsInParts = { ...this.#counts };
    this.#deadTokens = [];
    this.#movedBadges = [];
    this.#uncount();
    return { slice: this.slice, part: this.#parts++, outcomes, counts, deadTokens, movedBadges };
  }

  #uncount(): void {
    const { length } = this.#unsavedRows;
    this.#unsavedRows = [];
    this.#unsaved.remove(length);
  }

  #packRows(rows: Uint32Array): Buffer {
    const { ids, kinds, reasonIndexes, times } = this.#rows;
    return packColumns({ ids, kinds, reasonIndexes, times, reasons: this.#reasons.list }, rows);
  }
}

/**
 * Written out, because it runs for each single push: a loop over the kinds takes a fifth of the time of its
 * outcomes.
 */
function difference(counts: OutcomeCounts, before: OutcomeCounts): OutcomeCounts {
  return {
    accepted: counts.accepted - before.accepted,
    rejected: counts.rejected - before.rejected,
    unregistered: counts.unregistered - before.unregistered,
    no_token: counts.no_token - before.no_token,
    ambiguous: counts.ambiguous - before.ambiguous,
    dropped: counts.dropped - before.dropped,
    expired: counts.expired - before.expired,
    capped: counts.capped - before.capped,
  };
}
