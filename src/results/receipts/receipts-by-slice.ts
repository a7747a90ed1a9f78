/** Finds the slices that may have the devices of receipts. */
import type { EventLoopShare } from '../../scheduling/event-loop-share.ts';
import type { SliceRange } from './receipt-store.ts';

/**
 * @param slices sorted by their first ids; slices of several waves overlap, and then a device is in several slices
 * @param deviceIds in lower case
 * @returns the ids by the number of the slice
 */
export async function receiptsBySlice(
  slices: readonly SliceRange[],
  deviceIds: Iterable<string>,
  share: EventLoopShare,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const layers = layersOf(slices);
  const bySlice = new Map<number, string[]>();
  for (const id of deviceIds) {
    const free = share.whenFree();
    if (free !== undefined) await free;
    for (const layer of layers) {
      const slice = sliceOf(layer, id);
      if (slice === undefined) continue;
      const ids = bySlice.get(slice.number);
      if (ids === undefined) bySlice.set(slice.number, [id]);
      else ids.push(id);
    }
  }
  return bySlice;
}

/** Sorts slices into layers in which none overlap: one, or as many as there are waves. */
function layersOf(slices: readonly SliceRange[]): SliceRange[][] {
  const layers: SliceRange[][] = [];
  for (const slice of slices) {
    const layer = layers.find((others) => (others.at(-1)?.lastId ?? '') < slice.firstId);
    if (layer === undefined) layers.push([slice]);
    else layer.push(slice);
  }
  return layers;
}

/** A binary search. Ids as text sort like ids. */
function sliceOf(layer: readonly SliceRange[], id: string): SliceRange | undefined {
  let low = 0;
  let high = layer.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const slice = layer[middle];
    if (slice === undefined) return undefined;
    if (id < slice.firstId) high = middle - 1;
    else if (id > slice.lastId) low = middle + 1;
    else return slice;
  }
  return undefined;
}
