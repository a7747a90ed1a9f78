/**
 * Every call that needs a key is made with the key of one app and the ids of another, both ways round and with
 * an id of either at each place, and neither shows nor changes anything of the other app.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
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
} from '../../src/http/calls/samples.ts';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { insertUser } from '../console/browser.ts';
import { basic, idIn, type TestApp, useApi } from './api.ts';
import { type DocumentedCall, documentedCalls, scopesOf } from './openapi/document.ts';
import { type Change, exampleRequest } from './openapi/example-request.ts';

const api = useApi();

/** All that leads into an app: ids, tokens, cursors and keys, none of which the other app has. */
type Belongings = Awaited<ReturnType<typeof furnish>>;

const owners = new Map<string, Belongings>();
let requests = 0;

async function furnish(name: string, app: TestApp) {
  const key = app.keys.every;
  const userId = `${name}-user`;
  const pushToken = `${name}-token-${randomUUID()}`;
  const idempotencyKey = `${name}-${randomUUID()}`;
  const device = {
    push_token: pushToken,
    user_id: userId,
    user_email: `${name}@example.com`,
    custom: { secret: { type: 'string', value: `${name}-custom` } },
  };
  const deviceId = await api.newDevice(device, key);
  const filters = [{ name: 'user_id', criteria: [userId] }];
  const named = { audience: { name: `${name}-audience`, filters } };
  const audienceId = idIn(await api.call('POST /v6/audiences', { key, body: named }));
  const notification = { to: audienceId, payload: { alert: `${name}-alert` } };
  const created = await api.call('POST /v6/notifications', {
    key,
    body: { notification },
    headers: { 'idempotency-key': idempotencyKey },
  });
  const notificationId = idIn(created);
  const { created_at } = z.object({ created_at: z.string() }).parse(created.body);
  const hook = { url: `https://${name}.example.com/hook`, events: ['notification.sent'] };
  const webhookId = idIn(await api.call('POST /v6/webhooks', { key, body: { webhook: hook } }));
  const deliveryId = idIn(await api.call(`POST /v6/webhooks/${webhookId}/test`, { key }));
  const { id: keyId } = await createApiKey(
    api.db,
    { appId: app.id, scopes: ['read'], name: `${name}-key` },
    systemClock,
  );
  const consoleUserId = await insertUser(api.db, systemClock, {
    name: `${name}-viewer`,
    roles: { [app.id]: 'viewer' },
  });
  const channelId = randomUUID();
  await api.db
    .insertInto('channels')
    .values({
      app_id: app.id,
      id: channelId,
      environment: 'production',
      key: `${name}-channel`,
      storage: 'latest',
      state: 'open',
      apns_channel_id: `${name}-at-apple`,
      created_at: systemClock(),
      used_at: systemClock(),
    })
    .execute();
  return {
    channelId,
    consoleUserId,
    app,
    deviceId,
    userId,
    pushToken,
    audienceId,
    notificationId,
    webhookId,
    deliveryId,
    keyId,
    idempotencyKey,
    /** Of the devices of the audience, after the device. */
    deviceCursor: Buffer.from(deviceId).toString('base64url'),
    notificationCursor: Buffer.from(`${created_at} ${notificationId}`).toString('base64url'),
  };
}

/** Those with data of apps. */
let tables: string[];

beforeAll(async () => {
  const { rows } = await sql<{ table: string }>`
    select table_name as "table" from information_schema.columns
    where table_schema = 'public' and column_name = 'app_id' order by 1`.execute(api.db);
  tables = rows.map(({ table }) => table);
  owners.set('first', await furnish('first', api.app));
  owners.set('other', await furnish('other', api.otherApp));
});

afterAll(() => process.stdout.write(`the test with foreign keys and ids made ${requests} requests\n`));

function belongings(name: string): Belongings {
  const found = owners.get(name);
  if (found === undefined) throw new Error('the apps are there only while tests run');
  return found;
}

/** Everything of the app in every table, as text. */
async function contentsOf({ id }: TestApp): Promise<string> {
  const contents = tables.map((table) => {
    // The last use of a key may change.
    const rows = sql`
      select (to_jsonb(it) - 'last_used_at')::text as row from ${sql.table(table)} as it where app_id = ${id}`;
    return sql`(select string_agg(row, ';' order by row) from (${rows}) as rows) as ${sql.ref(table)}`;
  });
  const { rows } = await sql<object>`select ${sql.join(contents)}`.execute(api.db);
  return JSON.stringify(rows);
}

/** Texts that occur only in the data of an app. */
function secretsOf(name: string, { app, ...texts }: Belongings): string[] {
  return [
    ...Object.values(texts),
    app.id,
    app.bundleId,
    `${name}@example.com`,
    ...['custom', 'audience', 'alert', 'viewer', 'channel', 'at-apple', 'key'].map(
      (what) => `${name}-${what}`,
    ),
    `${name}.example.com`,
  ];
}

interface Request extends Change {
  ids: Record<string, string>;
}

async function send(call: DocumentedCall, key: string, request: Request) {
  requests++;
  const values = { cursor: request.ids['cursor'] ?? '', 'Idempotency-Key': randomUUID() };
  const { statusCode, body } = await api.server.inject(exampleRequest(call, key, { values, ...request }));
  return { status: statusCode, text: body };
}

/** Path parameters that name nothing of an app. */
const OF_NO_APP: ReadonlySet<string> = new Set(['route', 'token_type', 'token_name']);

/** Every way in which a call can name something; `own` and `foreign` are apps. */
function requestsOf(call: DocumentedCall, own: Belongings, foreign: Belongings): Request[] {
  const places = [
    { sample: DEVICE_ID, own: own.deviceId, foreign: foreign.deviceId },
    { sample: AUDIENCE_ID, own: own.audienceId, foreign: foreign.audienceId },
    { sample: NOTIFICATION_ID, own: own.notificationId, foreign: foreign.notificationId },
    { sample: USER_ID, own: own.userId, foreign: foreign.userId },
    { sample: CHANNEL_ID, own: own.channelId, foreign: foreign.channelId },
    { sample: WEBHOOK_ID, own: own.webhookId, foreign: foreign.webhookId },
    { sample: CONSOLE_USER_ID, own: own.consoleUserId, foreign: foreign.consoleUserId },
    { sample: DELIVERY_ID, own: own.deliveryId, foreign: foreign.deliveryId },
    { sample: KEY_ID, own: own.keyId, foreign: foreign.keyId },
  ];
  for (const { name, in: place, example } of call.operation.parameters) {
    if (place !== 'path' || OF_NO_APP.has(name) || places.some(({ sample }) => sample === example)) continue;
    throw new Error(`there is no value for {${name}}: give each app one`);
  }
  const body = call.operation.requestBody?.content['application/json']?.example;
  const named = JSON.stringify([call.operation.parameters, call.path.includes('{user_id}') ? '' : body]);
  // A device may have any user id, also one that another app uses.
  const used = places.filter(
    ({ sample }) => named.includes(sample) && (sample !== USER_ID || call.path.includes('{user_id}')),
  );
  const cursor = call.path.includes('audiences') ? foreign.deviceCursor : foreign.notificationCursor;
  const all: Request[] = [];
  // Each combination of own and foreign with something foreign in it; a call without a place is made once.
  for (let mask = used.length === 0 ? 0 : 1; mask < 2 ** used.length; mask++) {
    const ids = used.map((place, at): [string, string] => [
      place.sample,
      (mask >> at) % 2 === 1 ? place.foreign : place.own,
    ]);
    all.push({ ids: { ...Object.fromEntries(ids), cursor } });
  }
  return all;
}

/** The foreign part of these is not an id of a sample. */
const more: Readonly<Record<string, (foreign: Belongings) => Request[]>> = {
  createNotification: targets,
  createNotificationV5: targets,
  createNotificationV3: targets,
  registerDevice: ({ pushToken }) => [
    { ids: {}, body: JSON.stringify({ device: { platform: 'Android', push_token: pushToken } }) },
  ],
  updateDevice: ({ pushToken, deviceId }) => [
    { ids: {}, body: JSON.stringify({ device: { push_token: pushToken, id: deviceId } }) },
  ],
  importDevices: ({ pushToken, deviceId }) => [
    {
      ids: {},
      body: `${JSON.stringify({ platform: 'Android', push_token: pushToken, id: deviceId })}\n`,
    },
  ],
  countAudience: ({ deviceId }) => [{ ids: {}, body: JSON.stringify({ filters: byDevice(deviceId) }) }],
  createAudience: ({ deviceId }) => [
    { ids: {}, body: JSON.stringify({ audience: { name: 'theirs', filters: byDevice(deviceId) } }) },
  ],
};

function targets({ audienceId, deviceId, idempotencyKey }: Belongings): Request[] {
  const payload = { alert: 'hello' };
  return [
    ...[audienceId, { audience: audienceId }, byDevice(deviceId), '*'].map((to) => ({
      ids: {},
      body: JSON.stringify({ notification: { to, payload } }),
    })),
    { ids: {}, headers: { 'idempotency-key': idempotencyKey } },
  ];
}

function byDevice(id: string): object[] {
  return [{ name: 'device_id', criteria: [id] }];
}

/** The same with ids that nobody has for those of the other app. */
function withoutOwner({ ids }: Request, { userId, ...foreign }: Belongings): Request {
  const theirs = new Set<unknown>([userId, ...Object.values(foreign)]);
  const others = Object.entries(ids).map(([sample, id]) => [sample, theirs.has(id) ? randomUUID() : id]);
  return { ids: { ...Object.fromEntries(others), cursor: ids['cursor'] ?? '' } };
}

function unnamed(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');
}

const walked = documentedCalls.filter((call) => scopesOf(call).length > 0);

describe.each([
  ['first', 'other'],
  ['other', 'first'],
])('With the key of the %s app and ids of the %s', (ownName, foreignName) => {
  /** An app may be shown what it has said itself, now or before. */
  let said = '';

  test.each(walked)('$method $path reads and changes nothing', async (call) => {
    const own = belongings(ownName);
    const foreign = belongings(foreignName);
    const secrets = secretsOf(foreignName, foreign);
    const before = await contentsOf(foreign.app);
    const made = [...requestsOf(call, own, foreign), ...(more[call.id]?.(foreign) ?? [])];
    expect(made).not.toEqual([]);
    for (const request of made) {
      said += JSON.stringify([request.ids, request.body ?? '']);
      const { status, text } = await send(call, own.app.keys.every, request);
      expect(status, text).not.toBe(500);
      const revealed = secrets.filter((secret) => text.includes(secret) && !said.includes(secret));
      expect(revealed, `${status} ${text}`).toEqual([]);
      if (call.id === 'countAudience') expect(text).toBe('{"device_count":0,"reachable_count":0}');
      if (Object.keys(request.ids).every((sample) => sample === 'cursor')) continue;
      const nobodys = await send(call, own.app.keys.every, withoutOwner(request, foreign));
      expect({ status, text: unnamed(text) }).toEqual({ ...nobodys, text: unnamed(nobodys.text) });
    }
    expect(await contentsOf(foreign.app)).toBe(before);
  });

  test.each(walked)('$method $path is refused under the name of the %s app', async (call) => {
    const own = belongings(ownName);
    const foreign = belongings(foreignName);
    requests++;
    const url = call.path.replaceAll(/\{\w+\}/g, foreign.deviceId);
    const response = await api.server.inject({
      method: call.method.toUpperCase(),
      url,
      headers: { authorization: basic(foreign.app.bundleId, own.app.keys.every) },
    });
    expect(response.statusCode).toBe(401);
  });
});

test('calls that need no key are the only calls left out of these checks', () => {
  const left = documentedCalls.filter((call) => !walked.includes(call)).map(({ path }) => path);
  expect(left.sort()).toEqual(['/docs', '/healthz', '/metrics', '/openapi.json', '/readyz']);
});
