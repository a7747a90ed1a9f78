/**
 * Has the outcomes of slices under way stored, those of one notification together: at the end of a turn of the event
 * loop a statement takes whatever has come to any of them since the last. So records are many and each is small. A
 * statement that Postgres has been handed it carries out, also where we die meanwhile; so what a crash repeats is what
 * was in flight, and what did not make a statement yet.
 */
import type { NotificationState } from '../../db/tables.ts';
import type { UnrecordedOutcomes } from '../../gateways/in-flight-budget.ts';
import { atTurnEnd } from '../../flush-order.ts';
import type { SlicePart } from './recorder.ts';
import type { LeasedSlice } from '../slice-store.ts';

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
 * or waits. Less than what may be repeated however small the window is (256, `http2-client/pool.ts`): these outcomes
 * take places of requests, and with all places taken no more would ever come.
 */
export const WORTH_STORING = 100;
/** Of one notification at once. At full speed one is answered within a turn, or within two. */
const STATEMENTS_MAX = 3;

/** The notifications that a process is sending. */
export class Progress {
  readonly #store: StoreParts;
  readonly #unrecorded: UnrecordedOutcomes;
  readonly #notifications = new Map<string, NotificationProgress>();
  #isToLook = false;

  /** @param unrecorded of the process: once they are worth a statement, each notification stores what it has */
  constructor(store: StoreParts, unrecorded: UnrecordedOutcomes) {
    this.#store = store;
    this.#unrecorded = unrecorded;
  }

  /** @returns the progress of its notification, which this slice takes part in until it leaves */
  join(slice: LeasedSlice, source: PartSource): NotificationProgress {
    const { notificationId } = slice;
    const known = this.#notifications.get(notificationId);
    const progress = known ?? this.#begin(notificationId);
    progress.join(slice, source);
    return progress;
  }

  #begin(notificationId: string): NotificationProgress {
    const progress = new NotificationProgress({
      store: this.#store,
      onNews: () => this.#lookAtTurnEnd(),
      onEmpty: () => this.#notifications.delete(notificationId),
    });
    this.#notifications.set(notificationId, progress);
    return progress;
  }

  #lookAtTurnEnd(): void {
    if (this.#isToLook) return;
    this.#isToLook = true;
    atTurnEnd('record', () => {
      this.#isToLook = false;
      if (this.#unrecorded.count < WORTH_STORING) return;
      for (const progress of this.#notifications.values()) progress.storeIfFree();
    });
  }
}

interface NotificationProgressOptions {
  store: StoreParts;
  /** An outcome has come, or the answer to a statement. */
  onNews: () => void;
  /** The last slice has left. */
  onEmpty: () => void;
}

export class NotificationProgress {
  readonly #options: NotificationProgressOptions;
  readonly #slices = new Map<PartSource, { slice: LeasedSlice; parts: number }>();
  readonly #storing = new Set<Promise<void>>();

  constructor(options: NotificationProgressOptions) {
    this.#options = options;
  }

  join(slice: LeasedSlice, source: PartSource): void {
    this.#slices.set(source, { slice, parts: 0 });
  }

  /** Stores no more of this slice. Resolves when nothing of it is being stored. */
  async leave(source: PartSource): Promise<void> {
    this.#remove(source);
    await Promise.all(this.#storing);
  }

  /** One more outcome of one of its slices is known. */
  outcomeCame(): void {
    this.#options.onNews();
  }

  /** Stores what is known, also a little. */
  async catchUp(): Promise<void> {
    this.#storeParts();
    await Promise.all(this.#storing);
  }

  /** Stores what is known, unless many statements are on their way already. */
  storeIfFree(): void {
    if (this.#storing.size < STATEMENTS_MAX) this.#storeParts();
  }

  #remove(source: PartSource): void {
    if (this.#slices.delete(source) && this.#slices.size === 0) this.#options.onEmpty();
  }

  #storeParts(): void {
    const sources: PartSource[] = [];
    const parts: NumberedPart[] = [];
    for (const [source, known] of this.#slices) {
      if (source.unstored === 0) continue;
      sources.push(source);
      parts.push({ slice: known.slice, part: known.parts++, ...source.takePart() });
    }
    if (parts.length === 0) return;
    const storing = this.#store(sources, parts).finally(() => {
      this.#storing.delete(storing);
      this.#options.onNews();
    });
    this.#storing.add(storing);
  }

  async #store(sources: readonly PartSource[], parts: readonly NumberedPart[]): Promise<void> {
    try {
      const { state, held } = await this.#options.store(parts);
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
  }
}
