/**
 * Counts the devices of a large app by bitmaps: the bits of its blocks, the delta since they were built, and the targeting
 * rows that are not indexed yet. One statement reads all three, from one snapshot.
 */
import { sql } from 'kysely';
import type { Counted, CountQuery } from '../rows/count-rows.ts';
import { allOf, compileFilter } from '../rows/compile.ts';
import { targetingRow } from '../rows/row.ts';
import { hasNoToken } from '../rows/unreachable.ts';
import { blocksAreUnchanged, readBlocks } from './blocks.ts';
import { compileBitmap, mayHaveBitmap } from './compile-bitmaps.ts';
import { compileDelta } from './delta.ts';

/** @returns undefined if the app lacks blocks or bitmaps for a filter */
export async function countBitmaps(query: CountQuery): Promise<Counted | undefined> {
  const { db, appId, filters, now, columns, withUnreachable: wanted } = query;
  if (!filters.every(mayHaveBitmap)) return undefined;
  const blocks = await readBlocks(db, appId, filters);
  if (blocks === undefined) return undefined;
  const bitmap = compileBitmap(filters, { now, columns, blocks });
  if (bitmap === undefined) return undefined;
  const withUnreachable = wanted && blocks.someUnreachable;
  const row = targetingRow(appId, columns);
  const compiled = filters.map((filter) => ({ filter, condition: compileFilter(filter, { row, now }) }));
  const matches = allOf(compiled.map(({ condition }) => condition));
  const { rows } = await sql<{ devices: number; unreachable: number }>`
    select (bits.devices + delta.devices + unindexed.devices)::bigint as devices,
      (bits.unreachable + delta.unreachable + unindexed.unreachable)::bigint as unreachable
    from (
      select coalesce(sum(bit_count(matching)), 0) as devices,
        ${withUnreachable ? sql`coalesce(sum(bit_count(matching & unreachable)), 0)` : sql`0`} as unreachable
      from (
        select ${bitmap} as matching, b.unreachable
        from count_bitmap_blocks as b where b.app_id = ${appId} offset 0
      ) as block
    ) as bits
    cross join (${compileDelta(compiled, { appId, now, withUnreachable })}) as delta
    cross join (
      select count(*) as devices,
        ${withUnreachable ? sql`count(*) filter (where ${hasNoToken(appId, 'as the planner likes')})` : sql`0`} as unreachable
      from device_targets_unindexed as d where d.app_id = ${appId} and ${matches}
    ) as unindexed
    where ${blocksAreUnchanged(appId, blocks)}`.execute(db);
  return rows[0];
}
