import { beforeEach, describe, expect, test } from 'vitest';
import type { WebSubscription } from '../../src/web/subscriptions.ts';
import { type Answer, type Client, requestHttp1 } from '../client.ts';
import { useSimulator } from '../harness.ts';
import { type Change, createSender, encrypt, pushWeb } from './sender.ts';

const harness = useSimulator();
const sender = createSender();
let client: Client;
let browser: WebSubscription;
beforeEach(async () => {
  client = await harness.client(harness.simulator.urls.web);
  browser = harness.simulator.web.subscribe({ applicationServerKey: sender.publicKey });
});
const push = async (change?: Change, to = browser): Promise<Answer> =>
  pushWeb(harness, client, sender, to, change);

test('a push to a browser is accepted, decrypted and recorded with its headers', async () => {
  const headers = { ttl: '3600', urgency: 'high', topic: 'score_of-7' };
  expect(await push({ headers })).toMatchObject({
    status: 201,
    headers: { location: expect.stringContaining(`${harness.simulator.urls.web}/`), ttl: '3600' },
    body: '',
  });
  expect(harness.simulator.received({ token: browser.endpoint })).toMatchObject([
    {
      gateway: 'web_push',
      service: 'plain',
      ttl: 3600,
      urgency: 'high',
      topic: 'score_of-7',
      subject: 'mailto:push@example.com',
      text: '{"title":"Hello","data":{"_nid":"n1"}}',
      bodyFault: null,
      nid: 'n1',
    },
  ]);
  expect(harness.simulator.pushesByToken('n1')).toEqual(new Map([[browser.endpoint, 1]]));
});

test.each([
  ['in the message', { _nid: 'n2' }],
  ['in the data of its notification', { web_push: 8030, notification: { title: 'a', data: { _nid: 'n2' } } }],
])('the notification id of a push to a browser is found %s', async (_name, message) => {
  await push({ text: JSON.stringify(message) });
  expect(harness.simulator.pushesByToken('n2').size).toBe(1);
});

test('a push to a browser may have no body, and then needs no content encoding', async () => {
  const answer = await push({ body: Buffer.alloc(0), headers: { 'content-encoding': undefined } });
  expect(answer.status).toBe(201);
  expect(harness.simulator.received()).toMatchObject([
    { text: null, bodyFault: null, urgency: 'normal', topic: null },
  ]);
});

test('a push over HTTP/1.1 is accepted as one over HTTP/2', async () => {
  const { urls, caPem } = harness.simulator;
  const headers = {
    authorization: sender.authorization(urls.web, harness.now),
    ttl: '0',
    'content-encoding': 'aes128gcm',
  };
  const body = encrypt('over 1.1', browser);
  expect(await requestHttp1(browser.endpoint, caPem, { headers, body })).toMatchObject({ status: 201 });
  expect(harness.simulator.received()).toMatchObject([{ text: 'over 1.1', ttl: 0, token: browser.endpoint }]);
});

describe('the body of a push', () => {
  test('a body may be padded, up to 4,096 bytes in all', async () => {
    const body = encrypt('padded', browser, { padding: 4096 - 103 - 6 });
    expect(body.length).toBe(4096);
    expect((await push({ body })).status).toBe(201);
    expect(harness.simulator.received()).toMatchObject([{ text: 'padded' }]);
    expect(await push({ body: Buffer.concat([body, Buffer.alloc(1)]) })).toMatchObject({ status: 413 });
  });

  test.each<[string, (to: WebSubscription) => Buffer, string]>([
    ['for another browser', () => encrypt('a', harness.simulator.web.subscribe()), 'does not decrypt'],
    ['without the last delimiter', (to) => encrypt('a', to, { delimiter: 1 }), 'delimiter 2'],
    ['of zeros alone', (to) => encrypt('', to, { delimiter: 0 }), 'delimiter 2'],
    ['of two records', (to) => encrypt('abcdef', to, { recordSize: 20 }), 'more than one record'],
    ['as long as its record size', (to) => encrypt('abc', to, { recordSize: 20 }), 'as long as its size'],
    ['with a record size of 17', (to) => encrypt('a', to, { recordSize: 17 }), 'record size'],
    ['of three bytes', () => Buffer.from('abc'), 'shorter than its header'],
  ])(
    'a body %s is accepted, as no service can read it, and recorded as faulty',
    async (_name, make, fault) => {
      expect(await push({ body: make(browser) })).toMatchObject({ status: 201 });
      const bodyFault = expect.stringContaining(fault);
      expect(harness.simulator.received()).toMatchObject([{ text: null, bodyFault }]);
      expect(harness.simulator.counts().web_push).toMatchObject({
        accepted: 1,
        errors: { UnreadableBody: 1 },
      });
    },
  );
});

describe('a push that a service of the RFCs refuses', () => {
  test.each<[string, Change, number, string]>([
    ['without TTL', { headers: { ttl: undefined } }, 400, 'BadTtl'],
    ['with a TTL of other than digits', { headers: { ttl: '60.5' } }, 400, 'BadTtl'],
    ['with an unknown urgency', { headers: { urgency: 'urgent' } }, 400, 'BadUrgency'],
    ['with a topic of 33 characters', { headers: { topic: 'a'.repeat(33) } }, 400, 'BadTopic'],
    ['with a topic that is not base64url', { headers: { topic: 'a b' } }, 400, 'BadTopic'],
    ['in another coding', { headers: { 'content-encoding': 'aesgcm' } }, 400, 'BadContentEncoding'],
    ['with a header of another coding', { headers: { encryption: 'salt=a' } }, 400, 'BadContentEncoding'],
    ['without authorization', { headers: { authorization: undefined } }, 401, 'MissingVapid'],
    ['with another scheme', { headers: { authorization: 'Bearer a' } }, 403, 'BadVapid'],
    ['without the key', { headers: { authorization: 'vapid t=a.b.c' } }, 403, 'BadVapid'],
    ['for another origin', { claims: { aud: 'https://push.example.com' } }, 403, 'BadVapid'],
    ['with an audience that has a path', { claims: { aud: 'https://127.0.0.1/push' } }, 403, 'BadVapid'],
    ['with an expired token', { claims: { exp: 1_700_000_000 } }, 403, 'BadVapid'],
    ['with a token for over a day', { claims: { exp: 1_900_000_000 } }, 403, 'BadVapid'],
    ['with an expiry as text', { claims: { exp: '1795262400' } }, 403, 'BadVapid'],
    ['without a subject', { claims: { sub: undefined } }, 403, 'BadVapid'],
    ['with a subject without a scheme', { claims: { sub: 'push@example.com' } }, 403, 'BadVapid'],
  ])('a push %s is refused', async (_name, change, status, reason) => {
    expect(await push(change)).toMatchObject({
      status,
      headers: { 'content-type': expect.stringMatching(/^text.plain/) },
    });
    expect(harness.simulator.counts().web_push).toMatchObject({ accepted: 0, errors: { [reason]: 1 } });
  });

  test('a push signed with another key than the subscription is bound to is refused', async () => {
    const stranger = createSender();
    expect(await pushWeb(harness, client, stranger, browser)).toMatchObject({ status: 403 });
    const unbound = harness.simulator.web.subscribe();
    expect(await pushWeb(harness, client, stranger, unbound)).toMatchObject({ status: 201 });
    expect(harness.simulator.counts().web_push.errors).toEqual({ VapidKeyMismatch: 1 });
  });

  test('a token that names another key than it is signed with is refused', async () => {
    const [token] = createSender().authorization(harness.simulator.urls.web, harness.now).split(',');
    const authorization = `${token}, k=${sender.publicKey}`;
    expect(await push({ headers: { authorization } })).toMatchObject({ status: 403 });
  });

  test('a body encrypted with the key pair that signs is refused', async () => {
    const body = encrypt('a', browser);
    Buffer.from(sender.publicKey, 'base64url').copy(body, 21);
    expect(await push({ body })).toMatchObject({ status: 400 });
    expect(harness.simulator.counts().web_push.errors).toEqual({ SharedKey: 1 });
  });

  test('a GET and a push to an unknown endpoint are refused', async () => {
    expect(await push({ headers: { ':method': 'GET' } })).toMatchObject({ status: 405 });
    const unknown = { ...browser, endpoint: `${browser.endpoint}x` };
    expect(await push({}, unknown)).toMatchObject({ status: 404 });
  });

  test.each([404, 410] as const)('a subscription that was given up is answered with %i', async (status) => {
    harness.simulator.web.unsubscribe(browser.endpoint, status);
    expect(await push()).toMatchObject({ status });
    expect(harness.simulator.counts().web_push.errors).toEqual({ Gone: 1 });
  });
});
