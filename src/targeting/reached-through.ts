/** Tells whether any device of an audience is reached through given gateways. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { type GatewayName, gatewaySql } from '../route.ts';
import { type CountRequest } from './count-devices.ts';
import { inCountTransaction } from './count-transaction.ts';
import { compileFilters } from './rows/compile.ts';
import { readColumnMap } from './rows/column-map.ts';
import { targetingRow } from './rows/row.ts';

/**
 * Ends with the first such device. If there is none, every device of the audience is read; so an app with credentials for all phones is
 * not asked.
 * @param db as for `countDevices`
 * @throws {ApiError} `unavailable` if it takes longer than the timeout of counts
 */
export async function someReachedThrough(
  db: Kysely<Database>,
  request: CountRequest,
  gateways: ReadonlySet<GatewayName>,
): Promise<boolean> {
  if (gateways.size === 0) return false;
  // An app without a key for browsers has none, for they subscribe with it: pushes to any that are registered anyway are rejected.
  if (gateways.has('apns') && gateways.has('fcm')) return true;
  const { appId, filters, now } = request;
  return inCountTransaction(db, request, async (transaction) => {
    const columns = await readColumnMap(transaction, appId, filters);
    const { rows } = await sql<{ found: boolean }>`
      select exists (
        select from device_targets as d
        where d.app_id = ${appId} and ${compileFilters(filters, { row: targetingRow(appId, columns), now })} and (
          select ${sql.raw(gatewaySql('device'))} = any (${[...gateways]}::text[])
          from devices as device where device.app_id = d.app_id and device.id = d.id
        )
      ) as found`.execute(transaction);
    return rows[0]?.found === true;
  });
}
