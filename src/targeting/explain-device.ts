/** Explains why a device is in an audience or not, with an answer for each filter. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { isUuid } from '../uuid.ts';
import { compileFilter } from './rows/compile.ts';
import { devicesRow } from './rows/row.ts';
import type { Filter } from '../filters/filter.ts';

/**
 * @returns an answer for each filter, in order; the device is in the audience if all are true. Undefined if the app does
 *   not have the device.
 */
export async function explainDevice(
  db: Kysely<Database>,
  request: { appId: string; filters: readonly Filter[]; now: Date; deviceId: string },
): Promise<boolean[] | undefined> {
  const { appId, filters, now, deviceId } = request;
  if (!isUuid(deviceId)) return undefined;
  const row = devicesRow(appId);
  const answers = filters.map((filter) => sql`coalesce(${compileFilter(filter, { row, now })}, false)`);
  const explained = await db
    .selectFrom('devices as d')
    .select(sql<boolean[]>`array[${sql.join(answers)}]::boolean[]`.as('answers'))
    .where('d.app_id', '=', appId)
    .where('d.id', '=', deviceId)
    .executeTakeFirst();
  return explained?.answers;
}
