import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import { idText } from '../outcomes/packed.ts';

/** A range of device ids, both ends included. */
export interface IdRange {
  firstId: string;
  lastId: string;
}

/** All device ids. */
export const ALL_IDS: IdRange = { firstId: FIRST_UUID, lastId: LAST_UUID };

/** Devices per slice. Measured: from 1,000 on, the queries of a slice cost less than a tenth of its pushes. */
export const SLICE_DEVICES = 1_000;

const ID_SPACE = 1n << 128n;

/**
 * Cuts the space of device ids into equal ranges without gaps or overlaps. Device ids are random UUIDs, so each range
 * holds about the same number of devices, and no device has to be read to find the ranges. Only the first two bytes of
 * imported ids are not random but count up (`idsOfImport`). The first byte spreads the ids evenly over up to 256
 * ranges. An audience with more ranges is so large that its ids use all values of the second byte too.
 */
export function cutIdSpace(ranges: number): IdRange[] {
  const edge = (index: number): bigint => (ID_SPACE * BigInt(index)) / BigInt(ranges);
  return Array.from({ length: ranges }, (_, index) => ({
    firstId: uuidOf(edge(index)),
    lastId: uuidOf(edge(index + 1) - 1n),
  }));
}

function uuidOf(value: bigint): string {
  return idText(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'));
}
