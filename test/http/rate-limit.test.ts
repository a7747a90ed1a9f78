import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApiKey, revokeApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import type { GuessLimit } from '../../src/console/accounts/passwords.ts';
import { addRateLimits, type RateLimitSettings } from '../../src/http/rate-limit/rate-limit.ts';
import { type Observe, observeNothing } from '../../src/observe.ts';
import { collectObservations } from '../support/database.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { callServer, type Reply, useApi } from './api.ts';

const api = useApi();
const ADDRESS = 'GET /v6/audiences';
const REFUSED = { status: 429, body: { code: 'rate_limited' } };
/** The beginning of a window of ten seconds, and of a minute. */
const START_MS = Date.UTC(2026, 10, 21, 12);
let nowMs = START_MS;

afterEach(() => {
  nowMs = START_MS;
});

const clock = (): Date => new Date(nowMs);

function limited(
  rateLimits: RateLimitSettings,
  trustedProxies?: string,
  observe: Observe = observeNothing,
): FastifyInstance {
  const metrics = { contentType: 'text/plain', write: async () => '1' };
  const server = api.openServer({ clock, observe, trustedProxies, metrics, rateLimits });
  onTestFinished(async () => server.close()); // before its Redis ends
  return server;
}

async function callTimes(
  server: FastifyInstance,
  times: number,
  call: Parameters<typeof callServer>[2],
): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push((await callServer(server, ADDRESS, call)).status);
  return statuses;
}

const from = (address: string) => ({ key: api.app.keys.read, headers: { 'x-forwarded-for': address } });
const call = async (server: FastifyInstance): Promise<Reply> =>
  callServer(server, ADDRESS, { key: api.app.keys.read });
const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

describe('A key', () => {
  test('a key may make ten seconds’ worth of calls at once, then gets 429 until the window ends', async () => {
    const server = limited({ keyRequestsPerSecond: 2 });
    const { read, write } = api.app.keys;
    nowMs += 3_500;
    expect(await callTimes(server, 21, { key: read })).toEqual([...times(20, 200), 429]);
    const refused = await callServer(server, ADDRESS, { key: read });
    expect(refused).toMatchObject({ ...REFUSED, headers: { 'retry-after': '7' } });
    expect((await callServer(server, ADDRESS, { key: write })).status).toBe(403);
    nowMs += Number(refused.headers['retry-after']) * 1_000;
    expect((await callServer(server, ADDRESS, { key: read })).status).toBe(200);
  });

  test('a key is charged one call for a batch, however many notifications it has', async () => {
    const server = limited({ keyRequestsPerSecond: 1 });
    const notification = { to: '*', payload: { alert: 'Hi' } };
    const body = Array.from({ length: 20 }, () => ({ notification }));
    const batch = async (): Promise<number> =>
      (await callServer(server, 'POST /v6/notifications/batch', { key: api.app.keys.write, body })).status;
    const statuses: number[] = [];
    for (let time = 0; time < 11; time++) statuses.push(await batch());
    expect(statuses).toEqual([...times(10, 200), 429]);
  });

  test('a key is not limited if the limit is 0', async () => {
    expect(await callTimes(limited({}), 50, { key: api.app.keys.read })).toEqual(times(50, 200));
  });
});

describe('An address', () => {
  test('an address is limited over all of its keys, before the key is checked', async () => {
    const server = limited({ addressRequestsPerSecond: 1 });
    for (const [index, key] of [api.app.keys.read, api.otherApp.keys.read, 'unknown'].entries()) {
      const count = [4, 4, 2][index] ?? 0;
      await callTimes(server, count, { key });
    }
    for (const key of [api.app.keys.read, 'unknown', '']) {
      expect(await callServer(server, ADDRESS, { key })).toMatchObject(REFUSED);
    }
  });

  test.each(['GET /healthz', 'GET /readyz', 'GET /openapi.json', 'GET /nowhere'])(
    'an address may call %s without a limit',
    async (address) => {
      const server = limited({ addressRequestsPerSecond: 1, addressFailuresPerMinute: 1 });
      await callTimes(server, 12, { key: '' });
      expect(await callServer(server, ADDRESS, { key: '' })).toMatchObject(REFUSED);
      expect((await callServer(server, address, { key: '' })).status).toBe(
        address.endsWith('nowhere') ? 404 : 200,
      );
    },
  );

  test('an address may read the metrics without a limit', async () => {
    const server = limited({ addressRequestsPerSecond: 1 });
    await callTimes(server, 11, { key: '' });
    expect((await server.inject('/metrics')).statusCode).toBe(200);
  });

  test('the address is taken from the header of a trusted proxy', async () => {
    const server = limited({ addressRequestsPerSecond: 1 }, '127.0.0.1');
    expect(await callTimes(server, 11, from('192.0.2.1'))).toEqual([...times(10, 200), 429]);
    // Addresses that the caller itself put in front are not trusted.
    expect(await callServer(server, ADDRESS, from('192.0.2.9, 192.0.2.1'))).toMatchObject(REFUSED);
    expect((await callServer(server, ADDRESS, from('192.0.2.2'))).status).toBe(200);
  });

  test.each([
    ['a port', (index: number) => `192.0.2.1:${40_000 + index}`],
    ['quotes and a port', (index: number) => `"[2001:db8::1]:${40_000 + index}"`],
    [
      'a port at a second proxy too',
      (index: number) => `192.0.2.1:${40_000 + index}, 127.0.0.1:${index + 1}`,
    ],
    ['nothing that can be read', (index: number) => `client-${index}`],
    ['a claim of the caller before “unknown”', (index: number) => `198.51.100.${index}, unknown`],
  ])('an address is limited when its proxy writes %s', async (_what, header) => {
    const server = limited({ addressRequestsPerSecond: 1, addressFailuresPerMinute: 3 }, 'loopback');
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) {
      statuses.push((await callServer(server, ADDRESS, { ...from(header(index)), key: 'guess' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    for (let index = 5; index < 10; index++) await callServer(server, ADDRESS, from(header(index)));
    expect(await callServer(server, ADDRESS, from(header(10)))).toMatchObject(REFUSED);
    expect((await callServer(server, ADDRESS, from('203.0.113.9:55'))).status).toBe(200);
  });

  test.each([undefined, '10.0.0.0/8'])(
    'the address is that of the connection without a trusted proxy (%s)',
    async (trusted) => {
      const server = limited({ addressRequestsPerSecond: 1 }, trusted);
      await callTimes(server, 10, from('192.0.2.1'));
      expect(await callServer(server, ADDRESS, from('192.0.2.2'))).toMatchObject(REFUSED);
    },
  );

  test.each([
    [undefined, 1],
    ['10.0.0.0/8', 0],
  ])('the header of a proxy, while %s is trusted, causes %i warnings', async (trusted, warnings) => {
    const observed = collectObservations();
    const server = limited({}, trusted, observed.observe);
    const warned = () => observed.seen.filter(({ kind }) => kind === 'proxy_not_trusted');
    await callServer(server, ADDRESS, { key: api.app.keys.read });
    expect(warned()).toEqual([]);
    await callTimes(server, 3, from('192.0.2.1'));
    expect(warned()).toHaveLength(warnings);
  });

  test('an IPv6 address is counted by its /64', async () => {
    const server = limited({ addressRequestsPerSecond: 1 }, 'loopback');
    for (let host = 1; host <= 10; host++) await callServer(server, ADDRESS, from(`2001:db8::${host}`));
    expect(await callServer(server, ADDRESS, from('2001:db8::ffff'))).toMatchObject(REFUSED);
    expect((await callServer(server, ADDRESS, from('2001:db8:0:1::1'))).status).toBe(200);
  });
});

describe('Failed authentications', () => {
  test('failed authentications are limited for a minute, with any key', async () => {
    const server = limited({ addressFailuresPerMinute: 3 });
    const tried = ['', 'unknown', 'another'];
    for (const key of tried) expect((await callServer(server, ADDRESS, { key })).status).toBe(401);
    for (const key of tried) {
      expect(await callServer(server, ADDRESS, { key })).toMatchObject({
        ...REFUSED,
        headers: { 'retry-after': '60' },
      });
    }
    nowMs += 60_000;
    expect((await callServer(server, ADDRESS, { key: 'unknown' })).status).toBe(401);
  });

  test('failed authentications are named as the reason, with the keys that still work and the time to wait', async () => {
    const server = limited({ addressFailuresPerMinute: 1 });
    await callTimes(server, 2, { key: 'unknown' });
    nowMs += 18_000;
    const { body } = await callServer(server, ADDRESS, { key: api.otherApp.keys.write });
    expect(body).toEqual({
      error:
        'Too many failed sign-ins from this address. Keys that this process has served before still work; ' +
        'any other key is refused for another 42 s: try again then.',
      code: 'rate_limited',
    });
  });

  test('failed authentications of others do not lock out a key that the process has served', async () => {
    const server = limited({ addressFailuresPerMinute: 3 });
    const { read } = api.app.keys;
    expect((await callServer(server, ADDRESS, { key: read })).status).toBe(200);
    await callTimes(server, 5, { key: 'unknown' });
    nowMs += 30_000;
    expect((await callServer(server, ADDRESS, { key: read })).status).toBe(200);
    // One that it has not seen waits: it might be the next guess.
    expect(await callServer(server, ADDRESS, { key: api.otherApp.keys.read })).toMatchObject(REFUSED);
  });

  test('failed authentications lock out a revoked key after its first refusal', async () => {
    const server = limited({ addressFailuresPerMinute: 1 });
    const { id, key } = await createApiKey(api.db, { appId: api.app.id, scopes: ['read'] }, systemClock);
    expect((await callServer(server, ADDRESS, { key })).status).toBe(200);
    await revokeApiKey(api.db, id, systemClock);
    nowMs += 2_000;
    expect((await callServer(server, ADDRESS, { key })).status).toBe(401);
    expect(await callServer(server, ADDRESS, { key })).toMatchObject(REFUSED);
  });
});

const refuses = (limit: GuessLimit): boolean => {
  try {
    limit.refuse();
    return false;
  } catch {
    return true;
  }
};

const passwordLimits = () => addRateLimits(limited({}), {}, () => new Date(nowMs));

describe('Wrong passwords for a name', () => {
  test('wrong passwords for a name are limited to ten from an address and a hundred from all addresses', () => {
    const { ofPasswords } = passwordLimits();
    for (let address = 1; address <= 10; address++) {
      const guesser = ofPasswords({ ip: `198.51.100.${address}` }, 'Ångström', undefined);
      for (let time = 0; time < 10; time++) {
        expect(refuses(guesser)).toBe(false);
        guesser.countWrong();
      }
      expect(refuses(guesser)).toBe(true);
      const stranger = ofPasswords({ ip: '203.0.113.1' }, 'A\u030ANGSTRO\u0308M', undefined);
      expect(refuses(stranger)).toBe(address === 10);
    }
    expect(refuses(ofPasswords({ ip: '198.51.100.1' }, 'other', undefined))).toBe(false);
    nowMs += 600_000;
    expect(refuses(ofPasswords({ ip: '198.51.100.1' }, 'Ångström', undefined))).toBe(false);
  });

  test('wrong passwords do not count for a browser that is known, which has ten of its own', () => {
    const { ofPasswords } = passwordLimits();
    const ip = '198.51.100.1';
    for (let time = 0; time < 10; time++) ofPasswords({ ip }, 'ann', undefined).countWrong();
    const known = ofPasswords({ ip }, 'ann', 'browser');
    for (let time = 0; time < 10; time++) {
      expect(refuses(known)).toBe(false);
      known.countWrong();
    }
    expect(refuses(known)).toBe(true);
    expect(refuses(ofPasswords({ ip: '203.0.113.1' }, 'ann', undefined))).toBe(false);
  });
});

describeWithOwnRedis('processes on one Redis', (redis) => {
  const limits = () => ({ keyRequestsPerSecond: 2, redisUrl: redis.url });

  test('processes on one Redis limit a key together', async () => {
    await redis.clear();
    const [one, other] = [limited(limits()), limited(limits())];
    await callTimes(one, 20, { key: api.app.keys.read });
    // Processes connect while calls arrive, and publish earlier counts then. A process alone would allow 21,
    // so the other is called 18 times at most.
    await vi.waitFor(async () => expect(await call(other)).toMatchObject(REFUSED), {
      timeout: 17_000,
      interval: 1_000,
    });
  });

  test('processes count alone when Redis hangs or dies, and no call waits for it', async () => {
    await redis.clear();
    const server = limited(limits());
    nowMs += 10_000;
    expect((await call(server)).status).toBe(200);
    redis.freeze();
    try {
      const startedMs = performance.now();
      expect(await callTimes(server, 20, { key: api.app.keys.read })).toEqual([...times(19, 200), 429]);
      expect(performance.now() - startedMs).toBeLessThan(2_000);
    } finally {
      redis.thaw();
    }
    await redis.kill();
    nowMs += 10_000;
    expect(await callTimes(server, 21, { key: api.app.keys.read })).toEqual([...times(20, 200), 429]);
    await redis.restart();
  });
});
