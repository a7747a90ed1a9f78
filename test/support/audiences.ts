import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { countDevices, type CountRequest } from '../../src/targeting/count-devices.ts';
import type { Filter } from '../../src/filters/filter.ts';
import { everyone, nameOf, onTheFly, type Specification } from '../../src/audiences/find-or-create.ts';
import type { Clock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';

/** @returns the id of the app's audience with these filters, which is made here where it is the first */
export async function findOrCreateAudience(
  db: Kysely<Database>,
  { appId, filters, clock }: { appId: string; filters: readonly Filter[]; clock: Clock },
): Promise<{ id: string }> {
  return findOrMake(db, appId, onTheFly(filters), clock);
}

/** @returns the id of the app's built-in audience of all devices */
export async function everyoneAudience(
  db: Kysely<Database>,
  appId: string,
  clock: Clock,
): Promise<{ id: string }> {
  return findOrMake(db, appId, everyone, clock);
}

async function findOrMake(
  db: Kysely<Database>,
  appId: string,
  specification: Specification,
  clock: Clock,
): Promise<{ id: string }> {
  const { kind, filters } = specification;
  const id = randomUUID();
  const now = clock();
  const fingerprint = Buffer.from(specification.fingerprint, 'hex');
  await sql`
    insert into audiences (app_id, id, kind, name, filters, fingerprint, created_at, updated_at, last_used_at)
    values (${appId}, ${id}, ${kind}, ${nameOf(specification, id)}, ${filters}, ${fingerprint}, ${now}, ${now}, ${now})
    on conflict (app_id, fingerprint) where kind <> 'named' do nothing`.execute(db);
  return db
    .selectFrom('audiences')
    .select('id')
    .where('app_id', '=', appId)
    .where('fingerprint', '=', fingerprint)
    .where('kind', '<>', 'named')
    .executeTakeFirstOrThrow();
}

/** The number of devices that match, with or without a push token. */
export async function countMatching(db: Kysely<Database>, request: CountRequest): Promise<number> {
  const { devices } = await countDevices(db, request);
  return devices;
}
