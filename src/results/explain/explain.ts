/** Answers why a device did not get a notification. */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { DeliveryKey } from '../history/device-outcome-store.ts';
import { readUniqueId } from '../history/unique-id.ts';
import { causesOf } from './causes.ts';
import { readFacts } from './facts.ts';

export type ExplainedDelivery = Awaited<ReturnType<typeof explainDelivery>>;

/** @throws {ApiError} `not_found` if the app has no such notification; a device that it does not have is a cause */
export async function explainDelivery(db: Kysely<Database>, key: DeliveryKey) {
  const facts = await readFacts(db, key);
  const outcome = facts.delivery.outcome?.kind;
  const uniqueId = outcome === 'accepted' ? await readUniqueId(db, key) : null;
  return { outcome, uniqueId, variant: facts.variant, causes: causesOf(facts), filters: facts.filters };
}
