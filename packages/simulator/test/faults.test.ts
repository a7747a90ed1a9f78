import { constants } from 'node:http2';
import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { startSimulator } from '../src/simulator.ts';
import { type FaultOrder, faultSchema } from '../src/faults.ts';
import { type Answer, appleToken, type Client, openClient, requestHttp1 } from './client.ts';
import { PATIENCE, PROJECT, useSimulator } from './harness.ts';

const harness = useSimulator({ initialStreams: 1000 });
const REFUSED = constants.NGHTTP2_REFUSED_STREAM;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const apple = (): Promise<Client> => harness.client(harness.simulator.urls.apnsProduction);
const google = (): Promise<Client> => harness.client(harness.simulator.urls.fcm);
const burst = (client: Client, count: number): Promise<Answer[]> =>
  Promise.all(numbers(count).map((number) => harness.pushApple(client, { token: appleToken(number) })));

describe('an ordered answer of Apple', () => {
  test.each<[string, Partial<Extract<FaultOrder, { kind: 'answer' }>>, Partial<Answer>]>([
    [
      'is a 410 with the time of death',
      { status: 410, reason: 'Unregistered', timestamp: 1_795_000_000_123 },
      { status: 410, body: '{"reason":"Unregistered","timestamp":1795000000123}' },
    ],
    [
      'is a 503 with Retry-After',
      { status: 503, reason: 'ServiceUnavailable', headers: { 'Retry-After': '7' } },
      {
        status: 503,
        body: '{"reason":"ServiceUnavailable"}',
        headers: expect.objectContaining({ 'retry-after': '7' }),
      },
    ],
    [
      'is an expired provider token',
      { status: 403, reason: 'ExpiredProviderToken' },
      { status: 403, body: '{"reason":"ExpiredProviderToken"}' },
    ],
    [
      'is any page',
      { status: 502, body: '<html>Bad Gateway</html>', headers: { 'content-type': 'text/html' } },
      {
        status: 502,
        body: '<html>Bad Gateway</html>',
        headers: expect.objectContaining({ 'content-type': 'text/html' }),
      },
    ],
  ])('an ordered answer of Apple %s', async (_name, order, answer) => {
    harness.simulator.orderFault({ kind: 'answer', status: 500, ...order, gateway: 'apns' });
    expect(await harness.pushApple(await apple())).toMatchObject(answer);
    const reason = order.reason ?? `HTTP ${order.status}`;
    expect(harness.simulator.counts().apns).toMatchObject({ accepted: 0, errors: { [reason]: 1 } });
  });

  test('an ordered 410 has the time of now unless ordered otherwise', async () => {
    harness.simulator.orderFault({ kind: 'answer', status: 410, reason: 'ExpiredToken' });
    const answer = await harness.pushApple(await apple());
    expect(JSON.parse(answer.body)).toEqual({ reason: 'ExpiredToken', timestamp: harness.now.getTime() });
  });
});

describe('an ordered answer of Google', () => {
  test.each<[number, string, string]>([
    [404, 'NOT_FOUND', 'UNREGISTERED'],
    [403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'],
    [401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'],
    [429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'],
    [500, 'INTERNAL', 'INTERNAL'],
    [503, 'UNAVAILABLE', 'UNAVAILABLE'],
  ])('an ordered %i of Google is shaped as %s with %s', async (status, statusName, errorCode) => {
    const headers = { 'retry-after': '30' };
    harness.simulator.orderFault({ kind: 'answer', gateway: 'fcm', status, reason: errorCode, headers });
    const answer = await harness.pushGoogle(await google());
    expect(answer).toMatchObject({ status, headers });
    expect(JSON.parse(answer.body)).toEqual({
      error: {
        code: status,
        message: expect.any(String),
        status: statusName,
        details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }],
      },
    });
  });

  test('an ordered answer of Google has no details where no reason is given', async () => {
    harness.simulator.orderFault({ kind: 'answer', gateway: 'fcm', status: 429 });
    const { error } = JSON.parse((await harness.pushGoogle(await google())).body);
    expect(error).toEqual({ code: 429, message: expect.any(String), status: 'RESOURCE_EXHAUSTED' });
  });
});

describe('the pushes that a fault meets', () => {
  test('a fault for one push token goes before the faults for all', async () => {
    harness.simulator.orderFault({ kind: 'answer', status: 500, reason: 'InternalServerError' });
    harness.simulator.orderFault({ kind: 'answer', status: 400, token: appleToken(3) });
    const answers = await burst(await apple(), 5);
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 400, 500]);
  });

  test('a fault finds a push token inside the body of a message to Google', async () => {
    const token = 'device:two';
    harness.simulator.orderFault({ kind: 'answer', status: 404, token });
    const client = await google();
    expect(await harness.pushGoogle(client)).toMatchObject({ status: 200 });
    expect(await harness.pushGoogle(client, { message: { token } })).toMatchObject({ status: 404 });
  });

  test('a fault may be for one gateway and one environment', async () => {
    harness.simulator.orderFault({ kind: 'answer', status: 500, gateway: 'apns', environment: 'sandbox' });
    const sandbox = await harness.client(harness.simulator.urls.apnsSandbox);
    expect(await harness.pushApple(sandbox)).toMatchObject({ status: 500 });
    expect(await harness.pushApple(await apple())).toMatchObject({ status: 200 });
    expect(await harness.pushGoogle(await google())).toMatchObject({ status: 200 });
  });

  test('a fault may be for the first request of each connection', async () => {
    harness.simulator.orderFault({ kind: 'answer', status: 503, request: 1 });
    for (const client of [await apple(), await apple()]) {
      expect((await burst(client, 3)).map(({ status }) => status)).toEqual([503, 200, 200]);
    }
  });

  test('a fault happens as many times as ordered, then it is gone', async () => {
    harness.simulator.orderFault({ kind: 'answer', status: 503, times: 3 });
    const answers = await burst(await apple(), 10);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(3);
    expect(harness.simulator.faults()).toEqual([]);
  });

  test('a fault may happen by a probability whose draws its seed decides', async () => {
    const client = await apple();
    const draw = async (seed: number): Promise<string> => {
      harness.simulator.clearFaults();
      harness.simulator.orderFault({ kind: 'answer', status: 503, probability: 0.3, seed });
      const statuses: (number | undefined)[] = [];
      for (const number of numbers(100)) {
        statuses.push((await harness.pushApple(client, { token: appleToken(number) })).status);
      }
      return statuses.join();
    };
    const first = await draw(7);
    expect(await draw(7)).toBe(first);
    expect(await draw(8)).not.toBe(first);
    const hit = first.split('503').length - 1;
    expect(hit).toBeGreaterThan(15);
    expect(hit).toBeLessThan(50);
  });
});

describe('a stream', () => {
  test('a refused stream is not processed', async () => {
    harness.simulator.orderFault({ kind: 'refuse', times: 1 });
    const client = await apple();
    expect((await harness.pushApple(client)).resetCode).toBe(REFUSED);
    expect(harness.simulator.counts().apns).toMatchObject({ requests: 1, accepted: 0 });
    expect(await harness.pushApple(client)).toMatchObject({ status: 200 });
  });

  test.each([
    ['before', false, 0],
    ['after', true, 1],
  ])('a stream is reset %s the push is taken', async (_when, received, accepted) => {
    const errorCode = constants.NGHTTP2_ENHANCE_YOUR_CALM;
    harness.simulator.orderFault({ kind: 'reset', errorCode, received });
    const client = await apple();
    expect(await harness.pushApple(client)).toMatchObject({ status: undefined, resetCode: errorCode });
    expect(harness.simulator.counts().apns).toMatchObject({ accepted, errors: {} });
    expect(client.session.destroyed).toBe(false);
  });

  test('a stream is reset over HTTP/1.1 by dropping its connection', async () => {
    harness.simulator.orderFault({ kind: 'reset' });
    const url = `${harness.simulator.urls.fcm}/v1/projects/${PROJECT}/messages:send`;
    await expect(requestHttp1(url, harness.simulator.caPem, { body: '{}' })).rejects.toThrow(
      /ECONNRESET|hang up/,
    );
  });

  test('a stream is never answered, while its connection goes on', async () => {
    harness.simulator.orderFault({ kind: 'stall', what: 'stream', received: true, token: appleToken(1) });
    const client = await apple();
    const stalled = harness.pushApple(client, { token: appleToken(1) });
    expect(await harness.pushApple(client, { token: appleToken(2) })).toMatchObject({ status: 200 });
    expect(await harness.pushApple(client, { token: appleToken(3) })).toMatchObject({ status: 200 });
    expect(harness.simulator.counts().apns.accepted).toBe(3);
    client.close(); // or it would wait for ever
    expect(await stalled).toMatchObject({ status: undefined });
  });
});

describe('a connection', () => {
  test('a connection falls silent for good, and another one does not', async () => {
    harness.simulator.orderFault({ kind: 'stall', what: 'connection', times: 1 });
    const silent = await apple();
    const unanswered = burst(silent, 3);
    await vi.waitFor(() => expect(harness.simulator.counts().apns.requests).toBe(1), PATIENCE);
    expect(await harness.pushApple(await apple())).toMatchObject({ status: 200 });
    expect(harness.simulator.counts().apns.accepted).toBe(1);
    silent.close(); // or it would wait for ever
    expect((await unanswered).map(({ status }) => status)).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['before', false, 0],
    ['after', true, 1],
  ])('a connection is dropped %s the push is taken', async (_when, received, accepted) => {
    harness.simulator.orderFault({ kind: 'drop', received });
    const client = await apple();
    expect(await harness.pushApple(client)).toMatchObject({ status: undefined });
    await vi.waitFor(() => expect(client.session.destroyed).toBe(true), PATIENCE);
    expect(harness.simulator.counts().apns).toMatchObject({ accepted, errors: {} });
  });

  test('a GOAWAY comes after every n requests: these are answered, and later ones not processed', async () => {
    harness.simulator.orderFault({ kind: 'goaway', every: 20 });
    const client = await apple();
    const goAway = once(client.session, 'goaway');
    const answers = await burst(client, 50);
    const [code, lastStreamId] = await goAway;
    expect({ code, lastStreamId }).toEqual({ code: constants.NGHTTP2_NO_ERROR, lastStreamId: 2 * 20 - 1 });
    expect(answers.map(({ status }) => status).slice(0, 20)).toEqual(numbers(20).map(() => 200));
    expect(answers.slice(20).map(({ resetCode }) => resetCode)).toEqual(numbers(30).map(() => REFUSED));
    expect(harness.simulator.counts().apns).toMatchObject({ requests: 20, accepted: 20 });
  });
});

test('a client that sends again what was refused gets every push through once, whatever the GOAWAYs', async () => {
  harness.simulator.orderFault({ kind: 'goaway', every: 37 });
  harness.simulator.orderFault({ kind: 'delay', delayMs: 3, probability: 0.5 });
  harness.simulator.orderFault({ kind: 'refuse', probability: 0.05 });
  let left = numbers(200).map(appleToken);
  while (left.length > 0) {
    const client = await apple();
    const answers = await Promise.all(left.map((token) => harness.pushApple(client, { token })));
    expect(answers.filter(({ status, resetCode }) => status !== 200 && resetCode !== REFUSED)).toEqual([]);
    left = left.filter((_token, index) => answers[index]?.status !== 200);
  }
  expect(harness.simulator.counts().apns).toMatchObject({ accepted: 200, duplicates: 0 });
});

describe('a delay', () => {
  test('a delay holds an answer back, and adds up', async () => {
    harness.simulator.orderFault({ kind: 'delay', delayMs: 40, token: appleToken(1) });
    harness.simulator.orderFault({ kind: 'delay', delayMs: 30, token: appleToken(1) });
    const client = await apple();
    const order: string[] = [];
    const startedAt = performance.now();
    const slow = harness.pushApple(client, { token: appleToken(1) }).then(() => order.push('slow'));
    await harness.pushApple(client, { token: appleToken(2) }).then(() => order.push('fast'));
    await slow;
    expect(order).toEqual(['fast', 'slow']);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(69);
  });

  test('a delay does not keep a simulator open', async () => {
    const simulator = await startSimulator({ initialStreams: 1000 });
    simulator.orderFault({ kind: 'delay', delayMs: 600_000 });
    const client = await openClient(simulator.urls.apnsProduction, simulator.caPem);
    const answer = harness.pushApple(client);
    await vi.waitFor(() => expect(simulator.counts().apns.requests).toBe(1), PATIENCE);
    await simulator.close();
    expect(await answer).toMatchObject({ status: undefined });
    expect(simulator.counts().apns.accepted).toBe(0);
    client.close();
  });
});

test.each<[string, object]>([
  ['an unknown kind', { kind: 'explode' }],
  ['an unknown key', { kind: 'refuse', tokens: ['a'] }],
  ['a probability of 0', { kind: 'refuse', probability: 0 }],
  ['no status', { kind: 'answer' }],
])('an order with %s is refused', (_name, order) => {
  expect(faultSchema.safeParse(order).success).toBe(false);
});
