/** The TypeScript client against the API, through a proxy that fails. test/deep/clients has it as a package. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, Carillon, NoReplyError, pages, type Schemas } from '../../clients/typescript/src/index.ts';
import { groupsOf } from '../../clients/typescript/src/lines.ts';
import { isRepeatable, takesKey } from '../../clients/typescript/src/repeatable.ts';
import { documentedCalls } from '../http/openapi/document.ts';
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
  return (await carillon.post('/v6/devices', { body: { device } })).device.id;
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
  ] as const)('is sent again with the same key, and stored once, when %s', async (_why, fate) => {
    const before = await countOfNotifications();
    proxy.next(fate, fate);
    const { id } = await carillon.post('/v6/notifications', { body });
    expect(proxy.seen).toHaveLength(3);
    expect(new Set(proxy.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(await countOfNotifications()).toBe(before + 1);
    expect(id).toMatch(/^[\da-f-]{36}$/);
  });

  it('has another key in another call, or the one that the caller gives', async () => {
    proxy.next();
    await carillon.post('/v6/notifications', { body });
    await carillon.post('/v6/notifications', { body });
    await carillon.post('/v6/notifications', { body, params: { header: { 'Idempotency-Key': 'mine' } } });
    const keys = proxy.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('in a batch has a key of its own, which stays the same when the batch is sent again', async () => {
    const before = await countOfNotifications();
    proxy.next('lose the reply');
    const notification = { to: { user_id: 'nobody' }, payload: alert };
    const entries = await carillon.post('/v6/notifications/batch', {
      body: [{ notification }, { notification }, { notification, idempotency_key: randomUUID() }],
    });
    expect(entries.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await countOfNotifications()).toBe(before + 3);
    expect(proxy.seen[1]?.body).toBe(proxy.seen[0]?.body);
  });
});

describe('A batch', () => {
  const batch = '/v6/notifications/batch';
  const notification = { to: { user_id: 'nobody' }, payload: alert };

  it('with an item that is refused has keys for the others', async () => {
    const before = await countOfNotifications();
    proxy.next('lose the reply');
    // @ts-expect-error -- an item without a notification
    const entries = await carillon.post(batch, { body: [{ notification }, {}] });
    expect(entries.map(({ status }) => status)).toEqual([201, 422]);
    expect(await countOfNotifications()).toBe(before + 1);
  });

  it('that the caller has written as lines, perhaps without keys, is not sent again', async () => {
    const before = await countOfNotifications();
    proxy.next('lose the reply');
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = JSON.stringify({ notification });
    const error = await caught(carillon.post(batch, { headers, body, parseAs: 'text' }));
    expect(error).toBeInstanceOf(NoReplyError);
    expect(await countOfNotifications()).toBe(before + 1);
  });
});

describe('A call', () => {
  it('that would have an effect twice is not sent again after its reply was lost', async () => {
    const id = await deviceOf('user-1');
    proxy.next('lose the reply');
    const params = { path: { device_id: id } };
    const body = { events: [{ name: 'purchase' }] };
    const error = await caught(carillon.post('/v6/devices/{device_id}/events', { params, body }));
    expect(error).toBeInstanceOf(NoReplyError);
    const { device } = await carillon.get('/v6/devices/{device_id}', { params });
    expect(device.events['Public Api.purchase']?.count).toBe(1);
  });

  it('of any kind is sent again when there are too many requests', async () => {
    const id = await deviceOf('user-1');
    proxy.next({ status: 429, headers: { 'retry-after': '0' } });
    const params = { path: { device_id: id } };
    await carillon.post('/v6/devices/{device_id}/events', { params, body: { events: [{ name: 'a' }] } });
    expect(proxy.seen).toHaveLength(2);
  });

  it('that is refused has an error with the code, the faults and the id of the request', async () => {
    proxy.next();
    const payload = { alert: 'a', badge: -1 };
    const error = await caught(
      carillon.post('/v6/notifications', { body: { notification: { to: '*', payload } } }),
    );
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

  it('that is answered by something else than Carillon says so', async () => {
    const behind = new Carillon({ url: proxy.url, key: 'none', retries: 0, fetch: badGateway });
    expect(await caught(behind.get('/v6/app'))).toMatchObject({ code: 'unknown', status: 502 });
  });

  it('to a server that is away says why', async () => {
    const away = new Carillon({ url: `http://127.0.0.1:${await closedPort()}`, key: 'none', retries: 0 });
    const error = await caught(away.get('/v6/app'));
    expect(error).toBeInstanceOf(NoReplyError);
    expect(String(error)).toContain('ECONNREFUSED');
  });

  it('ends with its signal, which is not a failure to repeat', async () => {
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
    const error = await caught(patient.get('/v6/app', { signal: stop.signal }));
    expect(String(error)).toBe('Error: enough');
    expect(proxy.seen).toHaveLength(1);
  });
});

describe('The calls that are sent again', () => {
  const calls = documentedCalls.map(({ method, path }) => {
    const headers = { 'content-type': 'application/json' };
    return { path, request: new Request('http://carillon.test', { method: method.toUpperCase(), headers }) };
  });

  it('are in the document', () => {
    const posts = calls.filter(
      ({ request, path }) => request.method === 'POST' && isRepeatable(request, path),
    );
    expect(posts).toHaveLength(16);
  });

  it('have a key exactly where the document has one', () => {
    const keyed = documentedCalls.filter(({ operation }) =>
      operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
    );
    expect(calls.filter(({ request, path }) => takesKey(request, path)).map(({ path }) => path)).toEqual(
      keyed.map(({ path }) => path),
    );
  });
});

describe('Many at once', () => {
  it('are read page by page, none of them twice', async () => {
    const user = randomUUID();
    const ids = await Promise.all([1, 2, 3].map(async () => deviceOf(user)));
    const filters = [{ name: 'user_id', criteria: [user] }];
    const { audience } = await carillon.post('/v6/audiences', {
      body: { audience: { name: user, filters } },
    });
    for (let index = 0; index < 2; index += 1) {
      await carillon.post('/v6/audiences', { body: { audience: { name: user, filters } } });
    }
    const names: string[] = [];
    for await (const page of pages((at) =>
      carillon.get('/v6/audiences', { params: { query: { per: 2, kind: 'named', ...at } } }),
    )) {
      expect(page.audiences.length).toBeLessThanOrEqual(2);
      names.push(...page.audiences.map(({ name }) => name));
    }
    expect(names).toEqual([user, user, user]);
    const devices: string[] = [];
    const params = { path: { audience_id: audience.id } };
    for await (const page of pages((query) =>
      carillon.get('/v6/audiences/{audience_id}/devices', { params: { ...params, query } }),
    )) {
      devices.push(...page.devices.map(({ id }) => id));
    }
    expect(devices.toSorted()).toEqual(ids.toSorted());
  });

  it('are sent in batches, with an entry for each in its order', async () => {
    proxy.next('lose the reply');
    const before = await countOfNotifications();
    const items = Array.from({ length: 3 }, (_, index): Schemas['BatchItem'] => ({
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

  it('are cut into groups by their number and their size', async () => {
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

  it('are imported, exported and watched as they come', async () => {
    const user = randomUUID();
    async function* devices(): AsyncGenerator<Schemas['DeviceRegistration']> {
      for (let index = 0; index < 3; index += 1) {
        yield { platform: 'Android', push_token: `${user}-${index}`, user_id: user };
      }
    }
    expect(await carillon.importDevices(devices())).toMatchObject({ imported: 3, rejected_count: 0 });
    const entries = await Array.fromAsync(carillon.exportAudit({ action: 'devices.imported' }));
    expect(entries.map(({ after }) => after)).toEqual([expect.objectContaining({ imported: 3 })]);

    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: { user_id: user }, payload: alert, deliver_at: soon };
    const { id } = await carillon.post('/v6/notifications', { body: { notification } });
    const states: string[] = [];
    const direct = new Carillon({ url: server, key: api.app.keys.every });
    for await (const { state } of direct.watch(id)) {
      states.push(state);
      const params = { path: { notification_id: id } };
      if (state === 'scheduled')
        await carillon.post('/v6/notifications/{notification_id}/cancel', { params });
    }
    expect(states.at(0)).toBe('scheduled');
    expect(states.at(-1)).toBe('canceled');
    expect(await Array.fromAsync(carillon.exportDeliveries(id))).toEqual([]);
  });

  it('end with the signal of the caller, whose reason they throw', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: '*', payload: alert, deliver_at: soon };
    const { id } = await carillon.post('/v6/notifications', { body: { notification } });
    const stop = new AbortController();
    const direct = new Carillon({ url: server, key: api.app.keys.every });
    const watched = async (): Promise<void> => {
      for await (const _ of direct.watch(id, stop)) stop.abort(new Error('enough'));
    };
    expect(String(await caught(watched()))).toBe('Error: enough');
  });

  it('that are refused as a whole have the error of the call', async () => {
    const readOnly = new Carillon({ url: proxy.url, key: api.app.keys.read });
    expect(await caught(readOnly.importDevices([]))).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
