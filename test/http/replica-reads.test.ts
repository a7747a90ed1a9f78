/** Which database answers: here the replica is another database, which lacks everything but the app. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Replica } from '../../src/db/replica/replica.ts';
import type { Database } from '../../src/db/tables.ts';
import { observeNothing } from '../../src/observe.ts';
import { useTestDatabase } from '../support/database.ts';
import { type Call, callServer, useApi } from './api.ts';
import { insertDevices } from '../support/simulated-app.ts';
import type { Kysely } from 'kysely';

const api = useApi();
const replica = useTestDatabase();
const DEVICES = 3;
const EVERYBODY = [{ name: 'tags', criteria: ['none'], not_filter: true }];

let server: FastifyInstance;
let notificationId: string;
/** What the next calls find. */
let lagMs: number | undefined;

beforeAll(async () => {
  const { id } = api.app;
  await sql`insert into apps (id, bundle_id, name, created_at) values (${id}, 'app', 'App', now())`.execute(
    replica.db,
  );
  await insertDevices(api.db, id, DEVICES);
  server = api.openServer({ replica: replicaOf(replica.db), countMaxAgeMs: 0 });
  notificationId = await api.newNotification();
});

function replicaOf(db: Kysely<Database>): Replica {
  return { db, lagMs: () => lagMs, snapshot: () => randomUUID(), close: async () => undefined };
}

async function call(address: string, sent: Call = {}, by = server) {
  const { status, body, headers } = await callServer(by, address, { key: api.app.keys.every, ...sent });
  return { status, body, readFrom: headers['carillon-read-from'], lag: headers['carillon-replica-lag'] };
}

describe('with a replica that is 412 ms behind', () => {
  test.each([
    ['GET /v6/notifications', { notifications: [] }],
    ['GET /v6/audiences', { audiences: [] }],
    ['GET /v6/overview', {}],
    ['GET /v6/audit', {}],
    ['POST /v6/audiences/count', { device_count: 0 }],
  ])('%s is answered from the replica, and says so', async (address, body) => {
    lagMs = 411.6;
    const reply = await call(address, address.startsWith('POST') ? { body: { filters: EVERYBODY } } : {});
    expect(reply).toMatchObject({ status: 200, body, readFrom: 'replica', lag: '0.412' });
  });

  test('the primary answers a caller that asks for it', async () => {
    lagMs = 10;
    const headers = { 'carillon-read-from': 'primary' };
    const counted = await call('POST /v6/audiences/count', { body: { filters: EVERYBODY }, headers });
    expect(counted).toMatchObject({ body: { device_count: DEVICES }, readFrom: 'primary', lag: undefined });
  });

  test('a new notification is found by its id at the primary', async () => {
    lagMs = 10;
    const one = await call(`GET /v6/notifications/${notificationId}`);
    expect(one).toMatchObject({ status: 200, readFrom: 'primary' });
    const report = await call(`GET /v6/notifications/${notificationId}/report`);
    expect(report).toMatchObject({ status: 200, readFrom: 'primary', lag: undefined });
    const missing = await call(`GET /v6/notifications/${randomUUID()}/report`);
    expect(missing.status).toBe(404);
  });
});

describe('reads without the replica', () => {
  test('the primary answers while the replica is too old', async () => {
    lagMs = undefined;
    const listed = await call('GET /v6/notifications');
    expect(listed).toMatchObject({ body: { notifications: [{ id: notificationId }] }, readFrom: 'primary' });
  });

  test('the primary answers when the replica fails', async () => {
    lagMs = 10;
    const connectionString = 'postgres://127.0.0.1:9/none';
    const broken = connectDatabase({ connectionString, observe: observeNothing });
    const failing = api.openServer({ replica: replicaOf(broken) });
    expect(await call('GET /v6/notifications', {}, failing)).toMatchObject({
      body: { notifications: [{ id: notificationId }] },
      readFrom: 'primary',
      lag: undefined,
    });
    await broken.destroy();
  });
});
