/** How many of the devices that match have no push token, where rows are counted (docs/decisions/0016). */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { hiddenFromPlanner } from './conditions.ts';

/** The devices `d` that match, as rows of whichever table is quickest for their filters. */
export type Matching = SelectQueryBuilder<Database & { d: { app_id: string; id: string } }, 'd', object>;

/** A look at one device takes some 2 µs. */
const LOOKED_UP_MAX = 10_000;

/** Whether any device of the app has none: one look at an index. */
export function someHaveNoToken(appId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from devices where app_id = ${appId} and push_token is null)`;
}

/**
 * Whether the device `d` has no push token.
 * @param how each by its key; as the planner likes; or all of the app that have none gathered first
 */
export function hasNoToken(
  appId: string,
  how: 'by its key' | 'as the planner likes' | 'by a hash',
): RawBuilder<SqlBool> {
  const held = sql`devices as held where held.app_id = ${hiddenFromPlanner(appId)} and held.id = d.id and held.push_token is null`;
  switch (how) {
    case 'by its key':
      return sql<SqlBool>`(select true from ${held})`;
    case 'as the planner likes':
      return sql<SqlBool>`exists (select from ${held})`;
    case 'by a hash':
      // Of what stands in a case the planner makes no join.
      return sql<SqlBool>`case when d.id in (
        select id from devices where app_id = ${appId} and push_token is null
      ) then true end`;
  }
}

/**
 * A query of its own, so that all are still counted in an index alone where one holds what the filters ask. The planner
 * knows neither how many match nor how many devices of this app have no token: it takes both for few, and would look up
 * a million, one by one.
 * @param devices how many match
 */
export async function countUnreachable(
  transaction: Kysely<Database>,
  appId: string,
  matching: Matching,
  devices: number,
): Promise<number> {
  const unreachable =
    devices <= LOOKED_UP_MAX
      ? eachByItsKey(transaction, appId, matching)
      : matching.where(
          hasNoToken(appId, (await areFew(transaction, appId)) ? 'as the planner likes' : 'by a hash'),
        );
  const { count } = await unreachable
    .select((build) => build.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function eachByItsKey(transaction: Kysely<Database>, appId: string, matching: Matching): Matching {
  const few = sql<{ app_id: string; id: string }>`(${matching.select(['d.app_id', 'd.id'])} offset 0)`;
  return transaction.selectFrom(few.as<'d'>('d')).where(hasNoToken(appId, 'by its key'));
}

/** Whether few devices of the app have no token. */
async function areFew(transaction: Kysely<Database>, appId: string): Promise<boolean> {
  const { rows } = await sql<{ devices: number }>`
    select count(*) as devices from (
      select from devices where app_id = ${appId} and push_token is null limit ${LOOKED_UP_MAX + 1}
    ) as first`.execute(transaction);
  return (rows[0]?.devices ?? 0) <= LOOKED_UP_MAX;
}
