/**
 * Has the outcomes of slices under way stored, those of one notification together: one statement at a time, which
 * takes whatever has come to any of them since the last. So records are many and each is small, and what a crash
 * repeats is little.
 */
import type { NotificationState } from '../db/tables.ts';
import type { SlicePart } from './record-slice.ts';
import type { LeasedSlice } from './slice-store.ts';

/** A part of a slice, as it is stored. */
export interface NumberedPart extends SlicePart {
  slice: LeasedSlice;
  /** Its number, from 0 in each attempt. */
  part: number;
}

/** How it stands when parts have been stored. */
export interface StoredParts {
  state: NotificationState;
  /** The places of the parts whose slices are still ours; of the others nothing was stored. */
  held: ReadonlySet<number>;
}

/** @param parts of one notification, and at most one of an attempt at a slice */
export type StoreParts = (parts: readonly NumberedPart[]) => Promise<StoredParts>;

/** A slice under way, as it is seen from here. */
export interface PartSource {
  /** Outcomes that no part holds yet. */
  readonly unstored: number;
  /** Packs them, and counts them as stored from now on. */
  takePart(): SlicePart;
  /** The part is stored, or nothing was. */
  partStored(state: NotificationState | 'lost'): void;
  partFailed(error: Error): void;
}

/**
 * Outcomes that are worth a statement, which takes Postgres half a millisecond. Fewer are stored when their slice ends,
 * or waits. At full speed more have come by the time the statement before is through.
 */
export const WORTH_STORING = 200;

/** The notifications that a process is sending. */
export class Progress {
  readonly #store: StoreParts;
  readonly #notifications = new Map<string, NotificationProgress>();

  constructor(store: StoreParts) {
    this.#store = store;
  }

  /** @returns the progress of its notification, which this slice takes part in until it leaves */
  join(slice: LeasedSlice, source: PartSource): NotificationProgress {
    const { notificationId } = slice;
    const known = this.#notifications.get(notificationId);
    const progress =
      known ?? new NotificationProgress(this.#store, () => this.#notifications.delete(notificationId));
    if (known === undefined) this.#notifications.set(notificationId, progress);
    progress.join(slice, source);
    return progress;
  }
}

export class NotificationProgress {
  readonly #store: StoreParts;
  readonly #onEmpty: () => void;
  readonly #slices = new Map<PartSource, { slice: LeasedSlice; parts: number }>();
  /** Slices that cannot go on before something is stored. */
  #waiting = 0;
  #unstored = 0;
  #storing: Promise<void> | undefined;

  constructor(store: StoreParts, onEmpty: () => void) {
    this.#store = store;
    this.#onEmpty = onEmpty;
  }

  join(slice: LeasedSlice, source: PartSource): void {
    this.#slices.set(source, { slice, parts: 0 });
  }

  /** Stores no more of this slice. Resolves when nothing of it is being stored. */
  async leave(source: PartSource): Promise<void> {
    this.#remove(source);
    await this.#storing;
  }

  /** One more outcome of this slice is known. */
  outcomeCame(source: PartSource): void {
    if (!this.#slices.has(source)) return;
    this.#unstored += 1;
    this.#storeWhereDue();
  }

  /** Stores what is known, also a little. */
  async catchUp(): Promise<void> {
    await this.#storing;
    if (this.#unstored > 0) this.#storing ??= this.#storeParts();
    await this.#storing;
  }

  /** Stores also a little, as it comes, for as long as `waited` takes. */
  async hurryWhile(waited: Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#storeWhereDue();
    await waited;
    this.#waiting -= 1;
  }

  #remove(source: PartSource): void {
    if (!this.#slices.delete(source)) return;
    this.#unstored -= source.unstored;
    if (this.#slices.size === 0) this.#onEmpty();
  }

  #storeWhereDue(): void {
    const due = this.#waiting > 0 ? 1 : WORTH_STORING;
    if (this.#storing === undefined && this.#unstored >= due) this.#storing = this.#storeParts();
  }

  async #storeParts(): Promise<void> {
    const sources: PartSource[] = [];
    const parts: NumberedPart[] = [];
    for (const [source, known] of this.#slices) {
      if (source.unstored === 0) continue;
      sources.push(source);
      parts.push({ slice: known.slice, part: known.parts++, ...source.takePart() });
    }
    this.#unstored = 0;
    try {
      const { state, held } = await this.#store(parts);
      for (const [index, source] of sources.entries()) {
        const isHeld = held.has(index);
        if (!isHeld) this.#remove(source);
        source.partStored(isHeld ? state : 'lost');
      }
    } catch (error) {
      for (const source of sources) {
        this.#remove(source);
        source.partFailed(error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.#storing = undefined;
    this.#storeWhereDue();
  }
}
