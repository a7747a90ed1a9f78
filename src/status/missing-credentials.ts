/** Finds apps that have devices on a route, and no credentials for it. Slower than the other facts, so it is asked each minute. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { gatewaySql, type Platform, type PushTokenType, type Route, routeTo } from '../route.ts';

/** Of each app, the first devices by id, which is random. */
const SAMPLE = 100;
const LISTED_MAX = 200;

export interface MissingCredentials {
  appId: string;
  /** The bundle id. */
  app: string;
  route: Route;
}

/** Reads no device of an app that has credentials for every route. */
export async function findMissingCredentials(db: Kysely<Database>): Promise<MissingCredentials[]> {
  const { rows } = await sql<{
    appId: string;
    app: string;
    platform: Platform;
    push_token_type: PushTokenType;
    development: boolean;
  }>`
    with held as (
      select a.id, a.bundle_id,
        array_agg(c.gateway) as gateways,
        bool_or(c.gateway = 'apns' and c.environment in ('all', 'production')) as production,
        bool_or(c.gateway = 'apns' and c.environment in ('all', 'sandbox')) as sandbox
      from apps as a left join gateway_credentials as c on c.app_id = a.id
      group by a.id, a.bundle_id
    )
    select held.id as "appId", held.bundle_id as app, kind.platform, kind.push_token_type, kind.development
    from held cross join lateral (
      select distinct platform, push_token_type, platform = 'iOS' and development as development,
        ${sql.raw(gatewaySql('sample'))} as gateway
      from (
        select platform, push_token_type, development from devices where app_id = held.id order by id limit ${SAMPLE}
      ) as sample
    ) as kind
    where not (cardinality(array_remove(gateways, 'apns')) = 2 and coalesce(production, false) and coalesce(sandbox, false))
      and not coalesce(
        case when kind.gateway <> 'apns' then kind.gateway = any (gateways)
          when kind.development then sandbox else production end, false)
    limit ${LISTED_MAX}`.execute(db);
  return rows.map(({ appId, app, ...device }) => ({ appId, app, route: routeTo(device) }));
}
