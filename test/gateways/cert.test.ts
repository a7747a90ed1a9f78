/** The access token of a service account where it comes from Google's own address, through firebase-admin's `cert`. */
import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type AccessToken, openAccessToken } from '../../src/gateways/fcm/access-token.ts';
import { type GoogleOauth, openGoogleOauth } from '../support/google-oauth.ts';

const MESSAGING = 'https://www.googleapis.com/auth/firebase.messaging';
const HOUR_MS = 3_600_000;
const authorities = getCACertificates('default');

let google: GoogleOauth;
let answer: (response: ServerResponse) => void;
let token: AccessToken;
/** How far the clock of the token is ahead of the machine's. */
let aheadMs: number;

beforeAll(async () => {
  google = await openGoogleOauth((response) => answer(response));
  setDefaultCACertificates([...authorities, google.authority]);
  vi.stubEnv('HTTPS_PROXY', google.proxyUrl);
});
afterAll(() => {
  vi.unstubAllEnvs();
  setDefaultCACertificates(authorities);
  google.close();
});

beforeEach(() => {
  google.grants.splice(0);
  aheadMs = 0;
  answer = grantToken;
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  token = openAccessToken({
    credentials: { project_id: 'p', client_email: 'push@p.example', private_key: privateKey },
    fcmUrl: 'https://fcm.googleapis.com',
    // Where tokens are fetched directly; `cert` knows only Google's address, to which the proxy leads.
    oauthUrl: google.url,
    ca: google.authority,
    isGoogle: true,
    clock: () => new Date(Date.now() + aheadMs),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  token.close();
});

function grantToken(response: ServerResponse): void {
  response.end(JSON.stringify({ access_token: `token-${google.grants.length}`, expires_in: 3_600 }));
}

const granted = (number: number) => ({ kind: 'granted', token: `token-${number}` });

test('the access token is fetched once for all senders, by the library itself, which writes nothing', async () => {
  const written = vi.spyOn(process.stderr, 'write');
  const warned = vi.spyOn(console, 'warn');
  const grants = await Promise.all(Array.from({ length: 20 }, async () => token.get()));
  expect(new Set(grants.map((grant) => JSON.stringify(grant)))).toEqual(
    new Set([JSON.stringify(granted(1))]),
  );
  expect(google.grants).toEqual([
    { isProxied: true, claims: expect.objectContaining({ iss: 'push@p.example' }) },
  ]);
  expect(Reflect.get(Object(google.grants[0]?.claims), 'scope')).toContain(MESSAGING);
  expect(written).not.toHaveBeenCalled();
  expect(warned).not.toHaveBeenCalled();
});

test('the access token is kept, and renewed ahead of its end', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  expect(await token.get()).toEqual(granted(1));
  vi.setSystemTime(Date.now() + HOUR_MS / 2);
  expect(await token.get()).toEqual(granted(1));
  vi.setSystemTime(Date.now() + HOUR_MS / 2 - 60_000);
  expect(await token.get()).toEqual(granted(2));
  expect(google.grants.map(({ isProxied }) => isProxied)).toEqual([true, true]);
});

test('an access token that FCM has refused is replaced at once, directly, and the library is used again later', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await token.get();
  token.discard('token-1');
  expect(await token.get()).toEqual(granted(2));
  expect(google.grants[1]).toEqual({
    isProxied: false,
    claims: expect.objectContaining({ scope: MESSAGING }),
  });
  vi.setSystemTime(Date.now() + HOUR_MS);
  expect(await token.get()).toEqual(granted(3));
  expect(google.grants[2]).toMatchObject({ isProxied: true });
});

test('an access token that Google refuses means refused credentials, and the error says if the clocks disagree', async () => {
  const date = new Date(Date.now() - HOUR_MS).toUTCString();
  answer = (response) => response.writeHead(400, { date }).end('{"error":"invalid_grant"}');
  expect(await token.get()).toEqual({
    kind: 'refused',
    reason: 'Google access token: invalid_grant',
    clock: { aheadMs: expect.any(Number) },
  });
});

test('an access token that Google does not give is unavailable after ten seconds, and then fetched directly', async () => {
  const asked = Promise.withResolvers<void>();
  answer = () => asked.resolve();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const unanswered = token.get();
  await asked.promise;
  vi.advanceTimersByTime(10_000);
  expect(await unanswered).toMatchObject({ kind: 'unavailable' });
  vi.useRealTimers();
  answer = grantToken;
  aheadMs = 1_000;
  expect(await token.get()).toEqual(granted(2));
  expect(google.grants.map(({ isProxied }) => isProxied)).toEqual([true, false]);
});

test('an access token that cannot be fetched for the moment is tried again', async () => {
  answer = (response) => response.writeHead(503).end('{}');
  expect(await token.get()).toMatchObject({ kind: 'unavailable', reason: 'Google access token: HTTP 503' });
  answer = grantToken;
  aheadMs = 1_000;
  expect(await token.get()).toMatchObject({ kind: 'granted' });
});
