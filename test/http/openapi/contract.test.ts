/**
 * Provokes every documented reply of every documented call, with its own example or with a faulty one, and compares the
 * reply with the document.
 */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commandLine } from '../../../src/audit/author.ts';
import { storeIdentityKey } from '../../../src/apps/identity/key-store.ts';
import { createApiKey } from '../../../src/apps/api-keys.ts';
import { parseScopes } from '../../../src/apps/scopes.ts';
import type { ChannelGateways } from '../../../src/channels/channel-gateways.ts';
import {
  putApnsCredentials,
  putFcmCredentials,
  putVapidCredentials,
} from '../../../src/apps/credentials/store.ts';
import { makeVapidKey } from '../../../src/gateways/web-push/vapid-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { connectDatabase } from '../../../src/db/connect.ts';
import type { Database } from '../../../src/db/tables.ts';
import { catalogue, type ErrorCode } from '../../../src/api/errors.ts';
import {
  AUDIENCE_ID,
  CHANNEL_ID,
  CONSOLE_USER_ID,
  DELIVERY_ID,
  DEVICE_ID,
  KEY_ID,
  NOTIFICATION_ID,
  USER_ID,
  WEBHOOK_ID,
} from '../../../src/http/calls/samples.ts';
import { observeNothing } from '../../../src/observe.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { sendTest } from '../../../src/webhooks/deliveries.ts';
import { createWebhook } from '../../../src/webhooks/webhooks.ts';
import { insertUser } from '../../console/browser.ts';
import { insertApp } from '../../support/database.ts';
import { testSecret } from '../../support/secret.ts';
import { newAppleId, newServiceAccount } from '../../support/simulated-app.ts';
import { openSimulatedChannels } from '../../channels/harness.ts';
import { gatewayAddressesOf, idIn, useApi } from '../api.ts';
import { NO_ID } from '../bad-requests/call.ts';
import { type Change as Example, exampleRequest } from './example-request.ts';
import { type DocumentedCall, documentedCalls, faultsBy, requiredHeaders, scopesOf } from './document.ts';
import { closedPort } from '../../support/ports.ts';

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `broken`: its clock and metrics fail. `cut off`: its database is away. `guessed at`: too many sign-ins have failed. */
type ServerName = 'whole' | 'broken' | 'cut off' | 'guessed at';

interface Change extends Example {
  server?: ServerName;
  key?: string;
}

/** The rows that the examples refer to. */
type Seeds = Awaited<ReturnType<typeof seed>>;

const api = useApi();
const servers = new Map<ServerName, FastifyInstance>();
let lostDatabase: Kysely<Database>;
let simulator: Simulator;
let channels: ChannelGateways;

beforeAll(async () => {
  const metrics = { contentType: METRICS_TYPE, write: async () => '# no metrics\n' };
  const failing = {
    clock: () => {
      throw new Error('the clock has stopped');
    },
    metrics: {
      contentType: METRICS_TYPE,
      write: async () => {
        throw new Error('the metrics failed');
      },
    },
  };
  const connectionString = `postgres://nobody@127.0.0.1:${await closedPort()}/none`;
  lostDatabase = connectDatabase({ connectionString, observe: observeNothing });
  simulator = await startSimulator();
  channels = openSimulatedChannels(api.db, simulator, systemClock);
  const gatewayAddresses = gatewayAddressesOf(simulator);
  servers.set('whole', api.openServer({ metrics, gatewayAddresses, channels }));
  servers.set('broken', api.openServer(failing));
  servers.set('cut off', api.openServer({ db: lostDatabase, metrics }));
  // The clock stands still, so the minute of the limit does not end.
  const rateLimits = { addressFailuresPerMinute: 1 };
  const guessedAt = api.openServer({ clock: () => new Date(0), rateLimits });
  await guessedAt.inject('/v6/audiences');
  servers.set('guessed at', guessedAt);
});

afterAll(async () => {
  await lostDatabase.destroy();
  await channels.close();
  await simulator.close();
});

async function seed(call: DocumentedCall) {
  const pushToken = randomUUID();
  const idempotencyKey = randomUUID();
  const newDevice = async (push_token: string, platform = 'Android') =>
    api.newDevice({ platform, push_token, user_id: USER_ID });
  const newNotification = async (fields: object = {}, headers: Record<string, string> = {}) => {
    const notification = { to: '*', payload: { alert: 'hello' }, ...fields };
    const reply = await api.call('POST /v6/notifications', { body: { notification }, headers });
    return { id: idIn(reply), ...z.object({ to: z.object({ id: z.string() }) }).parse(reply.body) };
  };
  const scopes = parseScopes('read,write,register,admin').filter((scope) => !scopesOf(call).includes(scope));
  const { key: keyWithTheOtherScopes } = await createApiKey(
    api.db,
    { appId: api.app.id, scopes },
    systemClock,
  );
  const erasedDeviceId = await newDevice(randomUUID());
  await api.call(`DELETE /v6/devices/${erasedDeviceId}`);
  const canceledId = await api.newNotification();
  await api.call(`POST /v6/notifications/${canceledId}/cancel`);
  const filters = [{ name: 'user_id', criteria: [USER_ID] }];
  const scheduled = await newNotification({ to: filters, deliver_at: new Date(Date.now() + 3_600_000) });
  const toEverybody = await newNotification({}, { 'idempotency-key': idempotencyKey });
  const webhook = { url: 'https://example.com/', events: ['notification.sent'] };
  await api.db.deleteFrom('webhooks').execute(); // an app has ten at most
  const made = await createWebhook(api.db, testSecret, { appId: api.app.id, ...webhook }, systemClock);
  await api.db.deleteFrom('console_users').execute(); // only one is an admin
  const newUser = async (roles: Record<string, 'viewer' | 'admin'>): Promise<string> =>
    insertUser(api.db, systemClock, { name: randomUUID(), roles });
  const deliveryId = await sendTest(api.db, api.app.id, made.id, systemClock);
  const { id: keyId } = await createApiKey(api.db, { appId: api.app.id, scopes: ['read'] }, systemClock);
  await api.db.deleteFrom('identity_keys').execute(); // an app has ten at most
  await storeIdentityKey(
    api.db,
    testSecret,
    api.app.id,
    { key_id: keyId, ...IDENTITY_KEY },
    systemClock,
    commandLine,
  );
  return {
    pushToken,
    webhookId: made.id,
    consoleUserId: await newUser({ [api.app.id]: 'viewer' }),
    onlyAdminId: await newUser({ [api.app.id]: 'admin' }),
    userElsewhereId: await newUser({ [api.app.id]: 'viewer', [api.otherApp.id]: 'viewer' }),
    deliveryId,
    keyId, // of a key that no call uses
    credentials: await storeCredentials(),
    deviceId: await newDevice(pushToken),
    iosDeviceId: await newDevice(randomBytes(32).toString('hex'), 'iOS'),
    erasedDeviceId,
    channelId: await storeChannel('open'),
    endedChannelId: await storeChannel('ended'),
    spareChannelId: await storeChannel('open'),
    audienceId: await api.newAudience(filters),
    audienceInUseId: scheduled.to.id,
    builtInAudienceId: toEverybody.to.id,
    notificationId: toEverybody.id,
    idempotencyKey, // of that notification
    canceledId,
    /** It has every permission but that of the call. */
    keyWithTheOtherScopes,
    demanding: await newDemandingApp(),
  };
}

const IDENTITY_KEY = { algorithm: 'HS256', key: randomBytes(32).toString('base64') } as const;

/** The embedded key of an app that demands user tokens, and a device of it that has a user. */
async function newDemandingApp() {
  const { id: appId } = await insertApp(api.db);
  await api.db.updateTable('apps').set({ identity_mode: 'required' }).where('id', '=', appId).execute();
  const { key: server } = await createApiKey(api.db, { appId, scopes: ['register', 'write'] }, systemClock);
  const { key } = await createApiKey(api.db, { appId, scopes: ['register'] }, systemClock);
  return { key, deviceId: await api.newDevice({ user_id: USER_ID }, server) };
}

/** Stores a channel that the gateway has, and that has a broadcast of this moment. @returns its id */
async function storeChannel(state: 'open' | 'ended'): Promise<string> {
  const { id: appId, bundleId } = api.app;
  const owner = { bundleId, environment: 'production' } as const;
  const now = new Date();
  const id = randomUUID();
  const row = {
    app_id: appId,
    id,
    key: id,
    environment: owner.environment,
    storage: 'latest',
    state,
  } as const;
  const atApple = simulator.apple.createChannel({ ...owner, storagePolicy: 1 })?.id ?? '';
  await api.db
    .insertInto('channels')
    .values({
      ...row,
      apns_channel_id: atApple,
      created_at: now,
      used_at: now,
      last_timestamp: Math.floor(now.getTime() / 1_000),
      ended_at: state === 'ended' ? now : null,
    })
    .execute();
  return id;
}

/** Has Apple answer the next request about channels in this way. */
function refuseNextChannel(status: number, reason: string): void {
  simulator.orderFault({ kind: 'answer', gateway: 'apns_channels', status, reason, times: 1 });
}

/** Stores credentials of both gateways. @returns the bodies that do the same through the API */
async function storeCredentials(): Promise<Record<string, string>> {
  const { id: appId, bundleId } = api.app;
  const ids = { teamId: newAppleId(), keyId: newAppleId() };
  const { keyId, teamId, privateKeyPem: privateKey } = simulator.apple.createKey({ ...ids, bundleId });
  const account = newServiceAccount(simulator, 'simulated');
  const serviceAccount = JSON.stringify(account);
  await putApnsCredentials(api.db, testSecret, { appId, keyId, teamId, privateKey }, systemClock);
  await putFcmCredentials(api.db, testSecret, { appId, serviceAccount }, systemClock);
  const vapid = { ...makeVapidKey(), subject: 'mailto:push@example.com', url: null };
  await putVapidCredentials(api.db, testSecret, { appId, ...vapid }, systemClock);
  const apns = { key_id: keyId, team_id: teamId, private_key: privateKey };
  return {
    storeApnsCredentials: JSON.stringify({ credentials: apns }),
    storeFcmCredentials: JSON.stringify({ credentials: { service_account: account } }),
  };
}

/** A body that is well-formed, with a key that the gateway does not know. */
function refusedCredentials(callId: string): string {
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  if (callId === 'storeApnsCredentials') {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const ids = { key_id: newAppleId(), team_id: newAppleId() };
    return JSON.stringify({ credentials: { ...ids, private_key: privateKey.export(pem).toString() } });
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = newServiceAccount(simulator, 'simulated');
  return JSON.stringify({
    credentials: { service_account: { ...account, private_key: privateKey.export(pem).toString() } },
  });
}

describe.each(documentedCalls)('$method $path', (call) => {
  let seeds: Seeds;
  beforeAll(async () => {
    seeds = await seed(call);
  });

  for (const { status, reply } of call.replies) {
    const contents = Object.entries(reply.content ?? {});
    const [content] = contents;
    const codes = Object.keys(content?.[1].examples ?? {}).filter(isErrorCode);

    if (codes.length === 0) {
      const permissions = scopesOf(call).length === 0 ? ['no'] : scopesOf(call);
      test.each(permissions)(
        `${call.id} answers ${status} as documented with %s permission`,
        async (permission) => {
          const key = keyWith(permission);
          const response = await send(call, seeds, { key, ...successes[`${call.id} ${status}`]?.(seeds) });
          expect(response.statusCode, response.body).toBe(status);
          expect(headersOf(response)).toEqual(expect.arrayContaining(requiredHeaders(reply)));
          if (content === undefined) {
            expect(response.body).toBe('');
            return;
          }
          expectDocumented(response, content);
        },
      );

      // The reply to a list has its media type.
      test.each(contents.slice(1))(
        `${call.id} answers ${status} as %s to a body of that type`,
        async (...other) => {
          const response = await send(call, seeds, { mediaType: other[0] });
          expect(response.statusCode, response.body).toBe(status);
          expectDocumented(response, other);
        },
      );
    }

    test.each(codes)(`${call.id} answers ${status} %s as documented`, async (code) => {
      const response = await send(call, seeds, refusals[code](call, seeds));
      expect({ status: response.statusCode, code: codeOf(response) }).toEqual({ status, code });
      expect(headersOf(response)).toEqual(expect.arrayContaining(requiredHeaders(reply)));
      expect(mediaTypeOf(response)).toBe(content?.[0]);
      expect(faultsBy(content?.[1].schema ?? { not: {} }, response.json())).toEqual([]);
    });
  }
});

function expectDocumented(
  response: LightMyRequestResponse,
  [mediaType, { schema }]: [string, { schema: object }],
): void {
  expect(mediaTypeOf(response)).toBe(mediaType);
  const body: unknown = mediaType === 'application/json' ? response.json() : response.body;
  expect(faultsBy(schema, body)).toEqual([]);
}

/** Changes for successes that the examples alone do not reach. */
const successes: Readonly<Record<string, (seeds: Seeds) => Change>> = {
  'registerDevice 200': ({ pushToken }) => ({
    body: JSON.stringify({ device: { platform: 'Android', push_token: pushToken } }),
  }),
  // A key cannot give more than it has, so one that has only `admin` can give no role.
  'registerDeviceToken 204': ({ iosDeviceId }) => ({ ids: { [DEVICE_ID]: iosDeviceId } }),
  'inviteConsoleUser 201': () => ({
    key: api.app.keys.every,
    body: JSON.stringify({ user: { name: randomUUID(), role: 'admin' } }),
  }),
  'changeConsoleUser 200': () => ({ key: api.app.keys.every }),
  'removeConsoleUser 204': () => ({ key: api.app.keys.every }),
  'inviteConsoleUserAgain 201': () => ({ key: api.app.keys.every }),
  'resetConsoleUserSecondFactor 204': () => ({ key: api.app.keys.every }),
  'storeApnsCredentials 200': ({ credentials }) => ({ body: credentials['storeApnsCredentials'] ?? '' }),
  'storeFcmCredentials 200': ({ credentials }) => ({ body: credentials['storeFcmCredentials'] ?? '' }),
  'createChannel 201': () => ({
    body: JSON.stringify({ channel: { key: randomUUID(), environment: 'production' } }),
  }),
  'createChannel 200': ({ channelId }) => ({ body: JSON.stringify({ channel: { key: channelId } }) }),
  'deleteChannel 202': ({ spareChannelId }) => {
    refuseNextChannel(503, 'ServiceUnavailable');
    return { ids: { [CHANNEL_ID]: spareChannelId } };
  },
  // Unlike the example, it names no state that was read.
  'editAudience 200': () => ({
    body: JSON.stringify({ audience: { name: 'Edited', filters: [{ name: 'badge', criteria: [2] }] } }),
  }),
  'readReadiness 503': () => ({ server: 'cut off' }),
  'watchNotification 200': ({ canceledId }) => ({ ids: { [NOTIFICATION_ID]: canceledId } }),
};

const SAMPLE_IDS = [
  DEVICE_ID,
  NOTIFICATION_ID,
  AUDIENCE_ID,
  USER_ID,
  WEBHOOK_ID,
  CHANNEL_ID,
  CONSOLE_USER_ID,
  KEY_ID,
];

/** Provokes each refusal. */
const refusals: Readonly<Record<ErrorCode, (call: DocumentedCall, seeds: Seeds) => Change>> = {
  invalid_http: notOfACall,
  invalid_json: () => ({ body: '[' }),
  invalid_header: () => ({ headers: { 'idempotency-key': 'two words' } }),
  unauthorized: () => ({ key: '' }),
  forbidden: (_call, { keyWithTheOtherScopes }) => ({ key: keyWithTheOtherScopes }),
  user_not_verified: ({ id }, { demanding: { key, deviceId } }) => ({
    key,
    ids: { [DEVICE_ID]: deviceId },
    ...(id === 'updateDevice' && { body: JSON.stringify({ device: { user_id: USER_ID } }) }),
  }),
  not_found: ({ id }) => ({
    ids: {
      ...Object.fromEntries(SAMPLE_IDS.map((sample) => [sample, NO_ID])),
      ...(id === 'resumeRoute' && { fcm: 'pigeons' }),
    },
    ...(/^remove.*Credentials$/.test(id) && { query: 'environment=sandbox' }),
    ...(id.startsWith('createNotification') && {
      headers: { 'idempotency-key': randomUUID() },
      body: JSON.stringify({ notification: { to: NO_ID, payload: { alert: 'hello' } } }),
    }),
    ...(id === 'planNotificationWaves' && {
      body: JSON.stringify({ notification: { to: NO_ID, payload: { alert: 'hello' } } }),
    }),
    ...(id.startsWith('countNotification') && { body: JSON.stringify({ to: NO_ID }) }),
  }),
  method_not_allowed: notOfACall,
  request_timeout: notOfACall,
  idempotency_key_reused: (_call, { idempotencyKey }) => ({ headers: { 'idempotency-key': idempotencyKey } }),
  audience_in_use: (_call, { audienceInUseId }) => ({ ids: { [AUDIENCE_ID]: audienceInUseId } }),
  audience_built_in: (_call, { builtInAudienceId }) => ({ ids: { [AUDIENCE_ID]: builtInAudienceId } }),
  audience_not_named: (_call, { audienceInUseId }) => ({ ids: { [AUDIENCE_ID]: audienceInUseId } }),
  audience_changed: () => ({
    body: JSON.stringify({
      audience: { name: 'Another name', filters: [{ name: 'badge', criteria: [1] }] },
      if_updated_at: '2020-01-01T00:00:00.000Z',
    }),
  }),
  credentials_refused: ({ id }) => ({ body: refusedCredentials(id) }),
  channel_differs: (_call, { channelId }) => ({
    body: JSON.stringify({ channel: { key: channelId, storage: 'none' } }),
  }),
  channel_limit: () => {
    refuseNextChannel(400, 'CannotCreateChannelConfig');
    return { body: JSON.stringify({ channel: { key: randomUUID() } }) };
  },
  channel_not_open: (_call, { endedChannelId }) => ({ ids: { [CHANNEL_ID]: endedChannelId } }),
  broadcast_outdated: () => ({
    body: JSON.stringify({ broadcast: { event: 'update', content_state: {}, timestamp: '2026-01-01' } }),
  }),
  gateway_refused: ({ id }, { endedChannelId }) => {
    refuseNextChannel(400, 'FeatureNotEnabled');
    return {
      ids: { [CHANNEL_ID]: endedChannelId },
      ...(id === 'createChannel' && { body: JSON.stringify({ channel: { key: randomUUID() } }) }),
    };
  },
  already_ended: (_call, { canceledId }) => ({ ids: { [NOTIFICATION_ID]: canceledId } }),
  last_admin: (_call, { onlyAdminId }) => ({ ids: { [CONSOLE_USER_ID]: onlyAdminId } }),
  user_elsewhere: (_call, { userElsewhereId }) => ({ ids: { [CONSOLE_USER_ID]: userElsewhereId } }),
  body_too_large: ({ id }) => ({
    body: Buffer.alloc((id === 'createNotifications' ? 8 : 1) * 1024 * 1024 + 1, ' '),
  }),
  unsupported_media_type: () => ({ headers: { 'content-type': 'text/plain' } }),
  invalid_request: ({ operation }) => {
    const name = operation.parameters.find(({ in: place }) => place === 'query')?.name;
    if (name !== undefined) return { query: `${name}=` };
    return operation.requestBody?.content['application/json'] === undefined
      ? { query: 'nothing=1' }
      : { body: '{}' };
  },
  payload_too_large: ({ id }) => ({
    body: JSON.stringify(
      id === 'broadcastToChannel'
        ? { broadcast: { event: 'update', content_state: { text: 'x'.repeat(5_100) } } }
        : { notification: { to: '*', payload: { alert: 'x'.repeat(5_000) } } },
    ),
  }),
  rate_limited: () => ({ server: 'guessed at', key: '' }),
  headers_too_large: notOfACall,
  device_erased: (call, { erasedDeviceId }) =>
    call.id === 'registerDevice'
      ? { body: JSON.stringify({ device: { platform: 'Android', push_token: 'new', id: erasedDeviceId } }) }
      : { ids: { [DEVICE_ID]: erasedDeviceId } },
  internal: () => ({ server: 'broken' }),
  unavailable: () => ({ server: 'cut off' }),
};

/** A key with that permission alone; '' if that is not a permission. */
function keyWith(permission: string): string {
  return Object.entries(api.app.keys).find(([name]) => name === permission)?.[1] ?? '';
}

function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(catalogue, name);
}

function notOfACall(): never {
  throw new Error('no call documents this refusal, so nothing here provokes it');
}

async function send(
  call: DocumentedCall,
  seeds: Seeds,
  { server = 'whole', key = api.app.keys.every, ids, ...change }: Change,
): Promise<LightMyRequestResponse> {
  const existing = {
    [DEVICE_ID]: seeds.deviceId,
    [AUDIENCE_ID]: seeds.audienceId,
    [NOTIFICATION_ID]: seeds.notificationId,
    [WEBHOOK_ID]: seeds.webhookId,
    [CHANNEL_ID]: seeds.channelId,
    [CONSOLE_USER_ID]: seeds.consoleUserId,
    [DELIVERY_ID]: seeds.deliveryId,
    [KEY_ID]: seeds.keyId,
  };
  const opened = servers.get(server);
  if (opened === undefined) throw new Error('servers run only while tests do');
  return opened.inject(exampleRequest(call, key, { ids: { ...existing, ...ids }, ...change }));
}

function headersOf(response: LightMyRequestResponse): string[] {
  return Object.keys(response.headers);
}

function mediaTypeOf(response: LightMyRequestResponse): string {
  return String(response.headers['content-type']).split(';')[0] ?? '';
}

function codeOf(response: LightMyRequestResponse): unknown {
  return z.object({ code: z.string() }).parse(response.json()).code;
}
