/** The headers by which browsers and proxies take a reply for data, unless its route says otherwise. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { GUARDS } from '../../src/http/connection.ts';
import { documentedCalls } from './openapi/document.ts';
import { useApi } from './api.ts';

const api = useApi();

/** What anybody may read and keep. */
const KEPT = [
  '/docs/page.js',
  '/docs/mark.svg',
  '/web/carillon-sw.js',
  '/console/map/world',
  '/console/map/places?find=Lond',
];

test('no reply to a call may be stored, sniffed or framed, whether it succeeds or not', async () => {
  expect(documentedCalls.length).toBeGreaterThan(90);
  for (const { method, path } of documentedCalls) {
    if (path === '/docs') continue; // a page, with a policy of its own
    for (const key of ['', api.app.keys.every]) {
      const address = `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'none')}`;
      const { headers } = await api.call(address, { key });
      expect([address, headers]).toMatchObject([address, GUARDS]);
    }
  }
});

test.each(['GET /none', 'PATCH /v6/devices', 'GET /%E0%A4%A', 'GET /console/none', 'GET /docs/page.css'])(
  'the reply to %s is not sniffed, nor framed by another site',
  async (address) => {
    const [method = '', url = ''] = address.split(' ');
    const { headers } = await api.server.inject({ method: method === 'PATCH' ? 'PATCH' : 'GET', url });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
  },
);

test.each(KEPT)('%s may be kept for a while', async (url) => {
  const { headers, statusCode } = await api.server.inject(url);
  expect([statusCode, headers['cache-control']]).toEqual([200, expect.stringContaining('max-age=')]);
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('a request that cannot be read gets the same headers', async () => {
  const port = Number(new URL(await api.server.listen({ port: 0, host: '127.0.0.1' })).port);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('NONSENSE\r\n\r\n');
  const reply = await text(socket);
  for (const header of Object.entries(GUARDS)) expect(reply).toContain(`\r\n${header.join(': ')}\r\n`);
});

test('the worker that sites use may call the server, as far as its own policy goes', async () => {
  const { headers } = await api.server.inject('/web/carillon-sw.js');
  expect(headers['content-security-policy']).not.toMatch(/(?:default|connect|script)-src/);
});
