/** Counts the devices of an audience, exactly, at one moment. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { Filter } from '../filters/filter.ts';
import { countBitmaps } from './bitmaps/count-bitmaps.ts';
import { type CountLimits, inCountTransaction } from './count-transaction.ts';
import { readColumnMap } from './rows/column-map.ts';
import {
  type Counted,
  countEventRows,
  countRegistrationRows,
  countTargetingRows,
} from './rows/count-rows.ts';

export interface CountRequest extends CountLimits {
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
}

export interface DeviceCount {
  devices: number;
  /** How many of them have a push token. */
  reachable: number;
}

/**
 * @param db a pool or a transaction; in a transaction, the timeout and the other settings of a count last until its end
 * @throws {ApiError} `unavailable` if the count takes longer than the timeout, or the signal cancels it
 */
export async function countDevices(db: Kysely<Database>, request: CountRequest): Promise<DeviceCount> {
  const { devices, unreachable } = await count(db, request, true);
  return { devices, reachable: devices - unreachable };
}

/** Like `countDevices`, but without those that have a push token. */
export async function countAllDevices(db: Kysely<Database>, request: CountRequest): Promise<number> {
  return (await count(db, request, false)).devices;
}

async function count(
  db: Kysely<Database>,
  request: CountRequest,
  withUnreachable: boolean,
): Promise<Counted> {
  return inCountTransaction(db, request, async (trx) => countInside(trx, request, withUnreachable));
}

/**
 * Counts inside a transaction that `inCountTransaction` has prepared, so that several counts share one snapshot.
 * @param withUnreachable whether those without a push token are counted as well
 */
export async function countInside(
  transaction: Kysely<Database>,
  { appId, filters, now }: Pick<CountRequest, 'appId' | 'filters' | 'now'>,
  withUnreachable: boolean,
): Promise<Counted> {
  const columns = await readColumnMap(transaction, appId, filters);
  const query = { db: transaction, appId, filters, now, columns, withUnreachable };
  // Fastest first: each returns undefined for a list that it cannot count.
  return (
    (await countRegistrationRows(query)) ??
    (await countBitmaps(query)) ??
    (await countEventRows(query)) ??
    (await countTargetingRows(query))
  );
}
