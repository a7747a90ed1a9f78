/**
 * What became of the push to one device, and how a slice keeps a thousand of them in one value: sorted by
 * device id, so that one device's outcome is a binary search away and costs no row of its own. They are
 * gathered in an `OutcomeSheet`.
 *
 * Layout (big endian): version u8 · count u32 · base time f64 (Unix ms) · length of the reasons u32 ·
 * reasons (JSON array) · ids 16 bytes each · outcome u8 each · reason index u8 each · ms since base u32 each.
 */
import { z } from 'zod';

/** The outcomes that are final; a device without one is still pending. */
export const outcomeKinds = ['accepted', 'rejected', 'unregistered', 'no_token', 'ambiguous'] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export interface Outcome {
  kind: OutcomeKind;
  /** In the gateway's own words; null where there is nothing to say. */
  reason: string | null;
  /** Unix milliseconds. */
  atMs: number;
}

const VERSION = 1;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + 4 + 8 + 4;

/** In a column of kinds: this device has no outcome yet. */
export const NO_OUTCOME = 255;

/** Outcomes in columns, before they are packed: a row for every device, in the order of their ids. */
export interface OutcomeColumns {
  /** 16 bytes each. */
  ids: Buffer;
  /** Places in `outcomeKinds`, or `NO_OUTCOME`. */
  kinds: Uint8Array;
  /** 0 for no reason, else one more than the place in `reasons`. */
  reasonIndexes: Uint8Array;
  /** Unix milliseconds. */
  times: Float64Array;
  reasons: readonly string[];
}

/** Packs the outcomes of these rows, which have one and are in order. */
export function packColumns(
  { ids, kinds, reasonIndexes, times, reasons }: OutcomeColumns,
  rows: Uint32Array,
): Buffer {
  let baseMs = Number.MAX_SAFE_INTEGER;
  for (const row of rows) baseMs = Math.min(baseMs, times[row] ?? baseMs);
  const reasonBytes = Buffer.from(JSON.stringify(reasons));
  const packed = Buffer.allocUnsafe(HEADER_BYTES + reasonBytes.length + rows.length * (ID_BYTES + 1 + 1 + 4));
  let at = packed.writeUInt8(VERSION, 0);
  at = packed.writeUInt32BE(rows.length, at);
  at = packed.writeDoubleBE(baseMs, at);
  at = packed.writeUInt32BE(reasonBytes.length, at);
  at += reasonBytes.copy(packed, at);
  for (const row of rows) at += ids.copy(packed, at, row * ID_BYTES, (row + 1) * ID_BYTES);
  for (const row of rows) at = packed.writeUInt8(kinds[row] ?? NO_OUTCOME, at);
  for (const row of rows) at = packed.writeUInt8(reasonIndexes[row] ?? 0, at);
  for (const row of rows) {
    at = packed.writeUInt32BE(Math.min((times[row] ?? baseMs) - baseMs, 0xffffffff), at);
  }
  return packed;
}

/** The rows that have an outcome, in order. */
export function rowsWithOutcome(kinds: Uint8Array): Uint32Array {
  const rows = new Uint32Array(kinds.length);
  let count = 0;
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] !== NO_OUTCOME) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** The outcome of one device in a packed slice; undefined where the slice has none for it. */
export function findOutcome(packed: Buffer, deviceId: string): Outcome | undefined {
  const layout = readLayout(packed);
  const wanted = idBytes(deviceId);
  let low = 0;
  let high = layout.count - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const start = layout.ids + middle * ID_BYTES;
    const order = packed.compare(wanted, 0, ID_BYTES, start, start + ID_BYTES);
    if (order === 0) return outcomeAt(packed, layout, middle);
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** All outcomes of a packed slice by device id, e.g. to go on with a slice that was handed on. */
export function unpackOutcomes(packed: Buffer): Map<string, Outcome> {
  const layout = readLayout(packed);
  const outcomes = new Map<string, Outcome>();
  for (let index = 0; index < layout.count; index++) {
    const start = layout.ids + index * ID_BYTES;
    outcomes.set(idText(packed.subarray(start, start + ID_BYTES)), outcomeAt(packed, layout, index));
  }
  return outcomes;
}

interface Layout {
  count: number;
  baseMs: number;
  reasons: string[];
  ids: number;
  kinds: number;
  reasonIndexes: number;
  times: number;
}

function readLayout(packed: Buffer): Layout {
  if (packed.readUInt8(0) !== VERSION) throw new Error('outcomes of an unknown version');
  const count = packed.readUInt32BE(1);
  const reasonsLength = packed.readUInt32BE(13);
  const ids = HEADER_BYTES + reasonsLength;
  return {
    count,
    baseMs: packed.readDoubleBE(5),
    reasons: z.array(z.string()).parse(JSON.parse(packed.toString('utf8', HEADER_BYTES, ids))),
    ids,
    kinds: ids + count * ID_BYTES,
    reasonIndexes: ids + count * (ID_BYTES + 1),
    times: ids + count * (ID_BYTES + 2),
  };
}

function outcomeAt(packed: Buffer, layout: Layout, index: number): Outcome {
  const kind = outcomeKinds[packed.readUInt8(layout.kinds + index)];
  if (kind === undefined) throw new Error('an outcome of an unknown kind');
  const reasonIndex = packed.readUInt8(layout.reasonIndexes + index);
  const reason = reasonIndex === 0 ? null : (layout.reasons[reasonIndex - 1] ?? null);
  return { kind, reason, atMs: layout.baseMs + packed.readUInt32BE(layout.times + index * 4) };
}

function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
