import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useChannels } from './harness.ts';

const channels = useChannels();

async function create(channel: object) {
  return channels.call('POST /v6/channels', { body: { channel } });
}

async function attempts(): Promise<number> {
  const rows = await channels.db
    .selectFrom('channel_attempts')
    .select('id')
    .where('app_id', '=', channels.app.id)
    .execute();
  return rows.length;
}

/** A refusal, with a part of its sentence. */
function refused(code: string, part = '') {
  const status = code === 'gateway_refused' ? 422 : 409;
  return { status, body: { code, error: expect.stringContaining(part) as unknown } };
}

function refuse(status: number, reason: string, times = 1): void {
  channels.simulator.orderFault({ kind: 'answer', gateway: 'apns_channels', status, reason, times });
}

describe('creating a channel', () => {
  test('a call to create a channel creates it at Apple with its storage policy, and records who did', async () => {
    const reply = await create({ key: 'match-1', environment: 'sandbox', storage: 'none' });
    const [atApple] = channels.simulator.apple.channels();
    const { bundleId } = channels.app;
    expect(atApple).toMatchObject({ environment: 'sandbox', storagePolicy: 0, bundleId });
    const channel = { key: 'match-1', environment: 'sandbox', storage: 'none', state: 'open' };
    expect(reply).toMatchObject({
      status: 201,
      body: { channel: { ...channel, apns_channel_id: atApple?.id } },
    });
    const audit = await channels.call('GET /v6/audit?action=channel.created');
    expect(audit.body).toMatchObject({
      entries: [{ after: { key: 'match-1', apns_channel_id: atApple?.id } }],
    });
    expect(await attempts()).toBe(0);
  });

  test('a repeated call returns the same channel, also from another process at the same moment', async () => {
    const replies = await Promise.all([1, 2, 3].map(async () => create({ key: 'match-1' })));
    const [first] = replies;
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(channels.simulator.apple.channels()).toHaveLength(1);
    expect(await attempts()).toBe(0);
    channels.advance(1_000);
    const again = await create({ key: 'match-1', storage: 'latest' });
    expect(again.status).toBe(200);
    expect(again.body).not.toEqual(first?.body); // it was used now
  });

  test('the same key names different channels in different environments', async () => {
    await create({ key: 'match-1' });
    expect((await create({ key: 'match-1', environment: 'sandbox' })).status).toBe(201);
    expect(channels.simulator.apple.channels()).toHaveLength(2);
  });

  test('another storage policy under the same key is refused', async () => {
    await create({ key: 'match-1', storage: 'none' });
    expect(await create({ key: 'match-1', storage: 'latest' })).toMatchObject(refused('channel_differs'));
  });

  test('a channel of another program is taken over, with the storage that Apple names', async () => {
    const theirs = channels.createByOthers(0);
    expect(await create({ key: 'match-1', apns_channel_id: theirs })).toMatchObject({
      status: 201,
      body: { channel: { apns_channel_id: theirs, storage: 'none' } },
    });
    expect(await create({ key: 'match-2', apns_channel_id: theirs })).toMatchObject({ status: 409 });
    const unknown = await create({ key: 'match-3', apns_channel_id: 'AAAA' });
    expect(unknown).toMatchObject(refused('gateway_refused', 'ChannelNotRegistered'));
    expect(channels.simulator.apple.channels()).toHaveLength(1);
  });

  test('the limit of channels at Apple is named in the reply, and a channel can be created again after a deletion', async () => {
    const created = await Promise.all([1, 2, 3, 4, 5].map(async (n) => channels.create(`match-${n}`)));
    expect(await create({ key: 'match-6' })).toMatchObject(refused('channel_limit'));
    await channels.call(`DELETE /v6/channels/${created[0]?.id}`);
    expect((await create({ key: 'match-6' })).status).toBe(201);
  });

  test('a refusal by Apple is passed on, and no channel is left behind', async () => {
    channels.simulator.apple.disableChannels(channels.app.bundleId);
    expect(await create({ key: 'match-1' })).toMatchObject({
      status: 422,
      body: {
        code: 'gateway_refused',
        error: expect.stringMatching(/FeatureNotEnabled.*Broadcast capability/),
      },
    });
    expect(await attempts()).toBe(0);
  });

  test('a channel is not created without credentials for its environment', async () => {
    await channels.db.deleteFrom('gateway_credentials').where('app_id', '=', channels.app.id).execute();
    expect(await create({ key: 'match-1' })).toMatchObject(refused('gateway_refused'));
  });

  test('the reply is 503 with Apple’s own Retry-After while Apple is not available', async () => {
    await channels.create('match-0'); // Apple's list was looked at
    const headers = { 'retry-after': '17' };
    const busy = { kind: 'answer', gateway: 'apns_channels', status: 429, times: 1 } as const;
    channels.simulator.orderFault({ ...busy, headers });
    const reply = await create({ key: 'match-1' });
    expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' }, headers });
    expect(await attempts()).toBe(0);
    refuse(503, 'ServiceUnavailable');
    expect((await create({ key: 'match-1' })).status).toBe(503);
    expect(await attempts()).toBe(1); // Apple may have created it nevertheless
    expect((await create({ key: 'match-1' })).status).toBe(201);
  });

  test.each([
    [403, 'ExpiredProviderToken'],
    [429, 'TooManyProviderTokenUpdates'],
  ])(
    'a call that Apple answers with %i %s is made again once, with another provider token',
    async (status, reason) => {
      channels.advance(5 * 60_000); // to the beginning of a slot of half an hour
      refuse(status, reason);
      expect((await create({ key: 'match-1' })).status).toBe(201);
    },
  );

  test.each([
    [{ key: '' }, /^channel\.key/],
    [{ key: 'k', environment: 'test' }, /^channel\.environment/],
    [{ key: 'k', storage: 1 }, /^channel\.storage/],
    [{ key: 'k', apns_channel_id: 'two words' }, /^channel\.apns_channel_id/],
    [{ key: 'k', name: 'n' }, /^channel\.name/],
  ])('the channel %j is refused', async (channel, error) => {
    const reply = await create(channel);
    expect(reply).toMatchObject({ status: 422, body: { error: expect.stringMatching(error) } });
  });
});

test('a list of channels comes newest first in pages, by environment and by key', async () => {
  for (const key of ['a', 'b', 'c']) {
    await channels.create(key, { environment: key === 'b' ? 'sandbox' : 'production' });
    channels.advance(1);
  }
  const first = await channels.call('GET /v6/channels?per=2');
  expect(first.body).toMatchObject({
    channels: [{ key: 'c' }, { key: 'b' }],
    meta: { cursor: expect.any(String) },
  });
  const { cursor } = z.object({ meta: z.object({ cursor: z.string() }) }).parse(first.body).meta;
  expect((await channels.call(`GET /v6/channels?per=2&cursor=${cursor}`)).body).toMatchObject({
    channels: [{ key: 'a' }],
    meta: { cursor: null },
  });
  expect((await channels.call('GET /v6/channels?environment=sandbox')).body).toMatchObject({
    channels: [{ key: 'b' }],
  });
  expect((await channels.call('GET /v6/channels?key=a')).body).toMatchObject({ channels: [{ key: 'a' }] });
});

test('a comparison with Apple’s list shows what is missing there, and what is unknown here', async () => {
  const gone = await channels.create('gone');
  await channels.create('kept');
  channels.deleteAtApple(gone.apnsChannelId);
  const theirs = channels.createByOthers();
  expect(await channels.call('GET /v6/channels/compare')).toMatchObject({
    status: 200,
    body: {
      at_apple: 2,
      here: 2,
      missing: [{ id: gone.id, key: 'gone', apns_channel_id: gone.apnsChannelId }],
      unknown: [theirs],
    },
  });
});

describe('deleting a channel', () => {
  test('a deleted channel is deleted at Apple and here, and its key is free again', async () => {
    const { id } = await channels.create('match-1');
    expect(await channels.call(`DELETE /v6/channels/${id}`)).toMatchObject({ status: 204 });
    expect(channels.simulator.apple.channels()).toEqual([]);
    expect((await channels.call(`GET /v6/channels/${id}`)).status).toBe(404);
    expect((await channels.call(`DELETE /v6/channels/${id}`)).status).toBe(404);
    expect((await create({ key: 'match-1' })).status).toBe(201);
    const audit = await channels.call('GET /v6/audit?action=channel.deleted');
    expect(audit.body).toMatchObject({ entries: [{ object_id: id, before: { key: 'match-1' } }] });
  });

  test('a deletion succeeds if Apple does not have the channel any more', async () => {
    const { id, apnsChannelId } = await channels.create('match-1');
    channels.deleteAtApple(apnsChannelId);
    expect((await channels.call(`DELETE /v6/channels/${id}`)).status).toBe(204);
  });

  test('a deletion is accepted while Apple is not available, and the key is not free yet', async () => {
    const { id } = await channels.create('match-1');
    refuse(500, 'InternalServerError');
    expect(await channels.call(`DELETE /v6/channels/${id}`)).toMatchObject({
      status: 202,
      body: { channel: { id, state: 'deleting' } },
    });
    expect(await create({ key: 'match-1' })).toMatchObject(refused('channel_differs'));
  });

  test('a deletion is undone if Apple refuses it', async () => {
    const { id } = await channels.create('match-1');
    refuse(403, 'InvalidProviderToken');
    const reply = await channels.call(`DELETE /v6/channels/${id}`);
    expect(reply).toMatchObject(refused('gateway_refused', 'InvalidProviderToken'));
    const { body } = await channels.call(`GET /v6/channels/${id}`);
    expect(body).toMatchObject({ channel: { state: 'open' } });
  });
});
