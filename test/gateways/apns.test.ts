import { generateKeyPairSync } from 'node:crypto';
import { constants, type IncomingHttpHeaders } from 'node:http2';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openApns } from '../../src/gateways/apns/apns.ts';
import { apnsId } from '../../src/gateways/apns/compile-apns.ts';
import { probeApns } from '../../src/gateways/apns/probe-apns.ts';
import { openProviderToken } from '../../src/gateways/apns/provider-token.ts';
import type { Gateway, PushMessage, Recipient } from '../../src/gateways/gateway.ts';
import { observeNothing } from '../../src/observe.ts';
import type { Certificate, Peer, StreamHandler } from '../../packages/http2-client/test/peer.ts';
import { bodyOf, makeCertificate, openPeer, respond } from '../../packages/http2-client/test/peer.ts';
import { sendHeldBack } from '../support/gateways.ts';

const always = () => true;

const message: PushMessage = {
  notificationId: '0d7c1b9e-6f51-4d5e-9a53-5a2f0b6f8c11',
  payload: { alert: 'Hi', id: 7 },
  priority: 'high',
  timeToLiveSeconds: 60,
  dueAt: new Date('2026-11-21T10:00:00Z'),
};
const recipient: Recipient = {
  deviceId: '7b4f1c52-13a5-4c0e-8e37-0d2f66f0a001',
  pushToken: 'ab'.repeat(32),
  pushTokenType: 'token',
};
const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

let certificate: Certificate;
let production: Peer;
let sandbox: Peer;
let apns: Gateway;
let apnsSandbox: Gateway;
let nowMs: number;
/** The next steps of the production peer; without one it accepts. */
let script: StreamHandler[];
let requests: { environment: string; headers: IncomingHttpHeaders; body: string }[];

beforeAll(async () => {
  certificate = await makeCertificate();
});

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T10:00:00Z');
  script = [];
  requests = [];
  const apple =
    (environment: string): StreamHandler =>
    async (stream, headers, session) => {
      const step = script.shift();
      const body = await bodyOf(stream).catch(() => '');
      requests.push({ environment, headers, body });
      if (step === undefined) respond(stream);
      else void step(stream, headers, session);
    };
  production = await openPeer(certificate, apple('production'));
  sandbox = await openPeer(certificate, apple('sandbox'));
  const clock = (): Date => new Date(nowMs);
  const shared = {
    bundleId: 'com.example.app',
    token: openProviderToken({ keyId: 'KEY1234567', teamId: 'TEAM123456', privateKey }, clock),
    ca: certificate.cert,
    clock,
    observe: observeNothing,
  };
  apns = openApns({ ...shared, route: 'apns_production', url: production.origin });
  apnsSandbox = openApns({ ...shared, route: 'apns_sandbox', url: sandbox.origin });
});

afterEach(async () => {
  await apns.close();
  await apnsSandbox.close();
  await production.close();
  await sandbox.close();
});

function refuseWith(status: number, reason: string, headers = {}): StreamHandler {
  return (stream) => respond(stream, status, JSON.stringify({ reason }), headers);
}

function bearers(): Set<unknown> {
  return new Set(requests.map(({ headers }) => headers.authorization));
}

const reset: StreamHandler = (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
const refuse: StreamHandler = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);

test('a refusal is not read before the caller lets it', async () => {
  script = [refuseWith(400, 'BadTopic')];
  const held = await sendHeldBack(apns.compile(message, always), recipient);
  expect(held).toEqual({ verdict: { kind: 'rejected', reason: 'BadTopic' }, isReadBefore: false });
});

test('a push is the request that Apple documents', async () => {
  expect(await apns.compile(message, always)(recipient)).toEqual({ kind: 'accepted' });
  const [request] = requests;
  expect(request?.environment).toBe('production');
  expect(request?.headers).toMatchObject({
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': new URL(production.origin).host,
    ':path': `/3/device/${recipient.pushToken}`,
    authorization: expect.stringMatching(/^bearer [\w-]+\.[\w-]+\.[\w-]+$/) as unknown,
    'apns-id': apnsId(message.notificationId, recipient.deviceId),
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '1795255260',
    'apns-collapse-id': message.notificationId,
  });
  expect(request?.body).toBe(`{"id":7,"aps":{"alert":"Hi"},"_nid":"${message.notificationId}"}`);
});

test('all pushes of a message carry its headers, whatever provider token they are sent with', async () => {
  const send = apns.compile(message, always);
  const deviceIds = ['device-1', 'device-2', 'device-3', 'device-4'];
  for (const deviceId of deviceIds) {
    expect(await send({ ...recipient, deviceId })).toEqual({ kind: 'accepted' });
    nowMs += 30 * 60_000; // the provider token is replaced meanwhile
  }
  const ids = deviceIds.map((deviceId) => apnsId(message.notificationId, deviceId));
  expect(requests.map(({ headers }) => headers['apns-id'])).toEqual(ids);
  expect(bearers().size).toBeGreaterThan(1);
  // Without the symbol that says which of them the client forbids to compress: those of the first push are its own.
  const [first, ...others] = requests.map(({ headers }) => {
    const { 'apns-id': _id, authorization: _bearer, ...same } = headers;
    return Object.fromEntries(Object.entries(same));
  });
  expect(others).toHaveLength(3);
  for (const other of others) expect(other).toEqual(first);
});

test.each([
  ['words', 'goal 1', 'goal 1'],
  ['any other script', '日本 Ā 🎉', /^[0-9a-f]{64}$/],
  ['a line break', 'a\nx: y', /^[0-9a-f]{64}$/],
  ['white space at the end', 'a ', /^[0-9a-f]{64}$/],
])('a collapse key of %s reaches Apple whole, or as a digest of 64 bytes', async (_name, key, id) => {
  const keyed = { ...message, payload: { ...message.payload, collapse_key: key } };
  expect(await apns.compile(keyed, always)(recipient)).toEqual({ kind: 'accepted' });
  const received = Buffer.from(String(requests[0]?.headers['apns-collapse-id']), 'latin1').toString();
  if (typeof id === 'string') expect(received).toBe(id);
  else expect(received).toMatch(id);
});

test('the sandbox is not connected to before its first push, which carries the same provider token', async () => {
  await apns.compile(message, always)(recipient);
  expect(sandbox.opened()).toBe(0);
  await apnsSandbox.compile(message, always)(recipient);
  expect(requests.map(({ environment }) => environment)).toEqual(['production', 'sandbox']);
  expect(bearers().size).toBe(1);
});

test.each(['', 'not a token', 'ab/../cd', 'ab\r\ncd', 'ab\0cd'])(
  'a token that is not hexadecimal (%j) is dead without a request to Apple',
  async (pushToken) => {
    const dead = { kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null };
    expect(await apns.compile(message, always)({ ...recipient, pushToken })).toEqual(dead);
    expect(requests).toEqual([]);
  },
);

test('an answer becomes a verdict, Retry-After and timestamp included', async () => {
  const send = apns.compile(message, always);
  script = [
    refuseWith(503, 'ServiceUnavailable', { 'retry-after': 'Sat, 21 Nov 2026 10:00:09 GMT' }),
    (stream) => respond(stream, 410, '{"reason":"Unregistered","timestamp":1795255200123}'),
  ];
  const reason = 'ServiceUnavailable';
  expect(await send(recipient)).toEqual({ kind: 'retry', reason, afterMs: 9000, scope: 'device' });
  const deadSince = new Date(1_795_255_200_123);
  expect(await send(recipient)).toEqual({ kind: 'unregistered', reason: 'Unregistered', deadSince });
});

describe('an ambiguous answer', () => {
  test('a push with an ambiguous answer is sent once more, under the same id and collapse id', async () => {
    script = [reset];
    expect(await apns.compile(message, always)(recipient)).toEqual({ kind: 'accepted' });
    const [first, second] = requests.map(({ headers }) => headers);
    expect(requests).toHaveLength(2);
    expect(second).toEqual(first);
  });

  test('a push with two ambiguous answers is ambiguous', async () => {
    script = [reset, reset];
    expect(await apns.compile(message, always)(recipient)).toMatchObject({ kind: 'ambiguous' });
    expect(requests).toHaveLength(2);
  });
});

test('a push that Apple refuses to process again and again may be tried later', async () => {
  script = Array.from({ length: 100 }, () => refuse);
  const unsent = { kind: 'retry', reason: 'refused_stream', afterMs: null, scope: 'device', unsent: true };
  expect(await apns.compile(message, always)(recipient)).toEqual(unsent);
});

describe('an expired provider token', () => {
  const expired = refuseWith(403, 'ExpiredProviderToken');

  test('an expired provider token is minted again, once, and the push is sent again', async () => {
    nowMs += 5 * 60_000;
    const send = apns.compile(message, always);
    await send(recipient);
    nowMs += 60_000;
    script = [expired];
    expect(await send(recipient)).toEqual({ kind: 'accepted' });
    const tokens = requests.map(({ headers }) => headers.authorization);
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[0]);

    script = [expired];
    expect(await send(recipient)).toEqual({
      kind: 'credentials_refused',
      reason: 'ExpiredProviderToken',
      clock: { aheadMs: expect.any(Number) as unknown }, // the peer's is the real one
    });
    expect(requests).toHaveLength(4);
  });

  test('a token of the slot before that has expired gives way to that of the slot, and this one to another', async () => {
    const send = apns.compile(message, always);
    await send(recipient);
    nowMs += 60_000;
    for (let refusal = 0; refusal < 2; refusal++) {
      script = [expired];
      expect(await send(recipient)).toEqual({ kind: 'accepted' });
    }
    expect(bearers().size).toBe(3);
    script = [expired];
    expect(await send(recipient)).toMatchObject({ kind: 'credentials_refused' });
  });

  test('an expired provider token is minted once for all pushes that were refused with it', async () => {
    const send = apns.compile(message, always);
    await send(recipient);
    nowMs += 60_000;
    script = Array.from({ length: 20 }, () => expired);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => send(recipient)));
    expect(verdicts.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(bearers().size).toBe(2);
  });
});

describe('one provider token too many', () => {
  const tooMany = refuseWith(429, 'TooManyProviderTokenUpdates');

  test('pushes that were refused with a token that just began are sent again with the one before', async () => {
    nowMs = Date.parse('2026-11-21T10:01:05Z');
    const send = apns.compile(message, always);
    script = Array.from({ length: 20 }, () => tooMany);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => send(recipient)));
    expect(verdicts.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(bearers().size).toBe(2);
    expect(await send(recipient)).toEqual({ kind: 'accepted' });
    expect(requests).toHaveLength(41);
  });

  test('a push that is refused with both tokens is tried later', async () => {
    nowMs = Date.parse('2026-11-21T10:01:05Z');
    script = [tooMany, tooMany];
    const reason = 'TooManyProviderTokenUpdates';
    expect(await apns.compile(message, always)(recipient)).toMatchObject({ kind: 'retry', reason });
    expect([bearers().size, requests.length]).toEqual([2, 2]);
  });

  test('a check of credentials is made again with the token before, once', async () => {
    nowMs = Date.parse('2026-11-21T10:01:05Z');
    const probe = async () =>
      probeApns({
        url: production.origin,
        ca: certificate.cert,
        bundleId: 'com.example.app',
        credentials: { keyId: 'KEY1234567', teamId: 'TEAM123456', privateKey },
        clock: () => new Date(nowMs),
      });
    script = [tooMany];
    expect(await probe()).toEqual({ result: 'good' });
    expect([bearers().size, requests.length]).toEqual([2, 2]);
    script = [tooMany, tooMany];
    expect(await probe()).toEqual({ result: 'unknown', reason: 'TooManyProviderTokenUpdates' });
    expect([bearers().size, requests.length]).toEqual([2, 4]);
  });
});

test('a closed gateway sends nothing', async () => {
  const send = apns.compile(message, always);
  await apns.close();
  expect(await send(recipient)).toMatchObject({ kind: 'retry', reason: 'pool_closed' });
});
