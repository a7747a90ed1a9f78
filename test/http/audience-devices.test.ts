import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';

const page = z.object({
  meta: z.object({ cursor: z.string().nullable(), total: z.number() }),
  devices: z.array(z.looseObject({ id: z.string(), tags: z.array(z.string()) })),
});

const api = useApi();

const register = async (tag: string) => api.newDevice({ tags: [tag], locale: 'fr_FR' });

async function readPage(audienceId: string, cursor: string | null): Promise<z.output<typeof page>> {
  const query = cursor === null ? '' : `?cursor=${cursor}`;
  const reply = await api.call(`GET /v6/audiences/${audienceId}/devices${query}`);
  expect(reply.status).toBe(200);
  return page.parse(reply.body);
}

test('the pages list every device of an audience once and end with an empty page', async () => {
  const tag = randomUUID();
  const ids = await Promise.all(Array.from({ length: 230 }, async () => register(tag)));
  const audienceId = await api.newAudience([{ name: 'tags', criteria: [tag] }]);
  const seen: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const { meta, devices } = await readPage(audienceId, cursor);
    expect(meta.total).toBe(230);
    if (devices.length === 0) {
      expect(meta.cursor).toBeNull();
      break;
    }
    seen.push(...devices.map(({ id }) => id));
    cursor = meta.cursor;
  }
  expect(seen.toSorted()).toEqual(ids.toSorted());
});

test('a device that stays is listed once, although others are added and removed between the pages', async () => {
  const tag = randomUUID();
  const staying = await Promise.all(Array.from({ length: 150 }, async () => register(tag)));
  const leaving = await Promise.all(Array.from({ length: 60 }, async () => register(tag)));
  const audienceId = await api.newAudience([{ name: 'tags', criteria: [tag] }]);
  const first = await readPage(audienceId, null);
  await Promise.all(leaving.map(async (id) => api.call(`DELETE /v6/devices/${id}`)));
  await Promise.all(Array.from({ length: 60 }, async () => register(tag)));
  const seen = first.devices.map(({ id }) => id);
  let cursor = first.meta.cursor;
  while (cursor !== null) {
    const { meta, devices } = await readPage(audienceId, cursor);
    seen.push(...devices.map(({ id }) => id));
    cursor = meta.cursor;
  }
  const stayed = seen.filter((id) => staying.includes(id));
  expect(stayed.toSorted()).toEqual(staying.toSorted());
  expect(new Set(seen).size).toBe(seen.length);
});

const explained = (name: string, result: object, criterion: string, matches: boolean) => ({
  name,
  ...result,
  criteria: [{ criterion, matches }],
  criteria_count: 1,
});

test('the explanation says for each filter whether it selects the device', async () => {
  const tag = randomUUID();
  const id = await register(tag);
  const audienceId = await api.newAudience([
    { name: 'tags', criteria: [tag] },
    { name: 'locale', criteria: ['fr_FR'], not_filter: true },
    { name: 'custom.string.plan', criteria: ['gold'] },
  ]);
  const { body } = await api.call(`GET /v6/audiences/${audienceId}/devices/${id}`);
  expect(z.object({ matches: z.boolean() }).parse(body).matches).toBe(false);
  expect(z.object({ filters: z.array(z.unknown()) }).parse(body).filters).toEqual(
    expect.arrayContaining([
      explained('tags', { matches: true, not_filter: false, value: [tag] }, tag, true),
      explained('locale', { matches: false, not_filter: true, value: 'fr_FR' }, 'fr_FR', true),
      explained('custom.string.plan', { matches: false, not_filter: false, value: null }, 'gold', false),
    ]),
  );

  const notification = { to: '*', payload: { alert: 'Hello' }, dry_run: true };
  const created = await api.call('POST /v6/notifications', { body: { notification } });
  const everyone = z.object({ to: z.object({ id: z.string() }) }).parse(created.body).to.id;
  const answer = await api.call(`GET /v6/audiences/${everyone}/devices/${id}`);
  expect([answer.status, answer.body]).toEqual([200, { matches: true, filters: [] }]);
});

test.each([
  ['an unknown audience', () => randomUUID(), 404, 'not_found'],
  ['a cursor of nobody', (id: string) => `${id}/devices?cursor=abc`, 422, 'invalid_request'],
  ['two cursors', (id: string) => `${id}/devices?cursor=a&cursor=b`, 422, 'invalid_request'],
  ['an unknown device', (id: string) => `${id}/devices/${randomUUID()}`, 404, 'not_found'],
  ['a device id that is not a UUID', (id: string) => `${id}/devices/abc`, 404, 'not_found'],
])('%s is refused', async (_what, path, status, code) => {
  const id = await api.newAudience([{ name: 'tags', criteria: ['x'] }]);
  const reply = await api.call(`GET /v6/audiences/${path(id)}`);
  expect(reply).toMatchObject({ status, body: { code } });
});
