/** On-the-fly audiences: the same specification is the same audience, however many callers send it at once. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json.ts';
import { canonicalFilters, fingerprintOf } from './canonical.ts';
import type { Filter } from './filter.ts';

/** @returns the id of the app's audience with these filters, which is made here where it is the first */
export async function findOrCreateAudience(
  db: Kysely<Database>,
  { appId, filters, clock }: { appId: string; filters: readonly Filter[]; clock: Clock },
): Promise<{ id: string }> {
  const name = `api_audience_${randomBytes(8).toString('hex')}`;
  return findOrInsert(db, appId, { kind: 'on_the_fly', name, filters }, clock);
}

/** @returns the id of the app's built-in audience of all devices, whose list of filters is empty */
export async function everyoneAudience(
  db: Kysely<Database>,
  appId: string,
  clock: Clock,
): Promise<{ id: string }> {
  return findOrInsert(db, appId, { kind: 'everyone', name: 'All devices', filters: [] }, clock);
}

interface Specification {
  kind: 'everyone' | 'on_the_fly';
  name: string;
  filters: readonly Filter[];
}

async function findOrInsert(
  db: Kysely<Database>,
  appId: string,
  { kind, name, filters }: Specification,
  clock: Clock,
): Promise<{ id: string }> {
  const canonical = canonicalFilters(filters);
  const fingerprint = fingerprintOf(canonical);
  const existing = db
    .selectFrom('audiences')
    .select('id')
    .where('app_id', '=', appId)
    .where('fingerprint', '=', fingerprint)
    .where('kind', '<>', 'named');
  const found = await existing.executeTakeFirst();
  if (found !== undefined) return found;
  const now = clock();
  const inserted = await db
    .insertInto('audiences')
    .values({
      app_id: appId,
      id: randomUUID(),
      kind,
      name,
      filters: stringifyJson(canonical),
      fingerprint,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'fingerprint']).where('kind', '<>', 'named').doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  // Where another was first, the insert waited for its commit, and this new statement sees its row.
  return inserted ?? (await existing.executeTakeFirstOrThrow());
}
