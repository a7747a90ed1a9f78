import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { unseal } from '../../src/apps/seal.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { resealWebhookSecrets } from '../../src/webhooks/webhooks.ts';
import { digestOfEverything } from '../http/stored.ts';
import { useApi } from '../http/api.ts';
import { testSecret } from '../support/secret.ts';

let milliseconds = Date.parse('2026-11-21T12:00:00.000Z');
const api = useApi(() => new Date(milliseconds++));
const NO_ID = '00000000-0000-4000-8000-000000000000';
const HOOK = { url: 'https://example.com/hook', events: ['device.unregistered', 'notification.sent'] };
const created = z.object({
  webhook: z.object({ id: z.string(), secret: z.string(), events: z.array(z.string()) }),
});

async function make(key = api.app.keys.every): Promise<z.output<typeof created>['webhook']> {
  const { status, body } = await api.call('POST /v6/webhooks', { key, body: { webhook: HOOK } });
  expect(status).toBe(201);
  return created.parse(body).webhook;
}

describe('The secret of a webhook', () => {
  test('the secret of a webhook is shown once, in the form of Standard Webhooks, and stored sealed', async () => {
    const { id, secret } = await make();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const address of [`GET /v6/webhooks/${id}`, 'GET /v6/webhooks']) {
      expect(JSON.stringify((await api.call(address)).body)).not.toContain('whsec_');
    }
    const { sealed_secret: sealed } = await api.db
      .selectFrom('webhooks')
      .select('sealed_secret')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(sealed.includes(secret)).toBe(false);
    expect(unseal(testSecret, sealed, { appId: api.app.id, kind: `webhook ${id}` })).toBe(secret);
  });

  test('the secret of a webhook is sealed with the new key where the old one is replaced', async () => {
    const { id, secret } = await make();
    const current = parseSecretKey('1'.repeat(64));
    const both = { current: current.current, previous: testSecret.current };
    expect(await resealWebhookSecrets(api.db, both)).toBeGreaterThan(0);
    const context = { appId: api.app.id, kind: `webhook ${id}` };
    const { sealed_secret: sealed } = await api.db
      .selectFrom('webhooks')
      .select('sealed_secret')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(unseal(current, sealed, context)).toBe(secret);
    expect(() => unseal(testSecret, sealed, context)).toThrow('SECRET_KEY');
    await resealWebhookSecrets(api.db, { current: testSecret.current, previous: current.current });
  });

  test('each webhook has a secret of its own', async () => {
    expect((await make()).secret).not.toBe((await make()).secret);
  });
});

describe('A webhook', () => {
  test('a webhook has each event once, in the order of the documentation', async () => {
    const body = { webhook: { url: HOOK.url, events: [...HOOK.events, ...HOOK.events] } };
    const reply = await api.call('POST /v6/webhooks', { body });
    expect(created.parse(reply.body).webhook.events).toEqual(['notification.sent', 'device.unregistered']);
  });

  test('a webhook is gone with its events once it is removed', async () => {
    const { id } = await make();
    await api.call(`POST /v6/webhooks/${id}/test`);
    expect((await api.call(`DELETE /v6/webhooks/${id}`)).status).toBe(204);
    expect((await api.call(`DELETE /v6/webhooks/${id}`)).status).toBe(404);
    const rows = await api.db.selectFrom('webhook_deliveries').where('webhook_id', '=', id).execute();
    expect(rows).toEqual([]);
  });

  test('a webhook shows its latest hundred events, the newest first', async () => {
    const { id } = await make();
    const ids: string[] = [];
    for (let event = 0; event < 105; event++) {
      const { body } = await api.call(`POST /v6/webhooks/${id}/test`);
      ids.push(z.object({ id: z.string() }).parse(body).id);
    }
    const { body } = await api.call(`GET /v6/webhooks/${id}/deliveries`);
    const { deliveries } = z.object({ deliveries: z.array(z.looseObject({ id: z.string() })) }).parse(body);
    expect(deliveries.map((one) => one.id)).toEqual(ids.toReversed().slice(0, 100));
    expect(deliveries[0]).toMatchObject({
      type: 'webhook.test',
      state: 'waiting',
      attempts: 0,
      ended_at: null,
    });
  });

  test.each<[string, unknown, object[]]>([
    ['nothing', undefined, [{ path: 'webhook' }]],
    ['an address over plain HTTP', { ...HOOK, url: 'http://example.com' }, [{ path: 'webhook.url' }]],
    ['a private address', { ...HOOK, url: 'https://192.168.0.1/' }, [{ path: 'webhook.url' }]],
    [
      'an address that is too long',
      { ...HOOK, url: `https://a/${'x'.repeat(2_048)}` },
      [{ path: 'webhook.url' }],
    ],
    ['no event', { ...HOOK, events: [] }, [{ path: 'webhook.events' }]],
    ['an unknown event', { ...HOOK, events: ['device.opened'] }, [{ path: 'webhook.events[0]' }]],
    [
      'several faults',
      { url: 1, events: 1, id: NO_ID },
      [{ path: 'webhook.url' }, { path: 'webhook.events' }],
    ],
  ])('a webhook with %s is refused, and nothing is stored', async (_what, webhook, faults) => {
    const before = await digestOfEverything(api.db);
    const reply = await api.call('POST /v6/webhooks', { body: { webhook } });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    expect(reply.body).toMatchObject({
      details: expect.arrayContaining(faults.map((fault) => expect.objectContaining(fault))),
    });
    expect(await digestOfEverything(api.db)).toBe(before);
  });

  test('an app has at most ten webhooks, however many are made at once', async () => {
    await api.db.deleteFrom('webhooks').execute();
    const statuses = await Promise.all(
      Array.from(
        { length: 15 },
        async () => (await api.call('POST /v6/webhooks', { body: { webhook: HOOK } })).status,
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    await make(api.otherApp.keys.write);
  });
});
