/** What is particular to each service. */
import { describe, expect, test } from 'vitest';
import type { WebService } from '../../src/web/subscriptions.ts';
import type { Answer } from '../client.ts';
import { useSimulator } from '../harness.ts';
import { type Change, createSender, encrypt, pushWeb } from './sender.ts';

const harness = useSimulator();
const sender = createSender();
const CLIENTS_KEY = 'the VAPID credentials in the authorization header do not correspond';

async function push(service: WebService, change: Change = {}, from = sender): Promise<Answer> {
  const client = await harness.client(harness.simulator.urls.web);
  const browser = harness.simulator.web.subscribe({ service, applicationServerKey: sender.publicKey });
  return pushWeb(harness, client, from, browser, change);
}

/** The words of the service in its reply. */
function wordsOf(service: WebService, { headers, body }: Answer): unknown {
  if (service === 'windows') return headers['x-wns-error-description'];
  return service === 'google' || service === 'plain' ? body : JSON.parse(body);
}

const isMozilla = (code: number, errno: number): unknown =>
  expect.objectContaining({ code, errno, error: expect.any(String), message: expect.any(String) });
const authorization = undefined;
const BAD_JWT = { reason: 'BadJwtToken' };

test.each<[WebService, string, Change, number, unknown]>([
  ['google', 'no VAPID', { headers: { authorization } }, 401, expect.stringContaining('authorization')],
  ['google', 'another audience', { claims: { aud: 'https://a.example' } }, 403, expect.any(String)],
  ['mozilla', 'no VAPID', { headers: { authorization } }, 401, isMozilla(401, 109)],
  ['mozilla', 'another audience', { claims: { aud: 'https://a.example' } }, 401, isMozilla(401, 109)],
  ['mozilla', 'no TTL', { headers: { ttl: undefined } }, 400, isMozilla(400, 111)],
  ['mozilla', 'a Crypto-Key', { headers: { 'crypto-key': 'dh=a' } }, 400, isMozilla(400, 110)],
  ['mozilla', 'a body over 4,096 bytes', { text: 'a'.repeat(4000) }, 413, isMozilla(413, 104)],
  ['apple', 'no VAPID', { headers: { authorization } }, 403, BAD_JWT],
  ['apple', 'no subject', { claims: { sub: undefined } }, 403, BAD_JWT],
  ['apple', 'a subject at localhost', { claims: { sub: 'mailto:a@localhost' } }, 403, BAD_JWT],
  ['apple', 'a subject that cannot exist', { claims: { sub: 'mailto:a@b.invalid' } }, 403, BAD_JWT],
  ['apple', 'a subject in brackets', { claims: { sub: 'mailto: <a@b.com>' } }, 403, BAD_JWT],
  [
    'apple',
    'a topic of 13 characters',
    { headers: { topic: 'collie-update' } },
    400,
    { reason: 'BadWebPushTopic' },
  ],
  ['apple', 'a body over 4,096 bytes', { text: 'a'.repeat(4000) }, 413, { reason: 'PayloadTooLarge' }],
  ['windows', 'another audience', { claims: { aud: 'https://a.example' } }, 401, expect.any(String)],
  ['windows', 'a TTL of 0', { headers: { ttl: '0' } }, 400, 'Ttl value conflicts with X-WNS-Cache-Policy.'],
])('%s answers a push with %s in its own way', async (service, _name, change, status, words) => {
  const answer = await push(service, change);
  expect(answer.status).toBe(status);
  expect(wordsOf(service, answer)).toEqual(words);
});

test.each<[WebService, number, unknown]>([
  ['google', 403, expect.stringContaining(CLIENTS_KEY)],
  ['mozilla', 401, isMozilla(401, 109)],
  ['apple', 400, { reason: 'VapidPkHashMismatch' }],
  ['windows', 403, expect.stringContaining(CLIENTS_KEY)],
])('%s answers a push of another application server with %i', async (service, status, words) => {
  const answer = await push(service, {}, createSender());
  expect(answer.status).toBe(status);
  expect(wordsOf(service, answer)).toEqual(words);
});

test.each<[WebService, unknown]>([
  ['google', expect.any(String)],
  ['mozilla', isMozilla(410, 106)],
  ['apple', { reason: 'Unregistered' }],
  ['windows', expect.any(String)],
])(
  '%s answers for a dead browser with 410, and for an endpoint that never was with 404',
  async (service, words) => {
    const { web, urls } = harness.simulator;
    const client = await harness.client(urls.web);
    const browser = web.subscribe({ service });
    web.unsubscribe(browser.endpoint);
    const answer = await pushWeb(harness, client, sender, browser);
    expect(answer.status).toBe(410);
    expect(wordsOf(service, answer)).toEqual(words);
    const unknown = { ...browser, endpoint: `${browser.endpoint}0` };
    const headers = { 'x-wns-cache-policy': 'cache' };
    const other = await pushWeb(harness, client, sender, unknown, { headers });
    expect(other.status).toBe(404);
    expect(typeof wordsOf(service, other)).toBe(typeof wordsOf(service, answer));
  },
);

describe('an accepted push', () => {
  test.each<[WebService, string, Change, string]>([
    ['google', '28 days', { headers: { ttl: '9999999' } }, '2419200'],
    ['mozilla', '30 days', { headers: { ttl: '9999999' } }, '2592000'],
    ['apple', '30 days', { headers: { ttl: '9999999' } }, '2592000'],
    ['plain', 'as long as asked', { headers: { ttl: '9999999' } }, '9999999'],
  ])('a push to %s is kept %s at most', async (service, _name, change, ttl) => {
    expect(await push(service, change)).toMatchObject({ status: 201, headers: { ttl } });
    expect(harness.simulator.received()).toMatchObject([{ service, ttl: Number(ttl) }]);
  });

  test.each<[WebService, string, Change]>([
    ['apple', 'a topic of 14 characters', { headers: { topic: 'collie-updates' } }],
    ['apple', 'a subject of https', { claims: { sub: 'https://example.com/contact' } }],
    ['google', 'a topic of 13 characters', { headers: { topic: 'collie-update' } }],
    ['google', 'a subject at localhost', { claims: { sub: 'mailto:a@localhost' } }],
    ['windows', 'a TTL of 0 that is not cached', { headers: { ttl: '0', 'x-wns-cache-policy': 'no-cache' } }],
    ['windows', 'a TTL that is cached', { headers: { ttl: '9', 'x-wns-cache-policy': 'cache' } }],
  ])('%s accepts %s', async (service, _name, change) => {
    expect(await push(service, change)).toMatchObject({ status: 201 });
  });

  test('Apple names each push by an apns-id', async () => {
    const id = expect.stringMatching(/^[0-9A-F-]{36}$/);
    expect(await push('apple')).toMatchObject({ status: 201, headers: { 'apns-id': id } });
    const refused = await push('apple', { headers: { topic: 'a' } });
    expect(refused).toMatchObject({ status: 400, headers: { 'apns-id': id } });
  });

  test('Firefox on Android takes smaller bodies than Firefox', async () => {
    const text = 'a'.repeat(2743 - 103);
    expect(await push('mozilla-android', { text })).toMatchObject({ status: 201 });
    expect(await push('mozilla-android', { text: `${text}a` })).toMatchObject({ status: 413 });
    expect(await push('mozilla', { text: `${text}a` })).toMatchObject({ status: 201 });
  });

  test('the endpoint of Windows has its token in a query that must be sent as it is', async () => {
    const { web, urls } = harness.simulator;
    const client = await harness.client(urls.web);
    const browser = web.subscribe({ service: 'windows' });
    expect(browser.endpoint).toMatch(/\/push\/windows\/\?token=[\w-]+%3d$/);
    expect(await pushWeb(harness, client, sender, browser)).toMatchObject({ status: 201 });
    const decoded = { ...browser, endpoint: decodeURIComponent(browser.endpoint) };
    const body = encrypt('a', browser);
    expect(await pushWeb(harness, client, sender, decoded, { body })).toMatchObject({ status: 404 });
  });
});

describe('an ordered answer', () => {
  test.each<[WebService, number, string, unknown]>([
    ['google', 429, 'Too many', 'Too many\n'],
    ['mozilla', 503, 'Use back-off', isMozilla(503, 201)],
    ['apple', 429, 'TooManyRequests', { reason: 'TooManyRequests' }],
    ['windows', 406, 'Over its throttle limit', 'Over its throttle limit'],
  ])('an ordered answer of %s with %i has its form', async (service, status, reason, words) => {
    const headers = { 'Retry-After': '7' };
    harness.simulator.orderFault({ kind: 'answer', service, status, reason, headers, times: 1 });
    expect(await push('plain')).toMatchObject({ status: 201 });
    const answer = await push(service);
    expect(answer).toMatchObject({ status, headers: { 'retry-after': '7' } });
    expect(wordsOf(service, answer)).toEqual(words);
    expect(await push(service)).toMatchObject({ status: 201 });
    expect(harness.simulator.counts().web_push.errors).toEqual({ [reason]: 1 });
  });
});
