/** The statements that build count bitmaps. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { COUNT_SETTINGS } from '../count-transaction.ts';
import { FIRST_UUID } from '../../uuid.ts';

/** A range of device ids of an app. */
export interface Block {
  appId: string;
  /** From 1. */
  number: number;
  first: string;
  /** The first id of the next block; null for the last block. */
  next: string | null;
  /** What to build: the whole block, or only those that change more often than the rest. */
  due: readonly BuildScope[];
}

type BuildScope = 'whole' | 'registrations' | 'events' | 'tokens';

/**
 * It is built again when its delta has more changes than this share of the block's devices. Tokens have a small share:
 * they are quick to build, and each count looks up every device in their delta.
 */
const CHANGED_SHARE_MAX = { whole: 0.05, registrations: 0.03, events: 0.1, tokens: 0.002 };

const BUILD_FUNCTIONS = {
  whole: 'build_count_bitmap_block',
  registrations: 'build_count_bitmap_registrations',
  events: 'build_count_bitmap_events',
  tokens: 'build_count_bitmap_tokens',
} as const;

/** A position in a block is a smallint. */
const DEVICES_PER_BLOCK_MAX = 32_767;

/**
 * Without a `case`, the planner would count the rows of every app before it looks for the layout, which takes seconds
 * for ten million devices. It counts no more rows than it has to.
 * @returns the apps without a layout that have at least `devicesMin` indexed targeting rows
 */
export async function findLargeApps(db: Kysely<Database>, devicesMin: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id
    from apps as a
    where case
      when exists (select from count_bitmap_layouts as l where l.app_id = a.id) then false
      else (
        select count(*) from (select from indexed_device_targets where app_id = a.id limit ${devicesMin}) as first
      ) >= ${devicesMin}
    end`.execute(db);
  return rows.map(({ id }) => id);
}

/** @returns the first id of each block; all blocks have the same number of devices */
export async function findFirstIds(
  db: Kysely<Database>,
  appId: string,
  devicesPerBlock: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id
    from (
      select id, row_number() over (order by id) - 1 as before from indexed_device_targets where app_id = ${appId}
    ) as counted
    where before > 0 and before % ${devicesPerBlock} = 0
    order by id`.execute(db);
  return [FIRST_UUID, ...rows.map(({ id }) => id)];
}

/**
 * Inserts the layout of an app. After its commit, triggers record the app's changes in the delta tables. It waits for writers
 * that have not seen the layout (`wait_for_writers`), so that no change is missed.
 */
export async function insertLayout(db: Kysely<Database>, appId: string, firsts: string[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '3s'`.execute(transaction);
    await sql`insert into count_bitmap_layouts values (${appId}, ${firsts}::uuid[])`.execute(transaction);
  });
}

const TABLES = [
  'count_bitmap_layouts',
  'count_bitmap_blocks',
  'count_bitmap_columns',
  'count_bitmap_lists',
  'device_targets_delta',
  'device_registrations_delta',
  'device_events_delta',
  'device_tokens_delta',
] as const;

/** The app is counted by rows until it has a layout again. */
export async function deleteLayout(db: Kysely<Database>, appId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const table of TABLES) {
      await sql`delete from ${sql.table(table)} where app_id = ${appId}`.execute(transaction);
    }
  });
}

/** @returns the blocks that are not built, have too many changes in a delta, or hold values of an erased device */
export async function findDueBlocks(db: Kysely<Database>): Promise<Block[]> {
  const { rows } = await sql<Block>`
    with delta as (
      select app_id, id, 'whole' as scope, sign < 0 as is_gone from device_targets_delta
      union all
      select app_id, id, 'registrations', registered_after is null from device_registrations_delta
      union all
      select app_id, device_id, 'events', count_after is null from device_events_delta
      union all
      select app_id, id, 'tokens', false from device_tokens_delta
    ), changes as (
      select s.app_id, width_bucket(s.id, l.first_ids) as number,
        count(*) filter (where scope = 'whole') as whole,
        count(*) filter (where scope = 'registrations') as registrations,
        count(*) filter (where scope = 'events') as events,
        count(*) filter (where scope = 'tokens') as tokens,
        bool_or(case when is_gone then exists (
          select from erased_devices as e where e.app_id = s.app_id and e.id = s.id
        ) end) as erased
      from delta as s join count_bitmap_layouts as l using (app_id)
      group by s.app_id, number
    ), blocks as (
      select l.app_id, number, l.first_ids[number] as first, l.first_ids[number + 1] as next,
        case when b.app_id is null or c.erased or c.whole > ${CHANGED_SHARE_MAX.whole}::float8 * b.devices
          then array['whole']
          else array_remove(array[
            case when c.registrations > ${CHANGED_SHARE_MAX.registrations}::float8 * b.devices
              then 'registrations' end,
            case when c.events > ${CHANGED_SHARE_MAX.events}::float8 * b.devices then 'events' end,
            case when c.tokens > ${CHANGED_SHARE_MAX.tokens}::float8 * b.devices
              then 'tokens' end
          ], null)
        end as due
      from count_bitmap_layouts as l
      cross join generate_subscripts(l.first_ids, 1) as number
      left join count_bitmap_blocks as b using (app_id, number)
      left join changes as c using (app_id, number)
    )
    select app_id as "appId", number, first, next, due from blocks where due <> '{}'
    order by app_id, number`.execute(db);
  return rows;
}

/** @returns the number of devices of the block; undefined if they are too many for one block, and nothing was built */
export async function buildBlock(
  db: Kysely<Database>,
  { appId, number, first, next, due }: Block,
): Promise<number | undefined> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      for (const [name, value] of Object.entries(COUNT_SETTINGS)) {
        await sql`select set_config(${name}, ${value}, true)`.execute(transaction);
      }
      let devices = 0;
      for (const scope of due) {
        const { rows } = await sql<{ devices: number }>`
          select ${sql.ref(BUILD_FUNCTIONS[scope])}(${appId}, ${number}, ${first}, ${next}) as devices`.execute(
          transaction,
        );
        devices = rows[0]?.devices ?? 0;
      }
      return devices > DEVICES_PER_BLOCK_MAX ? undefined : devices;
    });
}
