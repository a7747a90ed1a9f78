/** Credentials of gateways that are not real: nobody decrypts them. */
import { randomUUID } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import type { Database } from '../../src/db/tables.ts';

interface Rows {
  db: Kysely<Database>;
  appId: string;
  at: Date;
}

/** @returns the version of the credentials */
export async function addCredentials(
  { db, appId, at }: Rows,
  gateway: 'apns' | 'fcm',
  columns: Partial<Insertable<Database['gateway_credentials']>> = {},
): Promise<string> {
  const version = randomUUID();
  const row = { app_id: appId, gateway, sealed: Buffer.alloc(1), version, updated_at: at, ...columns };
  await db.insertInto('gateway_credentials').values(row).execute();
  return version;
}

/** The app has credentials for these gateways, and for no other. */
export async function giveCredentials(rows: Rows, ...gateways: ('apns' | 'fcm')[]): Promise<void> {
  await rows.db.deleteFrom('gateway_credentials').where('app_id', '=', rows.appId).execute();
  for (const gateway of gateways) await addCredentials(rows, gateway);
}
