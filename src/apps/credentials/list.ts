/** Lists an app's credentials with the state of its routes, and removes credentials. Secret parts are never returned. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Author } from '../../audit/author.ts';
import { recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { type GatewayName, gatewayNames, routes } from '../../route.ts';
import { idText, timeText } from '../../api/reply.ts';
import {
  type AppCredentials,
  credentialsByRoute,
  type CredentialVersion,
  type KeyEnvironment,
  keyEnvironments,
  listCredentialVersions,
  objectIdOf,
  readCredentials,
} from './store.ts';
import type { SecretKey } from '../seal.ts';

/** Refusals are looked for in this many of the newest notifications. */
const NOTIFICATIONS_SEARCHED = 200;

const routeReply = z
  .strictObject({
    route: z.enum(routes),
    credentials: z
      .enum(keyEnvironments)
      .nullable()
      .describe('The environment of the stored credentials that it uses; null if it has none.'),
    works: z.boolean().describe('Whether a push was ever accepted with these credentials.'),
    pause: z
      .strictObject({
        cause: z.enum(['credentials', 'tokens']),
        reason: z.string().describe('The gateway’s own words, and what to check.'),
        since: timeText,
        next_try_at: timeText
          .nullable()
          .describe('When one push is tried; null: only an operator can resume it.'),
      })
      .meta({ id: 'CredentialsPause' })
      .nullable()
      .describe('Why nothing is sent on it; null if it is not paused.'),
    last_refusal: z
      .strictObject({
        reason: z.string().describe('The code of the gateway, such as `InvalidProviderToken`.'),
        at: timeText.describe('When the refused notification was created.'),
        notification_id: idText,
      })
      .meta({ id: 'CredentialsRefusal' })
      .nullable()
      .describe(`The last refusal of credentials among the newest ${NOTIFICATIONS_SEARCHED} notifications.`),
  })
  .meta({ id: 'CredentialsRoute' });

const credentialReply = z
  .strictObject({
    gateway: z.enum(gatewayNames),
    environment: z.enum(keyEnvironments),
    stored_at: timeText,
    readable: z.boolean().describe('False if they were encrypted with another `SECRET_KEY`.'),
    key_id: z.string().nullable().describe('The id of an Apple key.'),
    team_id: z.string().nullable().describe('The team of an Apple key.'),
    project_id: z.string().nullable().describe('The id of a Firebase project.'),
    public_key: z
      .string()
      .nullable()
      .describe('The public VAPID key, with which the pages of the app subscribe.'),
    identity: z
      .enum(['key', 'process'])
      .describe('`process`: no key is stored; the identity of the sending process is used.'),
  })
  .meta({ id: 'Credential' });

export const credentialsReply = z
  .strictObject({
    credentials: z.array(credentialReply),
    routes: z.array(routeReply),
  })
  .meta({ id: 'Credentials' });

export type CredentialsJson = z.output<typeof credentialsReply>;

export async function describeCredentials(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
): Promise<CredentialsJson> {
  const [stored, opened, refusals] = await Promise.all([
    listCredentialVersions(db, appId),
    readCredentials(db, secret, appId).catch(() => undefined),
    lastRefusals(db, appId),
  ]);
  const chosen = credentialsByRoute(stored);
  return {
    credentials: stored.map((version) => credentialJson(version, opened)),
    routes: routes.map((route) => {
      const used = chosen[route];
      const state = used?.routes.find((each) => each.route === route);
      const pause = state?.pause ?? null;
      return {
        route,
        credentials: used?.environment ?? null,
        works: state?.isProven ?? false,
        pause: pause && {
          cause: pause.cause,
          reason: pause.reason,
          since: new Date(pause.sinceMs).toISOString(),
          next_try_at: pause.probeAtMs === null ? null : new Date(pause.probeAtMs).toISOString(),
        },
        last_refusal: refusals.get(route) ?? null,
      };
    }),
  };
}

function credentialJson(
  { gateway, environment, version, updated_at: storedAt }: CredentialVersion & { updated_at: Date },
  opened: AppCredentials | undefined,
): CredentialsJson['credentials'][number] {
  // If each environment has its own key, no route uses the key for all environments, so that key was not decrypted.
  const keys = [opened?.apns_production, opened?.apns_sandbox];
  const key = gateway === 'apns' ? keys.find((each) => each?.version === version) : undefined;
  const account = gateway === 'fcm' ? opened?.fcm : undefined;
  const vapid = gateway === 'web_push' ? opened?.web_push : undefined;
  return {
    gateway,
    environment,
    stored_at: storedAt.toISOString(),
    readable: opened !== undefined,
    key_id: key?.keyId ?? null,
    team_id: key?.teamId ?? null,
    project_id: account?.project_id ?? null,
    public_key: vapid?.publicKey ?? null,
    identity: account !== undefined && 'application_default' in account ? 'process' : 'key',
  };
}

/** Returns the last refusals by route. Reads one range of an index. */
async function lastRefusals(
  db: Kysely<Database>,
  appId: string,
): Promise<Map<string, NonNullable<CredentialsJson['routes'][number]['last_refusal']>>> {
  const { rows } = await sql<{ route: string; reason: string; at: Date; id: string }>`
    select distinct on (route) route, reason, created_at as at, id
    from (
      select id, created_at, refused from notifications
      where app_id = ${appId} order by created_at desc, id desc limit ${NOTIFICATIONS_SEARCHED}
    ) as newest
    cross join lateral jsonb_each_text(refused) as refusal (route, reason)
    order by route, created_at desc`.execute(db);
  return new Map(
    rows.map(({ route, reason, at, id }) => [route, { reason, at: at.toISOString(), notification_id: id }]),
  );
}

/**
 * Removes credentials. Workers notice it at their next notification.
 * @throws {ApiError} `not_found`
 */
export async function removeCredentials(
  db: Kysely<Database>,
  { appId, gateway, environment }: { appId: string; gateway: GatewayName; environment: KeyEnvironment },
  clock: Clock,
  author: Author,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('gateway_credentials')
      .where('app_id', '=', appId)
      .where('gateway', '=', gateway)
      .where('environment', '=', environment)
      .returning('updated_at')
      .executeTakeFirst();
    if (removed === undefined) {
      throw new ApiError('not_found', { message: 'The app has no such credentials.' });
    }
    const before = { environment, stored_at: removed.updated_at.toISOString() };
    const objectId = objectIdOf({ gateway, environment });
    await recordChange(
      transaction,
      author,
      { appId, action: 'credentials.removed', objectId, before },
      clock,
    );
  });
}
