import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from '../../src/apps/api-keys.ts';
import { KNOWN_FOR_MS } from '../../src/apps/recent-look-ups.ts';
import { systemClock } from '../../src/clock.ts';
import { portOf } from '../support/ports.ts';
import { basic, useApi } from './api.ts';

const api = useApi();
const later = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** The first event, and all that come later as they are sent. */
async function openStream(
  port: number,
  id: string,
  key = api.app.keys.read,
): Promise<{
  reply: IncomingMessage;
  read: (until: string) => Promise<string>;
}> {
  const request = httpRequest({
    port,
    path: `/v6/notifications/${id}/live`,
    headers: { authorization: basic('', key) },
  });
  request.end();
  const [reply]: IncomingMessage[] = await once(request, 'response');
  if (reply === undefined) throw new Error('no reply');
  reply.setEncoding('utf8');
  const chunks: AsyncIterator<unknown> = reply[Symbol.asyncIterator]();
  let text = '';
  const read = async (until: string): Promise<string> => {
    while (!text.includes(until)) {
      const { value, done } = await chunks.next();
      if (done === true) throw new Error(`the stream ended: ${text}`);
      text += String(value);
    }
    return text;
  };
  return { reply, read };
}

test('a stream begins with the present state, and ends when the notification is canceled', async () => {
  await api.server.listen({ port: 0, host: '127.0.0.1' });
  const id = await api.newNotification({ deliver_at: later() });
  const { reply, read } = await openStream(portOf(api.server.server), id);
  expect(reply.statusCode).toBe(200);
  expect(reply.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-request-id': expect.stringMatching(/./),
  });
  const first = await read('\n\nevent: progress\ndata: {"at"');
  expect(first).toMatch(/^retry: 3000\n\n/);
  await api.call(`POST /v6/notifications/${id}/cancel`);
  const whole = await read('event: end');
  expect(whole).toMatch(/"state":"scheduled".*\n\nevent: end\ndata: \{.*"state":"canceled".*\}\n\n$/s);
  await expect(read('nothing more')).rejects.toThrow('the stream ended');
});

test('the duration of a stream is not reported as that of a request', async () => {
  const id = await api.newNotification();
  await api.call(`POST /v6/notifications/${id}/cancel`);
  api.observations.length = 0;
  await api.server.inject({
    url: `/v6/notifications/${id}/live`,
    headers: { authorization: basic('', api.app.keys.read) },
  });
  expect(api.observations).toContainEqual(
    expect.objectContaining({
      kind: 'request_handled',
      route: '/v6/notifications/:notification_id/live',
      status: 200,
    }),
  );
});

test.each([
  ['an unknown notification', '00000000-0000-4000-8000-000000000000', 404],
  ['a text that is no id', 'x', 404],
])('a stream of %s is refused as JSON', async (_name, id, status) => {
  const reply = await api.call(`GET /v6/notifications/${id}/live`);
  expect(reply).toMatchObject({ status, body: { code: 'not_found' } });
});

test('closing the server ends its streams', async () => {
  const server = api.openServer();
  await server.listen({ port: 0, host: '127.0.0.1' });
  const id = await api.newNotification({ deliver_at: later() });
  const { read } = await openStream(portOf(server.server), id);
  await read('event: progress');
  const ended = expect(read('nothing more')).rejects.toThrow('the stream ended');
  await server.close();
  await ended;
});

test('a client that leaves a stream costs nothing more', async () => {
  const id = await api.newNotification({ deliver_at: later() });
  for (let opened = 0; opened < 101; opened += 1) {
    const { reply, read } = await openStream(portOf(api.server.server), id);
    await read('event: progress');
    reply.destroy();
    await once(reply.socket, 'close');
  }
  await api.call(`POST /v6/notifications/${id}/cancel`);
});

test('a stream has signs of life, and ends soon after its key is revoked', async () => {
  const { db } = api;
  let now = Date.now();
  const server = api.openServer({ clock: () => new Date(now), limits: { streamHeartbeatMs: 5 } });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { id: keyId, key } = await createApiKey(db, { appId: api.app.id, scopes: ['read'] }, systemClock);
  const { read } = await openStream(
    portOf(server.server),
    await api.newNotification({ deliver_at: later() }),
    key,
  );
  await read(': still here\n\n: still here\n\n');
  await revokeApiKey(db, keyId, systemClock);
  now += KNOWN_FOR_MS;
  await expect(read('nothing more')).rejects.toThrow('the stream ended');
});
