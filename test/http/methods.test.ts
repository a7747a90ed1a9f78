import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { featureCalls } from '../../src/http/calls/every-call.ts';
import { useApi } from './api.ts';

const api = useApi();
/** HEAD is answered where GET is. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

const methodsByPath = new Map<string, Set<string>>();
for (const { path, method, scopes } of featureCalls) {
  const methods = methodsByPath.get(path) ?? new Set();
  methods.add(method);
  if (scopes.includes('register')) methods.add('OPTIONS');
  if (method === 'GET') methods.add('HEAD');
  methodsByPath.set(path, methods);
}

test.each([...methodsByPath])(
  '%s answers other methods with 405, before ids and keys are judged',
  async (path, methods) => {
    const url = path.replaceAll(/:\w+/g, 'no-id');
    for (const method of METHODS.filter((one) => !methods.has(one))) {
      const reply = await api.server.inject({ method, url });
      expect({ method, status: reply.statusCode }).toEqual({ method, status: 405 });
      expect(String(reply.headers.allow).split(', ').toSorted()).toEqual(
        [...methods].filter((one) => one !== 'OPTIONS').toSorted(),
      );
    }
  },
);

test('TRACE is answered nowhere', async () => {
  const url = await api.server.listen({ port: 0, host: '127.0.0.1' });
  for (const path of ['/', '/v6/devices', '/docs']) {
    const asked = request(url + path, { method: 'TRACE', headers: { 'x-secret': 'of a proxy' } }).end();
    const [reply] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(asked, 'response'));
    expect(reply.statusCode).toBeOneOf([404, 405]);
    expect(await text(reply)).not.toContain('of a proxy');
  }
});
