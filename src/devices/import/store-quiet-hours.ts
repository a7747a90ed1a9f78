/** Stores the quiet hours of the lines of an import that have any. Other lines need no statement for them. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { DeviceLine } from './device-line.ts';

/**
 * Runs in the transaction that has stored the devices.
 * @returns the push tokens of the devices whose quiet hours have changed
 */
export async function storeQuietHours(
  db: Kysely<Database>,
  appId: string,
  lines: readonly Pick<DeviceLine, 'pushToken' | 'quietHours'>[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const tokens = lines.map(({ pushToken }) => pushToken);
  const hours = lines.map(({ quietHours }) => (quietHours ? JSON.stringify(quietHours) : null));
  const { rows } = await sql<{ token: string }>`
    with line as materialized (
      select ${appId}::uuid as app_id, token, hours::jsonb
      from unnest(${tokens}::text[], ${hours}::text[]) as line (token, hours)
    ), locked as materialized (
      select device.app_id, device.id, line.hours
      from line join devices as device on device.app_id = line.app_id and device.push_token = line.token
      where device.quiet_hours is distinct from line.hours
      order by device.id
      for no key update of device
    )
    update devices set quiet_hours = locked.hours, registered_at = ${now}
    from locked
    where devices.app_id = locked.app_id and devices.id = locked.id
    returning devices.push_token as token`.execute(db);
  return new Set(rows.map(({ token }) => token));
}
