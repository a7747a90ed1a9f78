/**
 * An app's credentials for the gateways: checked, encrypted at rest, replaced without a restart. Every replacement gets a
 * new version, which makes workers reopen the gateway.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Author } from '../../audit/author.ts';
import { inTransaction, recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { type ApnsCredentials, parseApnsKey } from '../../gateways/apns/provider-token.ts';
import {
  type FcmCredentials,
  parseServiceAccount,
  processIdentity,
} from '../../gateways/fcm/service-account.ts';
import {
  checkDefaultUrl,
  checkVapidSubject,
  type VapidCredentials,
} from '../../gateways/web-push/vapid-key.ts';
import { readPem } from '../../gateways/key-file.ts';
import { type GatewayName, gatewayNames, gatewayOf, type Route, routes } from '../../route.ts';
import { routeStatesJson, type StoredRouteState } from '../route-states.ts';
import { opens, reseal, seal, type SealContext, type SecretKey, unseal } from '../seal.ts';

/** The environment that a stored key is for: one of Apple's, or all environments of its gateway. */
export const keyEnvironments = ['all', 'production', 'sandbox'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

/** The app's credentials by route; a route without credentials is left out. */
export type AppCredentials = Awaited<ReturnType<typeof readCredentials>>;

export interface CredentialVersion {
  gateway: GatewayName;
  environment: KeyEnvironment;
  version: string;
  /** The stored states of the routes that use these credentials. */
  routes: StoredRouteState[];
}

/** The form of key ids and team ids (Apple, "Establishing a token-based connection to APNs"). */
export const APPLE_ID = /^[A-Z0-9]{10}$/;

const apnsCredentials = z.object({ keyId: z.string(), teamId: z.string(), privateKey: z.string() });
const fcmCredentials = z.union([
  z.object({ project_id: z.string(), client_email: z.string(), private_key: z.string() }),
  z.object({ project_id: z.string(), application_default: z.literal(true) }),
]);
const vapidCredentials = z.object({
  privateKey: z.string(),
  publicKey: z.string(),
  subject: z.string(),
  url: z.string().nullable(),
});

/**
 * Checks the key as far as possible without Apple.
 * @throws {Error} with a plain sentence for every fault; none contains any part of the key
 */
export function checkApnsCredentials({ keyId, teamId, privateKey }: ApnsCredentials): void {
  const faults = Object.entries({ 'key id': keyId, 'team id': teamId })
    .filter(([, id]) => !APPLE_ID.test(id))
    .map(([name]) => `The ${name} must be ten capital letters and digits, as Apple shows it.`);
  try {
    parseApnsKey(privateKey);
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  if (faults.length > 0) throw new Error(faults.join(' '));
}

/**
 * Stores an Apple key. A key for all environments replaces all keys of the app; a key for one environment replaces only the
 * key of that environment, and takes precedence over a key for all.
 * @param credentials `privateKey` is the text of Apple's `.p8` file
 * @param author for the audit log; undefined: no entry
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putApnsCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  credentials: ApnsCredentials & { appId: string; environment?: KeyEnvironment },
  clock: Clock,
  author?: Author,
): Promise<void> {
  const { appId, environment = 'all', keyId, teamId, privateKey } = credentials;
  checkApnsCredentials(credentials);
  const stored = { gateway: 'apns', environment } as const;
  const facts = { key_id: keyId, team_id: teamId };
  const kept = { keyId, teamId, privateKey: readPem(privateKey) };
  await put(db, secret, { appId, ...stored }, kept, { facts, author, clock });
}

/**
 * @param credentials `serviceAccount` is the text of Google's JSON file, of which only the needed fields are kept; with
 *   only a `projectId`, pushes are sent with the identity of the process
 * @param author for the audit log; undefined: no entry
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putFcmCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  credentials: { appId: string } & ({ serviceAccount: string } | { projectId: string }),
  clock: Clock,
  author?: Author,
): Promise<void> {
  const { appId } = credentials;
  const kept =
    'serviceAccount' in credentials
      ? parseServiceAccount(credentials.serviceAccount)
      : processIdentity(credentials.projectId);
  const facts = { project_id: kept.project_id };
  await put(db, secret, { appId, gateway: 'fcm', environment: 'all' }, kept, { facts, author, clock });
}

/**
 * @param credentials a key pair from `makeVapidKey` or `readVapidKey`
 * @param author for the audit log; undefined: no entry
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putVapidCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  { appId, ...credentials }: VapidCredentials & { appId: string },
  clock: Clock,
  author?: Author,
): Promise<void> {
  checkVapidSubject(credentials.subject);
  if (credentials.url !== null) checkDefaultUrl(credentials.url);
  const facts = { public_key: credentials.publicKey };
  await put(db, secret, { appId, gateway: 'web_push', environment: 'all' }, credentials, {
    facts,
    author,
    clock,
  });
}

/**
 * The decrypted credentials of each route (`credentialsByRoute`).
 * @param gateways others are not decrypted, so that one with credentials that cannot be opened leaves them usable
 * @throws {Error} if they were sealed with another SECRET_KEY
 */
export async function readCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
  gateways: readonly GatewayName[] = gatewayNames,
) {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['gateway', 'environment', 'version', 'sealed'])
    .where('app_id', '=', appId)
    .where('gateway', 'in', gateways)
    .execute();
  const chosen = credentialsByRoute(rows);
  const read = <T extends object>(
    route: Route,
    schema: z.ZodType<T>,
  ): (T & { version: string }) | undefined => {
    const row = chosen[route];
    if (row === undefined) return undefined;
    const plaintext = unseal(secret, row.sealed, sealContext({ appId, ...row }));
    return { ...schema.parse(JSON.parse(plaintext)), version: row.version };
  };
  return {
    apns_production: read('apns_production', apnsCredentials),
    apns_sandbox: read('apns_sandbox', apnsCredentials),
    fcm: read('fcm', fcmCredentials),
    web_push: read('web_push', vapidCredentials),
  };
}

/** Chooses the credentials of each route: the ones for its environment, otherwise the ones for all environments. */
export function credentialsByRoute<Stored extends Pick<CredentialVersion, 'gateway' | 'environment'>>(
  stored: readonly Stored[],
): Partial<Record<Route, Stored>> {
  const chosen: Partial<Record<Route, Stored>> = {};
  for (const route of routes) {
    const ofGateway = stored.filter(({ gateway }) => gateway === gatewayOf(route));
    const own = ofGateway.find(({ environment }) => environment === environmentOf(route));
    const found = own ?? ofGateway.find(({ environment }) => environment === 'all');
    if (found !== undefined) chosen[route] = found;
  }
  return chosen;
}

function environmentOf(route: Route): KeyEnvironment {
  switch (route) {
    case 'apns_production':
      return 'production';
    case 'apns_sandbox':
      return 'sandbox';
    case 'fcm':
    case 'web_push':
      return 'all';
  }
}

/** Lists the app's credentials and their versions, without decrypting them. */
export function listCredentialVersions(
  db: Kysely<Database>,
  appId: string,
): Promise<(CredentialVersion & { updated_at: Date })[]> {
  return db
    .selectFrom('gateway_credentials')
    .select(['gateway', 'environment', 'version', 'updated_at'])
    .select(sql.raw<StoredRouteState[]>(routeStatesJson('gateway_credentials')).as('routes'))
    .where('app_id', '=', appId)
    .orderBy('gateway')
    .orderBy('environment')
    .execute();
}

/**
 * Whether the stored credentials were encrypted with this key: true if it decrypts any of them, or if there are none.
 * Credentials that it does not decrypt are a fault of one app, and must not keep the server from starting for other
 * apps.
 */
export async function opensStoredCredentials(db: Kysely<Database>, secret: SecretKey): Promise<boolean> {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['app_id', 'gateway', 'environment', 'sealed'])
    .execute();
  return (
    rows.length === 0 ||
    rows.some(({ app_id: appId, sealed, ...row }) => opens(secret, sealed, sealContext({ appId, ...row })))
  );
}

/**
 * Encrypts all credentials with the current key. Versions stay the same, because the credentials do, so no worker
 * reopens a gateway. Run it in a transaction, so that all change or none.
 * @returns the number of credentials
 * @throws {Error} if one of them cannot be decrypted with the current or the previous key
 */
export async function resealCredentials(db: Kysely<Database>, secret: SecretKey): Promise<number> {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['app_id', 'gateway', 'environment', 'sealed'])
    .orderBy('app_id')
    .orderBy('gateway')
    .orderBy('environment')
    .forUpdate()
    .execute();
  for (const { app_id: appId, gateway, environment, sealed } of rows) {
    const context = sealContext({ appId, gateway, environment });
    await db
      .updateTable('gateway_credentials')
      .set({ sealed: reseal(secret, sealed, context) })
      .where('app_id', '=', appId)
      .where('gateway', '=', gateway)
      .where('environment', '=', environment)
      .execute();
  }
  return rows.length;
}

interface StoredAs {
  appId: string;
  gateway: GatewayName;
  environment: KeyEnvironment;
}

/** The context that a sealed value is bound to. */
function sealContext({ appId, gateway, environment }: StoredAs): SealContext {
  return { appId, kind: environment === 'all' ? gateway : `${gateway} ${environment}` };
}

async function put(
  db: Kysely<Database>,
  secret: SecretKey,
  { appId, gateway, environment }: StoredAs,
  credentials: ApnsCredentials | FcmCredentials | VapidCredentials,
  {
    facts,
    author,
    clock,
  }: { facts: Readonly<Record<string, string>>; author: Author | undefined; clock: Clock },
): Promise<void> {
  const row = {
    sealed: seal(secret, JSON.stringify(credentials), sealContext({ appId, gateway, environment })),
    version: randomUUID(),
    updated_at: clock(),
  };
  await inTransaction(db, async (transaction) => {
    const replaced = await transaction
      .selectFrom('gateway_credentials')
      .select(['environment', 'updated_at'])
      .where('app_id', '=', appId)
      .where('gateway', '=', gateway)
      .$if(environment !== 'all', (query) => query.where('environment', '=', environment))
      .forUpdate()
      .execute();
    await transaction
      .with('replaced', (build) =>
        build
          .deleteFrom('gateway_credentials')
          .where('app_id', '=', appId)
          .where('gateway', '=', gateway)
          .where('environment', '<>', 'all')
          .where(sql.lit(environment === 'all')),
      )
      .insertInto('gateway_credentials')
      .values({ app_id: appId, gateway, environment, ...row })
      .onConflict((conflict) => conflict.columns(['app_id', 'gateway', 'environment']).doUpdateSet(row))
      .execute();
    const change = {
      appId,
      action: 'credentials.set',
      objectId: objectIdOf({ gateway, environment }),
      before: replaced.length === 0 ? undefined : { replaced: replaced.map(storedSince) },
      after: { environment, ...facts },
    } as const;
    await recordChange(transaction, author, change, clock);
  });
}

/** The name of credentials in the audit log: `fcm`, `apns`, `apns_sandbox`. */
export function objectIdOf({ gateway, environment }: Omit<StoredAs, 'appId'>): string {
  return environment === 'all' ? gateway : `${gateway}_${environment}`;
}

function storedSince({ environment, updated_at: at }: { environment: KeyEnvironment; updated_at: Date }) {
  return { environment, stored_at: at.toISOString() };
}
