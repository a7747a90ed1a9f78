/** Registrations by an app get the country and the location of their IP address, unless the app sends its own. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import type { Scope } from '../../src/apps/scopes.ts';
import { systemClock } from '../../src/clock.ts';
import { type GeoIp, openGeoIp } from '../../src/devices/address/geoip.ts';
import { observeNothing } from '../../src/observe.ts';
import { mmdb } from '../support/mmdb.ts';
import { newToken } from '../support/push-token.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { callServer, idIn, useApi } from './api.ts';

const api = useApi();
const dir = useTemporaryDir();
const london = { latitude: 51.5, longitude: -0.1 };
const paris = { latitude: 48.9, longitude: 2.4 };
const IN_LONDON = '81.2.69.1';
const IN_PARIS = '2001:db8::1';
const NOWHERE = '10.0.0.1';
/** Their places are not known. */
const [SOMEWHERE_IN_SWEDEN, SOMEWHERE_IN_BRITAIN] = ['192.0.2.1', '198.51.100.1'];

let geoip: GeoIp;
let server: FastifyInstance;
beforeAll(async () => {
  const file = path.join(dir.path, 'city.mmdb');
  const countries = {
    '81.2.69.0/24': { country: { iso_code: 'GB' }, location: london },
    '192.0.2.0/24': { country: { iso_code: 'SE' } },
    '198.51.100.0/24': { country: { iso_code: 'GB' } },
    '2001:db8::/32': { country: { iso_code: 'FR' }, location: paris },
  };
  await writeFile(file, mmdb(countries));
  geoip = await openGeoIp(file, observeNothing);
  server = api.openServer({ geoip, trustedProxies: '127.0.0.1' });
});
afterAll(async () => geoip.close());

/** Registers by way of the proxy. @returns what is stored of where the device is */
async function register(address: string, device: object, key = api.app.keys.register) {
  const body = { device: { platform: 'iOS', ...device } };
  const headers = { 'x-forwarded-for': address };
  const reply = await callServer(server, 'POST /v6/devices', { key, body, headers });
  const { body: stored } = await api.call(`GET /v6/devices/${idIn(reply)}`);
  return z.object({ device: z.object({ country: z.unknown(), location: z.unknown() }) }).parse(stored).device;
}

describe('A registration', () => {
  test('a registration without a country and a location gets both', async () => {
    expect(await register(IN_LONDON, { push_token: newToken() })).toEqual({
      country: 'GB',
      location: london,
    });
  });

  test.each([`${IN_LONDON}:41234`, `"${IN_LONDON}:41234"`, `[::ffff:${IN_LONDON}]:41234`])(
    'a registration is located when its proxy writes %s',
    async (address) => {
      expect(await register(address, { push_token: newToken() })).toEqual({
        country: 'GB',
        location: london,
      });
    },
  );

  test('a registration keeps the country or location that it sends, and gets the other', async () => {
    const sent = { push_token: newToken(), country: 'CH' };
    expect(await register(IN_LONDON, sent)).toEqual({ country: 'CH', location: london });
    const place = { push_token: newToken(), location: { latitude: 1, longitude: 2 } };
    expect(await register(IN_LONDON, place)).toEqual({ country: 'GB', location: place.location });
  });

  test('a registration with null for country and location gets none', async () => {
    const device = { push_token: newToken(), country: null, location: null };
    expect(await register(IN_LONDON, device)).toEqual({ country: null, location: null });
  });

  test('a registration from an unknown address gets no location', async () => {
    expect(await register(NOWHERE, { push_token: newToken() })).toEqual({ country: null, location: null });
  });

  test.each<Scope[][]>([[['register', 'write']], [['register', 'admin']], [['register', 'read']]])(
    'a registration by a key with %j gets no location, because it comes from a back end',
    async (scopes) => {
      const { key } = await createApiKey(api.db, { appId: api.app.id, scopes }, systemClock);
      expect(await register(IN_LONDON, { push_token: newToken() }, key)).toEqual({
        country: null,
        location: null,
      });
    },
  );

  test('a registration gets no location without a database', async () => {
    const body = { device: { platform: 'iOS', push_token: newToken() } };
    const { key, headers } = { key: api.app.keys.register, headers: { 'x-forwarded-for': IN_LONDON } };
    expect(await api.call('POST /v6/devices', { key, body, headers })).toMatchObject({
      body: { device: { country: null } },
    });
  });

  test('a registration ignores X-Forwarded-For if no proxy is trusted', async () => {
    const direct = api.openServer({ geoip });
    const body = { device: { platform: 'iOS', push_token: newToken() } };
    const headers = { 'x-forwarded-for': IN_LONDON };
    const call = { key: api.app.keys.register, body, headers };
    const reply = await callServer(direct, 'POST /v6/devices', call);
    expect(reply).toMatchObject({ status: 201, body: { device: { country: null } } });
  });
});

describe('A device', () => {
  test('a device gets a new country and location when its address changes', async () => {
    const device = { push_token: newToken() };
    await register(IN_LONDON, device);
    expect(await register(IN_PARIS, device)).toEqual({ country: 'FR', location: paris });
    expect(await register(NOWHERE, device)).toEqual({ country: 'FR', location: paris });
  });

  test('a device gets a new country and location with a new token, too', async () => {
    const previous_push_token = newToken();
    await register(IN_LONDON, { push_token: previous_push_token, country: 'CH' });
    const device = { push_token: newToken(), previous_push_token };
    expect(await register(IN_PARIS, device)).toEqual({ country: 'CH', location: paris });
  });

  test('a device loses a location outside the country of an address whose place is not known', async () => {
    const device = { push_token: newToken() };
    await register(IN_LONDON, device);
    expect(await register(SOMEWHERE_IN_BRITAIN, device)).toEqual({ country: 'GB', location: london });
    expect(await register(SOMEWHERE_IN_SWEDEN, device)).toEqual({ country: 'SE', location: null });
    expect(await register(IN_PARIS, device)).toEqual({ country: 'FR', location: paris });
    const next = { push_token: newToken(), previous_push_token: device.push_token };
    expect(await register(SOMEWHERE_IN_SWEDEN, next)).toEqual({ country: 'SE', location: null });
  });

  test('a device keeps a location that its app sent, wherever its address is', async () => {
    const location = { latitude: 1, longitude: 2 };
    const device = { push_token: newToken() };
    await register(IN_LONDON, { ...device, location });
    expect(await register(SOMEWHERE_IN_SWEDEN, device)).toEqual({ country: 'SE', location });
  });

  test('a device keeps the country and location that its app sent', async () => {
    const push_token = newToken();
    const sent = { country: 'CH', location: { latitude: 1, longitude: 2 } };
    await register(IN_LONDON, { push_token });
    await register(IN_LONDON, { push_token, ...sent });
    expect(await register(IN_PARIS, { push_token })).toEqual(sent);
  });

  test('a device keeps the country and location of an update or an import', async () => {
    const [updated, imported] = [newToken(), newToken()];
    for (const push_token of [updated, imported]) await register(IN_LONDON, { push_token });
    const { id } = await api.db
      .selectFrom('devices')
      .select('id')
      .where('push_token', '=', updated)
      .executeTakeFirstOrThrow();
    await api.call(`PUT /v6/devices/${id}`, { body: { device: { country: 'GB' } } });
    await api.call('POST /v6/devices/import', {
      raw: JSON.stringify({ platform: 'iOS', push_token: imported, country: 'GB' }),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    for (const push_token of [updated, imported]) {
      expect(await register(IN_PARIS, { push_token })).toEqual({ country: 'GB', location: paris });
    }
  });

  test('a device is located again at the registration after both were cleared', async () => {
    const push_token = newToken();
    await register(IN_LONDON, { push_token, country: null, location: null });
    expect(await register(IN_PARIS, { push_token })).toEqual({ country: 'FR', location: paris });
  });
});

test('no IP address is stored', async () => {
  const push_token = newToken();
  await register(IN_LONDON, { push_token });
  const rows = await api.db.selectFrom('devices').selectAll().where('push_token', '=', push_token).execute();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(IN_LONDON);
});
