import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBasicCredentials } from '../../src/http/authenticate.ts';
import { createApiKey, revokeApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { basic, useApi } from './api.ts';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('Basic credentials (RFC 7617)', () => {
  test('Basic credentials are parsed to the username and the key that were encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, key) => {
        const username = name.replaceAll(':', '');
        expect(readBasicCredentials(basic(username, key))).toEqual({ username, key });
      }),
    );
  });

  test.each([
    ['Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'Aladdin', 'open sesame'],
    ['Basic dGVzdDoxMjPCow==', 'test', '123£'],
  ])('the example %s of RFC 7617 is read', (header, username, key) => {
    expect(readBasicCredentials(header)).toEqual({ username, key });
  });

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['a scheme alone', 'Basic'],
    ['a scheme and a space', 'Basic '],
    ['another scheme', `Bearer ${base64(':key')}`],
    ['no scheme', base64(':key')],
    ['no base64', 'Basic :key'],
    ['base64 with a stranger in it', `Basic ${base64(':key')}!`],
    ['two tokens', `Basic ${base64(':key')} ${base64(':key')}`],
    ['no colon', `Basic ${base64('key')}`],
    ['no UTF-8', `Basic ${base64(Buffer.from([0x3a, 0xff, 0xfe]))}`],
    ['Latin-1', `Basic ${base64(Buffer.from('é:key', 'latin1'))}`],
  ])('%s counts as no credentials', (_what, header) => {
    expect(readBasicCredentials(header)).toBeUndefined();
  });

  test.each(['basic', 'BASIC', 'Basic', 'bAsIc'])('the scheme %s is accepted', (scheme) => {
    expect(readBasicCredentials(`${scheme} ${base64('a:b:c')}`)).toEqual({ username: 'a', key: 'b:c' });
  });
});

describe('a request', () => {
  let nowMs = Date.now();
  const api = useApi(() => new Date(nowMs));
  const address = 'GET /v6/notifications';
  const withHeader = async (authorization: string) =>
    api.call(address, { key: '', headers: { authorization } });

  test('a request is accepted with an empty username or the bundle id of the key’s app', async () => {
    for (const username of ['', api.app.bundleId]) {
      const reply = await withHeader(basic(username, api.app.keys.read));
      expect(reply.status).toBe(200);
    }
  });

  test('a request is unauthorized without credentials, with an unknown key, or with another app’s bundle id', async () => {
    const { read } = api.app.keys;
    const headers = [
      undefined,
      basic('', 'unknown'),
      basic('', ''),
      basic('', `${read}x`),
      basic('', `${read}\0`),
      basic(read, ''),
      basic('someone', read),
      basic(api.otherApp.bundleId, read),
      `Bearer ${read}`,
    ];
    for (const authorization of headers) {
      const reply = await api.call(address, {
        key: '',
        headers: authorization === undefined ? {} : { authorization },
      });
      expect(reply.status).toBe(401);
      expect(reply.body).toEqual({ error: 'unauthorized', code: 'unauthorized' });
      expect(reply.headers['www-authenticate']).toBe('Basic realm="carillon"');
      expect(reply.headers['x-request-id']).toMatch(/./);
    }
  });

  test('a request is unauthorized two seconds after any process revoked its key', async () => {
    const { id, key } = await createApiKey(api.db, { appId: api.app.id, scopes: ['read'] }, systemClock);
    expect((await api.call(address, { key })).status).toBe(200);
    await revokeApiKey(api.db, id, systemClock);
    nowMs += 2_000;
    expect((await api.call(address, { key })).status).toBe(401);
  });

  test('a refused request is reported with the address of its caller, and one that is answered without', async () => {
    const statuses = [
      await api.call(address, { key: 'unknown' }),
      await api.call(address, { key: api.app.keys.write }),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([401, 403]);
    await api.call(address, { key: api.app.keys.read });
    const handled = api.observations.filter((one) => one.kind === 'request_handled').slice(-3);
    expect(handled.map(({ status, address: from }) => [status, from])).toEqual([
      [401, '127.0.0.1'],
      [403, '127.0.0.1'],
      [200, undefined],
    ]);
  });

  const id = '00000000-0000-4000-8000-000000000000';
  test.each([
    ['POST /v6/notifications', ['write']],
    [`DELETE /v6/devices/${id}`, ['admin']],
    ['POST /v6/devices/import', ['admin']],
    [`POST /v6/devices/${id}/events`, ['register', 'write']],
    ['GET /v6/audiences', ['read']],
  ] as const)('%s asks for a key, then for %j, and only then looks at the body', async (call, scopes) => {
    // A body of the wrong type shows whether the request got past authentication.
    const bad = call.startsWith('GET') ? {} : { raw: 'x', headers: { 'content-type': 'text/plain' } };
    expect((await api.call(call, { ...bad, key: '' })).body).toMatchObject({ code: 'unauthorized' });
    for (const scope of ['read', 'write', 'register', 'admin'] as const) {
      const reply = await api.call(call, { ...bad, key: api.app.keys[scope] });
      if ((scopes as readonly string[]).includes(scope)) expect([200, 404, 415]).toContain(reply.status);
      else
        expect(reply.body).toMatchObject({
          code: 'forbidden',
          error: expect.stringContaining(scopes.join(' or ')),
        });
    }
  });
});
