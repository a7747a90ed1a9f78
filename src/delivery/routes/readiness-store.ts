import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { type Reached, type Route, routeTo } from '../../route.ts';

/** Ids are random, so the first devices by id are a random sample. */
const SAMPLE = 1_000;

/** Finds the routes of the app's devices, from a sample of devices and an index of development devices. */
export async function readRoutesOfDevices(db: Kysely<Database>, appId: string): Promise<ReadonlySet<Route>> {
  const { rows } = await sql<Reached>`
    select distinct platform, push_token_type, development
    from (select platform, push_token_type, development from devices where app_id = ${appId} order by id limit ${SAMPLE}) as sample
    union
    (select 'iOS', 'token', true from device_targets as d where app_id = ${appId} and development and on_ios and not exists (
      select from devices where app_id = d.app_id and id = d.id and push_token_type = 'fcm'
    ) limit 1)`.execute(db);
  return new Set(rows.map(routeTo));
}
