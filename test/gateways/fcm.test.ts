import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { constants, type IncomingHttpHeaders } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFcm } from '../../src/gateways/fcm/fcm.ts';
import type { Gateway, PushMessage, Recipient } from '../../src/gateways/gateway.ts';
import { observeNothing } from '../../src/observe.ts';
import type { Certificate, Peer, StreamHandler } from '../../packages/http2-client/test/peer.ts';
import { bodyOf, makeCertificate, openPeer, portOf, respond } from '../../packages/http2-client/test/peer.ts';
import { sendHeldBack } from '../support/gateways.ts';

const always = () => true;

const message: PushMessage = {
  notificationId: '0d7c1b9e-6f51-4d5e-9a53-5a2f0b6f8c11',
  payload: { alert: 'Hi', id: 7, collapse_key: 'k' },
  priority: 'high',
  timeToLiveSeconds: 60,
  dueAt: new Date('2026-11-21T10:00:00Z'),
};
/** Due now, by the clock that the gateway is given. */
const dueNow = (): PushMessage => ({ ...message, dueAt: new Date(Date.now() + clockAheadMs) });
const recipient: Recipient = { deviceId: 'd', pushToken: 'a:"token"', pushTokenType: 'token' };
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const hourMs = 60 * 60 * 1000;

let certificate: Certificate;
let google: Peer;
let oauth: Server;
let fcm: Gateway;
let clockAheadMs: number;
let script: StreamHandler[];
let requests: { headers: IncomingHttpHeaders; body: string }[];
/** The grant requests so far, and the answer to the next. */
let grants: URLSearchParams[];
let answerGrant: (response: ServerResponse) => void;

beforeAll(async () => {
  certificate = await makeCertificate();
});

beforeEach(async () => {
  clockAheadMs = 0;
  script = [];
  requests = [];
  grants = [];
  answerGrant = (response) =>
    grant(response, 200, { access_token: `token-${grants.length}`, expires_in: 3600 });
  google = await openPeer(certificate, async (stream, headers, session) => {
    const step = script.shift();
    requests.push({ headers, body: await bodyOf(stream).catch(() => '') });
    if (step === undefined) respond(stream, 200, '{"name":"projects/p/messages/1"}');
    else void step(stream, headers, session);
  });
  oauth = createServer(certificate, (request, response) => {
    void handleGrant(request, response);
  });
  oauth.listen(0, 'localhost');
  await once(oauth, 'listening');
  const credentials = { client_email: 'push@my-project.example', private_key: privateKey };
  fcm = openFcm({
    credentials: { project_id: 'my-project', ...credentials },
    fcmUrl: google.origin,
    oauthUrl: `https://localhost:${portOf(oauth)}`,
    ca: certificate.cert,
    clock: () => new Date(Date.now() + clockAheadMs),
    observe: observeNothing,
  });
});

afterEach(async () => {
  await fcm.close();
  await google.close();
  oauth.closeAllConnections();
  oauth.close();
});

async function handleGrant(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  if (request.method !== 'POST' || request.url !== '/token') {
    grant(response, 404, {});
    return;
  }
  grants.push(new URLSearchParams(body));
  answerGrant(response);
}

function grant(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuseWith(status: number, body: object | string = '', headers = {}): StreamHandler {
  return (stream) => respond(stream, status, typeof body === 'string' ? body : JSON.stringify(body), headers);
}

const unauthenticated = refuseWith(401, { error: { code: 401, status: 'UNAUTHENTICATED' } });
const reset: StreamHandler = (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR);

test('a refusal is not read before the caller lets it', async () => {
  script = [refuseWith(400, { error: { status: 'INVALID_ARGUMENT' } })];
  const held = await sendHeldBack(fcm.compile(dueNow(), always), recipient);
  expect(held).toEqual({ verdict: { kind: 'rejected', reason: 'INVALID_ARGUMENT' }, isReadBefore: false });
});

test('a push to an installation id names it in place of a token', async () => {
  const installation: Recipient = { ...recipient, pushToken: 'cAbCdEfGhIjKlMnOpQrStU', pushTokenType: 'fid' };
  await fcm.compile(dueNow(), always)(installation);
  const sent: unknown = JSON.parse(requests[0]?.body ?? '');
  expect(sent).toMatchObject({ message: { fid: 'cAbCdEfGhIjKlMnOpQrStU' } });
  expect(sent).not.toHaveProperty('message.token');
});

test('a push is the request that Google documents', async () => {
  expect(await fcm.compile(dueNow(), always)(recipient)).toEqual({ kind: 'accepted' });
  expect(requests[0]?.headers).toMatchObject({
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': new URL(google.origin).host,
    ':path': '/v1/projects/my-project/messages:send',
    'content-type': 'application/json',
    authorization: 'Bearer token-1',
  });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    message: {
      token: 'a:"token"',
      data: { alert: 'Hi', id: '7', collapse_key: 'k', _nid: message.notificationId },
      android: { priority: 'high', ttl: '60s', collapse_key: 'k' },
    },
  });
});

test('a push to Google has the rest of the time to live at the moment of sending', async () => {
  const send = fcm.compile({ ...dueNow(), timeToLiveSeconds: 3_600 }, always);
  await send(recipient);
  clockAheadMs = 30 * 60_000;
  await send(recipient);
  expect(requests.map(({ body }) => /"ttl":"(\d+)s"/.exec(body)?.[1])).toEqual(['3600', '1800']);
});

test('the access token is asked for with the messaging scope alone, signed by the service account', async () => {
  await fcm.compile(message, always)(recipient);
  expect(grants[0]?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [header = '', claims = '', signature = ''] = grants[0]?.get('assertion')?.split('.') ?? [];
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: 'push@my-project.example',
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: 'https://oauth2.googleapis.com/token',
  });
  const [signed, code] = [Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url')];
  expect(verify('sha256', signed, createPublicKey(privateKey), code)).toBe(true);
});

describe('the access token', () => {
  test('the access token is shared by pushes that start at the same time', async () => {
    const send = fcm.compile(message, always);
    await Promise.all(Array.from({ length: 50 }, () => send(recipient)));
    expect(requests).toHaveLength(50);
    expect(grants).toHaveLength(1);
  });

  test('the access token is kept, and renewed ahead of its end', async () => {
    const send = fcm.compile(message, always);
    await send(recipient);
    clockAheadMs = hourMs / 2;
    await send(recipient);
    expect(grants).toHaveLength(1);
    clockAheadMs = hourMs - 60_000;
    await send(recipient);
    expect(grants).toHaveLength(2);
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  test('the access token is fetched again once on a 401, for all pushes that were refused with it', async () => {
    const send = fcm.compile(message, always);
    script = Array.from({ length: 20 }, () => unauthenticated);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => send(recipient)));
    expect(verdicts.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(grants).toHaveLength(2);
  });

  test('an access token that is refused a second time means that the credentials are refused', async () => {
    script = [unauthenticated, unauthenticated];
    const refused = { kind: 'credentials_refused', reason: 'UNAUTHENTICATED' };
    expect(await fcm.compile(message, always)(recipient)).toEqual(refused);
    expect(requests).toHaveLength(2);
    expect(grants).toHaveLength(2);
  });

  test.each([
    [400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, 'invalid_grant'],
    [401, { error: 'invalid_client' }, 'invalid_client'],
    [403, {}, 'HTTP 403'],
  ])('a grant that Google refuses (%i) refuses the credentials', async (status, body, word) => {
    answerGrant = (response) => grant(response, status, body);
    expect(await fcm.compile(message, always)(recipient)).toEqual({
      kind: 'credentials_refused',
      reason: 'access_token_refused',
      detail: `Google access token: ${word}`,
    });
    expect(requests).toEqual([]);
    expect(grants).toHaveLength(1);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['answered with 503', (response) => grant(response, 503, { error: 'backend' })],
    ['answered with HTML', (response) => response.writeHead(502).end('<html>')],
    ['answered without a token', (response) => grant(response, 200, {})],
    ['broken off', (response) => response.destroy()],
  ])('a grant that is %s may be tried later, and then works', async (_name, answer) => {
    const send = fcm.compile(message, always);
    const usual = answerGrant;
    answerGrant = answer;
    const retried = { kind: 'retry', reason: 'access_token_unavailable', scope: 'project' };
    expect(await send(recipient)).toMatchObject(retried);
    expect(grants).toHaveLength(1);
    answerGrant = usual;
    clockAheadMs = 1_000;
    expect(await send(recipient)).toEqual({ kind: 'accepted' });
  });

  test.each<[string, number, string | undefined, readonly number[]]>([
    ['unavailable', 503, undefined, [1, 2, 4, 8, 16, 32, 60, 60]],
    ['unavailable, which asks for no wait', 503, '0', [1, 2, 4, 8, 16, 32, 60, 60]],
    ['unavailable, which asks for two minutes', 429, '120', [144, 144]],
    ['refusing the account', 400, undefined, [1, 2, 4, 8]],
  ])(
    'the access token is asked for at growing intervals while Google is %s',
    async (_name, status, asked, seconds) => {
      const send = fcm.compile(message, always);
      answerGrant = (response) => {
        if (asked !== undefined) response.setHeader('retry-after', asked);
        grant(response, status, { error: 'some_error' });
      };
      const kinds = new Set<string>();
      for (let asks = 1; asks <= seconds.length; asks++) {
        const verdicts = await Promise.all(Array.from({ length: 20 }, () => send(recipient)));
        for (const { kind } of verdicts) kinds.add(kind);
        expect((await send(recipient)).kind).toBe(verdicts[0]?.kind);
        expect(grants).toHaveLength(asks);
        clockAheadMs += (seconds[asks - 1] ?? 0) * 1_000;
      }
      expect(kinds).toEqual(new Set([status === 400 ? 'credentials_refused' : 'retry']));
      expect(requests).toEqual([]);
    },
  );

  test('the access token is renewed once a minute if FCM refuses each', async () => {
    const send = fcm.compile(message, always);
    script = Array.from({ length: 60 }, () => unauthenticated);
    for (let push = 0; push < 10; push++) await send(recipient);
    expect(grants).toHaveLength(2);
    clockAheadMs = 60_000;
    for (let push = 0; push < 10; push++) await send(recipient);
    expect(grants).toHaveLength(3);
    expect(requests).toHaveLength(40);
  });

  test('the access token is unavailable while Google is unreachable, and the push is to be retried', async () => {
    oauth.close();
    const verdict = await fcm.compile(message, always)(recipient);
    expect(verdict).toMatchObject({ kind: 'retry', scope: 'project' });
    expect(requests).toEqual([]);
  });
});

test('an answer becomes a verdict, Retry-After included', async () => {
  script = [refuseWith(503, { error: { status: 'UNAVAILABLE' } }, { 'retry-after': '30' })];
  const retried = { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 30_000, scope: 'device' };
  expect(await fcm.compile(message, always)(recipient)).toEqual(retried);
});

describe('an ambiguous answer', () => {
  test('a push with an ambiguous answer is sent once more, with the same _nid', async () => {
    script = [reset];
    expect(await fcm.compile(message, always)(recipient)).toEqual({ kind: 'accepted' });
    expect(requests).toHaveLength(2);
    expect(requests[1]).toEqual(requests[0]);
  });

  test('a push with two ambiguous answers is ambiguous', async () => {
    script = [reset, reset];
    expect(await fcm.compile(message, always)(recipient)).toMatchObject({ kind: 'ambiguous' });
    expect(requests).toHaveLength(2);
  });
});
