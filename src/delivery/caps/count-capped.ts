/** Counts the devices of an audience that a frequency cap would leave out now. */
import { type Kysely, sql } from 'kysely';
import type { FrequencyCap } from '../../apps/frequency-caps.ts';
import type { Database } from '../../db/tables.ts';
import type { Filter } from '../../filters/filter.ts';
import { compileFilters } from '../../targeting/rows/compile.ts';
import { devicesRow } from '../../targeting/rows/row.ts';
import { limitsOf, subjectOf } from './cap-store.ts';

/** It looks at each user or device that has used the cap up, so it takes longer the more of them there are. */
export async function countCapped(
  db: Kysely<Database>,
  { appId, cap, filters }: { appId: string; cap: FrequencyCap; filters: readonly Filter[] },
  now: Date,
): Promise<number> {
  const { atMost, perMs } = limitsOf(cap);
  const { count } = await db
    .selectFrom('cap_uses as c')
    .innerJoin('devices as d', (join) =>
      join.onRef('d.app_id', '=', 'c.app_id').on(sql<boolean>`${subjectOf('d', cap.by)} = c.subject`),
    )
    .select(sql<number>`count(*)`.as('count'))
    .where('c.app_id', '=', appId)
    .where('c.cap_group', '=', cap.group)
    .where(
      sql<boolean>`exists (
        select from unnest(${atMost}::int[], ${perMs}::bigint[]) as a_limit (at_most, per_ms)
        where (
          select count(*) from jsonb_array_elements(c.uses) as used
          where (used ->> 'at')::bigint > ${now.getTime()}::bigint - a_limit.per_ms
        ) >= a_limit.at_most
      )`,
    )
    .where(compileFilters(filters, { row: devicesRow(appId), now }))
    .executeTakeFirstOrThrow();
  return count;
}
