import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { freeAllClaims } from '../claims/claim-store.ts';
import { releaseSlices } from '../slice-store.ts';
import { endAllPlanning } from '../troubles/trouble-store.ts';

/** Frees the work of a server that has died, without the wait for its leases. Call it only when no worker is running. */
export async function freeWorkInProgress(db: Kysely<Database>, now: Date): Promise<void> {
  await releaseSlices(db, now);
  await endAllPlanning(db);
  await freeAllClaims(db, now);
}
