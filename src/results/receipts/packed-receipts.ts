/**
 * The packed form of receipts, in which they wait to be counted: 17 bytes each, the id of the device and what it reported.
 */
import { idsBytes, idText } from '../../delivery/outcomes/packed.ts';

export interface Reported {
  shown: boolean;
  opened: boolean;
}

export interface Receipt extends Reported {
  /** A UUID in lower case, like the next. */
  notificationId: string;
  deviceId: string;
}

export const RECEIPT_BYTES = 17;
const ID_BYTES = 16;
const SHOWN = 1;
const OPENED = 2;

export function packReceipts(receipts: readonly Omit<Receipt, 'notificationId'>[]): Buffer {
  const ids = idsBytes(receipts.map(({ deviceId }) => deviceId));
  const packed = Buffer.allocUnsafe(receipts.length * RECEIPT_BYTES);
  for (const [index, { shown, opened }] of receipts.entries()) {
    const at = index * RECEIPT_BYTES;
    ids.copy(packed, at, index * ID_BYTES, (index + 1) * ID_BYTES);
    packed[at + ID_BYTES] = (shown ? SHOWN : 0) | (opened ? OPENED : 0);
  }
  return packed;
}

/** @yields the receipts in the order in which they were packed */
export function* unpackReceipts(packed: Buffer): Generator<Omit<Receipt, 'notificationId'>> {
  for (let at = 0; at < packed.length; at += RECEIPT_BYTES) {
    const flags = packed[at + ID_BYTES] ?? 0;
    yield {
      deviceId: idText(packed.subarray(at, at + ID_BYTES)),
      shown: (flags & SHOWN) !== 0,
      opened: (flags & OPENED) !== 0,
    };
  }
}
