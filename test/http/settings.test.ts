/** Keys, credentials and webhooks over the API: what is stored, what is shown once, and what is recorded. */
import { generateKeyPairSync } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { auditListReply } from '../../src/audit/list.ts';
import { storePause } from '../../src/delivery/routes/route-store.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { newAppleId } from '../support/simulated-app.ts';
import { callServer, gatewayAddressesOf, idIn, type Reply, useApi } from './api.ts';

const api = useApi();
let simulator: Simulator;
let server: FastifyInstance;

beforeAll(async () => {
  simulator = await startSimulator();
  server = api.openServer({ gatewayAddresses: gatewayAddressesOf(simulator) });
});

afterAll(async () => simulator.close());

async function call(address: string, body?: unknown, key = api.app.keys.admin): Promise<Reply> {
  return callServer(server, address, { key, body });
}

async function newestEntry() {
  const { body } = await call('GET /v6/audit?per=1');
  return auditListReply.parse(body).entries[0];
}

const createdKey = z.object({ key: z.object({ id: z.string(), secret: z.string() }) });

describe('Keys', () => {
  test('a new key is shown once, works, and is refused when revoked', async () => {
    const created = await call('POST /v6/keys', { key: { name: ' back end ', scopes: ['write', 'read'] } });
    expect(created.status).toBe(201);
    const { id, secret } = createdKey.parse(created.body).key;
    expect(created.body).toMatchObject({ key: { name: 'back end', scopes: ['read', 'write'] } });
    expect((await call('GET /v6/audiences', undefined, secret)).status).toBe(200);
    const listed = await call('GET /v6/keys');
    expect(listed.body).toMatchObject({ keys: expect.arrayContaining([expect.objectContaining({ id })]) });
    expect(JSON.stringify(listed.body)).not.toContain(secret);

    expect((await call(`DELETE /v6/keys/${id}`)).status).toBe(204);
    expect((await call(`DELETE /v6/keys/${id}`)).status).toBe(204);
    expect(await newestEntry()).toMatchObject({ action: 'key.revoked', object_id: id });
    expect(JSON.stringify((await call('GET /v6/audit')).body)).not.toContain(secret);
    expect((await call('GET /v6/audiences', undefined, secret)).status).toBe(401);
  });

  test('a key of an app lists and revokes only the keys of that app', async () => {
    const theirs = await call('POST /v6/keys', { key: { scopes: ['read'] } }, api.otherApp.keys.admin);
    const { id } = createdKey.parse(theirs.body).key;
    expect(JSON.stringify((await call('GET /v6/keys')).body)).not.toContain(id);
    expect((await call(`DELETE /v6/keys/${id}`)).status).toBe(404);
    expect((await call('DELETE /v6/keys/none')).status).toBe(404);
  });

  test.each([
    [{ scopes: [] }, 'key.scopes'],
    [{ scopes: ['everything'] }, 'key.scopes[0]'],
    [{ scopes: ['read'], name: '' }, 'key.name'],
    [{ scopes: ['read'], name: 'two\nlines' }, 'key.name'],
    [{ scopes: ['read'], name: 'x'.repeat(101) }, 'key.name'],
    [{ scopes: ['read'], secret: 'mine' }, 'key.secret'],
  ])('a new key with the body %j is refused', async (key, path) => {
    const { status, body } = await call('POST /v6/keys', { key });
    expect({ status, body }).toMatchObject({ status: 422, body: { details: [{ path }] } });
  });
});

function appleKey() {
  const ids = { keyId: newAppleId(), teamId: newAppleId() };
  const { keyId, teamId, privateKeyPem } = simulator.apple.createKey({ ...ids, bundleId: api.app.bundleId });
  return { key_id: keyId, team_id: teamId, private_key: privateKeyPem };
}

describe('Credentials', () => {
  test('a key that Apple accepts is stored, listed without its secret, replaced, and removed', async () => {
    const key = appleKey();
    expect(await call('PUT /v6/credentials/apns', { credentials: key })).toMatchObject({
      status: 200,
      body: { checked: true, good_for: ['production', 'sandbox'] },
    });
    expect(await newestEntry()).toMatchObject({ action: 'credentials.set', object_id: 'apns' });
    const { body } = await call('GET /v6/credentials');
    expect(body).toMatchObject({
      credentials: [
        { gateway: 'apns', environment: 'all', readable: true, key_id: key.key_id, team_id: key.team_id },
      ],
      routes: [
        { route: 'apns_production', credentials: 'all', works: false, pause: null },
        { route: 'apns_sandbox', credentials: 'all' },
        { route: 'fcm', credentials: null },
        { route: 'web_push', credentials: null },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('PRIVATE KEY');

    expect((await call('DELETE /v6/credentials/apns?environment=sandbox')).status).toBe(404);
    expect((await call('DELETE /v6/credentials/apns')).status).toBe(204);
    expect(await newestEntry()).toMatchObject({
      action: 'credentials.removed',
      object_id: 'apns',
      after: null,
    });
    expect((await call('GET /v6/credentials')).body).toMatchObject({ credentials: [] });
  });

  test('a key that Apple refuses is not stored, unless the check is left out', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const key = { key_id: newAppleId(), team_id: newAppleId(), private_key: pem };
    const refused = await call('PUT /v6/credentials/apns', { credentials: key });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'credentials_refused', error: expect.stringContaining('InvalidProviderToken') },
    });
    expect(JSON.stringify(refused.body)).not.toContain(pem.split('\n')[1]);
    expect((await call('GET /v6/credentials')).body).toMatchObject({ credentials: [] });
    const unchecked = await call('PUT /v6/credentials/apns', { credentials: { ...key, check: false } });
    expect(unchecked).toMatchObject({ status: 200, body: { checked: false, good_for: null } });
    await call('DELETE /v6/credentials/apns');
  });

  test('a service account is stored once Google accepts it', async () => {
    const account = simulator.google.createServiceAccount({ projectId: 'simulated' });
    const stored = await call('PUT /v6/credentials/fcm', { credentials: { service_account: account } });
    expect(stored).toMatchObject({ status: 200, body: { checked: true, good_for: null } });
    const { body } = await call('GET /v6/credentials');
    expect(body).toMatchObject({
      credentials: [{ gateway: 'fcm', project_id: 'simulated', identity: 'key' }],
    });
    expect(JSON.stringify(body)).not.toMatch(/PRIVATE KEY|@/);
    await call('DELETE /v6/credentials/fcm');
  });

  test('a server that does not know the gateways stores nothing unchecked by mistake', async () => {
    const { status, body } = await api.call('PUT /v6/credentials/apns', {
      body: { credentials: appleKey() },
    });
    expect({ status, body }).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await call('GET /v6/credentials')).body).toMatchObject({ credentials: [] });
  });

  test.each([
    ['apns', { key_id: 'short', team_id: 'KLMNOPQRST', private_key: 'none' }, 'credentials'],
    ['apns', { key_id: 'ABCDEFGHIJ', team_id: 'KLMNOPQRST' }, 'credentials.private_key'],
    ['fcm', {}, 'credentials'],
    ['fcm', { project_id: 'my-project', service_account: {} }, 'credentials'],
    ['fcm', { project_id: 'NO' }, 'credentials.project_id'],
    ['fcm', { service_account: { type: 'user' } }, 'credentials.service_account'],
    ['fcm', { service_account: 'text' }, 'credentials.service_account'],
    ['web_push', {}, 'credentials.subject'],
    ['web_push', { subject: 'push@example.com' }, 'credentials.subject'],
    ['web_push', { subject: 'mailto:push@example.com', url: 'javascript:1' }, 'credentials.url'],
    ['web_push', { subject: 'mailto:push@example.com', private_key: 'abc' }, 'credentials.private_key'],
  ])('the credentials for %s, %j, are refused', async (gateway, credentials, path) => {
    const { status, body } = await call(`PUT /v6/credentials/${gateway}`, { credentials });
    expect({ status, body }).toMatchObject({ status: 422, body: { details: [{ path }] } });
  });

  test('a paused route says why, and is resumed on record', async () => {
    await call('PUT /v6/credentials/apns', { credentials: appleKey() });
    const notificationId = await api.newNotification();
    const { version } = await api.db
      .selectFrom('gateway_credentials')
      .select('version')
      .where('app_id', '=', api.app.id)
      .executeTakeFirstOrThrow();
    const key = { appId: api.app.id, route: 'apns_production', version } as const;
    const reason = 'credentials that worked before are refused (ExpiredProviderToken)';
    const pause = { cause: 'credentials', reason, notificationId } as const;
    await storePause(api.db, key, pause, new Date('2026-11-23T12:00:00Z'));
    expect((await call('GET /v6/credentials')).body).toMatchObject({
      routes: [
        {
          route: 'apns_production',
          pause: { cause: 'credentials', reason, since: '2026-11-23T12:00:00.000Z' },
        },
        { pause: null },
        { pause: null },
        { pause: null },
      ],
    });
    expect((await call('POST /v6/routes/apns_production/resume')).body).toEqual({ was_paused: true });
    expect(await newestEntry()).toMatchObject({
      action: 'route.resumed',
      object_id: 'apns_production',
      before: { pause: 'credentials', reason },
    });
    expect((await call('POST /v6/routes/apns_production/resume')).body).toEqual({ was_paused: false });
  });
});

describe('Webhooks', () => {
  test('an event that failed is due again, under the same id', async () => {
    const webhook = { url: 'https://example.com/hook', events: ['notification.sent'] };
    const webhookId = idIn(await api.call('POST /v6/webhooks', { body: { webhook } }));
    const id = idIn(await api.call(`POST /v6/webhooks/${webhookId}/test`));
    await api.db
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', attempt: 7, last_status: 500, ended_at: new Date() })
      .where('id', '=', id)
      .execute();
    const again = `POST /v6/webhooks/${webhookId}/deliveries/${id}/retry`;
    expect(await api.call(again)).toMatchObject({ status: 202, body: { id } });
    expect((await api.call(`GET /v6/webhooks/${webhookId}/deliveries`)).body).toMatchObject({
      deliveries: [{ id, state: 'waiting', attempts: 7, last_status: 500, ended_at: null }],
    });
    expect(await newestEntry()).toMatchObject({
      action: 'webhook.event_sent_again',
      object_id: webhookId,
      before: { event: id, state: 'failed', attempt: 7 },
    });
    expect((await api.call(`POST /v6/webhooks/${webhookId}/deliveries/none/retry`)).status).toBe(404);
    expect((await api.call(again, { key: api.app.keys.read })).status).toBe(403);
  });
});
