/** Credentials of the gateways: list with the state of the routes, store, remove; resume a paused route. */
import { z } from 'zod';
import { type KeyEnvironment, keyEnvironments } from '../../../apps/credentials/store.ts';
import {
  apnsCredentialsBody,
  fcmCredentialsBody,
  parseWebPushCredentials,
  readWebPushKey,
  storeWebPushCredentials,
  webPushCredentialsBody,
  keptWebPushKeyReply,
  webPushKeyReply,
  parseApnsCredentials,
  parseFcmCredentials,
  storeApnsCredentials,
  storedCredentialsReply,
  storeFcmCredentials,
} from '../../../apps/credentials/accept.ts';
import { credentialsReply, describeCredentials, removeCredentials } from '../../../apps/credentials/list.ts';
import { resumeRoutes } from '../../../delivery/routes/route-store.ts';
import { ApiError } from '../../../api/errors.ts';
import { type GatewayName, routes } from '../../../route.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { CREATED_AT, NOTIFICATION_ID } from '../samples.ts';

const ENVIRONMENT_RULE = `must be one of ${keyEnvironments.join(', ')}`;

const environmentQuery = z.object({
  environment: z
    .enum(keyEnvironments, ENVIRONMENT_RULE)
    .describe('The environment of the key; `all` for the key for all environments.')
    .default('all'),
});

const resumedReply = z.strictObject({ was_paused: z.boolean() }).meta({ id: 'ResumedRoute' });

const storedCredentials = {
  credentials: [
    {
      gateway: 'apns',
      environment: 'all',
      stored_at: CREATED_AT,
      readable: true,
      key_id: 'ABCDEFGHIJ',
      team_id: 'KLMNOPQRST',
      project_id: null,
      public_key: null,
      identity: 'key',
    },
  ],
  routes: [
    { route: 'apns_production', credentials: 'all', works: true, pause: null, last_refusal: null },
    {
      route: 'apns_sandbox',
      credentials: 'all',
      works: false,
      pause: null,
      last_refusal: {
        reason: 'BadEnvironmentKeyInToken',
        at: CREATED_AT,
        notification_id: NOTIFICATION_ID,
      },
    },
    { route: 'fcm', credentials: null, works: false, pause: null, last_refusal: null },
    { route: 'web_push', credentials: null, works: false, pause: null, last_refusal: null },
  ],
};

/** The example of RFC 8292. */
const webPushKey = {
  public_key: 'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
};

const call = callsWithKey('Settings');

export const credentialCalls = [
  call({
    id: 'listCredentials',
    address: 'GET /v6/credentials',
    summary: 'List credentials, and the state of the routes that use them',
    description: 'Private keys cannot be read again.',
    scopes: ['read', 'admin'],
    replies: [
      jsonReply(200, 'The credentials of the app, and its four routes.', credentialsReply, storedCredentials),
    ],
    handle: async ({ db, secret }, { caller }) => describeCredentials(db, secret, caller.appId),
  }),
  call({
    id: 'storeApnsCredentials',
    address: 'PUT /v6/credentials/apns',
    summary: 'Store an Apple key, once Apple accepts it',
    description:
      'Servers use the key without a restart. A test push to no device asks Apple whether it accepts the key.',
    scopes: ['admin'],
    body: {
      schema: apnsCredentialsBody,
      example: {
        credentials: {
          key_id: 'ABCDEFGHIJ',
          team_id: 'KLMNOPQRST',
          private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
          environment: 'all',
        },
      },
    },
    replies: [
      jsonReply(200, 'Stored.', storedCredentialsReply, {
        checked: true,
        good_for: ['production', 'sandbox'],
      }),
    ],
    errors: ['credentials_refused'],
    parse: parseApnsCredentials,
    handle: async (deps, { caller, body, author }) => storeApnsCredentials(deps, caller, body, author()),
  }),
  call({
    id: 'storeFcmCredentials',
    address: 'PUT /v6/credentials/fcm',
    summary: 'Store a service account, or the use of the processes’ own identity, once Google accepts it',
    description:
      'Servers use the credentials without a restart. A push that is only validated asks Google whether it accepts them.',
    scopes: ['admin'],
    body: {
      schema: fcmCredentialsBody,
      example: { credentials: { project_id: 'my-project', check: false } },
    },
    replies: [jsonReply(200, 'Stored.', storedCredentialsReply, { checked: false, good_for: null })],
    errors: ['credentials_refused'],
    parse: parseFcmCredentials,
    handle: async (deps, { caller, body, author }) => storeFcmCredentials(deps, caller, body, author()),
  }),
  call({
    id: 'storeWebPushCredentials',
    address: 'PUT /v6/credentials/web_push',
    summary: 'Make or import the key for Web Push, or change whom it names',
    description:
      'Browsers subscribe with the public key, so a stored key stays unless `replace` is true. No push service can be asked for it.',
    scopes: ['admin'],
    body: {
      schema: webPushCredentialsBody,
      example: { credentials: { subject: 'mailto:push@example.com', url: 'https://example.com/' } },
    },
    replies: [jsonReply(200, 'Stored.', webPushKeyReply, webPushKey)],
    parse: parseWebPushCredentials,
    handle: async (deps, { caller, body, author }) => storeWebPushCredentials(deps, caller, body, author()),
  }),
  call({
    id: 'readWebPushKey',
    address: 'GET /v6/web_push_key',
    summary: 'Read the public key with which browsers subscribe',
    scopes: ['register', 'read'],
    replies: [jsonReply(200, 'The key.', keptWebPushKeyReply, webPushKey)],
    handle: async (deps, { caller }) => readWebPushKey(deps, caller.appId),
  }),
  remove('web_push', 'removeWebPushCredentials', 'Remove the key for Web Push'),
  remove('apns', 'removeApnsCredentials', 'Remove an Apple key'),
  remove('fcm', 'removeFcmCredentials', 'Remove the credentials of Google'),
  call({
    id: 'resumeRoute',
    address: 'POST /v6/routes/:route/resume',
    summary: 'Resume a paused route',
    description:
      'Waiting pushes continue at once. For a day, push tokens that are reported dead on this route are retired, however many there are.',
    scopes: ['admin'],
    replies: [jsonReply(200, 'Whether it was paused.', resumedReply, { was_paused: false })],
    handle: async ({ db, clock }, { caller, params, author }) => {
      const route = routes.find((name) => name === params.route);
      if (route === undefined) {
        throw new ApiError('not_found', {
          message: `There is no such route; it is one of ${routes.join(', ')}.`,
        });
      }
      const resumed = await resumeRoutes(db, { appId: caller.appId, only: route, author: author() }, clock());
      return { was_paused: resumed.length > 0 };
    },
  }),
];

function remove(gateway: GatewayName, id: string, summary: string) {
  return call({
    id,
    address: `DELETE /v6/credentials/${gateway}`,
    summary,
    description: 'Nothing can be sent on its routes until new credentials are stored.',
    scopes: ['admin'],
    query: { schema: environmentQuery, example: { environment: 'all' } },
    replies: [{ status: 204, description: 'Removed.' }],
    errors: ['not_found'],
    handle: async ({ db, clock }, { caller, query, author }) => {
      const { environment }: { environment: KeyEnvironment } = query;
      const which = { appId: caller.appId, gateway, environment };
      await removeCredentials(db, which, clock, author());
    },
  });
}
