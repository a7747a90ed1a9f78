/** Finds what statements wait for: locks that other sessions hold. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

export interface HeldLock {
  /** Null: a lock on rows. */
  table: string | null;
  /** The process id of the session that holds it. */
  pid: number;
  /** Its `application_name`; '' if it has none. */
  program: string;
}

const LOCKS_MAX = 5;

/**
 * Finds locks on whole tables that keep statements from reading or writing, and locks of other sessions that ours wait
 * for. Statements that have just run into a time limit no longer wait, so it looks for locks as well as for waits.
 */
export async function findLocks(db: Kysely<Database>): Promise<HeldLock[]> {
  const { rows } = await sql<HeldLock>`
    with strong as (
      select l.pid, l.relation
      from pg_locks as l join pg_class as c on c.oid = l.relation
      where l.locktype = 'relation' and l.granted and l.pid <> pg_backend_pid() and c.relkind in ('r', 'p')
        and l.database = (select oid from pg_database where datname = current_database())
        and c.relnamespace = any (array(select n::regnamespace from unnest(current_schemas(false)) as n))
        and l.mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')
    ), waiting as (
      select by.pid, w.relation
      from pg_locks as w join pg_stat_activity as a on a.pid = w.pid and a.application_name = 'carillon'
      cross join lateral unnest(pg_blocking_pids(w.pid)) as by (pid)
      where not w.granted and a.datname = current_database()
    )
    select distinct held.relation::regclass::text as table, held.pid, coalesce(a.application_name, '') as program
    from (select * from strong union select * from waiting) as held
    join pg_stat_activity as a on a.pid = held.pid
    where a.application_name <> 'carillon' or held.pid in (select pid from strong)
    order by 1, 2
    limit ${LOCKS_MAX}`.execute(db);
  return rows;
}

/** `a lock on devices, held by process 4711 (psql)` */
export function lockInWords({ table, pid, program }: HeldLock): string {
  const what = table === null ? 'a lock on rows' : `a lock on ${table}`;
  return `${what}, held by process ${pid}${program === '' ? '' : ` (${program})`}`;
}
