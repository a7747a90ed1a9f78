/** Counts without an index, to check what the indexes and bitmaps count. */
import { type Kysely, sql } from 'kysely';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import { targetingRow } from '../../src/targeting/rows/row.ts';
import { readColumnMap } from '../../src/targeting/rows/column-map.ts';
import type { Filter } from '../../src/filters/filter.ts';
import type { Database } from '../../src/db/tables.ts';

const SETTINGS = {
  jit: 'off',
  work_mem: '64MB',
  effective_io_concurrency: '0',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
  statement_timeout: '0',
};

/** Scans the targeting rows with the same filters and settings as a count. */
export async function countSequentially(
  db: Kysely<Database>,
  { appId, filters, now }: { appId: string; filters: readonly Filter[]; now: Date },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    // Read while indexes are still enabled, because looking up an app's versions is not what is checked.
    const columns = await readColumnMap(transaction, appId, filters);
    const condition = compileFilters(filters, { row: targetingRow(appId, columns), now });
    const calls = Object.entries(SETTINGS).map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
    await sql`select ${sql.join(calls)}`.execute(transaction);
    const { rows } = await sql<{ devices: number }>`
      select count(*) as devices from device_targets as d
      where d.app_id = ${appId} and ${condition}`.execute(transaction);
    return rows[0]?.devices ?? 0;
  });
}
