/** `GET /v6/status`: the troubles of the server, and those of the app of the key. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';

const api = useApi();

async function failWebhook(appId: string): Promise<string> {
  const id = randomUUID();
  const row = { app_id: appId, id, url: 'https://example.com/', events: [], sealed_secret: Buffer.of(1) };
  await api.db
    .insertInto('webhooks')
    .values({ ...row, created_at: new Date(), failing_since: new Date(), last_failure: 'status 500' })
    .execute();
  return id;
}

test('a key sees what is wrong with the server and with its own app, and of no other app, also as admin', async () => {
  const own = await failWebhook(api.app.id);
  await failWebhook(api.otherApp.id);
  for (const key of [api.app.keys.read, api.app.keys.every]) {
    expect(await api.call('GET /v6/status', { key })).toMatchObject({
      status: 200,
      body: {
        status: 'troubled',
        troubles: [
          { code: 'no_worker', app: null, what: 'No worker is running.', link: null },
          { code: 'webhook_failing', app: api.app.bundleId, webhook_id: own },
        ],
      },
    });
  }
  expect(await api.call('GET /v6/status', { key: api.app.keys.write })).toMatchObject({ status: 403 });
});

test('the status is ok where a worker runs and nothing fails', async () => {
  await api.db.deleteFrom('webhooks').execute();
  const pulse = { id: randomUUID(), seen_at: new Date(), troubles: '[]' };
  await api.db.insertInto('worker_pulses').values(pulse).execute();
  const { body } = await api.call('GET /v6/status');
  await api.db.deleteFrom('worker_pulses').execute();
  expect(body).toEqual({ status: 'ok', troubles: [] });
});

test('a list of notifications estimates no end while no worker runs', async () => {
  const id = await api.newNotification();
  const startedAt = new Date(Date.now() - 60_000);
  await api.db
    .updateTable('notifications')
    .set({ state: 'sending', started_at: startedAt, devices: 10, accepted: 5 })
    .where('id', '=', id)
    .execute();
  const left = async (): Promise<unknown[]> => {
    const one = await api.call(`GET /v6/notifications/${id}`);
    const { body } = await api.call('GET /v6/notifications');
    return [one.body, ...z.object({ notifications: z.array(z.unknown()) }).parse(body).notifications];
  };
  // The list is made for each call that asks for it, in a server that does not look by itself.
  await api.call('GET /v6/status');
  expect(await left()).toMatchObject([{ estimated_seconds_left: null }, { estimated_seconds_left: null }]);
  await api.db
    .insertInto('worker_pulses')
    .values({ id: randomUUID(), seen_at: new Date(), troubles: '[]' })
    .execute();
  await api.call('GET /v6/status');
  expect(await left()).toMatchObject([
    { estimated_seconds_left: expect.any(Number) },
    { estimated_seconds_left: expect.any(Number) },
  ]);
});
