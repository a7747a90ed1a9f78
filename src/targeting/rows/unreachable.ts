/** Counts the matching devices without a push token, by rows (docs/decisions/0016-reachable-devices.md). */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { hiddenFromPlanner } from './conditions.ts';

/** The matching devices `d`, as rows of the table that is fastest for the filters. */
export type Matching = SelectQueryBuilder<Database & { d: { app_id: string; id: string } }, 'd', object>;

/** Looking up one device takes some 2 µs. */
const LOOKED_UP_MAX = 10_000;

/** Whether any device of the app has no push token. Takes one index look-up. */
export function someHaveNoToken(appId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from devices where app_id = ${appId} and push_token is null)`;
}

/**
 * Whether the device `d` has no push token.
 * @param how 'by its key' looks up each device; 'as the planner likes' lets Postgres choose; 'by a hash' first collects all
 *   devices without a token
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
      // The planner does not turn an expression in a `case` into a join.
      return sql<SqlBool>`case when d.id in (
        select id from devices where app_id = ${appId} and push_token is null
      ) then true end`;
  }
}

/**
 * Counts in a separate query, so that an index alone can still answer the first one. The method is chosen here, because the
 * planner expects few matches and few devices without a token, and would look up a million devices one by one.
 * @param devices the number of matches
 */
export async function countUnreachable(
  transaction: Kysely<Database>,
  appId: string,
  matching: Matching,
  devices: number,
): Promise<number> {
  const unreachable =
    devices <= LOOKED_UP_MAX
      ? lookedUpByKey(transaction, appId, matching)
      : matching.where(
          hasNoToken(appId, (await areFew(transaction, appId)) ? 'as the planner likes' : 'by a hash'),
        );
  const { count } = await unreachable
    .select((build) => build.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function lookedUpByKey(transaction: Kysely<Database>, appId: string, matching: Matching): Matching {
  const few = sql<{ app_id: string; id: string }>`(${matching.select(['d.app_id', 'd.id'])} offset 0)`;
  return transaction.selectFrom(few.as<'d'>('d')).where(hasNoToken(appId, 'by its key'));
}

/** Whether few devices of the app have no push token. */
async function areFew(transaction: Kysely<Database>, appId: string): Promise<boolean> {
  const { rows } = await sql<{ devices: number }>`
    select count(*) as devices from (
      select from devices where app_id = ${appId} and push_token is null limit ${LOOKED_UP_MAX + 1}
    ) as first`.execute(transaction);
  return (rows[0]?.devices ?? 0) <= LOOKED_UP_MAX;
}
