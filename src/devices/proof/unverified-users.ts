/**
 * After an app begins to demand that users are proven: removes the users of its devices that nobody vouched for, a page at
 * a time. They would get pushes that are meant for others; each comes back with a user token when its app is next opened.
 */
import { type Kysely, sql } from 'kysely';
import { KNOWN_FOR_MS } from '../../apps/recent-look-ups.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { pause, type PeriodicJob } from '../../scheduling/periodically.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

const DEVICES_PER_PAGE = 1_000;
const PAUSE_MS = 20;
/** Every process follows the mode by then, and its calls have ended. */
const BEGINS_AFTER_MS = KNOWN_FOR_MS + 10_000;

export function removeUnverifiedUsersJob(db: Kysely<Database>, clock: Clock): PeriodicJob {
  return {
    name: 'remove-unverified-users',
    everyMs: 5_000,
    run: async (stop) => {
      const apps = await db
        .selectFrom('apps')
        .select('id')
        .where('identity_checked_to', 'is not', null)
        .where('identity_set_at', '<', new Date(clock().getTime() - BEGINS_AFTER_MS))
        .execute();
      for (const { id } of apps) {
        while (!stop.aborted && (await removeFromPage(db, id))) await pause(PAUSE_MS, stop);
      }
    },
  };
}

/** @returns whether devices are left to look at */
async function removeFromPage(db: Kysely<Database>, appId: string): Promise<boolean> {
  return retryOnConflict(db, async (trx) => {
    const { rows } = await sql<{ isLast: boolean }>`
      with app as materialized (
        select id, identity_checked_to from apps where id = ${appId} and identity_checked_to is not null for no key update
      ), page as materialized (
        select d.app_id, d.id, d.user_verified_at is null and (d.user_id is not null or d.user_email is not null) as unproven
        from devices as d join app on d.app_id = app.id
        where d.id > app.identity_checked_to
        order by d.id limit ${DEVICES_PER_PAGE}
      ), locked as materialized (
        select d.app_id, d.id from devices as d join page using (app_id, id)
        where page.unproven and d.user_verified_at is null
        order by d.id for no key update of d
      ), removed as (
        update devices set user_id = null, user_email = null from locked
        where devices.app_id = locked.app_id and devices.id = locked.id
      )
      update apps set identity_checked_to = (
        select case when count(*) = ${DEVICES_PER_PAGE} then (select id from page order by id desc limit 1) end from page
      )
      from app where apps.id = app.id
      returning apps.identity_checked_to is null as "isLast"`.execute(trx);
    return rows[0]?.isLast === false;
  });
}
