/**
 * The outcomes of a slice under way: a row for each of its devices, filled in as the gateways answer. A row
 * costs 26 bytes and a few stores, and the rows are in order already when they are packed.
 */
import {
  NO_OUTCOME,
  type Outcome,
  type OutcomeKind,
  outcomeKinds,
  packColumns,
  rowsWithOutcome,
  unpackOutcomes,
} from './packed.ts';

/** How many devices have which outcome. */
export type OutcomeCounts = Readonly<Record<OutcomeKind, number>>;

export class OutcomeSheet {
  /** What earlier attempts at the slice recorded: few, and rarely any. These devices get no row. */
  readonly #earlier: ReadonlyMap<string, Outcome>;
  readonly #reasons = new ReasonTable();
  readonly #counts = { accepted: 0, rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0 };
  #ids = Buffer.alloc(0);
  #kinds = new Uint8Array(0);
  #reasonIndexes = new Uint8Array(0);
  #times = new Float64Array(0);
  #settled = 0;
  /** Rows that have got their outcome since the last part, in the order of that. */
  #fresh: number[] = [];

  /** @param earlier what earlier attempts recorded, packed */
  constructor(earlier: readonly Buffer[]) {
    this.#earlier = new Map(earlier.flatMap((packed) => [...unpackOutcomes(packed)]));
  }

  /** Devices that got their outcome here, not in an earlier attempt. */
  get settled(): number {
    return this.#settled;
  }

  /** These, by kind, as of now. */
  counts(): OutcomeCounts {
    return { ...this.#counts };
  }

  /** Those devices that have no outcome from an earlier attempt. */
  pending<Device extends { id: string }>(devices: readonly Device[]): readonly Device[] {
    return this.#earlier.size === 0 ? devices : devices.filter(({ id }) => !this.#earlier.has(id));
  }

  /**
   * Adds a row for each device.
   * @param devices pending ones; in the order of their ids (lower case), after all before them
   * @returns the row of the first
   */
  add(devices: readonly { id: string }[]): number {
    const first = this.#kinds.length;
    const size = first + devices.length;
    const kinds = new Uint8Array(size).fill(NO_OUTCOME);
    kinds.set(this.#kinds);
    const reasonIndexes = new Uint8Array(size);
    reasonIndexes.set(this.#reasonIndexes);
    const times = new Float64Array(size);
    times.set(this.#times);
    // All at once: one by one, taking out the dashes and decoding costs twice as much.
    const ids = Buffer.from(
      devices
        .map(({ id }) => id)
        .join('')
        .replaceAll('-', ''),
      'hex',
    );
    this.#ids = Buffer.concat([this.#ids, ids]);
    this.#kinds = kinds;
    this.#reasonIndexes = reasonIndexes;
    this.#times = times;
    return first;
  }

  /** The outcome of a row, once. */
  set(row: number, kind: OutcomeKind, reason: string | null, atMs: number): void {
    this.#kinds[row] = outcomeKinds.indexOf(kind);
    this.#reasonIndexes[row] = this.#reasons.indexOf(reason);
    this.#times[row] = atMs;
    this.#counts[kind] += 1;
    this.#settled += 1;
    this.#fresh.push(row);
  }

  /** What has come since the last part, as it is stored. */
  packPart(): Buffer {
    const rows = Uint32Array.from(this.#fresh).sort();
    this.#fresh = [];
    return this.#packRows(rows);
  }

  /** All that is known of the slice, earlier outcomes included, as it is stored. */
  pack(): Buffer {
    const packed = this.#packRows(rowsWithOutcome(this.#kinds));
    if (this.#earlier.size === 0) return packed;
    return packOutcomes(new Map([...this.#earlier, ...unpackOutcomes(packed)]));
  }

  #packRows(rows: Uint32Array): Buffer {
    const columns = {
      ids: this.#ids,
      kinds: this.#kinds,
      reasonIndexes: this.#reasonIndexes,
      times: this.#times,
      reasons: this.#reasons.list,
    };
    return packColumns(columns, rows);
  }
}

/** Packs outcomes by device id (UUIDs in lower case), in whatever order they come. */
export function packOutcomes(outcomes: ReadonlyMap<string, Outcome>): Buffer {
  // Text sorts as its bytes do.
  const sorted = [...outcomes].sort(([left], [right]) => (left < right ? -1 : 1));
  const sheet = new OutcomeSheet([]);
  sheet.add(sorted.map(([id]) => ({ id })));
  for (const [row, [, { kind, reason, atMs }]] of sorted.entries()) sheet.set(row, kind, reason, atMs);
  return sheet.pack();
}

/** A reason's index is one byte; gateways know some thirty reasons, so the last place is never reached in earnest. */
const REASONS_MAX = 255;
const OTHER_REASON = 'other';

class ReasonTable {
  readonly list: string[] = [];
  readonly #indexes = new Map<string, number>();

  /** 0 for no reason, else one more than the reason's place in the list. */
  indexOf(reason: string | null): number {
    if (reason === null) return 0;
    const known = this.#indexes.get(reason);
    if (known !== undefined) return known;
    if (this.list.length >= REASONS_MAX - 1 && reason !== OTHER_REASON) return this.indexOf(OTHER_REASON);
    this.list.push(reason);
    this.#indexes.set(reason, this.list.length);
    return this.list.length;
  }
}
