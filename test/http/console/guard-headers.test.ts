import { beforeAll, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../../../src/clock.ts';
import { useApi } from '../api.ts';
import { insertUser, openBrowser } from '../../console/browser.ts';

const api = useApi();
let behindProxy: FastifyInstance;
beforeAll(() => {
  behindProxy = api.openServer({ trustedProxies: '127.0.0.1' });
});

const OVER_TLS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'push.example.com' };

const addresses = [
  'GET /console',
  'GET /console/devices',
  'GET /console/assets/old/main.ts',
  'GET /console/assets/old/missing.ts',
  'GET /console/map/world',
  'GET /console/session',
  'POST /console/session',
  'GET /console/sign-in-options',
] as const;

async function headersOf(server: FastifyInstance, address: string, headers: Record<string, string> = {}) {
  const [method = '', url = ''] = address.split(' ');
  const reply = await server.inject({ method: method === 'POST' ? 'POST' : 'GET', url, headers });
  return reply.headers;
}

test.each(addresses)(
  '%s is read as what it is, by pages of this server, which may use no sensor',
  async (address) => {
    expect(await headersOf(api.server, address)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=(), '),
    });
  },
);

test.each(addresses)('%s is asked for over TLS only, once it was', async (address) => {
  const headers = await headersOf(behindProxy, address, OVER_TLS);
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});

test.each([
  ['over plain HTTP', {}],
  ['over TLS at localhost', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost:8443' }],
])('a page that is asked for %s does not demand TLS', async (_name, headers) => {
  expect(await headersOf(behindProxy, 'GET /console', headers)).not.toHaveProperty(
    'strict-transport-security',
  );
});

test('a stranger cannot make a page demand TLS by a header', async () => {
  expect(await headersOf(api.server, 'GET /console', OVER_TLS)).not.toHaveProperty(
    'strict-transport-security',
  );
});

test('no reply to a session is stored or taken for a page, exports and errors included', async () => {
  await insertUser(api.db, systemClock, { name: 'ann', roles: { [api.app.id]: 'admin' } });
  const ann = openBrowser(api.server);
  await ann.signIn('ann');
  for (const address of ['GET /v6/app', 'GET /v6/audit/export', 'GET /v6/devices/none', 'POST /v6/keys']) {
    const { headers } = await ann.call(address, { app: api.app.id });
    expect({ address, ...headers }).toMatchObject({
      'cache-control': expect.stringContaining('no-store'),
      'x-content-type-options': 'nosniff',
    });
  }
});
