import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { LARGE_BODY_BYTES } from '../../../src/http/load/body-budget.ts';
import { type Overload, overload } from '../../../src/http/load/overload.ts';
import { PATIENCE } from '../../support/patience.ts';
import { portOf } from '../../support/ports.ts';
import { basic, callServer, useApi } from '../api.ts';

const api = useApi();
const sockets: Socket[] = [];
/** A request is about to be read. */
let arrived: PromiseWithResolvers<void>;

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(changes: Partial<Overload>): Promise<FastifyInstance> {
  const opened = api.openServer({ overload: { ...overload, residentBytesMax: Infinity, ...changes } });
  arrived = Promise.withResolvers();
  // After the hook of the budget.
  opened.addHook('preParsing', (_request, _reply, payload, done) => {
    arrived.resolve();
    done(null, payload);
  });
  await opened.listen({ host: '127.0.0.1', port: 0 });
  return opened;
}

/** Sends the head of a request and no body. */
async function begin(
  to: FastifyInstance,
  head: readonly string[],
  key = api.app.keys.write,
): Promise<Socket> {
  const socket = connect(portOf(to.server), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  const lines = ['POST /v6/notifications HTTP/1.1', 'Host: carillon', `Authorization: ${basic('', key)}`];
  socket.write(`${[...lines, 'Content-Type: application/json', ...head].join('\r\n')}\r\n\r\n`);
  return socket;
}

const large = { notification: { to: '*', payload: { alert: 'x'.repeat(LARGE_BODY_BYTES) } } };
const small = { notification: { to: '*', payload: { alert: 'x' } } };

test.each([
  ['a length', ['Content-Length: 40000'], 40_000 + LARGE_BODY_BYTES],
  ['no length, which count as the largest that is read,', ['Transfer-Encoding: chunked'], 1_048_576],
])(
  'large bodies with %s share a budget; small ones do not need it; room comes back',
  async (_, head, bodyBytesMax) => {
    const opened = await open({ bodyBytesMax });
    const send = async (body: unknown) =>
      callServer(opened, 'POST /v6/notifications', { key: api.app.keys.write, body });
    const held = await begin(opened, head);
    await arrived.promise;
    expect(await send(large)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      body: { error: 'Too many large bodies are being sent at once; nothing was done; try again shortly.' },
    });
    expect(await send(small)).toMatchObject({ status: 201 });
    held.destroy();
    // It is too large for the gateways, which is found out only where it is read.
    await vi.waitFor(async () => expect(await send(large)).toMatchObject({ status: 422 }), PATIENCE);
  },
);

test('a caller without a key takes nothing of the budget for large bodies', async () => {
  const opened = await open({ bodyBytesMax: 40_000 });
  const stranger = await begin(opened, ['Content-Length: 40000'], 'wrong');
  expect(String(await once(stranger, 'data'))).toMatch(/^HTTP\/1\.1 401 /);
  const reply = await callServer(opened, 'POST /v6/notifications', { key: api.app.keys.write, body: large });
  expect(reply).toMatchObject({ status: 422 });
});

test('an import takes nothing of the budget for large bodies, because it is not kept in memory', async () => {
  const opened = await open({ bodyBytesMax: LARGE_BODY_BYTES });
  const line = JSON.stringify({ platform: 'Android', push_token: 'android:1', tags: ['x'.repeat(200)] });
  const reply = await callServer(opened, 'POST /v6/devices/import', {
    key: api.app.keys.admin,
    raw: `${line}\n`.repeat(200),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(reply).toMatchObject({ status: 200 });
});

test('a process with little memory left refuses large bodies and accepts small ones', async () => {
  const opened = await open({ residentBytesMax: 1 });
  const send = async (body: unknown) =>
    callServer(opened, 'POST /v6/notifications', { key: api.app.keys.write, body });
  await vi.waitFor(async () => expect(await send(large)).toMatchObject({ status: 503 }), PATIENCE);
  expect(await send(small)).toMatchObject({ status: 201 });
});
