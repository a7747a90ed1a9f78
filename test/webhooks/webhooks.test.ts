/** Events on their way from what happens, through the outbox and the worker, to receivers on real sockets. */
import { systemClock } from '../../src/clock.ts';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Insertable, Kysely, Selectable } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Database, NotificationsTable, WebhookDeliveriesTable } from '../../src/db/tables.ts';
import { endClaims, type ClaimEnd } from '../../src/delivery/outcomes/claim-end-statement.ts';
import { planNotification } from '../../src/delivery/start/plan.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import type { Observation } from '../../src/observe.ts';
import type { Resolve } from '../../src/proxy/public-addresses.ts';
import { takeDue } from '../../src/webhooks/delivery-store.ts';
import { sendTest } from '../../src/webhooks/deliveries.ts';
import { createWebhook, removeWebhook } from '../../src/webhooks/webhooks.ts';
import { startWebhookWorker } from '../../src/webhooks/worker.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { insertDevices } from '../support/simulated-app.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { type Received, useReceivers, verifies } from './receiver.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { PATIENCE } from '../support/patience.ts';
import { untilWaiting } from '../support/statements.ts';

const database = useTestDatabase();
const openReceiver = useReceivers();

const EVERY = ['notification.sent', 'notification.failed', 'device.unregistered'];
const HOUR_MS = 60 * 60_000;
const answerOk: RequestListener = (_request, response) => response.writeHead(204).end();
const answerNever: RequestListener = () => undefined;
const bodySchema = z.strictObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  app: z.string(),
  data: z.record(z.string(), z.unknown()),
});

let app: AppWithAudience;
let now: Date;
let seen: Observation[];

beforeEach(async () => {
  await database.db.deleteFrom('webhooks').execute();
  app = await insertAppWithAudience(database.db);
  now = new Date('2026-11-21T12:00:00.000Z');
  seen = [];
});

function hook(url: string, events = EVERY, appId = app.appId) {
  return createWebhook(database.db, testSecret, { appId, url, events }, () => now);
}

/** Queues a test event. @returns its id */
async function announce(webhookId: string): Promise<string> {
  return sendTest(database.db, app.appId, webhookId, () => now);
}

/** A webhook with an event that waits, and its receiver. */
async function hookWithEvent(answer: RequestListener) {
  const receiver = await openReceiver(answer);
  const made = await hook(receiver.url);
  await announce(made.id);
  return { receiver, ...made };
}

interface WorkerOptions {
  allowPrivate?: boolean;
  resolve?: Resolve;
  limits?: Parameters<typeof startWebhookWorker>[1];
}

/** Runs a worker while `meanwhile` does, and closes it. */
async function withWorker<T>(meanwhile: () => Promise<T>, options: WorkerOptions = {}): Promise<T> {
  const { allowPrivate = true, resolve = nowhere, limits } = options;
  const worker = startWebhookWorker(
    {
      db: database.db,
      secret: testSecret,
      clock: () => now,
      observe: (observation) => seen.push(observation),
      random: () => 0,
      allowPrivate,
      resolve,
    },
    { sweepEveryMs: 10, ...limits },
  );
  try {
    return await meanwhile();
  } finally {
    await worker.close();
  }
}

async function nowhere(): Promise<never> {
  throw Object.assign(new Error('no names here'), { code: 'ENOTFOUND' });
}

async function deliveries(webhookId: string): Promise<Selectable<WebhookDeliveriesTable>[]> {
  return database.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('created_at')
    .execute();
}

/** The only event of a webhook, once it is as expected. */
async function eventually(webhookId: string, expected: object): Promise<void> {
  await vi.waitFor(
    async () => expect(await deliveries(webhookId)).toEqual([expect.objectContaining(expected)]),
    PATIENCE,
  );
}

async function statesOf(webhookId: string): Promise<string[]> {
  return (await deliveries(webhookId)).map(({ state }) => state);
}

async function untilStates(webhookId: string, ...states: string[]): Promise<void> {
  await vi.waitFor(async () => expect(await statesOf(webhookId)).toEqual(states), PATIENCE);
}

function deviceIds(data: unknown): string[] {
  return z.object({ device_ids: z.array(z.string()) }).parse(data).device_ids;
}

function bodyOf({ body }: Received): z.output<typeof bodySchema> {
  return bodySchema.parse(JSON.parse(body));
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`there are ${items.length}, not one`);
  return item;
}

const none = { rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0, dropped: 0, expired: 0, capped: 0 };

/** The end of a claim with one device, which accepted the push. */
function endOf(notificationId: string): ClaimEnd {
  const counts = { accepted: 1, ...none };
  return {
    appId: app.appId,
    notificationId,
    startedAt: now,
    outcomes: Buffer.alloc(1),
    counts,
    movedBadges: [],
  };
}

async function schedule(
  notification: object = {},
  columns: Partial<Insertable<NotificationsTable>> = {},
): Promise<string> {
  const body = JSON.stringify({ to: '*', payload: { alert: 'secret text' }, ...notification });
  return insertNotification(database.db, app, { body, created_at: now, due_at: now, ...columns });
}

function plan(notificationId: string) {
  const { db } = database;
  const context = { db, clock: () => now, observe: (observation: Observation) => seen.push(observation) };
  return planNotification(context, { appId: app.appId, notificationId });
}

async function openDevices(count: number) {
  const devices = await insertDevices(database.db, app.appId, count);
  return devices.map(({ id, token }) => ({ appId: app.appId, deviceId: id, pushToken: token }));
}

type Device = Awaited<ReturnType<typeof openDevices>>[number];

/** As after Apple has reported their push tokens dead. */
async function retire(devices: readonly Device[], db: Kysely<Database> = database.db): Promise<number> {
  const dead = devices.map((device) => ({ ...device, deadSince: null, reason: 'Unregistered' }));
  return retireTokens(db, tokenKeys, dead, now);
}

describe('An event', () => {
  test('an event has the end of a notification, signed, with its counters and without its text', async () => {
    const receiver = await openReceiver(answerOk);
    const { id, secret } = await hook(receiver.url);
    const notificationId = await schedule();
    await plan(notificationId);
    await withWorker(async () => eventually(id, { state: 'delivered', attempt: 1, last_status: 204 }));
    const received = only(receiver.received);
    expect(bodyOf(received)).toEqual({
      id: received.headers['webhook-id'],
      type: 'notification.sent',
      timestamp: now.toISOString(),
      app: app.bundleId,
      data: {
        id: notificationId,
        state: 'sent',
        reason: null,
        created_at: now.toISOString(),
        ended_at: now.toISOString(),
        ...none,
        devices: 0,
        accepted: 0,
        left_out: 0,
      },
    });
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-timestamp': String(now.getTime() / 1_000),
    });
    expect(await verifies(secret, received)).toBe(true);
    expect(await verifies(secret, { ...received, body: `${received.body} ` })).toBe(false);
    expect(received.body).not.toContain('secret text');
  });

  test('an event says why a notification failed', async () => {
    const { id } = await hook('https://example.com/', ['notification.failed']);
    await openDevices(1);
    await plan(await schedule());
    const { type, data } = only(await deliveries(id));
    expect({ type, data }).toEqual({
      type: 'notification.failed',
      data: expect.objectContaining({ state: 'failed', reason: expect.stringMatching(/^no credentials/) }),
    });
  });

  test('events have the devices whose token is dead, five hundred an event, and each device once', async () => {
    const { id } = await hook('https://example.com/', ['device.unregistered']);
    const devices = await openDevices(1_100);
    expect(await retire(devices)).toBe(1_100);
    expect(await retire(devices)).toBe(0);
    const reported = (await deliveries(id)).map(({ data }) => deviceIds(data));
    expect(reported.map(({ length }) => length).sort((a, b) => a - b)).toEqual([100, 500, 500]);
    expect(reported.flat().sort()).toEqual(devices.map(({ deviceId }) => deviceId).sort());
  });

  test('devices that die one by one are in a few events, within seconds, each device once', async () => {
    const receiver = await openReceiver(answerOk);
    const { id } = await hook(receiver.url, ['device.unregistered']);
    const devices = await openDevices(700);
    for (let start = 0; start < devices.length; start += 7) await retire(devices.slice(start, start + 7));
    now = seconds(4.999);
    await withWorker(async () => {
      // Another event has come by, so those before it were looked at.
      await announce(id);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE);
      now = seconds(5);
      await untilStates(id, 'delivered', 'delivered', 'delivered');
    });
    const reported = receiver.received.slice(1).map((received) => deviceIds(bodyOf(received).data));
    expect(reported.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([497, 203]);
    expect(reported.flat().toSorted()).toEqual(devices.map(({ deviceId }) => deviceId).toSorted());
  });

  test('every attempt of an event has the same devices', async () => {
    let isUp = false;
    const receiver = await openReceiver((_request, response) => response.writeHead(isUp ? 200 : 503).end());
    const { id } = await hook(receiver.url, ['device.unregistered']);
    const [first, second] = await openDevices(2);
    if (first === undefined || second === undefined) throw new Error('there are two');
    await retire([first]);
    await withWorker(async () => {
      now = seconds(5);
      await eventually(id, { attempt: 1, last_status: 503 });
      await retire([second]);
      isUp = true;
      now = seconds(60);
      await untilStates(id, 'delivered', 'delivered');
    });
    const reported = receiver.received.map((received) => deviceIds(bodyOf(received).data).join());
    expect(reported.toSorted()).toEqual([first.deviceId, first.deviceId, second.deviceId].toSorted());
  });

  test('a webhook gets no event that it did not ask for, of another app, or of what is undone', async () => {
    const other = await insertApp(database.db);
    const webhooks = [
      await hook('https://example.com/', ['notification.failed']),
      await hook('https://example.com/', EVERY, other.id),
    ];
    await plan(await schedule());
    const silent = await hook('https://example.com/');
    await expect(
      database.db.transaction().execute(async (transaction) => {
        expect(await retire(await openDevices(1), transaction)).toBe(1);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    for (const { id } of [...webhooks, silent]) expect(await deliveries(id)).toEqual([]);
  });

  test('a dry run or a canceled notification makes no event', async () => {
    const { id } = await hook('https://example.com/');
    await plan(await schedule({ dry_run: true }));
    await database.db
      .updateTable('notifications')
      .set({ state: 'canceled', ended_at: now })
      .where('id', '=', await schedule())
      .execute();
    expect(await deliveries(id)).toEqual([]);
  });

  test('the end of a single push makes an event, unless the push was canceled meanwhile', async () => {
    const [{ id }, silent] = [await hook('https://example.com/'), await hook('https://example.com/', [])];
    const other = await hook('https://example.com/', EVERY, (await insertApp(database.db)).id);
    const sent = await schedule({}, { state: 'sending', started_at: now, devices: 1 });
    const canceled = await schedule({}, { state: 'canceled', started_at: now, ended_at: now });
    const ended = new Date(now.getTime() + 1_000);
    expect(await endClaims(database.db, [endOf(sent), endOf(canceled)], ended)).toEqual(
      new Map([
        [sent, 'sent'],
        [canceled, 'canceled'],
      ]),
    );
    const event = only(await deliveries(id));
    expect(event).toMatchObject({ type: 'notification.sent', created_at: ended, due_at: ended });
    const counters = { devices: 1, accepted: 1, rejected: 0, dropped: 0, capped: 0 };
    expect(event.data).toMatchObject({ id: sent, state: 'sent', ended_at: ended.toISOString(), ...counters });
    for (const webhook of [silent, other]) expect(await deliveries(webhook.id)).toEqual([]);
    // A repeated statement, of which only the answer was lost, announces nothing.
    await endClaims(database.db, [endOf(sent)], ended);
    expect(await deliveries(id)).toHaveLength(1);
  });

  test('a webhook that is removed while a notification ends does not hold it up', async () => {
    const { id } = await hook('https://example.com/');
    const notificationId = await schedule();
    let planning: Promise<unknown> | undefined;
    await database.db.transaction().execute(async (removing) => {
      await removeWebhook(removing, app.appId, id, systemClock);
      planning = plan(notificationId);
      await untilWaiting(database.db);
    });
    await planning;
    const ended = expect.objectContaining({ kind: 'notification_ended', state: 'sent' });
    expect(seen).toEqual([ended]);
    expect(await deliveries(id)).toEqual([]);
  });
});

describe('An event that does not get through', () => {
  test('a failed event is sent again after the backoff, with the same id and a new time, until it is taken', async () => {
    let isUp = false;
    const { receiver, id, secret } = await hookWithEvent((_request, response) =>
      response.writeHead(isUp ? 200 : 503).end(),
    );
    await withWorker(async () => {
      await eventually(id, { state: 'waiting', attempt: 1, last_status: 503, due_at: seconds(10) });
      now = seconds(9);
      await announce(id);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2), PATIENCE); // the other: this one was not due
      isUp = true;
      now = seconds(10);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(3), PATIENCE);
    });
    const [first, , third] = receiver.received;
    expect(third?.body).toBe(first?.body);
    expect(third?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(third?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(third && (await verifies(secret, third))).toBe(true);
    expect(await statesOf(id)).toEqual(['delivered', 'waiting']);
  });

  test('events wait no longer than a lease for a clock that was ahead and has been set back', async () => {
    let isUp = false;
    const receiver = await openReceiver((_request, response) => response.writeHead(isUp ? 200 : 503).end());
    const { id } = await hook(receiver.url);
    const right = now;
    await withWorker(async () => {
      now = new Date(right.getTime() + HOUR_MS);
      await announce(id);
      await eventually(id, { state: 'waiting', attempt: 1, last_status: 503 });
      // An API process whose clock is ahead stores another one, which no worker has tried.
      await sendTest(database.db, app.appId, id, () => new Date(now.getTime() + HOUR_MS));
      isUp = true;
      now = right;
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2), PATIENCE);
      now = seconds(30);
      await untilStates(id, 'delivered', 'delivered');
    });
  });

  test('an event is given up after a day, and shown as failed', async () => {
    const { id } = await hookWithEvent((_request, response) => response.writeHead(500).end());
    const start = now;
    await withWorker(async () => {
      for (let attempt = 1; ; attempt++) {
        await vi.waitFor(() => expect(seen).toHaveLength(attempt), PATIENCE);
        const { state, due_at: dueAt } = only(await deliveries(id));
        if (state !== 'waiting') break;
        now = dueAt;
      }
    });
    expect(only(await deliveries(id))).toMatchObject({ state: 'failed', ended_at: now });
    expect(now.getTime() - start.getTime()).toBeGreaterThan(22 * HOUR_MS);
    expect(seen.at(-1)).toMatchObject({
      kind: 'webhook_attempted',
      webhookId: id,
      state: 'failed',
      status: 500,
    });
  });

  test.each([
    [429, '120', 120],
    [503, '5', 10],
    [500, '86400', 3_600],
  ])(
    'an event waits as the receiver asks with %i and Retry-After: %s, within limits',
    async (status, wait, waited) => {
      const headers = { 'retry-after': wait };
      const { id } = await hookWithEvent((_request, response) => response.writeHead(status, headers).end());
      await withWorker(async () => eventually(id, { state: 'waiting', due_at: seconds(waited) }));
    },
  );

  test('an event is not sent again to a receiver that is gone; the next event is tried once', async () => {
    const { receiver, id } = await hookWithEvent((_request, response) => response.writeHead(410).end());
    await withWorker(async () => {
      await eventually(id, { state: 'failed', attempt: 1, last_status: 410, ended_at: now });
      await announce(id);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2), PATIENCE);
    });
    expect(await statesOf(id)).toEqual(['failed', 'failed']);
  });

  test('an event does not follow a redirect', async () => {
    const target = await openReceiver(answerOk);
    const receiver = await openReceiver((_request, response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    const { id } = await hook(receiver.url);
    await announce(id);
    await withWorker(async () => eventually(id, { state: 'waiting', last_status: 307, last_error: null }));
    expect(target.received).toEqual([]);
  });

  test.each<[string, RequestListener, string, number]>([
    ['never answers', answerNever, 'timeout', 200],
    ['hangs up', (request) => request.socket.destroy(), 'ECONNRESET', HOUR_MS],
  ])('an event waits to be sent again if the receiver %s', async (_what, answer, error, timeoutMs) => {
    const { id } = await hookWithEvent(answer);
    const failed = { state: 'waiting', last_status: null, last_error: error };
    await withWorker(async () => eventually(id, failed), { limits: { timeoutMs } });
  });

  test('an event whose worker was lost in the middle is sent by another when the lease has run out', async () => {
    const receiver = await openReceiver(answerOk);
    const { id } = await hook(receiver.url);
    const eventId = await announce(id);
    const until = seconds(30);
    const lost = only(await takeDue(database.db, { now, until, from: new Map(), except: [], limit: 10 }));
    await withWorker(async () => {
      const other = await hook(receiver.url);
      const otherId = await announce(other.id);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE);
      expect(receiver.received[0]?.headers['webhook-id']).toBe(otherId);
      now = until;
      await eventually(id, { state: 'delivered', attempt: 2 });
    });
    expect(lost.id).toBe(eventId);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(eventId);
  });
});

describe('An event that ends or breaks what takes it', () => {
  test.each([
    ['before any result', { attempt: 49 }, { state: 'delivered', attempt: 50, last_error: null }],
    ['before any result', { attempt: 50 }, { state: 'failed', attempt: 51, last_error: 'no_result' }],
    ['after a result', { attempt: 50, last_status: 500 }, { state: 'failed', last_error: 'no_result' }],
  ])(
    'an event whose attempts record nothing is given up after fifty, %s: %o',
    async (_when, tried, expected) => {
      const { receiver, id } = await hookWithEvent(answerOk);
      await database.db.updateTable('webhook_deliveries').set(tried).where('webhook_id', '=', id).execute();
      await withWorker(async () => eventually(id, expected));
      expect(receiver.received).toHaveLength(expected.state === 'delivered' ? 1 : 0);
    },
  );

  test('an event whose devices cannot be read holds up no other', async () => {
    const receiver = await openReceiver(answerOk);
    const [broken, whole] = [await hook(receiver.url), await hook(receiver.url)];
    for (const { id } of [broken, broken, whole]) await announce(id);
    const unreadable = { type: 'device.unregistered', data: '{"device_ids":7}' };
    await database.db
      .updateTable('webhook_deliveries')
      .set(unreadable)
      .where('webhook_id', '=', broken.id)
      .execute();
    await withWorker(async () => {
      await eventually(whole.id, { state: 'delivered', attempt: 1 });
      const sent = { state: 'delivered', attempt: 1 };
      await vi.waitFor(async () => expect(await deliveries(broken.id)).toMatchObject([sent, sent]), PATIENCE);
    });
    expect(seen).toContainEqual(expect.objectContaining({ kind: 'database_error' }));
  });
});

describe('A private address', () => {
  test.each(['https://127.0.0.1:1/', 'http://127.0.0.1:1/', 'https://[::1]:1/'])(
    'the private address %s is not connected to, also where it was allowed once',
    async (url) => {
      const { id } = await hook(url);
      await announce(id);
      const refused = { last_status: null, last_error: 'address_refused' };
      await withWorker(async () => eventually(id, refused), { allowPrivate: false });
    },
  );

  test('a private address is not connected to through a name that leads there', async () => {
    const receiver = await openReceiver(answerOk);
    const { id } = await hook(`https://receiver.test:${new URL(receiver.url).port}/`);
    await announce(id);
    const asked: string[] = [];
    const resolve: Resolve = async (hostname) => {
      asked.push(hostname);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const options = { allowPrivate: false, resolve };
    await withWorker(async () => eventually(id, { last_error: 'address_refused' }), options);
    expect(asked).toEqual(['receiver.test']);
    expect(receiver.received).toEqual([]);
  });
});

describe('Many webhooks', () => {
  test('a webhook that hangs does not hold up the others, nor get more than its slots', async () => {
    const held: ServerResponse[] = [];
    let hangs = true;
    const hanging = await openReceiver((_request, response) => {
      if (hangs) held.push(response);
      else response.writeHead(204).end();
    });
    const quick = await openReceiver(answerOk);
    const stuck = await hook(hanging.url);
    const fine = await hook(quick.url);
    for (let event = 0; event < 20; event++) await announce(stuck.id);
    const limits = { attemptsPerWebhook: 3, attempts: 8, timeoutMs: HOUR_MS };
    await withWorker(
      async () => {
        await vi.waitFor(() => expect(hanging.received).toHaveLength(3), PATIENCE);
        for (let event = 0; event < 20; event++) await announce(fine.id);
        await vi.waitFor(() => expect(quick.received).toHaveLength(20), PATIENCE);
        expect(hanging.received).toHaveLength(3);
        hangs = false;
        for (const response of held) response.writeHead(204).end();
      },
      { limits },
    );
  });

  test('many webhooks are served by several workers, each event once', async () => {
    const receiver = await openReceiver(answerOk);
    const hooks = await Promise.all([hook(receiver.url), hook(receiver.url), hook(receiver.url)]);
    const ids = await Promise.all(
      Array.from({ length: 60 }, async (_, event) => announce(hooks[event % 3]?.id ?? '')),
    );
    await withWorker(async () =>
      withWorker(async () => {
        await vi.waitFor(() => expect(receiver.received).toHaveLength(60), { timeout: 30_000 });
      }),
    );
    const reported = receiver.received.map(({ headers }) => String(headers['webhook-id']));
    expect(reported.toSorted()).toEqual(ids.toSorted());
  });
});

test('an ended event is kept for a week and then removed; an event that waits stays', async () => {
  const receiver = await openReceiver(answerOk);
  const done = await hook(receiver.url);
  await announce(done.id);
  await withWorker(async () => {
    await eventually(done.id, { state: 'delivered' });
    now = new Date(now.getTime() + 7 * 24 * HOUR_MS);
    const later = await hook(receiver.url);
    await announce(later.id);
    await eventually(later.id, { state: 'delivered' });
    expect(await deliveries(done.id)).toHaveLength(1);
    now = new Date(now.getTime() + 1);
    await vi.waitFor(async () => expect(await deliveries(done.id)).toEqual([]), PATIENCE);
    expect(await deliveries(later.id)).toHaveLength(1);
  });
});

function seconds(count: number): Date {
  return new Date(Date.parse('2026-11-21T12:00:00.000Z') + count * 1_000);
}
