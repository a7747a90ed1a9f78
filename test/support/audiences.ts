import { type Kysely, sql } from 'kysely';
import { countDevices, type CountRequest } from '../../src/targeting/count-devices.ts';
import type { Filter } from '../../src/filters/filter.ts';
import {
  everyone,
  findOrCreateSql,
  onTheFly,
  type Specification,
} from '../../src/audiences/find-or-create.ts';
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
  const statement = sql<{ id: string }>`
    with ${findOrCreateSql(appId, specification, clock())} select id from audience`;
  const found = await statement.execute(db);
  // Where another was first, this statement has waited for its commit, and the next one sees its row.
  const [audience] = found.rows.length > 0 ? found.rows : (await statement.execute(db)).rows;
  if (audience === undefined) throw new Error('an audience was neither found nor made');
  return audience;
}

/** The number of devices that match, with or without a push token. */
export async function countMatching(db: Kysely<Database>, request: CountRequest): Promise<number> {
  const { devices } = await countDevices(db, request);
  return devices;
}
