import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, providerToken, seconds } from './client.ts';
import { TEAM, useSimulator } from './harness.ts';

const harness = useSimulator({ channelsMax: 3 });
const CHANNELS = `/1/apps/${TEAM.bundleId}/channels`;
const ALL_CHANNELS = `/1/apps/${TEAM.bundleId}/all-channels`;
const BROADCASTS = `/4/broadcasts/apps/${TEAM.bundleId}`;
const REQUEST_ID = '0f5cbb5c-6d3f-4d0f-9b70-1c4cf4a4a001';
const KEEPS_NEWEST = JSON.stringify({ 'message-storage-policy': 1, 'push-type': 'LiveActivity' });
const KEEPS_NOTHING = JSON.stringify({ 'message-storage-policy': 0, 'push-type': 'LiveActivity' });
const UPDATE = JSON.stringify({
  aps: { event: 'update', timestamp: 1_795_262_400, 'content-state': { goals: 1 } },
});

let management: Client;
let pushes: Client;
beforeEach(async () => {
  management = await harness.client(harness.simulator.urls.channelsProduction);
  pushes = await harness.client(harness.simulator.urls.apnsProduction);
});

function authorization(): { authorization: string } {
  return { authorization: `bearer ${providerToken(harness.key, harness.now)}` };
}

async function manage(method: string, path: string, headers: object = {}, body = '') {
  return management.request({ ':method': method, ':path': path, ...authorization(), ...headers }, body);
}

async function createChannel(config = KEEPS_NEWEST): Promise<string> {
  const { status, headers } = await manage('POST', CHANNELS, {}, config);
  expect(status).toBe(201);
  return String(headers['apns-channel-id']);
}

async function broadcast(channelId: string, headers: object = {}, body = UPDATE) {
  return pushes.request(
    {
      ':path': BROADCASTS,
      ...authorization(),
      'apns-channel-id': channelId,
      'apns-push-type': 'liveactivity',
      'apns-priority': '10',
      'apns-expiration': '0',
      ...headers,
    },
    body,
  );
}

test('the simulator creates, reads, lists and deletes channels, and echoes the request id', async () => {
  const id = await createChannel();
  const other = await createChannel(KEEPS_NOTHING);
  expect(id).toMatch(/^[A-Za-z0-9+/]+=*$/);
  const read = await manage('GET', CHANNELS, { 'apns-channel-id': other, 'apns-request-id': REQUEST_ID });
  expect(read).toMatchObject({
    status: 200,
    body: '{"message-storage-policy":0,"push-type":"LiveActivity"}',
  });
  expect(read.headers['apns-request-id']).toBe(REQUEST_ID);
  expect(JSON.parse((await manage('GET', ALL_CHANNELS)).body)).toEqual({ channels: [id, other] });
  const deleted = await manage('DELETE', CHANNELS, { 'apns-channel-id': id });
  expect(deleted).toMatchObject({ status: 204, body: '' });
  expect(JSON.parse((await manage('GET', ALL_CHANNELS)).body)).toEqual({ channels: [other] });
  expect(harness.simulator.counts().apns_channels).toMatchObject({ requests: 6, accepted: 6, errors: {} });
});

test('each environment has channels of its own', async () => {
  const id = await createChannel();
  const sandbox = await harness.client(harness.simulator.urls.channelsSandbox);
  const headers = { ':method': 'GET', ...authorization() };
  expect((await sandbox.request({ ...headers, ':path': ALL_CHANNELS })).body).toBe('{"channels":[]}');
  const read = await sandbox.request({ ...headers, ':path': CHANNELS, 'apns-channel-id': id });
  expect(read).toMatchObject({ status: 400, body: '{"reason":"ChannelNotRegistered"}' });
});

test('a broadcast to a channel is accepted, and kept with its headers', async () => {
  const id = await createChannel();
  const expiration = String(seconds(harness.now) + 3_600);
  const answer = await broadcast(id, { 'apns-expiration': expiration, 'apns-request-id': REQUEST_ID });
  expect(answer).toMatchObject({ status: 200, body: '' });
  expect(answer.headers['apns-request-id']).toBe(REQUEST_ID);
  expect(harness.simulator.apple.broadcasts()).toMatchObject([
    {
      channelId: id,
      bundleId: TEAM.bundleId,
      environment: 'production',
      requestId: REQUEST_ID,
      headers: { 'apns-expiration': expiration },
      payload: JSON.parse(UPDATE),
    },
  ]);
});

describe('refused requests', () => {
  test.each<[string, number, string, ...Parameters<typeof manage>]>([
    ['another path', 404, 'BadPath', 'GET', `${CHANNELS}/all`],
    ['another method', 405, 'MethodNotAllowed', 'PUT', CHANNELS],
    ['a list by POST', 405, 'MethodNotAllowed', 'POST', ALL_CHANNELS],
    [
      'a request without a token',
      403,
      'MissingProviderToken',
      'GET',
      ALL_CHANNELS,
      { authorization: 'none' },
    ],
    ['the app of another team', 400, 'TopicDisallowed', 'GET', '/1/apps/com.other/all-channels'],
    ['another storage policy', 400, 'BadRequest', 'POST', CHANNELS, {}, KEEPS_NEWEST.replace('1', '2')],
    ['another push type', 400, 'BadRequest', 'POST', CHANNELS, {}, KEEPS_NEWEST.replace('Live', '')],
    ['a read without a channel', 400, 'MissingChannelId', 'GET', CHANNELS],
    ['a malformed channel id', 400, 'BadChannelId', 'GET', CHANNELS, { 'apns-channel-id': '??' }],
    ['an unknown channel', 400, 'ChannelNotRegistered', 'DELETE', CHANNELS, { 'apns-channel-id': 'AAAA' }],
    ['a malformed request id', 400, 'BadMessageId', 'GET', ALL_CHANNELS, { 'apns-request-id': '1' }],
  ])('the simulated Apple refuses %s, with %i %s', async (_name, status, reason, ...request) => {
    expect(await manage(...request)).toMatchObject({ status, body: JSON.stringify({ reason }) });
    expect(harness.simulator.counts().apns_channels).toMatchObject({ accepted: 0, errors: { [reason]: 1 } });
  });

  test.each<[string, number, string, object, string?]>([
    ['a broadcast without a push type', 400, 'MissingPushType', { 'apns-push-type': undefined }],
    ['a broadcast of type alert', 400, 'InvalidPushType', { 'apns-push-type': 'alert' }],
    ['a broadcast without a priority', 400, 'BadPriority', { 'apns-priority': undefined }],
    ['a broadcast without an expiration', 400, 'BadExpirationDate', { 'apns-expiration': undefined }],
    ['a broadcast without a channel', 400, 'MissingChannelId', { 'apns-channel-id': undefined }],
    ['a broadcast to an unknown channel', 400, 'ChannelNotRegistered', { 'apns-channel-id': 'AAAA' }],
    ['an expiration where nothing is kept', 400, 'BadExpirationDate', { 'apns-expiration': '1795262400' }],
    ['a broadcast without a payload', 400, 'PayloadEmpty', {}, ''],
    ['a broadcast that starts an activity', 400, 'PayloadEmpty', {}, UPDATE.replace('update', 'start')],
    ['a payload over 5,120 bytes', 413, 'PayloadTooLarge', {}, UPDATE.replace('goals', 'x'.repeat(5_100))],
    ['another path', 404, 'BadPath', { ':path': `${BROADCASTS}/all` }],
    ['another method', 405, 'MethodNotAllowed', { ':method': 'PUT' }],
  ])('the simulated Apple refuses %s, with %i %s', async (_name, status, reason, headers, body) => {
    const id = await createChannel(KEEPS_NOTHING);
    const answer = await broadcast(id, headers, body);
    expect(answer).toMatchObject({ status, body: JSON.stringify({ reason }) });
    expect(harness.simulator.apple.broadcasts()).toEqual([]);
  });

  test('a channel more than an app may have is refused, and accepted after a deletion', async () => {
    const first = await createChannel();
    await createChannel();
    await createChannel();
    const answer = await manage('POST', CHANNELS, {}, KEEPS_NEWEST);
    expect(answer).toMatchObject({ status: 400, body: '{"reason":"CannotCreateChannelConfig"}' });
    await manage('DELETE', CHANNELS, { 'apns-channel-id': first });
    await createChannel();
  });

  test('channels and broadcasts of an app without the capability are refused', async () => {
    const id = await createChannel();
    harness.simulator.apple.disableChannels(TEAM.bundleId);
    const refusal = { status: 400, body: '{"reason":"FeatureNotEnabled"}' };
    expect(await manage('POST', CHANNELS, {}, KEEPS_NEWEST)).toMatchObject(refusal);
    expect(await broadcast(id)).toMatchObject(refusal);
  });
});

describe('faults', () => {
  test('faults of channels concern the management alone, and can leave it done', async () => {
    const reason = 'ServiceUnavailable';
    harness.simulator.orderFault({ kind: 'answer', gateway: 'apns_channels', status: 503, reason });
    const answer = await manage('GET', ALL_CHANNELS);
    expect(answer).toMatchObject({ status: 503, body: '{"reason":"ServiceUnavailable"}' });
    harness.simulator.clearFaults();
    harness.simulator.orderFault({ kind: 'drop', gateway: 'apns_channels', received: true });
    expect((await manage('POST', CHANNELS, {}, KEEPS_NEWEST)).status).toBeUndefined();
    const [channel] = harness.simulator.apple.channels();
    expect(await broadcast(channel?.id ?? '')).toMatchObject({ status: 200 });
  });

  test('faults of pushes concern broadcasts, by their channel', async () => {
    const [id, other] = [await createChannel(), await createChannel()];
    const reason = 'TooManyRequests';
    harness.simulator.orderFault({ kind: 'answer', gateway: 'apns', token: id, status: 429, reason });
    expect(await broadcast(id)).toMatchObject({ status: 429, body: '{"reason":"TooManyRequests"}' });
    expect(await broadcast(other)).toMatchObject({ status: 200 });
  });
});

test('the control server lists channels and broadcasts, and creates channels of other programs', async () => {
  const app = { bundleId: TEAM.bundleId, environment: 'production' };
  expect(await harness.control('POST', '/channels', app)).toMatchObject({ status: 201 });
  const channels = harness.simulator.apple.channels();
  expect(await harness.control('GET', '/channels')).toMatchObject({ body: { channels } });
  const channelId = channels[0]?.id ?? '';
  await broadcast(channelId);
  expect((await harness.control('GET', '/broadcasts')).body).toMatchObject({ broadcasts: [{ channelId }] });
});
