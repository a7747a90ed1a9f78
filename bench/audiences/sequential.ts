/** Counts without an index, to measure what reading every row costs. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import { devicesRow, targetingRow } from '../../src/targeting/rows/row.ts';
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

/** Scans the targeting rows, or `devices`, with the same filters and settings as a count. */
export async function countSequentially(
  db: Kysely<Database>,
  table: 'device_targets' | 'devices',
  { appId, filters, now }: { appId: string; filters: readonly Filter[]; now: Date },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const condition = await conditionOf(transaction, table, { appId, filters, now });
    const calls = Object.entries(SETTINGS).map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
    await sql`select ${sql.join(calls)}`.execute(transaction);
    const { rows } = await sql<{ devices: number }>`
      select count(*) as devices from ${sql.table(table)} as d
      where d.app_id = ${appId} and ${condition}`.execute(transaction);
    return rows[0]?.devices ?? 0;
  });
}

/** Read while indexes are still enabled, because looking up an app's versions is not measured. */
async function conditionOf(
  transaction: Kysely<Database>,
  table: 'device_targets' | 'devices',
  { appId, filters, now }: { appId: string; filters: readonly Filter[]; now: Date },
): Promise<RawBuilder<SqlBool>> {
  if (table === 'devices') return compileFilters(filters, { row: devicesRow(appId), now });
  const columns = await readColumnMap(transaction, appId, filters);
  return compileFilters(filters, { row: targetingRow(appId, columns), now });
}
