/** Reads a few of the devices that filters select, as a sample. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { FIRST_UUID, LAST_UUID } from '../uuid.ts';
import type { CountRequest } from './count-devices.ts';
import { inCountTransaction } from './count-transaction.ts';
import type { Fact } from './device-facts.ts';
import { type MatchingDevice, readMatchingDevices } from './matching-devices.ts';

/**
 * Ids are random, so the first devices by id are a sample; the same filters give the same sample while devices stay.
 * @param request has the timeout and the signal of a count: where few of many devices match, finding them takes as long
 * @param facts attributes to read as well
 * @returns devices, sorted by id
 * @throws {ApiError} `unavailable` if it takes longer than the timeout, or the signal cancels it
 */
export async function sampleDevices(
  db: Kysely<Database>,
  request: CountRequest,
  limit: number,
  facts?: readonly Fact[],
): Promise<MatchingDevice[]> {
  const { appId, filters, now } = request;
  const range = { firstId: FIRST_UUID, lastId: LAST_UUID, limit, facts };
  return inCountTransaction(db, request, async (transaction) =>
    readMatchingDevices(transaction, { appId, filters, now, ...range }),
  );
}
