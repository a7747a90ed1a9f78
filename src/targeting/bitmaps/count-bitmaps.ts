/**
 * Counts the devices of a large app by bitmaps: the bits of its blocks, the delta since they were built, and the targeting
 * rows that are not indexed yet. One statement reads all three, from one snapshot.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CountQuery, CountStrategy } from '../count-strategy.ts';
import { allOf, compileFilter } from '../rows/compile.ts';
import { targetingRow } from '../rows/row.ts';
import { hasNoToken } from '../rows/unreachable.ts';
import { areUnchanged, readBlocks } from './blocks.ts';
import { type Bitmap, compileBitmap, mayHaveBitmap, ON_IOS } from './compile-bitmaps.ts';
import { compileDelta } from './delta.ts';

export const countBitmaps: CountStrategy = {
  canCount: ({ filters }) => filters.every(mayHaveBitmap),
  async count({ db, appId, filters, now, columns, part: wanted }) {
    const blocks = await readBlocks(db, appId, filters);
    if (blocks === undefined) return undefined;
    const bitmap = compileBitmap(filters, { now, columns, blocks });
    if (bitmap === undefined) return undefined;
    const part = wanted === 'unreachable' && !blocks.someUnreachable ? undefined : wanted;
    const row = targetingRow(appId, columns);
    const compiled = filters.map((filter) => ({ filter, condition: compileFilter(filter, { row, now }) }));
    const matches = allOf(compiled.map(({ condition }) => condition));
    const { rows } = await sql<{ devices: number; part: number }>`
      select (bits.devices + delta.devices + unindexed.devices)::bigint as devices,
        (bits.part + delta.part + unindexed.part)::bigint as part
      from (
        select coalesce(sum(bit_count(matching)), 0) as devices,
          ${part === undefined ? sql`0` : sql`coalesce(sum(bit_count(matching & part)), 0)`} as part
        from (
          select ${bitmap} as matching, ${bitmapOf(part)} as part
          from count_bitmap_blocks as b where b.app_id = ${appId} offset 0
        ) as block
      ) as bits
      cross join (${compileDelta(compiled, { appId, now, part })}) as delta
      cross join (
        select count(*) as devices, count(*) filter (where ${conditionOf(part, appId)}) as part
        from device_targets_unindexed as d where d.app_id = ${appId} and ${matches}
      ) as unindexed
      where ${areUnchanged(appId, blocks)}`.execute(db);
    return rows[0];
  },
};

/** Undefined if no device belongs to the part. */
type Part = CountQuery['part'] | undefined;

function bitmapOf(part: Part): Bitmap {
  if (part === 'ios') return ON_IOS;
  return part === 'unreachable' ? sql`b.unreachable` : sql`b.empty_bitmap`;
}

function conditionOf(part: Part, appId: string): RawBuilder<SqlBool> {
  if (part === 'ios') return sql<SqlBool>`d.on_ios`;
  return part === 'unreachable' ? hasNoToken(appId, 'as the planner likes') : sql<SqlBool>`false`;
}
