import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import type { Database } from '../../src/db/tables.ts';
import { basic, useApi } from './api.ts';

/** More than there are connections in the pool. */
const CROWD = 30;
const AT_ONCE = 4;
const BODY = { filters: [{ name: 'events.opened', criteria: [true] }] };

const api = useApi();

/** Counts by events wait until the work is done. */
async function whileEventsAreLocked(work: () => Promise<void>): Promise<void> {
  await api.db.transaction().execute(async (transaction: Transaction<Database>) => {
    await sql`lock table device_events in access exclusive mode`.execute(transaction);
    await work();
  });
}

async function countsUnderWay(): Promise<number> {
  const { rows } = await sql<{ counts: number }>`
    select count(*) as counts from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%device_events%'`.execute(
    api.db,
  );
  return rows[0]?.counts ?? 0;
}

async function untilUnderWay(counts: number): Promise<void> {
  await vi.waitFor(async () => expect(await countsUnderWay()).toBe(counts), { timeout: 30_000 });
}

describe('Slow counts', () => {
  test('slow counts leave connections to registrations and notifications, also when there are many', async () => {
    let replies: Promise<{ status: number }[]> = Promise.resolve([]);
    await whileEventsAreLocked(async () => {
      replies = Promise.all(
        Array.from({ length: CROWD }, async () => api.call('POST /v6/audiences/count', { body: BODY })),
      );
      await untilUnderWay(AT_ONCE);
      const device = { platform: 'Android', push_token: randomUUID() };
      expect((await api.call('POST /v6/devices', { body: { device } })).status).toBe(201);
      const notification = { to: [{ name: 'tags', criteria: ['a'] }], payload: { alert: 'Hello' } };
      expect((await api.call('POST /v6/notifications', { body: { notification } })).status).toBe(201);
      expect(await countsUnderWay()).toBe(AT_ONCE);
    });
    expect(new Set((await replies).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('slow counts end when their callers disconnect', async () => {
    const url = await api.server.listen({ host: '127.0.0.1', port: 0 });
    await whileEventsAreLocked(async () => {
      const caller = new AbortController();
      const call = fetch(`${url}/v6/audiences/count`, {
        method: 'POST',
        headers: { authorization: basic('', api.app.keys.read), 'content-type': 'application/json' },
        body: JSON.stringify(BODY),
        signal: caller.signal,
      });
      const ended = expect(call).rejects.toThrow();
      await untilUnderWay(1);
      caller.abort();
      await ended;
      await untilUnderWay(0);
    });
    expect(await api.call('POST /v6/audiences/count', { body: BODY })).toMatchObject({ status: 200 });
  });
});
