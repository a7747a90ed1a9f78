/**
 * An app's credentials for the gateways: checked, sealed, replaced without a restart. Every replacement gets
 * a new version, by which a worker sees that it has to open its gateway again.
 */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { type ApnsCredentials, parseApnsKey } from '../gateways/apns/provider-token.ts';
import { type FcmCredentials, parseServiceAccount } from '../gateways/fcm/service-account.ts';
import type { GatewayName } from '../gateways/gateway.ts';
import { seal, type SecretKey, unseal } from './seal.ts';

/** A gateway that the app has no credentials for is left out. */
export interface AppCredentials {
  apns?: ApnsCredentials & { version: string };
  fcm?: FcmCredentials & { version: string };
}

export interface CredentialVersion {
  gateway: GatewayName;
  version: string;
}

/** Apple gives ten characters; all that counts here is that they are the kind that a token header can hold. */
const APPLE_ID = /^[A-Za-z0-9]{1,64}$/;

const apnsCredentials = z.object({ keyId: z.string(), teamId: z.string(), privateKey: z.string() });
const fcmCredentials = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
});

/**
 * @param credentials `privateKey` is the text of Apple's `.p8` file
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putApnsCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  { appId, keyId, teamId, privateKey }: ApnsCredentials & { appId: string },
  clock: Clock,
): Promise<void> {
  if (!APPLE_ID.test(keyId)) throw new Error('The key id must be the letters and digits that Apple shows.');
  if (!APPLE_ID.test(teamId)) throw new Error('The team id must be the letters and digits that Apple shows.');
  parseApnsKey(privateKey);
  await put(db, secret, appId, 'apns', { keyId, teamId, privateKey }, clock);
}

/**
 * @param credentials `serviceAccount` is the text of Google's JSON file, of which only what is needed is kept
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putFcmCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  { appId, serviceAccount }: { appId: string; serviceAccount: string },
  clock: Clock,
): Promise<void> {
  await put(db, secret, appId, 'fcm', parseServiceAccount(serviceAccount), clock);
}

/** @throws {Error} where they were sealed with another SECRET_KEY */
export async function readCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
): Promise<AppCredentials> {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['gateway', 'version', 'sealed'])
    .where('app_id', '=', appId)
    .execute();
  const credentials: AppCredentials = {};
  for (const { gateway, version, sealed } of rows) {
    const opened: unknown = JSON.parse(unseal(secret, sealed, { appId, kind: gateway }));
    if (gateway === 'apns') credentials.apns = { ...apnsCredentials.parse(opened), version };
    else credentials.fcm = { ...fcmCredentials.parse(opened), version };
  }
  return credentials;
}

/** Which gateways have credentials, and in which version, without opening them. */
export function listCredentialVersions(db: Kysely<Database>, appId: string): Promise<CredentialVersion[]> {
  return db
    .selectFrom('gateway_credentials')
    .select(['gateway', 'version'])
    .where('app_id', '=', appId)
    .orderBy('gateway')
    .execute();
}

/**
 * Whether the key is the one that the stored credentials were sealed with. It is where it opens any: some that it
 * does not open are a fault of their own app, and must not keep the others waiting.
 */
export async function opensStoredCredentials(db: Kysely<Database>, secret: SecretKey): Promise<boolean> {
  const rows = await db.selectFrom('gateway_credentials').select(['app_id', 'gateway', 'sealed']).execute();
  return rows.length === 0 || rows.some((row) => opens(secret, row));
}

/**
 * Seals with the current key whatever the previous one has sealed. Versions stay: the credentials are the same, and
 * no worker has to open a gateway again. Run it in a transaction, so that all change or none.
 * @returns how many were stored, all of them under the current key now
 * @throws {Error} where some open with neither key
 */
export async function resealCredentials(db: Kysely<Database>, secret: SecretKey): Promise<number> {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['app_id', 'gateway', 'sealed'])
    .orderBy('app_id')
    .orderBy('gateway')
    .forUpdate()
    .execute();
  for (const { app_id: appId, gateway, sealed } of rows) {
    const context = { appId, kind: gateway };
    await db
      .updateTable('gateway_credentials')
      .set({ sealed: seal(secret, unseal(secret, sealed, context), context) })
      .where('app_id', '=', appId)
      .where('gateway', '=', gateway)
      .execute();
  }
  return rows.length;
}

function opens(secret: SecretKey, row: { app_id: string; gateway: GatewayName; sealed: Buffer }): boolean {
  try {
    unseal(secret, row.sealed, { appId: row.app_id, kind: row.gateway });
    return true;
  } catch {
    return false;
  }
}

async function put(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
  gateway: GatewayName,
  credentials: ApnsCredentials | FcmCredentials,
  clock: Clock,
): Promise<void> {
  const row = {
    sealed: seal(secret, JSON.stringify(credentials), { appId, kind: gateway }),
    version: randomUUID(),
    updated_at: clock(),
  };
  await db
    .insertInto('gateway_credentials')
    .values({ app_id: appId, gateway, ...row })
    .onConflict((conflict) => conflict.columns(['app_id', 'gateway']).doUpdateSet(row))
    .execute();
}
