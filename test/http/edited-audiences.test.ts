import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { testSecret } from '../support/secret.ts';
import { callServer, type Reply, useApi } from './api.ts';

const api = useApi();

const withAudience = z.object({
  audience: z.looseObject({ id: z.string(), updated_at: z.string(), name: z.string() }),
});
const audienceOf = ({ body }: Reply) => withAudience.parse(body).audience;

const tagged = (...tags: string[]) => [{ name: 'tags', criteria: tags }];
const make = async (name: string, filters: unknown) =>
  audienceOf(await api.call('POST /v6/audiences', { body: { audience: { name, filters } } }));
const edit = async (id: string, audience: unknown, rest: Record<string, unknown> = {}, key?: string) =>
  api.call(`PUT /v6/audiences/${id}`, { body: { audience, ...rest }, ...(key !== undefined && { key }) });

const register = async (tag: string): Promise<void> => {
  const device = { platform: 'Android', push_token: randomUUID(), tags: [tag] };
  expect((await api.call('POST /v6/devices', { body: { device } })).status).toBe(201);
};

const newestEntry = async (): Promise<unknown> => {
  const { body } = await api.call('GET /v6/audit?per=1');
  return z.object({ entries: z.array(z.unknown()) }).parse(body).entries[0];
};

test('a named audience is renamed and gets other filters under its old id, and is counted by them at once', async () => {
  const [old, wanted] = [randomUUID(), randomUUID()];
  await register(old);
  await register(wanted);
  await register(wanted);
  const { id, updated_at: readAt } = await make('Old', tagged(old));
  expect(audienceOf(await api.call(`GET /v6/audiences/${id}`))).toMatchObject({ device_count: 1 });
  const edited = await edit(id, { name: 'New', filters: tagged(wanted) });
  expect(edited.status).toBe(200);
  const now = { id, name: 'New', device_count: 2, filters: [{ name: 'tags', criteria: [wanted] }] };
  expect(audienceOf(edited)).toMatchObject(now);
  expect(audienceOf(edited).updated_at > readAt).toBe(true);
  const read = await api.call(`GET /v6/audiences/${id}`);
  expect(read.body).toEqual(edited.body);
  const other = buildServer({ ...api, clock: systemClock, secret: testSecret, observe: observeNothing });
  onTestFinished(async () => other.close());
  expect((await callServer(other, `GET /v6/audiences/${id}`, { key: api.app.keys.read })).body).toEqual(
    read.body,
  );
});

test('a named audience keeps filters and criteria in the order in which they were written, also after an edit', async () => {
  const written = [
    { name: 'tags', criteria: ['b', 'a', 'b'] },
    { name: 'locale', criteria: ['fr_FR', 'en_GB'] },
    { name: 'tags', criteria: ['b', 'a', 'b'] },
  ];
  const filters = [
    { name: 'tags', criteria: ['b', 'a'], not_filter: false },
    { name: 'locale', criteria: ['fr_FR', 'en_GB'], not_filter: false },
  ];
  const { id, ...made } = await make('As written', written);
  expect(made).toMatchObject({ filters });
  const { body } = await api.call('GET /v6/audiences?kind=named&per=100');
  expect(body).toMatchObject({
    audiences: expect.arrayContaining([expect.objectContaining({ id, filters })]),
  });
  expect(audienceOf(await edit(id, { name: 'Turned', filters: filters.toReversed() }))).toMatchObject({
    filters: filters.toReversed(),
  });
  expect(audienceOf(await api.call(`GET /v6/audiences/${id}`))).toMatchObject({
    filters: filters.toReversed(),
  });
});

test('of two editors at once, the second is refused with what differs, and nothing is changed', async () => {
  const { id, updated_at: readAt } = await make('Both', tagged('a'));
  const first = await edit(id, { name: 'First', filters: tagged('b') }, { if_updated_at: readAt });
  expect(first.status).toBe(200);
  const second = await edit(id, { name: 'Second', filters: tagged('b') }, { if_updated_at: readAt });
  expect(second).toMatchObject({
    status: 409,
    body: { code: 'audience_changed', details: [{ path: 'audience.name', message: 'is now "First"' }] },
  });
  expect((await api.call(`GET /v6/audiences/${id}`)).body).toEqual(first.body);
  const again = { if_updated_at: audienceOf(first).updated_at };
  expect((await edit(id, { name: 'Second', filters: tagged('c') }, again)).status).toBe(200);
});

test('of many editors at the same moment who have read the same state, exactly one wins', async () => {
  const { id, updated_at: readAt } = await make('Many', tagged('a'));
  const replies = await Promise.all(
    Array.from({ length: 8 }, async (_, index) =>
      edit(id, { name: `Editor ${index}`, filters: tagged(`${index}`) }, { if_updated_at: readAt }),
    ),
  );
  const accepted = replies.filter(({ status }) => status === 200);
  expect([accepted.length, replies.filter(({ status }) => status === 409).length]).toEqual([1, 7]);
});

test('an edit that is sent again, because its reply was lost, changes nothing and is accepted', async () => {
  const { id, updated_at: readAt } = await make('Repeated', tagged('a'));
  const send = async () => edit(id, { name: 'Edited', filters: tagged('b') }, { if_updated_at: readAt });
  const [first, second] = [await send(), await send()];
  expect(second).toMatchObject({ status: 200, body: first.body });
});

test('an edit is in the audit log with what was before and after, but without values about persons', async () => {
  const { id } = await make('Before', tagged('a'));
  const person = [{ name: 'user_email', criteria: ['jo@example.com', 'al@example.com'] }];
  await edit(id, { name: 'After', filters: [...tagged('b'), ...person] });
  expect(await newestEntry()).toMatchObject({
    action: 'audience.updated',
    object_id: id,
    before: { name: 'Before', filters: [{ name: 'tags', not_filter: false, criteria: ['a'] }] },
    after: {
      name: 'After',
      filters: [
        { name: 'tags', not_filter: false, criteria: ['b'] },
        { name: 'user_email', not_filter: false, criteria_count: 2 },
      ],
    },
  });
  await edit(id, { name: 'Renamed', filters: [...tagged('b'), ...person] });
  expect(await newestEntry()).toMatchObject({ before: { name: 'After' }, after: { name: 'Renamed' } });
});

test.each([
  ['made by a notification', tagged('shared by its filters'), 'audience_not_named'],
  ['of all devices', '*', 'audience_built_in'],
])('an audience %s cannot be edited: 409', async (_which, to, code) => {
  const body = { notification: { to, payload: { alert: 'hello' } } };
  const { body: made } = await api.call('POST /v6/notifications', { body });
  const { id } = z.object({ to: z.object({ id: z.string() }) }).parse(made).to;
  expect(await edit(id, { name: 'Mine', filters: tagged('a') })).toMatchObject({
    status: 409,
    body: { code },
  });
});

test('an edit needs the permission write, in the app of the audience', async () => {
  const { id } = await make('Kept', tagged('a'));
  const wanted = { name: 'Taken', filters: tagged('b') };
  expect((await edit(id, wanted, {}, api.app.keys.read)).status).toBe(403);
  expect((await edit(id, wanted, {}, api.otherApp.keys.every)).status).toBe(404);
  expect(audienceOf(await api.call(`GET /v6/audiences/${id}`))).toMatchObject({ name: 'Kept' });
});

test('an edit with a reserved name, no filters or a wrong time is refused with every fault', async () => {
  const { id } = await make('Kept', tagged('a'));
  const reply = await edit(id, { name: 'All devices', filters: [] }, { if_updated_at: 'yesterday' });
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  const { details } = z.object({ details: z.array(z.object({ path: z.string() })) }).parse(reply.body);
  expect(details.map(({ path }) => path).toSorted()).toEqual([
    'audience.filters',
    'audience.name',
    'if_updated_at',
  ]);
});
