/** The gateways, Google's OAuth and the doctor's probes through a proxy that demands a password. */
import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { askGateway } from '../../src/gateways/single-request.ts';
import { openAccessToken } from '../../src/gateways/fcm/access-token.ts';
import { probeHost } from '../../src/gateways/probe.ts';
import { openHttp2Pool } from '@carillon/http2-client';
import { openTunnelThrough } from '../../src/proxy/tunnel.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type ConnectProxy, openConnectProxy } from '../support/connect-proxy.ts';
import { makeCertificate } from '../../packages/http2-client/test/peer.ts';
import { newServiceAccount } from '../support/simulated-app.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';

/** An address of this machine that is not a loopback address, so that it is not reached without the proxy. */
const HOST = '0.0.0.0';

const dir = useTemporaryDir();
let proxy: ConnectProxy;
let simulator: Simulator;
let ca: string;

beforeAll(async () => {
  proxy = await openConnectProxy();
  simulator = await startSimulator({ certificateDir: dir.path, host: HOST });
  ca = await readFile(String(simulator.caFile), 'utf8');
});
afterAll(async () => {
  await simulator.close();
  await proxy.close();
});
afterEach(() => {
  proxy.behave('connect');
  proxy.asked.splice(0);
});

const settings = () => ({ url: proxy.url, except: '' });
const probe = async (url: string, through = proxy.url) =>
  probeHost({ url, ca, proxy: { url: through, except: '' }, path: '/3/device/' }, () => new Date());

test('all gateways are reached through a proxy, and by the certificates of the gateways', async () => {
  const { apnsProduction, channelsSandbox, fcm } = simulator.urls;
  for (const url of [apnsProduction, channelsSandbox, fcm]) {
    expect(await probe(url)).toMatchObject({ reached: true });
    expect(proxy.asked.splice(0)).toEqual([new URL(url).host]);
  }
});

test('a certificate for another host is refused through a proxy', async () => {
  const other = await makeCertificate(['localhost']);
  const { apnsProduction: url } = simulator.urls;
  const question = { url, ca: other.cert, proxy: settings(), path: '/', headers: [], body: '' };
  const answer = await askGateway(question);
  expect(answer).toMatchObject({ kind: 'unanswered', reason: expect.stringMatching(/CERT|SIGNATURE/) });
});

test('many requests on one connection through a proxy are all answered', async () => {
  const { origin, host } = new URL(simulator.urls.apnsProduction);
  const pool = openHttp2Pool({ origin, ca, tunnel: openTunnelThrough(proxy.url) });
  const headers = [':method', 'POST', ':scheme', 'https', ':authority', host];
  const request = { path: '/3/device/00', headers, ownHeaders: [], body: '{}' };
  const answers = await Promise.all(Array.from({ length: 300 }, async () => pool.request(request)));
  await pool.close();
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['answered']));
  expect(new Set(proxy.asked)).toEqual(new Set([host]));
});

describe('a proxy that opens no connection', () => {
  test.each([
    [407, 'answered 407 Proxy Authentication Required'],
    [403, 'answered 403 Forbidden'],
    [502, 'answered 502 Bad Gateway'],
    [302, 'answered 302 Found'],
    ['close', 'cannot be used: ECONNRESET'],
    ['garbage', 'cannot be used: HPE_INVALID_CONSTANT'],
  ] as const)(
    'a proxy that fails (%s) is named in the reason at a gateway and at OAuth, and its password is not',
    async (how, words) => {
      proxy.behave(how);
      const named = `the proxy ${proxy.name} ${words}`;
      const failed = { reached: false, reason: `the connection failed: ${named}` };
      expect(await probe(simulator.urls.apnsProduction)).toEqual(failed);
      const token = openToken();
      const reason = `the Google access token could not be fetched: ${named}`;
      expect(await token.get()).toEqual({ kind: 'unavailable', reason, afterMs: null });
      token.close();
    },
  );

  test('a proxy that hangs is named in the reason, and its password is not', async () => {
    proxy.behave('hang');
    const { origin } = new URL(simulator.urls.apnsProduction);
    const failures: unknown[] = [];
    const pool = openHttp2Pool({
      origin,
      ca,
      tunnel: openTunnelThrough(proxy.url),
      connectTimeoutMs: 50,
      checkIntervalMs: 10,
      onEvent: (event) => {
        if (event.kind === 'session_closed') failures.push(event.failure);
      },
    });
    const request = { path: '/', headers: [], ownHeaders: [], body: '' };
    await pool.request(request, () => failures.length === 0);
    await pool.close();
    expect(failures[0]).toEqual({ reason: 'connect_timeout', detail: `through the proxy ${proxy.name}` });
  });

  test('a proxy that is not there is named in the reason, and its password is not', async () => {
    const reason = 'the connection failed: the proxy 127.0.0.1:1 cannot be used: ECONNREFUSED';
    const failed = await probe(simulator.urls.apnsProduction, 'http://user:secret@127.0.0.1:1');
    expect(failed).toEqual({ reached: false, reason });
  });

  test('a proxy that demands another password is named in the reason, and its password is not', async () => {
    const url = proxy.url.replace('operator', 'somebody');
    expect(await probe(simulator.urls.apnsProduction, url)).toMatchObject({
      reason: expect.stringContaining('answered 407'),
    });
  });
});

function openToken() {
  const { project_id = '', client_email = '', private_key = '' } = newServiceAccount(simulator, 'proxied');
  return openAccessToken({
    credentials: { project_id, client_email, private_key },
    fcmUrl: simulator.urls.fcm,
    oauthUrl: simulator.urls.oauth,
    ca,
    proxy: settings(),
    clock: () => new Date(),
  });
}

test('access tokens are fetched through a proxy', async () => {
  const token = openToken();
  expect(await token.get()).toMatchObject({ kind: 'granted' });
  expect(proxy.asked).toEqual([new URL(simulator.urls.oauth).host]);
  token.close();
});

test('a proxy may itself be reached by TLS', async () => {
  const certificate = await makeCertificate(['localhost']);
  const secure = await openConnectProxy(certificate);
  const authorities = getCACertificates('default');
  setDefaultCACertificates([...authorities, certificate.cert]);
  try {
    const { apnsProduction: url } = simulator.urls;
    expect(await probe(url, secure.url)).toMatchObject({ reached: true });
    expect(secure.asked).toEqual([new URL(url).host]);
  } finally {
    setDefaultCACertificates(authorities);
    await secure.close();
  }
});
