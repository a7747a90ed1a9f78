/** Counts and reads the devices of an audience that have registered a push token under a name (`named_tokens`). */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Filter } from '../filters/filter.ts';
import type { Database } from '../db/tables.ts';
import { factsOf } from './device-facts.ts';
import type { DevicesPage, MatchingDevice } from './matching-devices.ts';
import { compileFilters } from './rows/compile.ts';
import { devicesRow } from './rows/row.ts';

export interface WithToken {
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
  token: { type: string; name: string };
}

interface Page extends DevicesPage {
  /** SQL over the rows `t` and `d`: why the notification is not sent to a device; undefined: it is sent to all. */
  leftOut?: RawBuilder<string | null> | undefined;
}

export async function countDevicesWithToken(db: Kysely<Database>, request: WithToken): Promise<number> {
  const { count } = await withToken(db, request)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** @returns devices sorted by id, each with that token as its push token; fewer than `limit` on the last page */
export async function readDevicesWithToken(
  db: Kysely<Database>,
  { firstId, lastId, afterId, limit, facts, leftOut, only, ...request }: WithToken & Page,
): Promise<MatchingDevice[]> {
  return withToken(db, request)
    .select(['d.id', 'd.platform', 't.push_token', 'd.development'])
    .select(sql<'token'>`'token'`.as('push_token_type'))
    .$if(leftOut !== undefined, (query) => query.select((leftOut ?? NOTHING).as('leftOut')))
    .$if(facts !== undefined, (query) => query.select(factsOf('d', facts ?? []).as('facts')))
    .$if(only !== undefined, (query) => query.where(only ?? ALL))
    .where('t.device_id', afterId === undefined ? '>=' : '>', afterId ?? firstId)
    .where('t.device_id', '<=', lastId)
    .orderBy('t.device_id')
    .limit(limit)
    .execute();
}

const ALL = sql<boolean>`true`;
const NOTHING = sql<string | null>`null`;

function withToken(db: Kysely<Database>, { appId, filters, now, token }: WithToken) {
  return db
    .selectFrom('named_tokens as t')
    .innerJoin('devices as d', (join) =>
      join.onRef('d.app_id', '=', 't.app_id').onRef('d.id', '=', 't.device_id'),
    )
    .where('t.app_id', '=', appId)
    .where('t.type', '=', token.type)
    .where('t.name', '=', token.name)
    .where(compileFilters(filters, { row: devicesRow(appId), now }));
}
