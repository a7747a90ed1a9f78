/** Which database answers: here the replica is another database, which lacks everything but the app. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { insertDevices } from '../support/simulated-app.ts';
import type { Kysely } from 'kysely';

const primary = useTestDatabase();
const replica = useTestDatabase();
const queue = openInProcessQueue({ observe: observeNothing });
const DEVICES = 3;
const EVERYBODY = [{ name: 'tags', criteria: ['none'], not_filter: true }];

let server: FastifyInstance;
let authorization: string;
let notificationId: string;
/** What the next calls find. */
let lagMs: number | undefined;
let replicaDb: Kysely<Database>;

beforeAll(async () => {
  const { id } = await insertApp(primary.db);
  await sql`insert into apps (id, bundle_id, name, created_at) values (${id}, 'app', 'App', now())`.execute(
    replica.db,
  );
  await insertDevices(primary.db, id, DEVICES);
  const { key } = await createApiKey(
    primary.db,
    { appId: id, scopes: ['read', 'write', 'admin'] },
    systemClock,
  );
  authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
  replicaDb = replica.db;
  server = buildServer({
    db: primary.db,
    replica: {
      get db() {
        return replicaDb;
      },
      lagMs: () => lagMs,
      snapshot: () => randomUUID(),
      close: async () => undefined,
    },
    queue,
    clock: systemClock,
    secret: testSecret,
    observe: observeNothing,
    countMaxAgeMs: 0,
  });
  const created = await call('POST', '/v6/notifications', {
    body: { notification: { to: '*', payload: { alert: 'Hello' } } },
  });
  notificationId = z.object({ id: z.string() }).parse(created.body).id;
});
afterAll(async () => {
  await server.close();
  await queue.close();
});

async function call(
  method: 'GET' | 'POST',
  url: string,
  { body, headers }: { body?: object; headers?: Record<string, string> } = {},
) {
  const reply = await server.inject({
    method,
    url,
    headers: { authorization, ...headers },
    ...(body !== undefined && { payload: body }),
  });
  const { 'carillon-read-from': readFrom, 'carillon-replica-lag': lag } = reply.headers;
  const json: unknown = reply.body.startsWith('{') ? reply.json() : reply.body;
  return { status: reply.statusCode, body: json, readFrom, lag };
}

describe('with a replica that is 412 ms behind', () => {
  test.each([
    ['GET', '/v6/notifications', { notifications: [] }],
    ['GET', '/v6/audiences', { audiences: [] }],
    ['GET', '/v6/overview', undefined],
    ['GET', '/v6/audit', undefined],
    ['POST', '/v6/audiences/count', { device_count: 0 }],
  ] as const)('%s %s is answered from the replica, and says so', async (method, url, body) => {
    lagMs = 411.6;
    const reply = await call(method, url, method === 'POST' ? { body: { filters: EVERYBODY } } : {});
    expect(reply).toMatchObject({ status: 200, readFrom: 'replica', lag: '0.412' });
    if (body !== undefined) expect(reply.body).toMatchObject(body);
  });

  test('the primary answers a caller that asks for it', async () => {
    lagMs = 10;
    const headers = { 'carillon-read-from': 'primary' };
    const counted = await call('POST', '/v6/audiences/count', { body: { filters: EVERYBODY }, headers });
    expect(counted).toMatchObject({ body: { device_count: DEVICES }, readFrom: 'primary', lag: undefined });
  });

  test('a new notification is found by its id at the primary', async () => {
    lagMs = 10;
    const one = await call('GET', `/v6/notifications/${notificationId}`);
    expect(one).toMatchObject({ status: 200, readFrom: 'primary' });
    const report = await call('GET', `/v6/notifications/${notificationId}/report`);
    expect(report).toMatchObject({ status: 200, readFrom: 'primary', lag: undefined });
    const missing = await call('GET', `/v6/notifications/${randomUUID()}/report`);
    expect(missing.status).toBe(404);
  });
});

describe('reads without the replica', () => {
  test('the primary answers while the replica is too old', async () => {
    lagMs = undefined;
    const listed = await call('GET', '/v6/notifications');
    expect(listed).toMatchObject({ body: { notifications: [{ id: notificationId }] }, readFrom: 'primary' });
  });

  test('the primary answers when the replica fails', async () => {
    lagMs = 10;
    const connectionString = 'postgres://127.0.0.1:9/none';
    const broken = connectDatabase({ connectionString, observe: observeNothing });
    const failing = buildServer({
      db: primary.db,
      replica: { db: broken, lagMs: () => 10, snapshot: () => '', close: async () => undefined },
      queue,
      clock: systemClock,
      secret: testSecret,
      observe: observeNothing,
    });
    try {
      const reply = await failing.inject({
        method: 'GET',
        url: '/v6/notifications',
        headers: { authorization },
      });
      expect(reply.json()).toMatchObject({ notifications: [{ id: notificationId }] });
      expect(reply.headers).toMatchObject({ 'carillon-read-from': 'primary' });
      expect(reply.headers).not.toHaveProperty('carillon-replica-lag');
    } finally {
      await failing.close();
      await broken.destroy();
    }
  });
});
