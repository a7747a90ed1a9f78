/**
 * An app's credentials for the gateways: checked, sealed, replaced without a restart. Every replacement gets
 * a new version, by which a worker sees that it has to open its gateway again.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { type ApnsCredentials, parseApnsKey } from '../gateways/apns/provider-token.ts';
import {
  type FcmCredentials,
  parseServiceAccount,
  processIdentity,
} from '../gateways/fcm/service-account.ts';
import { type GatewayName, gatewayOf, type Route, routes } from '../gateways/gateway.ts';
import { routeStatesJson, type StoredRouteState } from './route-states.ts';
import { seal, type SealContext, type SecretKey, unseal } from './seal.ts';

/** What a stored key is good for: one of Apple's environments, or whatever its gateway has. */
export const keyEnvironments = ['all', 'production', 'sandbox'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

/** What lets the app in on each route; a route that it has no credentials for is left out. */
export interface AppCredentials {
  apns_production?: ApnsCredentials & { version: string };
  apns_sandbox?: ApnsCredentials & { version: string };
  fcm?: FcmCredentials & { version: string };
}

export interface CredentialVersion {
  gateway: GatewayName;
  environment: KeyEnvironment;
  version: string;
  /** What is known of the routes that they were used on. */
  routes: StoredRouteState[];
}

/** Of keys and of teams (Apple, "Establishing a token-based connection to APNs"). */
const APPLE_ID = /^[A-Z0-9]{10}$/;

const apnsCredentials = z.object({ keyId: z.string(), teamId: z.string(), privateKey: z.string() });
const fcmCredentials = z.union([
  z.object({ project_id: z.string(), client_email: z.string(), private_key: z.string() }),
  z.object({ project_id: z.string(), application_default: z.literal(true) }),
]);

/**
 * Checks all that can be without asking Apple.
 * @throws {Error} with a plain sentence for every fault, without any part of the key
 */
export function checkApnsCredentials({ keyId, teamId, privateKey }: ApnsCredentials): void {
  const faults = [
    ...(APPLE_ID.test(keyId)
      ? []
      : ['The key id must be ten capital letters and digits, as Apple shows it.']),
    ...(APPLE_ID.test(teamId)
      ? []
      : ['The team id must be ten capital letters and digits, as Apple shows it.']),
  ];
  try {
    parseApnsKey(privateKey);
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  if (faults.length > 0) throw new Error(faults.join(' '));
}

/**
 * Stores a key of Apple's. One for all environments replaces whatever keys the app has; one for a single environment
 * replaces that environment's own, which goes before the one for all.
 * @param credentials `privateKey` is the text of Apple's `.p8` file
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putApnsCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  credentials: ApnsCredentials & { appId: string; environment?: KeyEnvironment },
  clock: Clock,
): Promise<void> {
  const { appId, environment = 'all', keyId, teamId, privateKey } = credentials;
  checkApnsCredentials(credentials);
  const stored = { gateway: 'apns', environment } as const;
  await put(db, secret, { appId, ...stored }, { keyId, teamId, privateKey }, clock);
}

/**
 * @param credentials `serviceAccount` is the text of Google's JSON file, of which only the needed fields are kept;
 *   `projectId` alone: pushes go with the identity of the process that sends them
 * @throws {Error} a plain sentence, without any part of the key
 */
export async function putFcmCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  credentials: { appId: string } & ({ serviceAccount: string } | { projectId: string }),
  clock: Clock,
): Promise<void> {
  const { appId } = credentials;
  const kept =
    'serviceAccount' in credentials
      ? parseServiceAccount(credentials.serviceAccount)
      : processIdentity(credentials.projectId);
  await put(db, secret, { appId, gateway: 'fcm', environment: 'all' }, kept, clock);
}

/**
 * The credentials of each route: those for its own environment, else those for all.
 * @throws {Error} where they were sealed with another SECRET_KEY
 */
export async function readCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
): Promise<AppCredentials> {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['gateway', 'environment', 'version', 'sealed'])
    .where('app_id', '=', appId)
    .execute();
  const open = (row: (typeof rows)[number]): unknown =>
    JSON.parse(unseal(secret, row.sealed, sealContext({ appId, ...row })));
  const chosen = credentialsByRoute(rows);
  const { apns_production: production, apns_sandbox: sandbox, fcm } = chosen;
  const credentials: AppCredentials = {};
  if (production !== undefined) {
    credentials.apns_production = { ...apnsCredentials.parse(open(production)), version: production.version };
  }
  if (sandbox !== undefined) {
    credentials.apns_sandbox = { ...apnsCredentials.parse(open(sandbox)), version: sandbox.version };
  }
  if (fcm !== undefined) credentials.fcm = { ...fcmCredentials.parse(open(fcm)), version: fcm.version };
  return credentials;
}

/** Which credentials each route has, of all that an app has: those for its own environment, else those for all. */
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
      return 'all';
  }
}

/** Which credentials the app has, and in which version, without opening them. */
export function listCredentialVersions(db: Kysely<Database>, appId: string): Promise<CredentialVersion[]> {
  return db
    .selectFrom('gateway_credentials')
    .select(['gateway', 'environment', 'version'])
    .select(
      routeStatesJson({
        appId: sql.ref('gateway_credentials.app_id'),
        version: sql.ref('gateway_credentials.version'),
      }).as('routes'),
    )
    .where('app_id', '=', appId)
    .orderBy('gateway')
    .orderBy('environment')
    .execute();
}

/**
 * Whether the key is the one that the stored credentials were sealed with. It is where it opens any: some that it
 * does not open are a fault of their own app, and must not keep the others waiting.
 */
export async function opensStoredCredentials(db: Kysely<Database>, secret: SecretKey): Promise<boolean> {
  const rows = await db
    .selectFrom('gateway_credentials')
    .select(['app_id', 'gateway', 'environment', 'sealed'])
    .execute();
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
      .set({ sealed: seal(secret, unseal(secret, sealed, context), context) })
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

function opens(
  secret: SecretKey,
  { app_id: appId, sealed, ...stored }: Omit<StoredAs, 'appId'> & { app_id: string; sealed: Buffer },
): boolean {
  try {
    unseal(secret, sealed, sealContext({ appId, ...stored }));
    return true;
  } catch {
    return false;
  }
}

/** What they are bound to: those for all environments as they were before there were others. */
function sealContext({ appId, gateway, environment }: StoredAs): SealContext {
  return { appId, kind: environment === 'all' ? gateway : `${gateway} ${environment}` };
}

async function put(
  db: Kysely<Database>,
  secret: SecretKey,
  { appId, gateway, environment }: StoredAs,
  credentials: ApnsCredentials | FcmCredentials,
  clock: Clock,
): Promise<void> {
  const row = {
    sealed: seal(secret, JSON.stringify(credentials), sealContext({ appId, gateway, environment })),
    version: randomUUID(),
    updated_at: clock(),
  };
  await db
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
}
