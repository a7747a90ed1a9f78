/**
 * Decides when outcomes are saved; every outcome goes through here. The outcomes of all slices of a notification are
 * saved by one statement at the end of a turn of the event loop, so saves are frequent and small. Postgres completes a
 * statement that it has received even if this process dies. So a crash repeats only the requests in flight, and the
 * pushes whose outcomes were too few for a statement (docs/decisions/0009).
 */
import type { TokenKey } from '../../apps/token-keys.ts';
import { atTurnEnd } from '../../scheduling/flush-order.ts';
import type { UnsavedOutcomes } from './unsaved-outcomes.ts';
import type { LeasedSlice } from '../slice-store.ts';
import { type OutcomeKind, outcomeKinds } from './packed.ts';
import { SliceOutcomes, type SlicePart } from './slice-outcomes.ts';
import { OutcomesNotSaved, type OutcomeStore, type SliceNext } from './store.ts';

/**
 * Outcomes that are worth a statement, which takes Postgres half a millisecond. Fewer are saved when their slice ends
 * or waits. It must be below 256, the smallest in-flight limit (`packages/http2-client`): unsaved outcomes count as
 * requests in flight, and if they used up the limit, no request could be sent.
 */
export const WORTH_SAVING = 100;
/** Unanswered statements per notification. At full speed, a statement is answered within one or two turns. */
const STATEMENTS_MAX = 3;

/** A notification with slices in progress in this process. */
interface SavedNotification {
  readonly id: string;
  readonly slices: Set<SliceOutcomes>;
  /** Statements that have not been answered. */
  readonly saving: Set<Promise<void>>;
}

export class OutcomeSaver {
  readonly #store: OutcomeStore;
  readonly #unsaved: UnsavedOutcomes;
  /** By id. */
  readonly #notifications = new Map<string, SavedNotification>();
  #isScheduled = false;

  /**
   * @param unsaved counts the unsaved outcomes of all slices; when they suffice for a statement, every notification saves its part
   */
  constructor(store: OutcomeStore, unsaved: UnsavedOutcomes) {
    this.#store = store;
    this.#unsaved = unsaved;
  }

  /** Opens the outcomes of a slice. Always call `end` for them afterwards. */
  open(slice: LeasedSlice, tokenKey: TokenKey): SliceOutcomes {
    const outcomes = this.openClaim(slice, tokenKey);
    this.add(outcomes);
    return outcomes;
  }

  /** Opens the outcomes of a claim, which are not saved here until the claim has become a slice and they are added. */
  openClaim(slice: LeasedSlice, tokenKey: TokenKey): SliceOutcomes {
    return new SliceOutcomes({ slice, tokenKey, unsaved: this.#unsaved });
  }

  /** From now on these outcomes are saved soon. Always call `end` for them afterwards. */
  add(outcomes: SliceOutcomes): void {
    const { notificationId } = outcomes.slice;
    const known = this.#notifications.get(notificationId);
    const notification = known ?? { id: notificationId, slices: new Set(), saving: new Set() };
    notification.slices.add(outcomes);
    this.#notifications.set(notificationId, notification);
    if (outcomes.hasUnsaved) this.#schedule();
  }

  /** Records the outcome of a row and saves it soon. */
  record(outcomes: SliceOutcomes, row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    outcomes.set(row, kind, reason, atMs);
    this.#schedule();
  }

  /**
   * Saves all outcomes of the slice's notification, however few. Call it before a wait. Resolves when they are saved.
   */
  async saveNow({ slice }: SliceOutcomes): Promise<void> {
    const notification = this.#notifications.get(slice.notificationId);
    if (notification === undefined) return;
    this.#saveParts(notification);
    await Promise.all(notification.saving);
  }

  /**
   * Saves the end of an attempt, unless the slice is lost.
   * @param unsent sentences that say why devices were not sent to, apart from refused credentials; no duplicates
   * @throws the database's error
   */
  async end(outcomes: SliceOutcomes, next: SliceNext, unsent: readonly string[] = []): Promise<void> {
    const notification = this.#notifications.get(outcomes.slice.notificationId);
    this.#remove(outcomes);
    if (notification !== undefined) await Promise.all(notification.saving);
    if (outcomes.failure !== undefined) throw outcomes.failure;
    if (outcomes.isLost) return;
    const last = outcomes.takeEnd();
    await this.#unsaved.whileSaving(sizeOf([last]), this.#store.saveEnd(last, next, unsent));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atTurnEnd('record', () => {
      this.#isScheduled = false;
      if (this.#unsaved.waiting < WORTH_SAVING) return;
      for (const notification of this.#notifications.values()) {
        if (notification.saving.size < STATEMENTS_MAX) this.#saveParts(notification);
      }
    });
  }

  #saveParts(notification: SavedNotification): void {
    const { slices, saving } = notification;
    const taken = [...slices].filter(({ hasUnsaved }) => hasUnsaved);
    if (taken.length === 0) return;
    const saved = this.#saveTogether(taken).finally(() => {
      saving.delete(saved);
      this.#forgetIfIdle(notification);
      this.#schedule();
    });
    saving.add(saved);
  }

  /** If Postgres refuses the parts, one of them may be the cause, so each is saved alone then. Never rejects. */
  async #saveTogether(
    taken: readonly SliceOutcomes[],
    parts = taken.map((outcomes) => outcomes.takePart()),
  ): Promise<void> {
    try {
      const results = await this.#unsaved.whileSaving(sizeOf(parts), this.#store.saveParts(parts));
      for (const [index, outcomes] of taken.entries()) {
        const result = results[index] ?? 'lost';
        if (result === 'lost') this.#remove(outcomes);
        outcomes.saved(result);
      }
    } catch (error) {
      if (taken.length > 1 && error instanceof OutcomesNotSaved) {
        await Promise.all(
          taken.map(async (outcomes, index) => this.#saveTogether([outcomes], parts.slice(index, index + 1))),
        );
        return;
      }
      for (const outcomes of taken) {
        this.#remove(outcomes);
        outcomes.failed(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** Saves no more parts of this slice. */
  #remove(outcomes: SliceOutcomes): void {
    const notification = this.#notifications.get(outcomes.slice.notificationId);
    if (notification?.slices.delete(outcomes)) this.#forgetIfIdle(notification);
  }

  #forgetIfIdle({ id, slices, saving }: SavedNotification): void {
    if (slices.size === 0 && saving.size === 0) this.#notifications.delete(id);
  }
}

/** The number of outcomes that no earlier part contained. */
function sizeOf(parts: readonly SlicePart[]): number {
  return parts.reduce((sum, { counts }) => sum + outcomeKinds.reduce((of, kind) => of + counts[kind], 0), 0);
}
