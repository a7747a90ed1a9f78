/**
 * The packed form of outcomes: one value holds the outcomes of a slice of about a thousand devices, sorted by device
 * id. A binary search finds the outcome of one device, which needs no row of its own.
 *
 * Layout (big endian): version u8 · count u32 · base time f64 (Unix ms) · length of the reasons u32 · reasons (JSON
 * array) · ids 16 bytes each · outcome u8 each · reason index u8 each · ms since base u32 each.
 */
import { z } from 'zod';
import { splitReason, withVariant } from './reason-and-variant.ts';

/** The outcomes of pushes. */
export const pushOutcomes = ['accepted', 'rejected', 'unregistered', 'no_token', 'ambiguous'] as const;
/** The outcomes of devices to which nothing is sent: because of their moment (`waves/`), or of a frequency cap (`caps/`). */
export const leftOutOutcomes = ['dropped', 'expired', 'capped'] as const;
/** The final outcomes; a device without one is still pending. Their positions are stored: new ones come last. */
export const outcomeKinds = [...pushOutcomes, ...leftOutOutcomes] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

/** A count per outcome, all 0. */
export const noOutcomes: Readonly<Record<OutcomeKind, number>> = {
  accepted: 0,
  rejected: 0,
  unregistered: 0,
  no_token: 0,
  ambiguous: 0,
  dropped: 0,
  expired: 0,
  capped: 0,
};

export interface Outcome {
  kind: OutcomeKind;
  /** The gateway's own reason, or one of ours; null for an accepted push and for a device without a token. */
  reason: string | null;
  /** The variant of the device, or `HOLD_OUT`; undefined if the notification is no A/B test. */
  variant?: string;
  /** Unix milliseconds. */
  atMs: number;
}

const VERSION = 1;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + 4 + 8 + 4;

const NO_REASONS = Buffer.from('[]');

/** In the column `kinds`: the device has no outcome yet. */
export const NO_OUTCOME = 255;

/** Outcomes in columns, before they are packed: one row per device, sorted by id. */
export interface OutcomeColumns {
  /** 16 bytes each. */
  ids: Buffer;
  /** Positions in `outcomeKinds`, or `NO_OUTCOME`. */
  kinds: Uint8Array;
  /** 0 for no reason, otherwise the position in `reasons` plus one. */
  reasonIndexes: Uint8Array;
  /** Unix milliseconds. */
  times: Float64Array;
  reasons: readonly string[];
}

/** @param rows rows that have an outcome, in ascending order */
export function packColumns(
  { ids, kinds, reasonIndexes, times, reasons }: OutcomeColumns,
  rows: Uint32Array,
): Buffer {
  let baseMs = Number.MAX_SAFE_INTEGER;
  for (const row of rows) baseMs = Math.min(baseMs, times[row] ?? baseMs);
  const reasonBytes = reasons.length === 0 ? NO_REASONS : Buffer.from(JSON.stringify(reasons));
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

/** The rows that have an outcome, in ascending order. */
export function rowsWithOutcome(kinds: Uint8Array): Uint32Array {
  let count = 0;
  for (let row = 0; row < kinds.length; row++) if (kinds[row] !== NO_OUTCOME) count++;
  const rows = new Uint32Array(count);
  let next = 0;
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] !== NO_OUTCOME) rows[next++] = row;
  }
  return rows;
}

/** @returns the outcome of one device; undefined if there is none */
export function findOutcome(packed: Buffer, deviceId: string): Outcome | undefined {
  const layout = readLayout(packed);
  const position = positionOf(packed, layout, deviceId);
  return position === undefined ? undefined : outcomeAt(packed, layout, position);
}

/** Outcomes by position: 0 is the lowest device id. The positions of a slice stay the same once it is done. */
export class OutcomePositions {
  readonly #packed: Buffer;
  readonly #layout: Layout;

  constructor(packed: Buffer) {
    this.#packed = packed;
    this.#layout = readLayout(packed);
  }

  /** The number of devices. */
  get count(): number {
    return this.#layout.count;
  }

  /** @returns undefined if the device has no outcome here */
  positionOf(deviceId: string): number | undefined {
    return positionOf(this.#packed, this.#layout, deviceId);
  }

  kindAt(position: number): OutcomeKind {
    return kindAt(this.#packed.readUInt8(this.#layout.kinds + position));
  }

  variantAt(position: number): string | undefined {
    return splitReason(reasonAt(this.#layout, this.#packed.readUInt8(this.#layout.reasonIndexes + position)))
      .variant;
  }

  /** The number in the last 8 hexadecimal digits of the device's id. */
  idEndAt(position: number): number {
    return this.#packed.readUInt32BE(this.#layout.ids + (position + 1) * ID_BYTES - 4);
  }
}

/** A binary search. */
function positionOf(packed: Buffer, layout: Layout, deviceId: string): number | undefined {
  const wanted = idsBytes([deviceId]);
  let low = 0;
  let high = layout.count - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const start = layout.ids + middle * ID_BYTES;
    const order = packed.compare(wanted, 0, ID_BYTES, start, start + ID_BYTES);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/**
 * Device counts per outcome and per reason. The reason may carry a variant (`splitReason`); '' stands for no reason.
 */
export type Tally = Partial<Record<OutcomeKind, Record<string, number>>>;

/** Counts outcomes without unpacking them: 1,000 take some 10 µs. */
export function tallyOf(packed: Buffer): Tally {
  const layout = readLayout(packed);
  const numbers = new Map<number, number>();
  for (let index = 0; index < layout.count; index++) {
    const pair =
      packed.readUInt8(layout.kinds + index) * 256 + packed.readUInt8(layout.reasonIndexes + index);
    numbers.set(pair, (numbers.get(pair) ?? 0) + 1);
  }
  const tally: Tally = {};
  for (const [pair, number] of numbers) {
    const kind = kindAt(pair >> 8);
    const reason = reasonAt(layout, pair & 255) ?? '';
    (tally[kind] ??= {})[reason] = number;
  }
  return tally;
}

/** Packs outcomes. Their keys are device ids (UUIDs in lower case), in any order. */
export function packOutcomes(outcomes: ReadonlyMap<string, Outcome>): Buffer {
  // The text of ids sorts like their bytes.
  const sorted = [...outcomes].sort(([left], [right]) => (left < right ? -1 : 1));
  const reasons = new ReasonTable();
  const columns = {
    ids: idsBytes(sorted.map(([id]) => id)),
    kinds: Uint8Array.from(sorted, ([, { kind }]) => outcomeKinds.indexOf(kind)),
    reasonIndexes: Uint8Array.from(sorted, ([, { reason, variant }]) =>
      reasons.indexOf(withVariant(reason, variant)),
    ),
    times: Float64Array.from(sorted, ([, { atMs }]) => atMs),
    reasons: reasons.list,
  };
  return packColumns(columns, rowsWithOutcome(columns.kinds));
}

/** Unpacks all outcomes by device id; a later attempt at the slice starts from them. */
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
  const kind = kindAt(packed.readUInt8(layout.kinds + index));
  const { reason, variant } = splitReason(reasonAt(layout, packed.readUInt8(layout.reasonIndexes + index)));
  const atMs = layout.baseMs + packed.readUInt32BE(layout.times + index * 4);
  return { kind, reason, ...(variant !== undefined && { variant }), atMs };
}

function kindAt(position: number): OutcomeKind {
  const kind = outcomeKinds[position];
  if (kind === undefined) throw new Error('an outcome of an unknown kind');
  return kind;
}

function reasonAt({ reasons }: Layout, index: number): string | null {
  return index === 0 ? null : (reasons[index - 1] ?? null);
}

/** Converts ids to 16 bytes each. Converting all at once takes half the time of one by one. */
export function idsBytes(ids: readonly string[]): Buffer {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
}

/** Converts 16 bytes to an id. */
export function idText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A reason's index is one byte. Gateways have about thirty reasons, so the limit is hardly reached, even by eight variants. */
const REASONS_MAX = 255;
const OTHER_REASON = 'other';
/** Kept free of reasons with a variant: each variant needs a reason for all others, and some devices have a reason but no variant. */
const KEPT_FREE = 16;

/** Numbers the distinct reasons of packed outcomes. */
export class ReasonTable {
  readonly list: string[] = [];
  #indexes: Map<string, number> | undefined;

  /** 0 for no reason, otherwise the position in `list` plus one. */
  indexOf(reason: string | null): number {
    if (reason === null) return 0;
    this.#indexes ??= new Map();
    const known = this.#indexes.get(reason);
    if (known !== undefined) return known;
    const { reason: own, variant } = splitReason(reason);
    const most = REASONS_MAX - (variant === undefined ? 1 : KEPT_FREE);
    if (this.list.length >= most && own !== OTHER_REASON) {
      return this.indexOf(withVariant(OTHER_REASON, variant));
    }
    this.list.push(reason);
    this.#indexes.set(reason, this.list.length);
    return this.list.length;
  }
}
