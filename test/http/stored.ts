/** Reads the stored data, so that a test can show that nothing was stored or changed. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/db/tables.ts';

const TABLES = [
  'notifications',
  'audiences',
  'devices',
  'erased_devices',
  'device_events',
  'opens',
  'webhooks',
  'webhook_deliveries',
  'api_keys',
  'gateway_credentials',
  'console_users',
  'console_roles',
  'console_invites',
];

/** A digest of every row of every table that a call can write to. */
export async function digestOfEverything(db: Kysely<Database>): Promise<string> {
  const digests = TABLES.map((table) => {
    const rows = sql`select string_agg(row::text, ';' order by row::text) from ${sql.table(table)} as row`;
    return sql`md5(coalesce((${rows}), ''))`;
  });
  const { rows } = await sql<{ digest: string }>`select concat(${sql.join(digests)}) as digest`.execute(db);
  return rows[0]?.digest ?? '';
}

/** The number of notifications and audiences. */
export async function countStored(
  db: Kysely<Database>,
): Promise<{ notifications: number; audiences: number }> {
  const { rows } = await sql<{ notifications: number; audiences: number }>`
    select (select count(*) from notifications) as notifications, (select count(*) from audiences) as audiences
  `.execute(db);
  return rows[0] ?? { notifications: 0, audiences: 0 };
}
