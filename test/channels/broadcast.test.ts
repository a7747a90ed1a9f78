import { sql } from 'kysely';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { compileBroadcast } from '../../src/channels/broadcast-body.ts';
import { lockChannel, takeDueBroadcasts } from '../../src/channels/broadcast-store.ts';
import { useChannels } from './harness.ts';
import { PATIENCE } from '../support/patience.ts';

const channels = useChannels();
const senders: ReturnType<typeof channels.startSender>[] = [];
const LEASE_MS = 20_000;
const HALF_AN_HOUR_MS = 30 * 60_000;

afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
});

function start() {
  const sender = channels.startSender();
  senders.push(sender);
  return sender;
}

async function broadcast(id: string, body: object = {}) {
  return channels.call(`POST /v6/channels/${id}/broadcasts`, {
    body: { broadcast: { event: 'update', content_state: {}, ...body } },
  });
}

const detail = z.object({
  broadcasts: z.array(
    z.object({
      event: z.string(),
      state: z.string(),
      attempts: z.number(),
      reason: z.string().nullable(),
      timestamp: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
});

const created = z.object({ broadcast: z.object({ created_at: z.string() }) });

/** Oldest first. */
async function broadcastsOf(id: string) {
  const { body } = await channels.call(`GET /v6/channels/${id}`);
  return detail.parse(body).broadcasts.toReversed();
}

async function statesOf(id: string): Promise<string[]> {
  return (await broadcastsOf(id)).map(({ state }) => state);
}

async function untilStates(id: string, ...states: string[]): Promise<void> {
  await vi.waitFor(async () => expect(await statesOf(id)).toEqual(states), { timeout: 30_000, interval: 10 });
}

/** Stores broadcasts one millisecond apart. */
async function store(id: string, ...bodies: object[]): Promise<void> {
  for (const body of bodies) {
    expect(await broadcast(id, body)).toMatchObject({ status: 202 });
    channels.advance(1);
  }
}

function received(): unknown[] {
  return channels.simulator.apple.broadcasts().map(({ payload }) => payload);
}

describe('a broadcast', () => {
  test('a broadcast reaches Apple as it documents, with the id of the broadcast', async () => {
    const { id, apnsChannelId } = await channels.create('match-1');
    const reply = await broadcast(id, {
      content_state: { goals: 1, ratio: 0.1 },
      alert: { title: 'Goal', body: '1:0', sound: 'horn.caf' },
      stale_date: '2026-11-24T18:15:00Z',
      relevance_score: 75,
      time_to_live: 600,
    });
    expect(reply).toMatchObject({ status: 202, body: { broadcast: { state: 'waiting', priority: 'high' } } });
    start();
    await untilStates(id, 'sent');
    const { broadcast: stored } = z.object({ broadcast: z.object({ id: z.string() }) }).parse(reply.body);
    expect(channels.simulator.apple.broadcasts()).toMatchObject([
      {
        channelId: apnsChannelId,
        requestId: stored.id,
        headers: {
          'apns-push-type': 'liveactivity',
          'apns-priority': '10',
          'apns-expiration': String(Date.parse('2026-11-24T18:10:00Z') / 1_000),
        },
        payload: {
          aps: {
            event: 'update',
            timestamp: Date.parse('2026-11-24T18:00:00Z') / 1_000,
            'content-state': { goals: 1, ratio: 0.1 },
            alert: { title: 'Goal', body: '1:0', sound: 'horn.caf' },
            'stale-date': Date.parse('2026-11-24T18:15:00Z') / 1_000,
            'relevance-score': 75,
          },
        },
      },
    ]);
    channels.advance(60_000);
  });

  test('a broadcast waits no longer than before when the clock has been set back', async () => {
    const { id } = await channels.create('match-1');
    start();
    channels.advance(HALF_AN_HOUR_MS);
    await broadcast(id);
    await untilStates(id, 'sent');
    await broadcast(id); // not within a second of the one before
    channels.advance(-HALF_AN_HOUR_MS);
    await untilStates(id, 'sent', 'sent');
    await broadcast(id);
    channels.advance(1_000);
    await untilStates(id, 'sent', 'sent', 'sent');
    expect(received()).toHaveLength(3);
    channels.advance(HALF_AN_HOUR_MS);
  });

  test('a broadcast to a channel that stores nothing expires at once, and keeps its priority', async () => {
    const { id } = await channels.create('match-1', { storage: 'none', environment: 'sandbox' });
    await broadcast(id, { priority: 'normal' });
    start();
    await untilStates(id, 'sent');
    expect(channels.simulator.apple.broadcasts()).toMatchObject([
      { environment: 'sandbox', headers: { 'apns-expiration': '0', 'apns-priority': '5' } },
    ]);
  });

  test('a broadcast that waits is replaced by a newer one, so only the newest is sent', async () => {
    const { id } = await channels.create('match-1');
    await store(id, { content_state: { n: 1 } }, { content_state: { n: 2 } }, { content_state: { n: 3 } });
    start();
    await untilStates(id, 'replaced', 'replaced', 'sent');
    expect(received()).toMatchObject([{ aps: { 'content-state': { n: 3 } } }]);
  });

  test('the newest of several broadcasts at once is the one that waits', async () => {
    const { id } = await channels.create('match-1');
    const replies = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => broadcast(id, { content_state: { n } })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202));
    expect(await statesOf(id)).toEqual([...Array.from({ length: 7 }, () => 'replaced'), 'waiting']);
    const times = (await broadcastsOf(id)).map(({ created_at }) => created_at);
    expect(times).toEqual([...new Set(times)].toSorted());
    expect(replies.map(({ body }) => created.parse(body).broadcast.created_at).toSorted()).toEqual(times);
  });

  test('a broadcast whose call has to wait is dated when its turn comes', async () => {
    const { id } = await channels.create('match-1');
    const { db, app, clock } = channels;
    const called = clock();
    let waiting: Promise<unknown> | undefined;
    await db.transaction().execute(async (transaction) => {
      await lockChannel(transaction, app.id, id);
      waiting = broadcast(id);
      await vi.waitFor(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
        expect(rows).toHaveLength(1);
      }, PATIENCE);
      channels.advance(5);
    });
    await waiting;
    const [only] = await broadcastsOf(id);
    expect(Date.parse(only?.created_at ?? '')).toBe(called.getTime() + 5);
  });

  test('broadcasts leave at most once a second, with rising timestamps', async () => {
    const { id } = await channels.create('match-1');
    const sender = start();
    await store(id, { content_state: { n: 1 } });
    sender.wake();
    await untilStates(id, 'sent');
    await store(id, { content_state: { n: 2 } }, { content_state: { n: 3 } });
    sender.wake();
    expect(await statesOf(id)).toEqual(['sent', 'replaced', 'waiting']);
    channels.advance(1_000);
    sender.wake();
    await untilStates(id, 'sent', 'replaced', 'sent');
    const times = z.array(z.object({ aps: z.object({ timestamp: z.number() }) })).parse(received());
    const [first = 0, second] = times.map(({ aps }) => aps.timestamp);
    expect(second).toBe(first + 1);
  });

  test('a broadcast with a timestamp of its own is refused if a later one was accepted', async () => {
    const { id } = await channels.create('match-1');
    const at = (seconds: number): string =>
      new Date(channels.clock().getTime() + seconds * 1_000).toISOString();
    await store(id, { timestamp: at(-10) });
    const outdated = { status: 409, body: { code: 'broadcast_outdated' } };
    expect(await broadcast(id, { timestamp: at(-20) })).toMatchObject(outdated);
    expect(await broadcast(id, { timestamp: at(3_600) })).toMatchObject({ status: 422 });
    start();
    await untilStates(id, 'sent');
    expect(await broadcast(id, { timestamp: at(-10) })).toMatchObject({ status: 409 });
  });
});

describe('an end', () => {
  test('an end is sent and closes the channel: a later update is refused and does not replace it', async () => {
    const { id } = await channels.create('match-1');
    await store(id, {}, { event: 'end', dismissal_date: '2026-11-24T19:00:00Z' });
    expect(await broadcast(id)).toMatchObject({ status: 409, body: { code: 'channel_not_open' } });
    expect((await channels.call(`GET /v6/channels/${id}`)).body).toMatchObject({
      channel: { state: 'ended' },
    });
    start();
    await untilStates(id, 'replaced', 'sent');
    expect(received()).toMatchObject([
      { aps: { event: 'end', 'dismissal-date': Date.parse('2026-11-24T19:00:00Z') / 1_000 } },
    ]);
  });

  test('an end may be replaced by another end', async () => {
    const { id } = await channels.create('match-1');
    await store(id, { event: 'end', content_state: { n: 1 } }, { event: 'end', content_state: { n: 2 } });
    start();
    await untilStates(id, 'replaced', 'sent');
    expect(received()).toMatchObject([{ aps: { event: 'end', 'content-state': { n: 2 } } }]);
  });
});

describe('while Apple is not available', () => {
  test('a broadcast waits for as long as an unavailable Apple asks, and is sent then', async () => {
    const { id } = await channels.create('match-1');
    const headers = { 'retry-after': '30' };
    channels.simulator.orderFault({ kind: 'answer', gateway: 'apns', status: 429, headers, times: 1 });
    await store(id, {});
    const sender = start();
    const waits = [{ state: 'waiting', attempts: 1, reason: 'HTTP 429' }];
    await vi.waitFor(async () => expect(await broadcastsOf(id)).toMatchObject(waits), PATIENCE);
    channels.advance(29_000);
    sender.wake();
    expect(await statesOf(id)).toEqual(['waiting']);
    channels.advance(8_000);
    sender.wake();
    await untilStates(id, 'sent');
  });

  test('a newer broadcast replaces the one that failed, and waits as long', async () => {
    const { id } = await channels.create('match-1');
    const headers = { 'retry-after': '30' };
    channels.simulator.orderFault({ kind: 'answer', gateway: 'apns', status: 503, headers, times: 1 });
    channels.simulator.orderFault({ kind: 'delay', gateway: 'apns', delayMs: 200, times: 1 });
    await store(id, { content_state: { n: 1 } });
    const sender = start();
    await untilStates(id, 'sending');
    await store(id, { content_state: { n: 2 } });
    await untilStates(id, 'replaced', 'waiting');
    channels.advance(5_000);
    sender.wake();
    expect(await statesOf(id)).toEqual(['replaced', 'waiting']);
    channels.advance(32_000);
    sender.wake();
    await untilStates(id, 'replaced', 'sent');
    expect(received()).toMatchObject([{ aps: { 'content-state': { n: 2 } } }]);
  });

  test('a broadcast waits for new credentials, and expires after its time to live', async () => {
    const { id } = await channels.create('match-1');
    const reason = 'InvalidProviderToken';
    channels.simulator.orderFault({ kind: 'answer', gateway: 'apns', status: 403, reason });
    await store(id, { time_to_live: 60 });
    const sender = start();
    const waits = [{ state: 'waiting', reason }];
    await vi.waitFor(async () => expect(await broadcastsOf(id)).toMatchObject(waits), PATIENCE);
    channels.advance(61_000);
    sender.wake();
    await untilStates(id, 'expired');
  });
});

test('a refusal by Apple is final, and explained', async () => {
  const { id, apnsChannelId } = await channels.create('match-1');
  channels.deleteAtApple(apnsChannelId);
  await store(id, {});
  start();
  await untilStates(id, 'rejected');
  expect((await channels.call(`GET /v6/channels/${id}`)).body).toMatchObject({
    broadcasts: [{ reason: 'ChannelNotRegistered', explanation: expect.stringContaining('another program') }],
  });
  expect(channels.observations).toContainEqual(
    expect.objectContaining({ kind: 'channel_broadcast', state: 'rejected', reason: 'ChannelNotRegistered' }),
  );
});

test('an attempt that was lost is repeated after its lease, unless a newer broadcast waits', async () => {
  const { id } = await channels.create('match-1');
  const other = await channels.create('match-2');
  await store(id, { content_state: { n: 1 } });
  await store(other.id, { content_state: { n: 1 } });
  // As a worker that was killed leaves them.
  await channels.db
    .updateTable('channel_broadcasts')
    .set({ state: 'sending', attempt: 1, due_at: new Date(channels.clock().getTime() + LEASE_MS) })
    .where('app_id', '=', channels.app.id)
    .execute();
  await store(other.id, { content_state: { n: 2 } });
  const sender = start();
  expect(await statesOf(id)).toEqual(['sending']);
  channels.advance(LEASE_MS);
  sender.wake();
  await untilStates(id, 'sent');
  await untilStates(other.id, 'replaced', 'sent');
  expect(received()).toHaveLength(2);
  expect(await broadcastsOf(id)).toMatchObject([{ attempts: 2 }]);
});

test('numbers of the content keep all their digits', async () => {
  const { id } = await channels.create('match-1');
  const raw = '{"broadcast":{"event":"update","content_state":{"n":12345678901234567890.123}}}';
  expect((await channels.call(`POST /v6/channels/${id}/broadcasts`, { raw })).status).toBe(202);
  const now = channels.clock();
  const until = new Date(now.getTime() + LEASE_MS);
  const [taken] = await takeDueBroadcasts(channels.db, { now, until, limit: 10 });
  expect(compileBroadcast(taken?.aps, 'update', 1)).toBe(
    '{"aps":{"timestamp":1,"event":"update","content-state":{"n":12345678901234567890.123}}}',
  );
});

test('two workers never send the same broadcast twice', async () => {
  const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (key) => channels.create(key)));
  for (const { id } of made) await store(id, {});
  for (let n = 0; n < 3; n++) start();
  for (const { id } of made) await untilStates(id, 'sent');
  expect(received()).toHaveLength(5);
});

test.each([
  [{ event: 'start' }, /^broadcast\.event/],
  [{ content_state: undefined }, /^broadcast\.content_state is required for an update/],
  [{ content_state: [] }, /^broadcast\.content_state must be an object/],
  [{ dismissal_date: '2026-11-24' }, /^broadcast\.dismissal_date/],
  [{ stale_date: 'soon' }, /^broadcast\.stale_date/],
  [{ alert: { title: 'x' } }, /^broadcast\.alert\.body/],
  [{ time_to_live: 59 }, /^broadcast\.time_to_live/],
  [{ priority: 'low' }, /^broadcast\.priority/],
  [{ badge: 1 }, /^broadcast\.badge/],
])('the broadcast %j is refused', async (body, error) => {
  const { id } = await channels.create('match-1');
  expect(await broadcast(id, body)).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', error: expect.stringMatching(error) },
  });
});

test('a broadcast of 5,120 bytes at Apple is accepted, and one byte more is refused', async () => {
  const { id } = await channels.create('match-1');
  const bare = '{"aps":{"timestamp":1795543200,"event":"update","content-state":{"t":""}}}';
  const ofBytes = (bytes: number) => ({ content_state: { t: 'x'.repeat(bytes - bare.length) } });
  const tooLarge = { status: 422, body: { code: 'payload_too_large' } };
  expect(await broadcast(id, ofBytes(5_121))).toMatchObject(tooLarge);
  await store(id, ofBytes(5_120));
  start();
  await untilStates(id, 'sent');
});
