/** Answers why a device did not get a notification. */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { FilterExplanation } from '../../targeting/explain-device.ts';
import type { DeliveryKey } from '../history/device-outcome-store.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';
import { readUniqueId } from '../history/unique-id.ts';
import type { Cause } from './cause.ts';
import { causesOf } from './causes.ts';
import { readFacts } from './facts.ts';
import type { ExplainedVariant } from './explain-variant.ts';

export interface ExplainedDelivery {
  /** Undefined if none is stored. */
  outcome: OutcomeKind | undefined;
  /** Apple's id of an accepted push to a development device. */
  uniqueId: string | null;
  /** Undefined if the notification is no A/B test, or nothing is known about the device. */
  variant: ExplainedVariant | undefined;
  /** The first one is the answer. */
  causes: Cause[];
  /** How the filters of the audience treat the device as it is now; undefined if the app does not have the device. */
  filters: FilterExplanation[] | undefined;
}

/** @throws {ApiError} `not_found` if the app has no such notification; a device that it does not have is a cause */
export async function explainDelivery(db: Kysely<Database>, key: DeliveryKey): Promise<ExplainedDelivery> {
  const facts = await readFacts(db, key);
  const outcome = facts.delivery.outcome?.kind;
  const uniqueId = outcome === 'accepted' ? await readUniqueId(db, key) : null;
  return { outcome, uniqueId, variant: facts.variant, causes: causesOf(facts), filters: facts.filters };
}
