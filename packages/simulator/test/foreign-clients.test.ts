/** The vendors' and the field's own clients, which know nothing of this house, as a check on the simulator. */
import http2 from 'node:http2';
import { Notification, Provider } from '@parse/node-apn';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appleToken } from './client.ts';
import { PROJECT, TEAM, useSimulator } from './harness.ts';

// It loses pushes on a one-stream start and so starts with 1,000.
describe('@parse/node-apn', () => {
  const harness = useSimulator({ initialStreams: 1000, clock: () => new Date() });
  let provider: Provider;
  beforeEach(() => {
    const { simulator, key } = harness;
    const pushes = new URL(simulator.urls.apnsProduction);
    const management = new URL(simulator.urls.channelsProduction);
    provider = new Provider({
      token: { key: key.privateKeyPem, keyId: key.keyId, teamId: key.teamId },
      production: true,
      address: pushes.hostname,
      port: Number(pushes.port),
      manageChannelsAddress: management.hostname,
      manageChannelsPort: Number(management.port),
      ca: [simulator.caPem],
    });
  });
  afterEach(async () => provider.shutdown());

  test('@parse/node-apn gets 200 of 200 notifications accepted', async () => {
    const { simulator } = harness;
    const notification = new Notification({ alert: 'Hello', topic: TEAM.bundleId, pushType: 'alert' });
    notification.payload = { _nid: 'n1' };
    const tokens = Array.from({ length: 200 }, (_, number) => appleToken(number));
    const { sent, failed } = await provider.send(notification, tokens);
    expect(failed).toEqual([]);
    expect(sent).toHaveLength(200);
    expect(new Set(simulator.pushesByToken('n1').keys())).toEqual(new Set(tokens));
    expect(simulator.counts().apns).toMatchObject({ accepted: 200, duplicates: 0, errors: {} });
    expect(simulator.received({ token: appleToken(7) })).toMatchObject([
      { topic: TEAM.bundleId, payload: { aps: { alert: 'Hello' }, _nid: 'n1' } },
    ]);
  });

  // It writes a body after the end of a GET or a DELETE, so it can neither list channels nor delete one.
  test('@parse/node-apn creates a channel and broadcasts to it', async () => {
    const { apple } = harness.simulator;
    const config = new Notification({ pushType: 'liveactivity' });
    config.rawPayload = { 'message-storage-policy': 1, 'push-type': 'LiveActivity' };
    expect(await provider.manageChannels(config, TEAM.bundleId, 'create')).toMatchObject({ failed: [] });
    const [channel] = apple.channels();
    expect(channel).toMatchObject({ bundleId: TEAM.bundleId, storagePolicy: 1 });
    const update = new Notification({ pushType: 'liveactivity', priority: 10, expiry: 0 });
    update.rawPayload = {
      aps: { event: 'update', timestamp: 1_795_262_400, 'content-state': { goals: 1 } },
    };
    Object.assign(update, { channelId: channel?.id });
    expect(await provider.broadcast(update, TEAM.bundleId)).toMatchObject({ failed: [] });
    expect(apple.broadcasts()).toMatchObject([{ channelId: channel?.id }]);
  });
});

describe('firebase-admin, led here by wrapping http2.connect', () => {
  const harness = useSimulator({ clock: () => new Date() });
  afterEach(() => vi.restoreAllMocks());

  test('firebase-admin gets 20 of 20 messages accepted', async () => {
    const { simulator } = harness;
    const connect = http2.connect.bind(http2);
    vi.spyOn(http2, 'connect').mockImplementation((_url, options) => {
      const session = connect(simulator.urls.fcm, {
        ...(typeof options === 'object' ? options : {}),
        ca: simulator.caPem,
      });
      const request = session.request.bind(session);
      vi.spyOn(session, 'request').mockImplementation((headers, requestOptions) =>
        // It sends ":scheme: https:", which node's server refuses, as strict servers do.
        request({ ...Object.fromEntries(Object.entries(headers ?? {})), ':scheme': 'https' }, requestOptions),
      );
      return session;
    });
    const { deleteApp, initializeApp } = await import('firebase-admin/app');
    const { getMessaging } = await import('firebase-admin/messaging');
    const app = initializeApp({
      projectId: PROJECT,
      credential: {
        getAccessToken: async () => ({
          access_token: simulator.google.createAccessToken({ projectId: PROJECT }),
          expires_in: 3600,
        }),
      },
    });
    try {
      const tokens = Array.from({ length: 20 }, (_, number) => `device:${number}`);
      const answer = await getMessaging(app).sendEach(
        tokens.map((token) => ({
          token,
          data: { _nid: 'n1', alert: 'Hello' },
          android: { priority: 'high', ttl: 3_600_000, collapseKey: 'news' },
        })),
      );
      expect(answer.responses.map(({ error }) => error?.message)).toEqual(tokens.map(() => undefined));
      expect(answer.successCount).toBe(20);
      expect(new Set(simulator.pushesByToken('n1').keys())).toEqual(new Set(tokens));
      expect(simulator.received({ token: 'device:7' })).toMatchObject([
        { message: { android: { priority: 'high', ttl: '3600s', collapse_key: 'news' } } },
      ]);
    } finally {
      await deleteApp(app);
    }
  });
});
