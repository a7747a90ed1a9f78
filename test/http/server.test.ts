import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import type { ServerLimits } from '../../src/http/bare-server.ts';
import { observeNothing } from '../../src/observe.ts';
import { collectObservations } from '../support/database.ts';
import { basic, useApi } from './api.ts';
import { portOf } from '../support/ports.ts';
import { PATIENCE } from '../support/patience.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('The id of a request', () => {
  const api = useApi();
  const idOf = async (given?: string) =>
    (await api.call('GET /healthz', given === undefined ? {} : { headers: { 'x-request-id': given } }))
      .headers['x-request-id'];

  test('the id of a request is new for each request', async () => {
    const ids = [await idOf(), await idOf()];
    expect(ids[0]).toMatch(UUID);
    expect(ids[1]).toMatch(UUID);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('the id of a request is the caller’s own if it is short, plain text', async () => {
    for (const given of ['a', 'req-1.2_3', 'x'.repeat(128), '0f/1:2+3='])
      expect(await idOf(given)).toBe(given);
  });

  test('the id of a request is a new one if the caller’s is empty, long or has other characters', async () => {
    for (const given of ['', 'x'.repeat(129), 'two words', 'é', '{"a":1}', '<b>']) {
      expect(await idOf(given)).toMatch(UUID);
    }
  });

  test.each([
    ['GET /healthz', 200],
    ['GET /nowhere', 404],
    ['GET /v6/users/%E0%A4%A', 404],
    [`GET /v6/devices/${'x'.repeat(5000)}`, 404],
    ['PATCH /v6/notifications', 405],
    ['GET /v6/notifications', 401],
    ['POST /v6/notifications', 401],
  ])('the id of a request is on the reply to %s and in what was observed', async (address, status) => {
    const reply = await api.call(address, { key: '', headers: { 'x-request-id': `id-of-${status}` } });
    expect(reply.status).toBe(status);
    expect(reply.headers['x-request-id']).toBe(`id-of-${status}`);
    await vi.waitFor(
      () =>
        expect(api.observations).toContainEqual({
          kind: 'request_handled',
          requestId: `id-of-${status}`,
          method: address.split(' ')[0],
          route: expect.stringMatching(/^(unknown|\/healthz|\/v6\/notifications)$/),
          status,
          durationMs: expect.any(Number),
          ...(status === 401 && { address: '127.0.0.1' }),
        }),
      PATIENCE,
    );
  });
});

describe('An address', () => {
  const api = useApi();

  test.each([
    'GET /',
    'GET /v6',
    'GET /v6/',
    'POST /v4/notifications',
    'GET /v3/audiences',
    'GET /v6/audiences/%E0%A4%A',
    'GET /v6/audiences/%',
    'GET //v6/audiences',
    `GET /v6/audiences/${'a'.repeat(5000)}`,
    `GET /${'a/'.repeat(5000)}`,
    'GET /V6/audiences',
    'GET /__proto__',
    'PATCH /nowhere',
    'OPTIONS /nowhere',
  ])('an unknown address, %s, is answered with 404 without a key', async (address) => {
    const reply = await api.call(address, { key: '' });
    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found', error: expect.any(String) } });
  });

  test('an unknown address is answered with 404 whatever the body', async () => {
    for (const headers of [{}, { 'content-type': 'text/plain' }]) {
      const reply = await api.call('POST /nowhere', { raw: '{', headers });
      expect(reply.status).toBe(404);
    }
  });

  test.each([
    ['GET /v3/notifications', 'POST'],
    ['PUT /v6/notifications', 'GET, HEAD, POST'],
    ['PATCH /v6/devices/1', 'GET, HEAD, PUT, DELETE'],
    ['OPTIONS /v6/audiences/1', 'GET, HEAD, PUT, DELETE'],
    ['POST /v6/users/1', 'PUT'],
    ['POST /healthz', 'GET, HEAD'],
    ['TRACE /healthz', 'GET, HEAD'],
  ])('%s with another method is answered with 405 and the methods it supports', async (address, allow) => {
    const reply = await api.call(address, { key: '' });
    expect(reply).toMatchObject({ status: 405, headers: { allow }, body: { code: 'method_not_allowed' } });
  });

  test.each([
    ['POST /v6/notifications/', { body: { notification: { to: '*', payload: { alert: 'x' } } } }, 201],
    ['POST /v3/notifications/', { body: { notification: { to: '*', payload: { alert: 'x' } } } }, 201],
    ['GET /v6/notifications/', {}, 200],
    ['GET /v6/audiences/?per=1', {}, 200],
    ['GET /healthz/', {}, 200],
    ['DELETE /v6/notifications/', {}, 405],
    ['GET /v6/nowhere/', {}, 404],
  ])('%s is the same address as without its last slash', async (address, call, status) => {
    expect(await api.call(address, call)).toMatchObject({ status });
  });

  test('an address that supports GET supports HEAD, without a body', async () => {
    for (const path of ['/healthz', '/v6/notifications']) {
      const reply = await api.call(`HEAD ${path}`);
      expect(reply).toMatchObject({ status: 200, body: undefined });
      expect(Number(reply.headers['content-length'])).toBeGreaterThan(0);
    }
    expect(await api.call('HEAD /v6/notifications', { key: '' })).toMatchObject({
      status: 401,
      body: undefined,
    });
  });
});

describe('On a real socket', () => {
  const api = useApi();

  async function withServer(
    use: (port: number) => Promise<void>,
    observe = observeNothing,
    limits: Partial<ServerLimits> = {},
  ): Promise<void> {
    const server = api.openServer({ observe, limits });
    await server.listen({ host: '127.0.0.1', port: 0 });
    await use(portOf(server.server));
  }

  test.each([
    ['headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\n'],
    [
      'a body',
      'POST /v6/devices HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n' +
        'Authorization: KEY\r\n\r\n{',
    ],
  ])('a client that never finishes %s is disconnected with 408', async (_what, beginning) => {
    const limits = { requestTimeoutMs: 200 };
    await withServer(
      async (port) => {
        const socket = await open(port);
        socket.write(beginning.replace('KEY', basic('', api.app.keys.every)));
        expect(errorIn(await text(socket))).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
      },
      observeNothing,
      limits,
    );
  });

  test.each([
    ['two hosts', 'Host: a\r\nHost: b'],
    ['the same host twice', 'Host: a\r\nhost: a'],
    ['hosts apart', 'HOST: a\r\nAccept: */*\r\nHost: b'],
  ])(
    'requests with %s are refused with 400, as a proxy may have read the other one',
    async (_what, headers) => {
      await withServer(async (port) => {
        const socket = await open(port);
        socket.write(`GET /healthz HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
        const reply = await text(socket);
        expect(reply).toMatch(/^HTTP\/1\.1 400 /);
        expect(reply).toContain('"code":"invalid_http"');
      });
    },
  );

  test.each([
    ['a request line that is not HTTP', 'NOT HTTP\r\n\r\n', 400, 'invalid_http'],
    ['TLS', '\u0016\u0003\u0001\u0002', 400, 'invalid_http'],
    ['16 KiB of headers', `GET / HTTP/1.1\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])(
    'a connection with %s is answered with an error of the usual shape, whose id is in the log',
    async (_what, sent, status, code) => {
      const { observe, seen } = collectObservations();
      await withServer(async (port) => {
        const socket = await open(port);
        socket.write(sent);
        const reply = errorIn(await text(socket));
        expect(reply).toEqual({ status, id: expect.stringMatching(UUID), body: { error: SENTENCE, code } });
        expect(seen).toContainEqual(
          expect.objectContaining({ kind: 'request_unreadable', requestId: reply.id, status }),
        );
      }, observe);
    },
  );

  test('a client that disconnects in the middle of its body does no harm', async () => {
    await withServer(async (port) => {
      const socket = await open(port);
      const authorization = `Authorization: ${basic('', api.app.keys.every)}`;
      const head =
        'POST /v6/devices HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n';
      socket.write(`${head}${authorization}\r\n\r\n{"device"`);
      socket.destroy();
      const reply = await fetch(`http://127.0.0.1:${port}/healthz`);
      expect(reply.status).toBe(200);
    });
  });

  test('a body over 1 MiB is refused with and without Content-Length', async () => {
    await withServer(async (port) => {
      const body = JSON.stringify({ notification: 'x'.repeat(1024 * 1024) });
      for (const sent of [body, new Blob([body]).stream()]) {
        const reply = await fetch(`http://127.0.0.1:${port}/v6/notifications`, {
          method: 'POST',
          headers: { authorization: basic('', api.app.keys.write), 'content-type': 'application/json' },
          body: sent,
          duplex: 'half',
        });
        expect(reply.status).toBe(413);
        expect(await reply.json()).toMatchObject({ code: 'body_too_large' });
      }
    });
  });
});

const SENTENCE = expect.stringMatching(/^[A-Z].*\.$/);

/** The bytes of a whole reply, taken apart. */
function errorIn(reply: string): { status: number; id: string | undefined; body: unknown } {
  const [head = '', body = ''] = reply.split('\r\n\r\n');
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  return {
    status: Number(head.split(' ')[1]),
    id: /^x-request-id: (.*)$/m.exec(head)?.[1],
    body: JSON.parse(body),
  };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}
