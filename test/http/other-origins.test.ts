import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { featureCalls } from '../../src/http/calls/every-call.ts';
import { useApi } from './api.ts';

const api = useApi();
const PAGE = 'https://www.example.com';

test.each(featureCalls.map(({ id, ...call }) => [id, call] as const))(
  'the call %s is open to pages of other origins only if a device may make it, and never with a cookie',
  async (_id, { path, method, scopes }) => {
    const url = path.replaceAll(/:\w+/g, 'no-id');
    const headers = { origin: PAGE };
    const preflight = await api.server.inject({
      method: 'OPTIONS',
      url,
      headers: {
        ...headers,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    const refused = await api.server.inject({ method, url, headers });
    expect(refused.statusCode).toBe(scopes.length === 0 ? 200 : 401);
    for (const reply of [preflight, refused]) {
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials');
    }
    if (!scopes.includes('register')) {
      // Another method of the same path may be a device's.
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
      return;
    }
    expect(refused.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining(method),
      // Not the header that names the app of a session.
      'access-control-allow-headers': 'authorization, content-type',
    });
  },
);

test.each(['carillon-web.js', 'carillon-sw.js'])(
  'the server has %s for sites to copy or import, without a key',
  async (name) => {
    const { statusCode, headers, body } = await api.server.inject({ method: 'GET', url: `/web/${name}` });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
    expect(body).toBe(readFileSync(new URL(`../../packages/web/src/${name}`, import.meta.url), 'utf8'));
  },
);
