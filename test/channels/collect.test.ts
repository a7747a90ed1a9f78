import { describe, expect, test } from 'vitest';
import { collectChannels } from '../../src/channels/collect.ts';
import type { Observe } from '../../src/observe.ts';
import { useChannels } from './harness.ts';

const channels = useChannels();
const HOUR_MS = 3_600_000;
const OVER_MS = 5 * 60_000;

async function collect(change: { keepEndedHours?: number; keepUnusedDays?: number } = {}): Promise<void> {
  const { db, gateways, clock, observations } = channels;
  const observe: Observe = (observation) => observations.push(observation);
  const keeping = { keepEndedHours: 12, keepUnusedDays: 90, ...change };
  const { signal } = new AbortController();
  await collectChannels({ db, gateways, clock, observe, pauseMs: 0, ...keeping }, signal);
}

async function keys(): Promise<string[]> {
  const rows = await channels.db
    .selectFrom('channels')
    .select('key')
    .where('app_id', '=', channels.app.id)
    .orderBy('key')
    .execute();
  return rows.map(({ key }) => key);
}

function atApple(): string[] {
  return channels.simulator.apple.channels().map(({ id }) => id);
}

async function end(id: string): Promise<void> {
  await channels.call(`POST /v6/channels/${id}/broadcasts`, { body: { broadcast: { event: 'end' } } });
  await channels.db
    .updateTable('channel_broadcasts')
    .set({ state: 'sent' })
    .where('channel_id', '=', id)
    .execute();
}

/** Creates a channel of which Apple's answer does not arrive. */
async function interrupt(key: string, isReceived = true): Promise<void> {
  channels.simulator.orderFault({ kind: 'drop', gateway: 'apns_channels', received: isReceived, times: 1 });
  expect((await channels.call('POST /v6/channels', { body: { channel: { key } } })).status).toBe(503);
}

describe('channels that are not needed any more', () => {
  test('ended channels are deleted some hours after their end, at Apple and here', async () => {
    const ended = await channels.create('ended');
    const open = await channels.create('open');
    await end(ended.id);
    channels.advance(11 * HOUR_MS);
    await collect();
    expect(await keys()).toEqual(['ended', 'open']);
    channels.advance(2 * HOUR_MS);
    await collect({ keepEndedHours: 0 });
    expect(await keys()).toEqual(['ended', 'open']);
    await collect();
    expect(await keys()).toEqual(['open']);
    expect(atApple()).toEqual([open.apnsChannelId]);
    expect(channels.observations).toContainEqual({ kind: 'channels_collected', unneeded: 1, leftOver: 0 });
  });

  test('channels are deleted if they were not used for long, and stay if they were', async () => {
    await channels.create('unused');
    const used = await channels.create('used');
    channels.advance(89 * 24 * HOUR_MS);
    await channels.create('used');
    channels.advance(2 * 24 * HOUR_MS);
    await collect({ keepUnusedDays: 0 });
    expect(await keys()).toEqual(['unused', 'used']);
    await collect();
    expect(await keys()).toEqual(['used']);
    expect(atApple()).toEqual([used.apnsChannelId]);
  });

  test('the deletion of unneeded channels is in the audit log, by the server', async () => {
    const ended = await channels.create('ended');
    await end(ended.id);
    channels.advance(13 * HOUR_MS);
    await collect();
    await collect();
    const entries = await channels.db
      .selectFrom('audit_log')
      .select(['by_kind', 'by_id', 'action', 'object_id'])
      .where('app_id', '=', channels.app.id)
      .where('action', '=', 'channel.deleted')
      .execute();
    expect(entries).toEqual([
      { by_kind: 'server', by_id: 'server', action: 'channel.deleted', object_id: ended.id },
    ]);
    const { body } = await channels.call('GET /v6/audit?by=server');
    expect(body).toMatchObject({
      entries: [{ by: { kind: 'server', id: 'server', name: null }, address: null }],
    });
  });

  test('ended channels stay while their end waits to be sent', async () => {
    const { id } = await channels.create('ended');
    await channels.call(`POST /v6/channels/${id}/broadcasts`, { body: { broadcast: { event: 'end' } } });
    channels.advance(13 * HOUR_MS);
    await collect();
    expect(await keys()).toEqual(['ended']);
  });

  test('ended channels are deleted when Apple is available again', async () => {
    const { id } = await channels.create('match-1');
    channels.simulator.orderFault({ kind: 'answer', gateway: 'apns_channels', status: 503, times: 2 });
    expect((await channels.call(`DELETE /v6/channels/${id}`)).status).toBe(202);
    await collect();
    expect(await keys()).toEqual(['match-1']);
    await collect();
    expect(await keys()).toEqual([]);
    expect(atApple()).toEqual([]);
  });
});

describe('a channel that an interrupted request left at Apple', () => {
  test('a channel of an interrupted request is deleted when the request is certainly over, and no other is', async () => {
    const kept = await channels.create('kept');
    await interrupt('match-1');
    expect(atApple()).toHaveLength(2);
    await collect();
    expect(atApple()).toHaveLength(2);
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toEqual([kept.apnsChannelId]);
    expect(channels.observations).toContainEqual({ kind: 'channels_collected', unneeded: 0, leftOver: 1 });
    channels.observations.length = 0;
    await collect();
    expect(channels.observations).toEqual([]); // nothing is left to look for
  });

  test('a channel of an interrupted request is deleted as well if the caller has repeated the call meanwhile', async () => {
    await channels.create('kept');
    await interrupt('match-1');
    const again = await channels.create('match-1');
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toHaveLength(2);
    expect(atApple()).toContain(again.apnsChannelId);
  });

  test('a channel of an interrupted request is looked for again while another request is in flight', async () => {
    await channels.create('kept');
    await interrupt('match-1');
    channels.advance(OVER_MS);
    await interrupt('match-2');
    await collect();
    expect(atApple()).toHaveLength(3);
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toHaveLength(1);
  });
});

describe('channels of other programs', () => {
  test('channels of other programs that were there before ours are never deleted, nor any unknown one after that', async () => {
    const theirs = channels.createByOthers();
    const ours = await channels.create('match-1');
    await interrupt('match-2');
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toHaveLength(3);
    expect(atApple().slice(0, 2)).toEqual([theirs, ours.apnsChannelId]);
    expect((await channels.call('GET /v6/channels/compare')).body).toMatchObject({
      unknown: [theirs, expect.any(String)],
    });
  });

  test('newer channels of other programs are not deleted if there are more than interrupted requests', async () => {
    await channels.create('match-1');
    await interrupt('match-2');
    const theirs = channels.createByOthers();
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toHaveLength(3);
    expect(atApple()).toContain(theirs);
  });

  test('channels of other programs are not looked for, and so not touched, without an interrupted request', async () => {
    await channels.create('match-1');
    const theirs = channels.createByOthers();
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toContain(theirs);
  });

  test('channels of other programs are noticed before a channel is created, if the last look is some minutes old', async () => {
    await channels.create('match-1');
    const theirs = channels.createByOthers();
    channels.advance(11 * 60_000);
    await channels.create('match-2');
    await interrupt('match-3', false);
    channels.advance(OVER_MS);
    await collect();
    expect(atApple()).toContain(theirs);
  });
});

test('broadcasts are kept for a week after their end', async () => {
  const { id } = await channels.create('match-1');
  await channels.call(`POST /v6/channels/${id}/broadcasts`, {
    body: { broadcast: { event: 'update', content_state: {} } },
  });
  await channels.db
    .updateTable('channel_broadcasts')
    .set({ state: 'sent', ended_at: channels.clock() })
    .where('channel_id', '=', id)
    .execute();
  const count = async (): Promise<number> =>
    (await channels.db.selectFrom('channel_broadcasts').select('id').where('channel_id', '=', id).execute())
      .length;
  channels.advance(7 * 24 * HOUR_MS);
  await collect();
  expect(await count()).toBe(1);
  channels.advance(1);
  await collect();
  expect(await count()).toBe(0);
});
