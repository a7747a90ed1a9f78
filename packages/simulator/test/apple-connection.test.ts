import { constants } from 'node:http2';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, appleToken, openEagerClient, providerToken } from './client.ts';
import { PATIENCE, TEAM, useSimulator } from './harness.ts';

const harness = useSimulator();
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const statuses = (answers: readonly Answer[]): (number | undefined)[] => answers.map(({ status }) => status);

test('a connection starts with one stream, and refuses the rest of a burst sent before SETTINGS', async () => {
  const client = openEagerClient(harness.simulator.urls.apnsProduction, harness.simulator.caPem);
  const answers = await Promise.all(
    numbers(40).map((number) => harness.pushApple(client, { token: appleToken(number) })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ resetCode }) => resetCode === constants.NGHTTP2_REFUSED_STREAM);
  expect(refused).toHaveLength(39);
  expect(harness.simulator.counts().apns).toMatchObject({ requests: 1, accepted: 1 });
  client.close();
});

test('a connection is opened to 1,000 streams once a push was accepted, not before', async () => {
  const client = await harness.client(harness.simulator.urls.apnsProduction);
  expect(client.session.remoteSettings.maxConcurrentStreams).toBe(1);
  await harness.pushApple(client, { headers: { authorization: 'bearer x.y.z' } });
  await harness.pushApple(client, { body: '' });
  expect(client.session.remoteSettings.maxConcurrentStreams).toBe(1);
  await harness.pushApple(client);
  await vi.waitFor(() => expect(client.session.remoteSettings.maxConcurrentStreams).toBe(1000), PATIENCE);
  const answers = await Promise.all(
    numbers(900).map((number) => harness.pushApple(client, { token: appleToken(number) })),
  );
  expect(new Set(statuses(answers))).toEqual(new Set([200]));
});

test('the simulator distinguishes production from the sandbox', async () => {
  const { urls } = harness.simulator;
  await harness.pushApple(await harness.client(urls.apnsProduction), { token: appleToken(1) });
  await harness.pushApple(await harness.client(urls.apnsSandbox), { token: appleToken(2) });
  expect(harness.simulator.received()).toMatchObject([
    { environment: 'production', token: appleToken(1) },
    { environment: 'sandbox', token: appleToken(2) },
  ]);
});

test('the simulator keeps what Apple accepted: headers, payload, body, ids and time', async () => {
  const client = await harness.client(harness.simulator.urls.apnsProduction);
  const body = '{"aps":{"alert":"Hello","relevance-score":0.57},"_nid":"n1","big":12345678901234567890}';
  const headers = { 'apns-collapse-id': Buffer.from('clé').toString('latin1'), 'apns-priority': '10' };
  const answer = await harness.pushApple(client, { body, headers });
  expect(harness.simulator.received({ token: appleToken(1) })).toEqual([
    {
      gateway: 'apns',
      environment: 'production',
      token: appleToken(1),
      topic: TEAM.bundleId,
      apnsId: answer.headers['apns-id'],
      headers: {
        authorization: expect.stringMatching(/^bearer ey/),
        'apns-topic': TEAM.bundleId,
        'apns-collapse-id': 'clé',
        'apns-priority': '10',
      },
      body,
      payload: JSON.parse(body),
      nid: 'n1',
      at: harness.now,
    },
  ]);
});

describe('with limitTokenUpdates', () => {
  const limited = useSimulator({ limitTokenUpdates: true, initialStreams: 1000 });

  test('a new provider token is refused before 20 minutes are over, and the old one still accepted', async () => {
    const client = await limited.client(limited.simulator.urls.apnsProduction);
    const tokenOfNow = (): string => `bearer ${providerToken(limited.key, limited.now)}`;
    const push = async (authorization: string): Promise<Answer> =>
      limited.pushApple(client, { headers: { authorization } });
    const first = tokenOfNow();
    expect(await push(first)).toMatchObject({ status: 200 });
    limited.advance(19 * 60_000);
    const second = tokenOfNow();
    const body = '{"reason":"TooManyProviderTokenUpdates"}';
    expect(await push(second)).toMatchObject({ status: 429, body });
    expect(await push(first)).toMatchObject({ status: 200 });
    limited.advance(60_000);
    expect(await push(second)).toMatchObject({ status: 200 });
  });
});
