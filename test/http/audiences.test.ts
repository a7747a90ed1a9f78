import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { retireTokens } from '../support/retire-tokens.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { callServer, idIn, type TestApp, useApi } from './api.ts';
import { countStored } from './stored.ts';

const ISO_WITH_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const created = z.object({ to: z.object({ id: z.string() }) });
const listed = z.object({
  audiences: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  meta: z.object({ cursor: z.string().nullable() }),
});

const api = useApi();

const register = async (tags: string[], app: TestApp = api.app) => api.newDevice({ tags }, app.keys.register);
const target = async (to: unknown): Promise<string> => {
  const body = { notification: { to, payload: { alert: 'hello' } } };
  const reply = await api.call('POST /v6/notifications', { body });
  expect(reply.status).toBe(201);
  return created.parse(reply.body).to.id;
};

test('an on-the-fly audience reads back with its generated name, its devices and its filters', async () => {
  const tag = randomUUID();
  await register([tag]);
  await register([tag, 'b']);
  await register([tag], api.otherApp);
  const id = await target([{ criteria: [tag, tag], name: 'tags' }]);
  const reply = await api.call(`GET /v6/audiences/${id}`, { key: api.app.keys.read });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    audience: {
      id,
      name: expect.stringMatching(/^api_audience_\w+$/),
      created_at: expect.stringMatching(ISO_WITH_MS),
      updated_at: expect.stringMatching(ISO_WITH_MS),
      device_count: 2,
      reachable_count: 2,
      test: false,
      filters: [{ name: 'tags', criteria: [tag], not_filter: false }],
    },
  });
});

test('the same filters are the same audience, which can be targeted by its id, bare or wrapped', async () => {
  const tag = randomUUID();
  const id = await target([{ name: 'tags', criteria: [tag, 'b'] }]);
  expect(await target([{ not_filter: false, criteria: ['b', tag, tag], name: 'tags' }])).toBe(id);
  expect(await target({ audience: id })).toBe(id);
  expect(await target(id)).toBe(id);
});

test('the count of a small audience is exact right after a change through any server', async () => {
  // Counting a small one takes no time, also on a machine that stands still for a moment.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const tag = randomUUID();
  const id = await target([{ name: 'tags', criteria: [tag] }]);
  const other = api.openServer();
  const key = api.app.keys.read;
  for (let devices = 0; devices < 5; devices++) {
    const address = `GET /v6/audiences/${id}`;
    const replies = [await api.call(address, { key }), await callServer(other, address, { key })];
    for (const reply of replies) expect(reply.body).toMatchObject({ audience: { device_count: devices } });
    await register([tag]);
  }
});

const both = (device_count: number, reachable_count: number): unknown[] => [
  { audience: expect.objectContaining({ device_count, reachable_count }) },
  { device_count, reachable_count },
];

test('a device whose token is dead counts in device_count but not in reachable_count', async () => {
  const tag = randomUUID();
  const deviceId = await register([tag]);
  await register([tag]);
  const id = await target([{ name: 'tags', criteria: [tag] }]);
  const counts = async (): Promise<unknown[]> => [
    (await api.call(`GET /v6/audiences/${id}`)).body,
    (await api.call('POST /v6/audiences/count', { body: { filters: [{ name: 'tags', criteria: [tag] }] } }))
      .body,
  ];
  expect(await counts()).toEqual(both(2, 2));
  const { push_token: pushToken } = await api.db
    .selectFrom('devices')
    .select('push_token')
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow();
  const dead = { appId: api.app.id, deviceId, pushToken: pushToken ?? '', deadSince: null };
  expect(await retireTokens(api.db, tokenKeys, [{ ...dead, reason: 'UNREGISTERED' }], new Date())).toBe(1);
  expect(await counts()).toEqual(both(2, 1));
  const device = { push_token: randomUUID() };
  await api.call(`PUT /v6/devices/${deviceId}`, { key: api.app.keys.register, body: { device } });
  expect(await counts()).toEqual(both(2, 2));
});

test('the audience of all devices has no filters', async () => {
  await register([]);
  const id = await target('*');
  expect(await target('*')).toBe(id);
  const reply = await api.call(`GET /v6/audiences/${id}`);
  const { device_count } = z
    .object({ audience: z.object({ device_count: z.number(), filters: z.array(z.never()) }) })
    .parse(reply.body).audience;
  expect(device_count).toBeGreaterThan(0);
});

test('a named audience is created with 201 and can be targeted', async () => {
  const tag = randomUUID();
  await register([tag]);
  const filters = [{ name: 'tags', criteria: [tag] }];
  const reply = await api.call('POST /v6/audiences', {
    key: api.app.keys.write,
    body: { audience: { name: 'Regulars 🎉', filters } },
  });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    audience: {
      id: expect.stringMatching(UUID),
      name: 'Regulars 🎉',
      created_at: expect.stringMatching(ISO_WITH_MS),
      updated_at: expect.stringMatching(ISO_WITH_MS),
      device_count: 1,
      reachable_count: 1,
      test: false,
      filters: [{ ...filters[0], not_filter: false }],
    },
  });
  const id = idIn(reply);
  expect((await api.call(`GET /v6/audiences/${id}`)).body).toEqual(reply.body);
  expect(await target({ audience: id })).toBe(id);
});

test('a count needs a key that may read and stores nothing', async () => {
  const tag = randomUUID();
  await register([tag]);
  const before = await countStored(api.db);
  const body = { filters: [{ name: 'tags', criteria: [tag] }] };
  const reply = await api.call('POST /v6/audiences/count', { key: api.app.keys.read, body });
  expect(reply).toMatchObject({ status: 200, body: { device_count: 1, reachable_count: 1 } });
  expect(await countStored(api.db)).toEqual(before);
});

test('the pages of the list have every audience of the app once, without counts', async () => {
  for (let number = 0; number < 3; number++) await target([{ name: 'tags', criteria: [randomUUID()] }]);
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const reply = await api.call(`GET /v6/audiences?per=2&page=${page}`, { key: api.app.keys.read });
    expect(reply.status).toBe(200);
    const { audiences } = listed.parse(reply.body);
    if (audiences.length === 0) break;
    expect(audiences.length).toBeLessThanOrEqual(2);
    for (const audience of audiences) {
      expect(Object.keys(audience).filter((name) => name.includes('count'))).toEqual([]);
      ids.push(audience.id);
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
  const rows = await api.db.selectFrom('audiences').select('id').where('app_id', '=', api.app.id).execute();
  expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  const theirs = await api.call('GET /v6/audiences', { key: api.otherApp.keys.read });
  expect(theirs.body).toEqual({ audiences: [], meta: { cursor: null } });
});

test('the cursor leads through the list to its end, although audiences are created and deleted in between', async () => {
  const { id: appId } = api.app;
  await api.db.deleteFrom('notifications').where('app_id', '=', appId).execute();
  await api.db.deleteFrom('audiences').where('app_id', '=', appId).execute();
  const made: string[] = [];
  const make = async (): Promise<void> => {
    made.push(await api.newAudience([{ name: 'tags', criteria: ['a'] }], 'same'));
  };
  for (let number = 0; number < 5; number++) await make();
  const ids: string[] = [];
  let query = 'per=2';
  for (let page = 1; page <= 3; page++) {
    const { body } = await api.call(`GET /v6/audiences?${query}`, { key: api.app.keys.read });
    const { audiences, meta } = listed.parse(body);
    ids.push(...audiences.map(({ id }) => id));
    query = `per=2&cursor=${meta.cursor}`;
    if (page === 1) expect((await api.call(`DELETE /v6/audiences/${made[0]}`)).status).toBe(204);
    if (page === 2) await make();
    expect(meta.cursor === null).toBe(page === 3);
  }
  expect(ids.toSorted()).toEqual(made.toSorted());
});

test('the list refuses a cursor that the service did not make', async () => {
  const reply = await api.call('GET /v6/audiences?cursor=bm9uZQ');
  expect(reply).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', details: [{ path: 'cursor' }] },
  });
});

test('an audience is deleted with a key that may write, and is gone at once, also if its count was cached', async () => {
  // A count takes long by this clock, so it is one that is served for some seconds without a look.
  const perform = vi.spyOn(performance, 'now');
  let ms = 0;
  perform.mockImplementation(() => (ms += 1_000));
  onTestFinished(() => perform.mockRestore());
  const tag = randomUUID();
  await register([tag]);
  const id = await api.newAudience([{ name: 'tags', criteria: [tag] }], 'Large');
  const read = async (): Promise<number> => (await api.call(`GET /v6/audiences/${id}`)).status;
  for (let time = 0; time < 3; time++) expect(await read()).toBe(200);
  const remove = async (key: string): Promise<unknown> => api.call(`DELETE /v6/audiences/${id}`, { key });
  expect(await remove(api.app.keys.read)).toMatchObject({ status: 403 });
  expect(await remove(api.otherApp.keys.write)).toMatchObject({ status: 404 });
  expect(await read()).toBe(200);
  expect(await remove(api.app.keys.write)).toMatchObject({ status: 204 });
  expect(await read()).toBe(404);
  expect((await api.call(`GET /v6/audiences/${id}/devices`)).status).toBe(404);
  expect(await remove(api.app.keys.write)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test.each([
  ['of all devices', '*', {}, 'audience_built_in'],
  [
    'with a notification that is scheduled',
    [{ name: 'tags', criteria: ['later'] }],
    { deliver_at: new Date(Date.now() + 3_600_000).toISOString() },
    'audience_in_use',
  ],
])('an audience %s cannot be deleted: 409', async (_which, to, rules, code) => {
  const body = { notification: { to, payload: { alert: 'hello' }, ...rules } };
  const { body: reply } = await api.call('POST /v6/notifications', { body });
  const { id } = created.parse(reply).to;
  expect(await api.call(`DELETE /v6/audiences/${id}`)).toMatchObject({ status: 409, body: { code } });
  expect((await api.call(`GET /v6/audiences/${id}`)).status).toBe(200);
});

test('a page has 50 audiences by default', async () => {
  const stamp = new Date();
  const rows = Array.from({ length: 51 }, (_, number) => ({
    app_id: api.otherApp.id,
    id: randomUUID(),
    kind: 'named' as const,
    name: `${number}`,
    filters: '[]',
    fingerprint: Buffer.alloc(32, number),
    created_at: stamp,
    updated_at: stamp,
  }));
  await api.db.insertInto('audiences').values(rows).execute();
  const reply = await api.call('GET /v6/audiences', { key: api.otherApp.keys.read });
  expect(listed.parse(reply.body).audiences).toHaveLength(50);
});
