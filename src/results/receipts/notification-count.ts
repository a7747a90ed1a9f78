/** Counts the receipts of one notification, in one transaction. */
import type { Transaction } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { EventLoopShare } from '../../scheduling/event-loop-share.ts';
import { parseContent } from '../../notifications/message.ts';
import { idEnd, receiptLimit } from '../../notifications/receipt-sample.ts';
import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import { OutcomePositions } from '../../delivery/outcomes/packed.ts';
import { addReceiptSums } from './variant-store.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import {
  addVariantSums,
  type Asking,
  countAsked,
  type Marks,
  markReceipts,
  type VariantSums,
} from './marks.ts';
import { packReceipts, type Reported, unpackReceipts } from './packed-receipts.ts';
import { receiptsBySlice } from './receipts-by-slice.ts';
import {
  completeCounts,
  type CountedNotification,
  insertOpens,
  insertUncounted,
  type Opened,
  readCountedNotification,
  readMarks,
  readOutcomes,
  readRanges,
  saveMarks,
  type SliceRange,
  type StoredSlice,
  takeUncounted,
} from './receipt-store.ts';

export interface CountedReceipts {
  counted: number;
  /** The device had reported the same before. */
  repeated: number;
  /** The receipt is of a device that was not asked or not sent to, or of a notification that does not exist. */
  ignored: number;
}

export interface NotificationCountOptions {
  transaction: Transaction<Database>;
  key: NotificationKey;
  share: EventLoopShare;
  now: Date;
  /** A notification that ended before this gets no more outcomes. */
  endedBefore: Date;
}

interface TimedReceipt extends Reported {
  storedAt: Date;
}

/**
 * At most 100,000 receipts. Many at once are cheaper: even a few thousand are spread over most slices of a bulk notification, which
 * are read for them.
 */
const ROWS_PER_TRANSACTION = 20;
/** Some 2 MB of outcomes. */
const SLICES_PER_PAGE = 100;
/** A receipt that comes before its slice is done is looked at again after this time. */
const AGAIN_AFTER_MS = 15_000;
/** A receipt whose slice is not done by then, because its route is paused for long, is dropped. */
const WAITS_AT_MOST_MS = 24 * 60 * 60_000;
/** The number of the only slice of a notification that was sent as a whole. */
const WHOLE = 0;
const NO_MARKS: Marks = { received: Buffer.alloc(0), shown: Buffer.alloc(0) };

export class NotificationCount {
  readonly #options: NotificationCountOptions;
  readonly #sums: CountedReceipts = { counted: 0, repeated: 0, ignored: 0 };
  /** By device id; a receipt that has been counted is removed. */
  readonly #receipts = new Map<string, TimedReceipt>();

  constructor(options: NotificationCountOptions) {
    this.#options = options;
  }

  async run(): Promise<CountedReceipts> {
    const { transaction, key, endedBefore } = this.#options;
    await this.#take();
    const notification = await readCountedNotification(transaction, key, endedBefore);
    if (notification === undefined || notification.isPruned) await completeCounts(transaction, key);
    else if (notification.isStarted) await this.#count(notification);
    this.#sums.ignored += this.#receipts.size;
    return this.#sums;
  }

  /** Reads receipts that are due; all receipts of one device become one. */
  async #take(): Promise<void> {
    const { transaction, key, now } = this.#options;
    for (const { storedAt, receipts } of await takeUncounted(transaction, key, now, ROWS_PER_TRANSACTION)) {
      for (const { deviceId, shown, opened } of unpackReceipts(receipts)) {
        const free = this.#options.share.whenFree();
        if (free !== undefined) await free;
        const known = this.#receipts.get(deviceId);
        if (known !== undefined) this.#sums.repeated += 1;
        this.#receipts.set(deviceId, {
          storedAt: known?.storedAt ?? storedAt,
          shown: shown || known?.shown === true,
          opened: opened || known?.opened === true,
        });
      }
    }
  }

  async #count(notification: CountedNotification): Promise<void> {
    const { transaction, key, share } = this.#options;
    const { receipts, variants } = parseContent(notification.body);
    const byVariant: VariantSums | undefined = variants && new Map();
    const asking = receipts && { limit: receiptLimit(receipts), notificationEnd: idEnd(key.notificationId) };
    const slices = await this.#ranges(notification);
    const bySlice = await receiptsBySlice(slices, this.#receipts.keys(), share);
    const [final, early] = [true, false].map((isFinal) =>
      slices.filter(({ isDone }) => (isDone || notification.isFinal) === isFinal),
    );
    // Slices without marks are read as well: their devices were asked.
    const counted = (final ?? []).filter(
      ({ number, hasMarks }) => bySlice.has(number) || (asking !== undefined && !hasMarks),
    );
    for (let from = 0; from < counted.length; from += SLICES_PER_PAGE) {
      const numbers = counted.slice(from, from + SLICES_PER_PAGE).map(({ number }) => number);
      await this.#countPage(numbers, bySlice, notification, { asking, byVariant });
    }
    if (byVariant !== undefined) await addReceiptSums(transaction, key, byVariant);
    if (notification.isFinal) return completeCounts(transaction, key);
    // A claim that is being sent has no slice and no outcomes yet.
    const ids =
      slices.length === 0
        ? [...this.#receipts.keys()]
        : (early ?? []).flatMap(({ number }) => bySlice.get(number) ?? []);
    return this.#keepEarly(ids);
  }

  /** A notification that was sent as a whole has its outcomes in its own row, as if they were its only slice. */
  async #ranges({ outcomes }: CountedNotification): Promise<SliceRange[]> {
    const { transaction, key } = this.#options;
    if (outcomes === null) return readRanges(transaction, key);
    const hasMarks = (await readMarks(transaction, key, [WHOLE])).has(WHOLE);
    return [{ number: WHOLE, firstId: FIRST_UUID, lastId: LAST_UUID, isDone: true, hasMarks }];
  }

  async #countPage(
    numbers: readonly number[],
    bySlice: ReadonlyMap<number, readonly string[]>,
    notification: CountedNotification,
    { asking, byVariant }: { asking: Asking | undefined; byVariant: VariantSums | undefined },
  ): Promise<void> {
    const { transaction, key, share } = this.#options;
    const marksBefore = await readMarks(transaction, key, numbers);
    const marks = new Map<number, Marks>();
    const sums = { asked: 0, received: 0, shown: 0 };
    const opened: Opened[] = [];
    for (const { number, outcomes } of await this.#outcomes(notification, numbers)) {
      const free = share.whenFree();
      if (free !== undefined) await free;
      const before = marksBefore.get(number);
      marks.set(number, before ?? NO_MARKS);
      if (outcomes === null) continue; // a slice of a canceled notification, which was never sent
      const positions = new OutcomePositions(outcomes);
      if (asking !== undefined && before === undefined) sums.asked += countAsked(positions, asking);
      const ids = bySlice.get(number) ?? [];
      const added = (after: Marks): void => {
        if (asking !== undefined && byVariant !== undefined) {
          addVariantSums(byVariant, positions, asking, { before, after });
        }
      };
      if (ids.length === 0) {
        added(before ?? NO_MARKS);
        continue;
      }
      const marked = markReceipts(positions, before ?? NO_MARKS, this.#waiting(ids), asking);
      marks.set(number, marked.marks);
      added(marked.marks);
      sums.received += marked.received;
      sums.shown += marked.shown;
      for (const what of ['counted', 'repeated', 'ignored'] as const) this.#sums[what] += marked[what];
      for (const { deviceId, variant } of marked.opened) {
        opened.push({ deviceId, variant, at: this.#receipts.get(deviceId)?.storedAt ?? this.#options.now });
      }
      for (const deviceId of marked.known) this.#receipts.delete(deviceId);
    }
    if (asking !== undefined) await saveMarks(transaction, key, marks, sums);
    await insertOpens(transaction, key, opened);
  }

  async #outcomes({ outcomes }: CountedNotification, numbers: readonly number[]): Promise<StoredSlice[]> {
    const { transaction, key } = this.#options;
    return outcomes === null ? readOutcomes(transaction, key, numbers) : [{ number: WHOLE, outcomes }];
  }

  /** Yields the receipts of the devices, except receipts that were counted in another slice. */
  *#waiting(ids: readonly string[]): Generator<[string, TimedReceipt]> {
    for (const id of ids) {
      const receipt = this.#receipts.get(id);
      if (receipt !== undefined) yield [id, receipt];
    }
  }

  /** Receipts can come before the outcomes of their slice are stored. They are counted later. */
  async #keepEarly(ids: readonly string[]): Promise<void> {
    const { transaction, key, now } = this.#options;
    const oldest = now.getTime() - WAITS_AT_MOST_MS;
    const kept = [...this.#waiting(ids)].filter(([, { storedAt }]) => storedAt.getTime() > oldest);
    for (const [id] of kept) this.#receipts.delete(id);
    const dueAt = new Date(now.getTime() + AGAIN_AFTER_MS);
    const byTime = Map.groupBy(kept, ([, { storedAt }]) => storedAt.getTime());
    for (const [timeMs, receipts] of byTime) {
      const packed = packReceipts(
        receipts.map(([deviceId, { shown, opened }]) => ({ deviceId, shown, opened })),
      );
      await insertUncounted(transaction, [{ ...key, receipts: packed }], new Date(timeMs), dueAt);
    }
  }
}
