/** The statements of sealing. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

/** A range of device ids of an app. */
export interface Block {
  appId: string;
  /** From 1. */
  number: number;
  first: string;
  /** The first id of the next block; null for the last. */
  next: string | null;
}

/** What is sealed again: a block whose devices have changed so often, in parts of them, since it was sealed. */
const CHANGED_SHARE_MAX = 0.05;

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** A place in a block is a smallint. */
const PLACES_MAX = 32_767;

/** As for a count (`audiences/count-devices.ts`): many short statements over what fits into memory. */
const SETTINGS = { jit: 'off', work_mem: '64MB', effective_io_concurrency: '0' };

/**
 * One process at a time: two would do the same blocks twice, and one of them for nothing.
 * @param work gets the connection that holds the lock
 * @returns undefined where another process is at it
 */
export async function withSealLock<Result>(
  db: Kysely<Database>,
  work: (own: Kysely<Database>) => Promise<Result>,
): Promise<Result | undefined> {
  return db.connection().execute(async (own) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(hashtextextended('device_blocks', 0)) as locked`.execute(own);
    if (rows[0]?.locked !== true) return undefined;
    try {
      return await work(own);
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended('device_blocks', 0))`.execute(own);
    }
  });
}

/** Apps with so many settled devices and more that have no layout. */
export async function findLargeApps(db: Kysely<Database>, devicesMin: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id
    from apps as a
    where not exists (select from device_layouts as l where l.app_id = a.id)
      and (select count(*) from only device_targets as t where t.app_id = a.id) >= ${devicesMin}`.execute(db);
  return rows.map(({ id }) => id);
}

/** @returns where blocks begin that hold so many devices each, whatever way their ids lie */
export async function findFirstIds(
  db: Kysely<Database>,
  appId: string,
  devicesPerBlock: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id
    from (
      select id, row_number() over (order by id) - 1 as before from only device_targets where app_id = ${appId}
    ) as counted
    where before > 0 and before % ${devicesPerBlock} = 0
    order by id`.execute(db);
  return [LEAST_ID, ...rows.map(({ id }) => id)];
}

/**
 * From now on, what enters `device_targets` or leaves it is noted for this app. The lock waits for those who write
 * rows without having seen the layout, so that none of them is missed; who comes after it sees the layout.
 */
export async function insertLayout(db: Kysely<Database>, appId: string, firsts: string[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '3s'`.execute(transaction);
    await sql`lock table only device_targets in share row exclusive mode`.execute(transaction);
    await sql`insert into device_layouts values (${appId}, ${firsts}::uuid[])`.execute(transaction);
  });
}

/** Its devices are counted as those of a small app, until it is laid out again. */
export async function deleteLayout(db: Kysely<Database>, appId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const table of ['layouts', 'blocks', 'block_columns', 'block_lists', 'targets_since']) {
      await sql`delete from ${sql.table(`device_${table}`)} where app_id = ${appId}`.execute(transaction);
    }
  });
}

/**
 * Those that are not sealed, or without their places (before migration 0010), or hold too much that has changed, or what
 * was said of a device that is erased.
 */
export async function findDueBlocks(db: Kysely<Database>): Promise<Block[]> {
  const { rows } = await sql<Block>`
    with since as (
      select s.app_id, width_bucket(s.id, l.firsts) as number, count(*) as changes,
        bool_or(exists (
          select from erased_devices as e where e.app_id = s.app_id and e.id = s.id
        )) as erased
      from device_targets_since as s join device_layouts as l using (app_id)
      group by s.app_id, number
    )
    select l.app_id as "appId", number, l.firsts[number] as first, l.firsts[number + 1] as next
    from device_layouts as l
    cross join generate_subscripts(l.firsts, 1) as number
    left join device_blocks as b using (app_id, number)
    left join since using (app_id, number)
    where b.codes is null or since.erased or since.changes > ${CHANGED_SHARE_MAX}::float8 * b.devices
    order by l.app_id, number`.execute(db);
  return rows;
}

/** @returns how many devices it has; undefined where they are too many for a block, and it is not sealed */
export async function sealBlock(
  db: Kysely<Database>,
  { appId, number, first, next }: Block,
): Promise<number | undefined> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      for (const [name, value] of Object.entries(SETTINGS)) {
        await sql`select set_config(${name}, ${value}, true)`.execute(transaction);
      }
      const { rows } = await sql<{ devices: number }>`
        select seal_device_block(${appId}, ${number}, ${first}, ${next}) as devices`.execute(transaction);
      const devices = rows[0]?.devices ?? 0;
      return devices > PLACES_MAX ? undefined : devices;
    });
}
