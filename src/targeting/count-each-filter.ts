/**
 * Counts a list of filters and, for each filter, the devices that it selects alone and the devices that are left after
 * it.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';
import type { Filter } from '../filters/filter.ts';
import { countInside, type CountRequest, type DeviceCount } from './count-devices.ts';
import { inCountTransaction, limitStatements } from './count-transaction.ts';

/** A count is undefined if there was no time for it. */
export interface FilterCount {
  /** The devices that this filter selects. */
  alone: number | undefined;
  /** The devices that this filter and all filters before it select. */
  left: number | undefined;
}

export interface CountOfEach {
  /** The count of the whole list. */
  total: DeviceCount;
  /** In the order of the filters. */
  filters: FilterCount[];
}

/**
 * The time for the counts of all filters, besides the total: a person waits for them, and each may scan the whole app.
 */
const EACH_WITHIN_MS = 5_000;

/**
 * All counts are from one snapshot. The total comes first. The others follow as far as the time allows: first the
 * devices left after each filter, then the devices of each filter alone.
 * @param withinMs the time for the counts besides the total
 * @throws {ApiError} `unavailable` if the total takes longer than the timeout, or the signal cancels the counts
 */
export async function countEachFilter(
  db: Kysely<Database>,
  request: CountRequest,
  withinMs = EACH_WITHIN_MS,
): Promise<CountOfEach> {
  const { filters, signal } = request;
  // Kept if a later statement takes too long.
  const found: { total?: DeviceCount; counts: FilterCount[] } = {
    counts: filters.map(() => ({ alone: undefined, left: undefined })),
  };
  try {
    await inCountTransaction(db, request, async (transaction) => {
      const countOf = async (some: readonly Filter[]): Promise<DeviceCount> => {
        const { devices, unreachable } = await countInside(transaction, { ...request, filters: some }, true);
        return { devices, reachable: devices - unreachable };
      };
      const total = await countOf(filters);
      found.total = total;
      const endsAtMs = performance.now() + withinMs;
      /** @returns undefined if the time is up */
      const countInTime = async (some: readonly Filter[]): Promise<number | undefined> => {
        const leftMs = endsAtMs - performance.now();
        if (leftMs <= 0) return undefined;
        await limitStatements(transaction, leftMs);
        return (await countOf(some)).devices;
      };
      for (const [index, counts] of found.counts.entries()) {
        const isLast = index === filters.length - 1;
        counts.left = isLast ? total.devices : await countInTime(filters.slice(0, index + 1));
      }
      for (const [index, counts] of found.counts.entries()) {
        counts.alone = index === 0 ? counts.left : await countInTime(filters.slice(index, index + 1));
      }
    });
  } catch (error) {
    const isLate = error instanceof ApiError && error.code === 'unavailable' && signal?.aborted !== true;
    if (!isLate || found.total === undefined) throw error;
  }
  if (found.total === undefined) throw new Error('the total is counted first');
  return { total: found.total, filters: found.counts };
}
