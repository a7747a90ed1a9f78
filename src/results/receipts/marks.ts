/**
 * Marks the devices of a slice that have reported a notification: a bit per device, in the order of the slice's packed
 * outcomes. So a device counts once, however often it reports, and a million devices take 250 KB, and 0.5 to 1 MB in
 * the table.
 */
import { isAsked } from '../../notifications/receipt-sample.ts';
import type { OutcomePositions } from '../../delivery/outcomes/packed.ts';
import type { Reported } from './packed-receipts.ts';
import type { ReceiptSums } from './receipt-store.ts';

/** Empty as long as no device has reported. */
export interface Marks {
  received: Buffer;
  shown: Buffer;
}

export interface Asking {
  /** A device is asked if its number is below this (`receiptLimit`). */
  limit: number;
  /** The number in the last digits of its id. */
  notificationEnd: number;
}

/** Counts the devices whose push was accepted and that are asked. */
export function countAsked(outcomes: OutcomePositions, asking: Asking): number {
  let asked = 0;
  for (let position = 0; position < outcomes.count; position++) {
    if (isCounted(outcomes, position, asking)) asked += 1;
  }
  return asked;
}

export interface Marked {
  marks: Marks;
  /** Bits that were set. */
  received: number;
  shown: number;
  /** The receipts by result. */
  counted: number;
  repeated: number;
  /** Devices to which the push was not sent, or that were not asked. */
  ignored: number;
  /** Devices that the push may have reached and that have opened it, whether they were asked or not, with their variant. */
  opened: { deviceId: string; variant: string | undefined }[];
  /** Ids that have an outcome in this slice. */
  known: string[];
}

/** @param asking undefined if the notification does not ask for receipts: then only opens count */
export function markReceipts(
  outcomes: OutcomePositions,
  before: Marks,
  receipts: Iterable<readonly [deviceId: string, Reported]>,
  asking: Asking | undefined,
): Marked {
  const marks = {
    received: sized(before.received, outcomes.count),
    shown: sized(before.shown, outcomes.count),
  };
  const sums = { received: 0, shown: 0, counted: 0, repeated: 0, ignored: 0 };
  const opened: Marked['opened'] = [];
  const known: string[] = [];
  for (const [deviceId, reported] of receipts) {
    const position = outcomes.positionOf(deviceId);
    if (position === undefined) continue;
    known.push(deviceId);
    const kind = outcomes.kindAt(position);
    const mayHaveOpened = reported.opened && (kind === 'accepted' || kind === 'ambiguous');
    if (mayHaveOpened) opened.push({ deviceId, variant: outcomes.variantAt(position) });
    if (asking !== undefined && isCounted(outcomes, position, asking)) {
      const received = setBit(marks.received, position);
      // An opened push was shown.
      const shown = reported.shown || reported.opened ? setBit(marks.shown, position) : 0;
      sums.received += received;
      sums.shown += shown;
      if (received + shown > 0) sums.counted += 1;
      else sums.repeated += 1;
    } else if (!mayHaveOpened) {
      sums.ignored += 1;
    }
  }
  return { marks, ...sums, opened, known };
}

/** Whether the push to the device was accepted, and the device is asked. */
function isCounted(
  outcomes: OutcomePositions,
  position: number,
  { limit, notificationEnd }: Asking,
): boolean {
  return (
    outcomes.kindAt(position) === 'accepted' && isAsked(limit, outcomes.idEndAt(position), notificationEnd)
  );
}

/** A copy with a bit for each device. */
function sized(bits: Buffer, devices: number): Buffer {
  const copy = Buffer.alloc(Math.ceil(devices / 8));
  bits.copy(copy);
  return copy;
}

/** @returns 1 if the bit was not set before, otherwise 0 */
function setBit(bits: Buffer, position: number): 0 | 1 {
  const at = position >> 3;
  const mask = 1 << (position & 7);
  const byte = bits[at] ?? 0;
  if ((byte & mask) !== 0) return 0;
  bits[at] = byte | mask;
  return 1;
}

function isBitSet(bits: Buffer, position: number): boolean {
  return ((bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
}

/** By the name of the variant. */
export type VariantSums = Map<string, ReceiptSums>;

/**
 * Adds the changes that the receipts of a slice have made.
 * @param before undefined if the slice is counted for the first time, and then its asked devices are counted as well
 */
export function addVariantSums(
  sums: VariantSums,
  outcomes: OutcomePositions,
  asking: Asking,
  { before, after }: { before: Marks | undefined; after: Marks },
): void {
  for (let position = 0; position < outcomes.count; position++) {
    if (!isCounted(outcomes, position, asking)) continue;
    const variant = outcomes.variantAt(position);
    if (variant === undefined) continue;
    const sum = sums.get(variant) ?? { asked: 0, received: 0, shown: 0 };
    if (before === undefined) sum.asked += 1;
    for (const what of ['received', 'shown'] as const) {
      const wasSet = before !== undefined && isBitSet(before[what], position);
      if (!wasSet && isBitSet(after[what], position)) sum[what] += 1;
    }
    sums.set(variant, sum);
  }
}
