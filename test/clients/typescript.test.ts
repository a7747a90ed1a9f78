/** The TypeScript client against the API, through a proxy that fails. test/deep/clients has it as a package. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ApiError,
  type BatchItem,
  Carillon,
  type DeviceRegistration,
  NoReplyError,
  pages,
} from '../../clients/typescript/src/index.ts';
import { groupsOf } from '../../clients/typescript/src/lines.ts';
import { useApi } from '../http/api.ts';
import { closedPort } from '../support/ports.ts';
import { openUnreliableProxy, type UnreliableProxy } from './unreliable-proxy.ts';

const api = useApi();
let proxy: UnreliableProxy;
let carillon: Carillon;
let server = '';

beforeAll(async () => {
  server = await api.server.listen({ host: '127.0.0.1', port: 0 });
  proxy = await openUnreliableProxy(server);
  carillon = new Carillon({ url: proxy.url, key: api.app.keys.every, backoffMs: 1 });
});
afterAll(async () => proxy.close());

const alert = { alert: 'Hello' };

async function deviceOf(user: string): Promise<string> {
  const device = { platform: 'Android', push_token: randomUUID(), user_id: user } as const;
  return (await carillon.registerDevice({ device })).device.id;
}

async function countOfNotifications(): Promise<number> {
  const found = await api.db
    .selectFrom('notifications')
    .select('id')
    .where('app_id', '=', api.app.id)
    .execute();
  return found.length;
}

function caught(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

async function badGateway(): Promise<Response> {
  return new Response('<h1>Bad gateway</h1>', { status: 502 });
}

describe('A notification', () => {
  const body = { notification: { to: '*', payload: alert } };

  it.each([
    ['its reply is lost', 'lose the reply'],
    ['the server is unavailable', { status: 503, headers: { 'retry-after': '0' } }],
    ['a proxy has no reply in time', { status: 504 }],
    ['there are too many requests', { status: 429, headers: { 'retry-after': '0' } }],
  ] as const)(
    'a notification is sent again with the same key, and stored once, when %s',
    async (_why, fate) => {
      const before = await countOfNotifications();
      proxy.next(fate, fate);
      const { id } = await carillon.createNotification(body);
      expect(proxy.seen).toHaveLength(3);
      expect(new Set(proxy.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(await countOfNotifications()).toBe(before + 1);
      expect(id).toMatch(/^[\da-f-]{36}$/);
    },
  );

  it('a notification has another key in another call, or the key that the caller gives', async () => {
    proxy.next();
    await carillon.createNotification(body);
    await carillon.createNotification(body);
    await carillon.createNotification(body, { idempotencyKey: 'mine' });
    const keys = proxy.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('each notification of a batch has a key of its own, which stays the same when the batch is sent again', async () => {
    const before = await countOfNotifications();
    proxy.next('lose the reply');
    const notification = { to: { user_id: 'nobody' }, payload: alert };
    const entries = await carillon.createNotifications([
      { notification },
      { notification },
      { notification, idempotency_key: randomUUID() },
    ]);
    expect(entries.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await countOfNotifications()).toBe(before + 3);
    expect(proxy.seen[1]?.body).toBe(proxy.seen[0]?.body);
  });
});

describe('A batch', () => {
  const notification = { to: { user_id: 'nobody' }, payload: alert };

  it('a batch with a refused item has keys for the other items', async () => {
    const before = await countOfNotifications();
    proxy.next('lose the reply');
    // @ts-expect-error -- an item without a notification
    const entries = await carillon.createNotifications([{ notification }, {}]);
    expect(entries.map(({ status }) => status)).toEqual([201, 422]);
    expect(await countOfNotifications()).toBe(before + 1);
  });
});

describe('A call', () => {
  it('a call that would have an effect twice is not sent again after its reply was lost', async () => {
    const id = await deviceOf('user-1');
    proxy.next('lose the reply');
    const error = await caught(carillon.reportDeviceEvents(id, { events: [{ name: 'purchase' }] }));
    expect(error).toBeInstanceOf(NoReplyError);
    const { device } = await carillon.readDevice(id);
    expect(device.events['Public Api.purchase']?.count).toBe(1);
  });

  it('a call of any kind is sent again when there are too many requests', async () => {
    const id = await deviceOf('user-1');
    proxy.next({ status: 429, headers: { 'retry-after': '0' } });
    await carillon.reportDeviceEvents(id, { events: [{ name: 'a' }] });
    expect(proxy.seen).toHaveLength(2);
  });

  it('a refused call throws an error with the code, the faults and the id of the request', async () => {
    proxy.next();
    const payload = { alert: 'a', badge: -1 };
    const error = await caught(carillon.createNotification({ notification: { to: '*', payload } }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 422,
      code: 'invalid_request',
      details: [{ path: 'notification.payload.badge' }],
      requestId: expect.stringMatching(/./),
      retryAfterSeconds: undefined,
    });
    expect(proxy.seen).toHaveLength(1);
  });

  it('a call that is answered by something else than Carillon says so', async () => {
    const behind = new Carillon({ url: proxy.url, key: 'none', retries: 0, fetch: badGateway });
    expect(await caught(behind.call('GET', '/v6/app'))).toMatchObject({ code: 'unknown', status: 502 });
  });

  it('a call to a server that is away says why', async () => {
    const away = new Carillon({ url: `http://127.0.0.1:${await closedPort()}`, key: 'none', retries: 0 });
    const error = await caught(away.call('GET', '/v6/app'));
    expect(error).toBeInstanceOf(NoReplyError);
    expect(String(error)).toContain('ECONNREFUSED');
  });

  it('a call ends with its signal, which is not a failure to repeat', async () => {
    proxy.next({ status: 503, headers: { 'retry-after': '60' } });
    const stop = new AbortController();
    const patient = new Carillon({
      url: proxy.url,
      key: api.app.keys.every,
      fetch: async (request, init) => {
        const reply = await fetch(request, init);
        stop.abort(new Error('enough'));
        return reply;
      },
    });
    const error = await caught(patient.call('GET', '/v6/app', { signal: stop.signal }));
    expect(String(error)).toBe('Error: enough');
    expect(proxy.seen).toHaveLength(1);
  });
});

describe('Many at once', () => {
  it('pages are read one after the other, with no entry twice', async () => {
    const user = randomUUID();
    const ids = await Promise.all([1, 2, 3].map(async () => deviceOf(user)));
    const filters = [{ name: 'user_id', criteria: [user] }];
    const { audience } = await carillon.createAudience({ audience: { name: user, filters } });
    for (let index = 0; index < 2; index += 1) {
      await carillon.createAudience({ audience: { name: user, filters } });
    }
    const names: string[] = [];
    for await (const page of pages((at) => carillon.listAudiences({ per: 2, kind: 'named', ...at }))) {
      expect(page.audiences.length).toBeLessThanOrEqual(2);
      names.push(...page.audiences.map(({ name }) => name));
    }
    expect(names).toEqual([user, user, user]);
    const devices: string[] = [];
    for await (const page of pages((at) => carillon.listAudienceDevices(audience.id, at))) {
      devices.push(...page.devices.map(({ id }) => id));
    }
    expect(devices.toSorted()).toEqual(ids.toSorted());
  });

  it('many notifications are sent in batches, with an entry for each in its order', async () => {
    proxy.next('lose the reply');
    const before = await countOfNotifications();
    const items = Array.from({ length: 3 }, (_, index): BatchItem => ({
      notification: {
        to: { user_id: `user-${index}` },
        payload: { alert: 'x'.repeat(index === 1 ? 5_000 : 10) },
      },
    }));
    const entries = await Array.fromAsync(carillon.sendMany(items));
    expect(entries.map(({ line, status }) => [line, status])).toEqual([
      [1, 201],
      [2, 422],
      [3, 201],
    ]);
    expect(await countOfNotifications()).toBe(before + 2);
  });

  it('items are divided by their number and their size', async () => {
    const limits = { itemsMax: 2, bytesMax: 10 };
    const items = ['a', 'b', 'c', 'éééé', 'x'.repeat(20), 'd'];
    expect(await Array.fromAsync(groupsOf(items, limits))).toEqual([
      ['a', 'b'],
      ['c'],
      ['éééé'],
      ['x'.repeat(20)],
      ['d'],
    ]);
  });

  it('many devices are imported, and states of a notification watched, as they come', async () => {
    const user = randomUUID();
    async function* devices(): AsyncGenerator<DeviceRegistration> {
      for (let index = 0; index < 3; index += 1) {
        yield { platform: 'Android', push_token: `${user}-${index}`, user_id: user };
      }
    }
    expect(await carillon.importDevices(devices())).toMatchObject({ imported: 3, rejected_count: 0 });

    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: { user_id: user }, payload: alert, deliver_at: soon };
    const { id } = await carillon.createNotification({ notification });
    const states: string[] = [];
    const direct = new Carillon({ url: server, key: api.app.keys.every });
    for await (const { state } of direct.watchNotification(id)) {
      states.push(state);
      if (state === 'scheduled') await carillon.cancelNotification(id);
    }
    expect(states.at(0)).toBe('scheduled');
    expect(states.at(-1)).toBe('canceled');
  });

  it('a watch ends with the signal of the caller, whose reason it throws', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: '*', payload: alert, deliver_at: soon };
    const { id } = await carillon.createNotification({ notification });
    const stop = new AbortController();
    const direct = new Carillon({ url: server, key: api.app.keys.every });
    const watched = async (): Promise<void> => {
      for await (const _ of direct.watchNotification(id, stop)) stop.abort(new Error('enough'));
    };
    expect(String(await caught(watched()))).toBe('Error: enough');
  });

  it('an import that is refused as a whole throws the error of the call', async () => {
    const readOnly = new Carillon({ url: proxy.url, key: api.app.keys.read });
    expect(await caught(readOnly.importDevices([]))).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
