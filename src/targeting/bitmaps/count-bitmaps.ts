/**
 * Counts the devices of a large app by bitmaps: the bits of its blocks, the delta since they were built, and the targeting
 * rows that are not indexed yet. One statement reads all three, from one snapshot.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CountQuery, CountStrategy } from '../count-strategy.ts';
import { allOf, compileFilter } from '../rows/compile.ts';
import { targetingRow } from '../rows/row.ts';
import { hasNoToken } from '../rows/unreachable.ts';
import { blocksAreUnchanged, readBlocks } from './blocks.ts';
import { type Bitmap, compileBitmap, mayHaveBitmap, ON_IOS } from './compile-bitmaps.ts';
import { compileDelta } from './delta.ts';

export const countBitmaps: CountStrategy = {
  canCount: ({ filters }) => filters.every(mayHaveBitmap),
  async count({ db, appId, filters, now, columns, subset: wanted }) {
    const blocks = await readBlocks(db, appId, filters);
    if (blocks === undefined) return undefined;
    const bitmap = compileBitmap(filters, { now, columns, blocks });
    if (bitmap === undefined) return undefined;
    const subset = wanted === 'unreachable' && !blocks.someUnreachable ? undefined : wanted;
    const row = targetingRow(appId, columns);
    const compiled = filters.map((filter) => ({ filter, condition: compileFilter(filter, { row, now }) }));
    const matches = allOf(compiled.map(({ condition }) => condition));
    const { rows } = await sql<{ devices: number; subset: number }>`
      select (bits.devices + delta.devices + unindexed.devices)::bigint as devices,
        (bits.subset + delta.subset + unindexed.subset)::bigint as subset
      from (
        select coalesce(sum(bit_count(matching)), 0) as devices,
          ${subset === undefined ? sql`0` : sql`coalesce(sum(bit_count(matching & subset)), 0)`} as subset
        from (
          select ${bitmap} as matching, ${bitmapOf(subset)} as subset
          from count_bitmap_blocks as b where b.app_id = ${appId} offset 0
        ) as block
      ) as bits
      cross join (${compileDelta(compiled, { appId, now, subset })}) as delta
      cross join (
        select count(*) as devices, count(*) filter (where ${conditionOf(subset, appId)}) as subset
        from device_targets_unindexed as d where d.app_id = ${appId} and ${matches}
      ) as unindexed
      where ${blocksAreUnchanged(appId, blocks)}`.execute(db);
    return rows[0];
  },
};

/** Undefined if no device belongs to the subset. */
type Subset = CountQuery['subset'] | undefined;

function bitmapOf(subset: Subset): Bitmap {
  if (subset === 'ios') return ON_IOS;
  return subset === 'unreachable' ? sql`b.unreachable` : sql`b.empty_bitmap`;
}

function conditionOf(subset: Subset, appId: string): RawBuilder<SqlBool> {
  if (subset === 'ios') return sql<SqlBool>`d.on_ios`;
  return subset === 'unreachable' ? hasNoToken(appId, 'as the planner likes') : sql<SqlBool>`false`;
}
