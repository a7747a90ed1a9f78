import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { basic, useApi } from './api.ts';

const api = useApi();

describe('the counts of each filter', () => {
  test('the counts of each filter are in the order of the request, with what is left after each', async () => {
    const tag = randomUUID();
    await api.newDevice({ tags: [tag], locale: 'fr_FR' });
    await api.newDevice({ tags: [tag], locale: 'de_DE' });
    const filters = [
      { name: 'tags', criteria: [tag] },
      { name: 'locale', criteria: ['de_DE'], not_filter: true },
      { name: 'tags', criteria: ['nobody has this'] },
    ];
    const body = { filters };
    const reply = await api.call('POST /v6/audiences/count/filters', { key: api.app.keys.read, body });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      device_count: 0,
      reachable_count: 0,
      filters: [
        { name: 'tags', device_count: 2, left_count: 2 },
        { name: 'locale', left_count: 1 },
        { name: 'tags', device_count: 0, left_count: 0 },
      ],
    });
    const swapped = { filters: filters.toReversed() };
    const other = await api.call('POST /v6/audiences/count/filters', { body: swapped });
    expect(other.body).toMatchObject({ filters: [{ left_count: 0 }, { left_count: 0 }, { left_count: 0 }] });
  });

  test('the counts of each filter are exact right after a change', async () => {
    const tag = randomUUID();
    const body = { filters: [{ name: 'tags', criteria: [tag] }] };
    const count = async (): Promise<unknown> =>
      (await api.call('POST /v6/audiences/count/filters', { body })).body;
    expect(await count()).toMatchObject({ device_count: 0 });
    await api.newDevice({ tags: [tag] });
    expect(await count()).toMatchObject({ device_count: 1, filters: [{ device_count: 1, left_count: 1 }] });
  });

  test('the counts of each filter end when the last of their callers disconnects', async () => {
    const url = await api.server.listen({ host: '127.0.0.1', port: 0 });
    const body = { filters: [{ name: 'events.opened', criteria: [true] }] };
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ counts: number }>`
        select count(*) as counts from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%device_events%'`.execute(
        api.db,
      );
      return rows[0]?.counts ?? 0;
    };
    const untilWaiting = async (counts: number): Promise<void> =>
      vi.waitFor(async () => expect(await waiting()).toBe(counts), { timeout: 30_000 });
    await api.db.transaction().execute(async (transaction) => {
      await sql`lock table device_events in access exclusive mode`.execute(transaction);
      const callers = [new AbortController(), new AbortController()];
      const calls = callers.map(async ({ signal }) =>
        fetch(`${url}/v6/audiences/count/filters`, {
          method: 'POST',
          headers: { authorization: basic('', api.app.keys.read), 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal,
        }),
      );
      const ended = Promise.allSettled(calls);
      await untilWaiting(1);
      callers[0]?.abort();
      await expect(calls[0]).rejects.toThrow();
      expect(await waiting()).toBe(1);
      callers[1]?.abort();
      await ended;
      await untilWaiting(0);
    });
    expect(await api.call('POST /v6/audiences/count/filters', { body })).toMatchObject({ status: 200 });
  });
});

describe('a sample', () => {
  test('a sample has devices that the filters select, at most 10, of this app alone', async () => {
    const tag = randomUUID();
    const ids = await Promise.all(Array.from({ length: 12 }, async () => api.newDevice({ tags: [tag] })));
    await api.newDevice({ tags: ['other'] });
    const body = { filters: [{ name: 'tags', criteria: [tag] }] };
    const reply = await api.call('POST /v6/audiences/sample', { key: api.app.keys.read, body });
    const { devices } = z.object({ devices: z.array(z.looseObject({ id: z.string() })) }).parse(reply.body);
    expect(devices.map(({ id }) => id)).toEqual(ids.toSorted().slice(0, 10));
    const theirs = await api.call('POST /v6/audiences/sample', { key: api.otherApp.keys.read, body });
    expect(theirs.body).toEqual({ devices: [] });
  });
});

describe('an explanation of filters that are not stored', () => {
  test('an explanation of filters that are not stored is in the order of the request and stores nothing', async () => {
    const id = await api.newDevice({ tags: ['x'], locale: 'fr_FR' });
    const filters = [
      { name: 'tags', criteria: ['y', 'x'] },
      { name: 'locale', criteria: ['fr_FR'], not_filter: true },
    ];
    const before = await api.db.selectFrom('audiences').select('id').execute();
    const body = { filters, device_id: id };
    const reply = await api.call('POST /v6/audiences/explain', { key: api.app.keys.read, body });
    expect(reply.body).toMatchObject({
      matches: false,
      filters: [
        {
          name: 'tags',
          matches: true,
          value: ['x'],
          criteria: [
            { criterion: 'x', matches: true },
            { criterion: 'y', matches: false },
          ],
        },
        { name: 'locale', matches: false, not_filter: true, value: 'fr_FR' },
      ],
    });
    expect(await api.db.selectFrom('audiences').select('id').execute()).toEqual(before);
    const theirs = await api.call('POST /v6/audiences/explain', { key: api.otherApp.keys.read, body });
    expect(theirs.status).toBe(404);
  });
});

describe('the list of audiences', () => {
  test('the list of audiences can have named audiences alone, with their filters and last use', async () => {
    const filters = [{ name: 'tags', criteria: [randomUUID()], not_filter: false }];
    const notification = { to: filters, payload: { alert: 'hello' }, dry_run: true };
    await api.call('POST /v6/notifications', { body: { notification } });
    const id = await api.newAudience(filters, 'Mine');
    const reply = await api.call('GET /v6/audiences?kind=named&per=100', { key: api.app.keys.read });
    const { audiences } = z
      .object({ audiences: z.array(z.looseObject({ id: z.string(), kind: z.string() })) })
      .parse(reply.body);
    expect(new Set(audiences.map(({ kind }) => kind))).toEqual(new Set(['named']));
    expect(audiences.find((audience) => audience.id === id)).toMatchObject({
      name: 'Mine',
      filters,
      last_used_at: expect.stringContaining('T'),
    });
    expect((await api.call('GET /v6/audiences?kind=other')).status).toBe(422);
  });

  test('the list of audiences leaves out filters that are too long for a list', async () => {
    const many = Array.from({ length: 500 }, () => randomUUID());
    const id = await api.newAudience([{ name: 'device_id', criteria: many }], 'Long');
    const { body } = await api.call('GET /v6/audiences?per=100');
    const { audiences } = z.object({ audiences: z.array(z.looseObject({ id: z.string() })) }).parse(body);
    expect(audiences.find((audience) => audience.id === id)).toMatchObject({ name: 'Long', filters: null });
  });
});

describe('the uses of an audience', () => {
  test('the uses of an audience are the notifications that keep it from being deleted', async () => {
    const id = await api.newAudience([{ name: 'tags', criteria: [randomUUID()] }]);
    const uses = async (): Promise<unknown> => (await api.call(`GET /v6/audiences/${id}/uses`)).body;
    expect(await uses()).toEqual({ notifications: [] });
    const later = new Date(systemClock().getTime() + 3_600_000).toISOString();
    const notification = { to: id, payload: { alert: 'hello' }, deliver_at: later };
    const created = await api.call('POST /v6/notifications', { body: { notification } });
    const notificationId = z.object({ id: z.string() }).parse(created.body).id;
    expect(await uses()).toMatchObject({
      notifications: [{ id: notificationId, state: 'scheduled', due_at: later }],
    });
    expect((await api.call(`DELETE /v6/audiences/${id}`)).status).toBe(409);
    await api.call(`POST /v6/notifications/${notificationId}/cancel`);
    expect(await uses()).toEqual({ notifications: [] });
    const theirs = await api.call(`GET /v6/audiences/${id}/uses`, { key: api.otherApp.keys.read });
    expect(theirs.status).toBe(404);
  });
});
