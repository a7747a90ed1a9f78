/** Reads whether all blocks of a large app are built, and which attributes have bitmaps. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { Filter } from '../../filters/filter.ts';
import { someHaveNoToken } from '../rows/unreachable.ts';

export interface Blocks {
  /** The columns, lists and events (`event <name>`) that lack bitmaps in any block. */
  missing: ReadonlySet<string>;
  /** The names of the events in the filters. */
  events: readonly string[];
  /** Whether any device of the app has no push token. */
  someUnreachable: boolean;
}

/** @returns undefined if the app has no blocks, or not all of them are built */
export async function readBlocks(
  db: Kysely<Database>,
  appId: string,
  filters: readonly Filter[],
): Promise<Blocks | undefined> {
  const events = filters.flatMap((filter) => (filter.kind === 'event' ? [filter.event] : []));
  const { rows } = await sql<{ missing: string[] | null; someUnreachable: boolean }>`
    select ${missingBitmaps(appId, events)} as missing, ${someHaveNoToken(appId)} as "someUnreachable"`.execute(
    db,
  );
  const { missing = null, someUnreachable = true } = rows[0] ?? {};
  return missing === null ? undefined : { missing: new Set(missing), events, someUnreachable };
}

/** Whether the blocks are still the same as when they were read. A later statement may see a newer state. */
export function blocksAreUnchanged(appId: string, { missing, events }: Blocks): RawBuilder<boolean> {
  return sql`${missingBitmaps(appId, events)} = ${[...missing]}::text[]`;
}

/** The names of missing bitmaps, sorted; null if any block is not built. */
function missingBitmaps(appId: string, events: readonly string[]): RawBuilder<string[] | null> {
  return sql`(
    select array(
      select unnest(b.without_bitmaps) as name from count_bitmap_blocks as b where b.app_id = l.app_id
      union
      select 'event ' || event
      from count_bitmap_blocks as b, unnest(${events}::text[]) as event
      where b.app_id = l.app_id and b.has_other_events and event <> all (b.events)
      order by name
    )
    from count_bitmap_layouts as l
    where l.app_id = ${appId}
      and (select count(*) from count_bitmap_blocks as b where b.app_id = l.app_id) = cardinality(l.first_ids)
  )`;
}
