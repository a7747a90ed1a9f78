/** A range of device ids, both ends included. */
export interface IdRange {
  firstId: string;
  lastId: string;
}

const ID_SPACE = 1n << 128n;

/**
 * Cuts the space of device ids into even ranges without gap or overlap. Device ids are random UUIDs, so even ranges hold
 * about the same number of devices, and no device is read to find them. Imported ids are random except for two bytes
 * (`idsOfImport`), which count up: the first alone makes up to 256 ranges even, and an audience with more ranges is large
 * enough that the second has gone through all its values too.
 */
export function cutIdSpace(ranges: number): IdRange[] {
  const edge = (index: number): bigint => (ID_SPACE * BigInt(index)) / BigInt(ranges);
  return Array.from({ length: ranges }, (_, index) => ({
    firstId: uuidOf(edge(index)),
    lastId: uuidOf(edge(index + 1) - 1n),
  }));
}

function uuidOf(value: bigint): string {
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
