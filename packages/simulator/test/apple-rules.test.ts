import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { appleToken, type Client, jwt, providerToken, seconds } from './client.ts';
import { TEAM, useSimulator } from './harness.ts';

const harness = useSimulator();
let client: Client;
beforeEach(async () => {
  client = await harness.client(harness.simulator.urls.apnsProduction);
});

const UUID = '0f5cbb5c-6d3f-4d0f-9b70-1c4cf4a4a001';
const BACKGROUND = { 'apns-push-type': 'background', 'apns-priority': '5' };
const WAKE = JSON.stringify({ aps: { 'content-available': 1 } });
const HOUR_MS = 3_600_000;

/** A payload with this number of bytes. */
function payloadOf(bytes: number): string {
  const bare = JSON.stringify({ aps: { alert: '' } });
  return JSON.stringify({ aps: { alert: 'x'.repeat(bytes - bare.length) } });
}

/** As bytes go into a header: one character each. */
function utf8Header(value: string): string {
  return Buffer.from(value).toString('latin1');
}

describe('accepted pushes', () => {
  test.each<[string, { token?: string; headers?: object; body?: string }]>([
    ['a plain alert', {}],
    ['an alert of push type alert', { headers: { 'apns-push-type': 'alert' } }],
    ['a background push at priority 5', { headers: BACKGROUND, body: WAKE }],
    ['priority 10', { headers: { 'apns-priority': '10' } }],
    ['priority 5', { headers: { 'apns-priority': '5' } }],
    ['priority 1', { headers: { 'apns-priority': '1' } }],
    ['an expiration of 0: try once', { headers: { 'apns-expiration': '0' } }],
    ['an expiration in Unix seconds', { headers: { 'apns-expiration': '1795262400' } }],
    ['a collapse id of 64 ASCII bytes', { headers: { 'apns-collapse-id': 'c'.repeat(64) } }],
    ['a collapse id of 64 UTF-8 bytes', { headers: { 'apns-collapse-id': utf8Header('é'.repeat(32)) } }],
    ['a payload of 4,096 bytes', { body: payloadOf(4096) }],
    ['a push token of 100 bytes', { token: 'ab'.repeat(100) }],
    ['a push token in capitals', { token: 'AB'.repeat(32) }],
    [
      'a sound without an alert',
      { body: '{"aps":{"sound":"bell.caf"}}', headers: { 'apns-push-type': 'alert' } },
    ],
  ])('the simulated Apple accepts %s, with 200, an empty body and an apns-id', async (_name, change) => {
    const answer = await harness.pushApple(client, change);
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.headers['apns-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(harness.simulator.counts().apns).toMatchObject({ requests: 1, accepted: 1, errors: {} });
  });
});

test('the simulated Apple returns the apns-id of a request', async () => {
  expect((await harness.pushApple(client, { headers: { 'apns-id': UUID } })).headers['apns-id']).toBe(UUID);
});

describe('refused pushes', () => {
  test.each<[string, number, string, object, { token?: string; body?: string }?]>([
    ['another path', 404, 'BadPath', { ':path': '/2/device/ab' }],
    ['another method', 405, 'MethodNotAllowed', { ':method': 'PUT' }],
    ['a header sent twice', 400, 'DuplicateHeaders', { 'apns-id': [UUID, UUID] }],
    ['no provider token', 403, 'MissingProviderToken', { authorization: '' }],
    ['another scheme', 403, 'MissingProviderToken', { authorization: 'Basic OmtleQ==' }],
    ['a provider token that is none', 403, 'InvalidProviderToken', { authorization: 'bearer x.y.z' }],
    ['no push token', 400, 'MissingDeviceToken', {}, { token: '' }],
    ['a push token that is not hex', 400, 'BadDeviceToken', {}, { token: 'zz'.repeat(32) }],
    ['a push token that is too short', 400, 'BadDeviceToken', {}, { token: 'ab'.repeat(31) }],
    ['a push token with half a byte', 400, 'BadDeviceToken', {}, { token: `${'ab'.repeat(32)}a` }],
    ['a push token that is too long', 400, 'BadDeviceToken', {}, { token: 'ab'.repeat(101) }],
    ['no topic', 400, 'MissingTopic', { 'apns-topic': '' }],
    ['a topic that is no bundle id', 400, 'BadTopic', { 'apns-topic': 'com example' }],
    ["a topic that is not the team's", 400, 'TopicDisallowed', { 'apns-topic': 'com.example.b' }],
    ['an unknown push type', 400, 'InvalidPushType', { 'apns-push-type': 'Alert' }],
    ['a background push with an alert', 400, 'InvalidPushType', BACKGROUND],
    [
      'a background push with a badge',
      400,
      'InvalidPushType',
      BACKGROUND,
      { body: '{"aps":{"content-available":1,"badge":0}}' },
    ],
    ['a background push that wakes no one', 400, 'InvalidPushType', BACKGROUND, { body: '{"aps":{}}' }],
    [
      'a background push at priority 10',
      400,
      'BadPriority',
      { ...BACKGROUND, 'apns-priority': '10' },
      { body: WAKE },
    ],
    [
      'a background push without a priority, which is 10',
      400,
      'BadPriority',
      { 'apns-push-type': 'background' },
      { body: WAKE },
    ],
    [
      'a silent push that calls itself an alert',
      400,
      'InvalidPushType',
      { 'apns-push-type': 'alert' },
      { body: WAKE },
    ],
    ['priority high', 400, 'BadPriority', { 'apns-priority': 'high' }],
    ['a negative expiration', 400, 'BadExpirationDate', { 'apns-expiration': '-1' }],
    ['an expiration in milliseconds', 400, 'BadExpirationDate', { 'apns-expiration': '1795262400000' }],
    ['a collapse id of 65 bytes', 400, 'BadCollapseId', { 'apns-collapse-id': 'c'.repeat(65) }],
    [
      'a collapse id of 33 characters and 66 bytes',
      400,
      'BadCollapseId',
      { 'apns-collapse-id': utf8Header('é'.repeat(33)) },
    ],
    ['an apns-id in capitals', 400, 'BadMessageId', { 'apns-id': UUID.toUpperCase() }],
    ['an empty body', 400, 'PayloadEmpty', {}, { body: '' }],
    ['a body that is not JSON', 400, 'PayloadEmpty', {}, { body: 'hello' }],
    ['a payload without aps', 400, 'PayloadEmpty', {}, { body: '{"alert":"Hello"}' }],
    ['an aps that is no dictionary', 400, 'PayloadEmpty', {}, { body: '{"aps":"Hello"}' }],
    ['a payload of 4,097 bytes', 413, 'PayloadTooLarge', {}, { body: payloadOf(4097) }],
    ['a payload far beyond the limit', 413, 'PayloadTooLarge', {}, { body: payloadOf(300_000) }],
  ])('the simulated Apple refuses %s', async (_name, status, reason, headers, change) => {
    const answer = await harness.pushApple(client, { headers, ...change });
    expect(answer).toMatchObject({ status, body: JSON.stringify({ reason }) });
    expect(answer.headers['apns-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(harness.simulator.counts().apns).toMatchObject({ accepted: 0, errors: { [reason]: 1 } });
    expect(harness.simulator.received()).toEqual([]);
  });
});

const tokenWith = (header: object, claims: object): string =>
  jwt(
    'ES256',
    createPrivateKey(harness.key.privateKeyPem),
    { kid: TEAM.keyId, ...header },
    { iss: TEAM.teamId, iat: seconds(harness.now), ...claims },
  );

describe('provider tokens', () => {
  const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

  test.each<[string, string | null, () => string]>([
    ['one from this second', null, () => tokenWith({}, {})],
    ['one of an hour ago', null, () => tokenWith({}, { iat: seconds(harness.now) - 3599 })],
    [
      'one older than an hour',
      'ExpiredProviderToken',
      () => tokenWith({}, { iat: seconds(harness.now) - 3600 }),
    ],
    ['one from the future', 'InvalidProviderToken', () => tokenWith({}, { iat: seconds(harness.now) + 1 })],
    ['one of an unknown key', 'InvalidProviderToken', () => tokenWith({ kid: 'KEY0000002' }, {})],
    ["one that names another's team", 'InvalidProviderToken', () => tokenWith({}, { iss: 'TEAM000002' })],
    ['one without iat', 'InvalidProviderToken', () => tokenWith({}, { iat: undefined })],
    [
      'one signed by another key',
      'InvalidProviderToken',
      () => jwt('ES256', strange, { kid: TEAM.keyId }, { iss: TEAM.teamId, iat: seconds(harness.now) }),
    ],
    [
      'one signed with RS256',
      'InvalidProviderToken',
      () => jwt('RS256', rsa, { kid: TEAM.keyId }, { iss: TEAM.teamId, iat: seconds(harness.now) }),
    ],
  ])('the simulated Apple judges a provider token, %s: %s', async (_name, reason, token) => {
    const answer = await harness.pushApple(client, { headers: { authorization: `bearer ${token()}` } });
    expect(answer.status).toBe(reason === null ? 200 : 403);
    expect(answer.body).toBe(reason === null ? '' : JSON.stringify({ reason }));
  });

  test('the simulated Apple judges the age of a token that it has accepted before', async () => {
    const authorization = `bearer ${providerToken(harness.key, harness.now)}`;
    expect(await harness.pushApple(client, { headers: { authorization } })).toMatchObject({ status: 200 });
    harness.advance(HOUR_MS + 1000);
    expect((await harness.pushApple(client, { headers: { authorization } })).body).toContain(
      'ExpiredProviderToken',
    );
  });

  test('a connection serves one team', async () => {
    const bundleId = 'com.example.other';
    const other = harness.simulator.apple.createKey({ teamId: 'TEAM000009', keyId: 'KEY0000009', bundleId });
    const headers = { authorization: `bearer ${providerToken(other, harness.now)}`, 'apns-topic': bundleId };
    expect(await harness.pushApple(client)).toMatchObject({ status: 200 });
    expect((await harness.pushApple(client, { headers })).body).toContain('UnrelatedKeyIdInToken');
    const fresh = await harness.client(harness.simulator.urls.apnsProduction);
    expect(await harness.pushApple(fresh, { headers })).toMatchObject({ status: 200 });
  });
});

describe('keys for one environment', () => {
  test.each([
    ['production', 'apnsProduction', 'apnsSandbox'],
    ['sandbox', 'apnsSandbox', 'apnsProduction'],
  ] as const)(
    'a key for %s is accepted there, and refused in the other environment',
    async (environment, own, other) => {
      const owner = { teamId: 'TEAM000010', keyId: 'KEY0000010', bundleId: 'com.example.limited' };
      const key = harness.simulator.apple.createKey({ ...owner, environment });
      const authorization = `bearer ${providerToken(key, harness.now)}`;
      const headers = { authorization, 'apns-topic': owner.bundleId };
      const there = await harness.client(harness.simulator.urls[own]);
      expect(await harness.pushApple(there, { headers })).toMatchObject({ status: 200 });
      const elsewhere = await harness.client(harness.simulator.urls[other]);
      expect(await harness.pushApple(elsewhere, { headers })).toMatchObject({
        status: 403,
        body: '{"reason":"BadEnvironmentKeyInToken"}',
      });
    },
  );
});

test('64 zeros are the token of no device, once key and topic are judged', async () => {
  const token = '0'.repeat(64);
  expect((await harness.pushApple(client, { token })).body).toBe('{"reason":"BadDeviceToken"}');
  const headers = { 'apns-topic': 'com.example.strange' };
  expect((await harness.pushApple(client, { token, headers })).body).toBe('{"reason":"TopicDisallowed"}');
});

describe('devices that Apple knows', () => {
  const token = appleToken(77);
  beforeEach(() => {
    harness.simulator.apple.registerKey(
      { ...TEAM, bundleId: 'com.example.second' },
      harness.key.privateKeyPem, // a private key names its public half
    );
    harness.simulator.apple.registerDevice({ token, topic: TEAM.bundleId, environment: 'production' });
  });

  test('the simulated Apple accepts a push to the topic and the environment of a device', async () => {
    expect(await harness.pushApple(client, { token })).toMatchObject({ status: 200 });
  });

  test('the simulated Apple refuses a push to another topic of the team', async () => {
    const answer = await harness.pushApple(client, {
      token,
      headers: { 'apns-topic': 'com.example.second' },
    });
    expect(answer).toMatchObject({ status: 400, body: '{"reason":"DeviceTokenNotForTopic"}' });
  });

  test('the simulated Apple refuses a push through the other environment', async () => {
    const sandbox = await harness.client(harness.simulator.urls.apnsSandbox);
    const answer = await harness.pushApple(sandbox, { token });
    expect(answer).toMatchObject({ status: 400, body: '{"reason":"BadDeviceToken"}' });
  });
});
