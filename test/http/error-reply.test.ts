import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { sql } from 'kysely';
import { DatabaseError } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import { ApiError } from '../../src/api/errors.ts';
import { loggableError, toApiError } from '../../src/http/error-reply.ts';
import { UnusableJson } from '../../src/json/lossless.ts';
import { observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { callServer, useApi } from './api.ts';
import { closedPort, portOf } from '../support/ports.ts';
import { countStored } from './stored.ts';
import { PATIENCE } from '../support/patience.ts';

function coded(code: string, message = 'x'): Error {
  return Object.assign(new Error(message), { code });
}

function postgresError(code: string, fields: Partial<DatabaseError> = {}): DatabaseError {
  return Object.assign(new DatabaseError('secret words', 12, 'error'), { code, ...fields });
}

describe('The error that a caller gets', () => {
  test.each([
    ['the server refuses connections', coded('ECONNREFUSED')],
    ['every address refuses', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })],
    ['the connection is reset', coded('ECONNRESET')],
    ['the name is not found', coded('ENOTFOUND')],
    ['the connection ends', new Error('Connection terminated unexpectedly')],
    ['connecting takes too long', new Error('Connection terminated due to connection timeout')],
    ['the pool is exhausted', new Error('timeout exceeded when trying to connect')],
    ['the client is broken', new Error('Client has encountered a connection error and is not queryable')],
    ['a reply takes too long', coded('ETIMEDOUT')],
    ['Postgres is shut down by its operator', postgresError('57P01')],
    ['Postgres has crashed', postgresError('57P02')],
    ['Postgres is starting', postgresError('57P03')],
    ['a statement takes too long', postgresError('57014')],
    ['there are too many connections', postgresError('53300')],
    ['the disk is full', postgresError('53100')],
    ['the connection failed', postgresError('08006')],
    ['another transaction was in the way', postgresError('40P01')],
    ['the server is a standby', postgresError('25006')],
  ])('the error is unavailable, with Retry-After, if %s', (_what, error) => {
    expect(toApiError(error)).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 5 });
  });

  test.each([
    ['a bug', new TypeError('secret words')],
    ['a constraint we broke', postgresError('23505')],
    ['a statement we wrote wrong', postgresError('42P01')],
    ['a value we let through', postgresError('22P02')],
    ['a thrown text', 'secret words'],
    ['nothing', undefined],
    ['an unknown refusal of the framework', coded('FST_ERR_REP_ALREADY_SENT', 'secret words')],
  ])('the error is internal, without the cause, for %s', (_what, error) => {
    const failure = toApiError(error);
    expect(failure).toMatchObject({ code: 'internal', status: 500, details: [] });
    expect(failure.message).not.toContain('secret');
  });

  test.each([
    [coded('FST_ERR_BAD_URL'), 'not_found'],
    [coded('FST_ERR_MAX_PARAM_LENGTH'), 'not_found'],
    [coded('FST_ERR_CTP_BODY_TOO_LARGE'), 'body_too_large'],
    [coded('FST_ERR_CTP_INVALID_MEDIA_TYPE'), 'unsupported_media_type'],
    [coded('FST_ERR_CTP_INVALID_CONTENT_LENGTH'), 'invalid_header'],
    [new UnusableJson('a.b', 'no'), 'invalid_request'],
    [new ApiError('device_erased'), 'device_erased'],
    [Object.assign(coded('ECONNRESET'), { statusCode: 400 }), 'invalid_json'],
  ])('the error is a fault of the caller for %s: %s', (error, code) => {
    expect(toApiError(error)).toMatchObject({ code });
  });
});

test('the log has the cause, without the values that Postgres quotes', () => {
  const cause = postgresError('23505', { detail: 'Key (push_token)=(secret) exists', where: 'secret' });
  const logged = loggableError(toApiError(cause));
  expect(logged.message).toBe('Postgres 23505: secret words');
  expect(logged.stack).toMatch(/\n {4}at /);
  expect(Object.values(logged)).toEqual([]);

  const message = 'invalid input syntax for type integer: "a "secret" b"';
  const data = loggableError(toApiError(postgresError('22P02', { message })));
  expect(`${data.message}${data.stack}`).not.toContain('secret');

  const bug = new TypeError('x');
  expect(loggableError(toApiError(bug))).toBe(bug);
});

describe('An internal failure', () => {
  const api = useApi();

  test('an internal failure is answered with 500 without its cause, and observed', async () => {
    await sql`alter table opens rename to gone`.execute(api.db);
    const address = `GET /v6/stats/notifications/${await api.newNotification()}/events`;
    const reply = await api.call(address, { headers: { 'x-request-id': 'ours' } });
    expect(reply).toMatchObject({ status: 500, headers: { 'x-request-id': 'ours' } });
    expect(reply.body).toEqual({
      error: 'The server failed; the cause is in its log, under this request id.',
      code: 'internal',
    });
    expect(api.observations).toContainEqual({
      kind: 'request_failed',
      requestId: 'ours',
      method: 'GET',
      route: '/v6/stats/notifications/:notification_id/events',
      condition: 'wrong_schema',
      error: expect.objectContaining({ message: expect.stringContaining('42P01') }),
    });
    await sql`alter table gone rename to opens`.execute(api.db);
  });
});

describe('A dependency that is down', () => {
  const api = useApi();

  test.each([
    'GET /v6/notifications',
    'POST /v6/notifications',
    'GET /v6/audiences',
    'GET /v6/devices/00000000-0000-4000-8000-000000000000',
  ])('a database that is down makes %s 503 with Retry-After', async (address) => {
    await withDatabaseAt(await closedPort(), async (call) => {
      const reply = await call(address);
      expect(reply).toMatchObject({
        status: 503,
        body: { code: 'unavailable' },
        headers: { 'retry-after': '5' },
      });
    });
  });

  test('a database that is down is named by /readyz, while /healthz stays up', async () => {
    await withDatabaseAt(await closedPort(), async (call) => {
      expect(await call('GET /readyz')).toMatchObject({
        status: 503,
        body: { status: 'down', database: 'down', queue: 'up' },
        headers: { 'retry-after': '5' },
      });
      expect(await call('GET /healthz')).toMatchObject({ status: 200 });
    });
  });

  test('a database that takes connections and never answers is named by /readyz', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    await withDatabaseAt(portOf(silent), async (call) => {
      expect(await call('GET /readyz')).toMatchObject({ status: 503, body: { database: 'down' } });
      for (const socket of sockets) socket.destroy();
    });
    silent.close();
  });

  test('a queue that is down is named by /readyz, which is ready without it', async () => {
    const queue = openInProcessQueue({ observe: observeNothing });
    await queue.close();
    const server = api.openServer({ queue });
    expect(await callServer(server, 'GET /readyz', {})).toMatchObject({
      status: 200,
      body: {
        status: 'up',
        database: 'up',
        queue: 'down',
        reason: expect.stringContaining('Redis is away.'),
      },
    });
  });

  test('a broken connection fails the current call with 503 and nothing stored, and not the next call', async () => {
    const body = { notification: { to: [{ name: 'tags', criteria: ['new'] }], payload: { alert: 'x' } } };
    const before = await countStored(api.db);
    const calling = await api.db.transaction().execute(async (transaction) => {
      await sql`lock table notifications in exclusive mode`.execute(transaction);
      const call = api.call('POST /v6/notifications', { body });
      await vi.waitFor(async () => {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
        `.execute(api.db); // inside the transaction the activity would never change
        expect(rows).toHaveLength(1);
      }, PATIENCE);
      return { reply: await call };
    });
    expect(calling.reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await countStored(api.db)).toEqual(before);
    expect((await api.call('POST /v6/notifications', { body })).status).toBe(201);
  });

  type CallOnce = (address: string) => ReturnType<typeof callServer>;

  async function withDatabaseAt(port: number, use: (call: CallOnce) => Promise<void>): Promise<void> {
    const connectionString = `postgres://nobody@127.0.0.1:${port}/nothing`;
    const db = connectDatabase({ connectionString, observe: observeNothing });
    const server = api.openServer({ db, limits: { readinessTimeoutMs: 100 } });
    try {
      await use(async (address) => callServer(server, address, { key: api.app.keys.every }));
    } finally {
      await server.close();
      await db.destroy();
    }
  }
});
