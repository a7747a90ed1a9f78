import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/process/config.ts';
import { startServer } from '../../src/main.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { basic } from '../http/api.ts';
import { createWebhook } from '../../src/webhooks/webhooks.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { useReceivers } from './receiver.ts';

const database = useTestDatabase();
const openReceiver = useReceivers();

test('a server without WEBHOOK_ALLOW_PRIVATE sends nothing to a private address that was allowed once', async () => {
  const { db, url: DATABASE_URL } = database;
  const receiver = await openReceiver((_request, response) => response.writeHead(204).end());
  const { id: appId } = await insertApp(db);
  const { key } = await createApiKey(db, { appId, scopes: ['read', 'write'] }, systemClock);
  const SECRET_KEY = randomBytes(32).toString('hex');
  const webhook = { appId, url: receiver.url, events: ['notification.sent'] };
  const { id } = await createWebhook(db, parseSecretKey(SECRET_KEY), webhook, systemClock);
  const config = readConfig({ DATABASE_URL, SECRET_KEY, PORT: '0' }, false);
  const server = await startServer(config, observeNothing);
  onTestFinished(async () => server.close());

  const headers = { authorization: basic('', key), 'content-type': 'application/json' };
  const body = JSON.stringify({ notification: { to: '*', payload: { alert: 'hello' } } });
  const sent = await fetch(`${server.url}/v6/notifications`, { method: 'POST', headers, body });
  expect(sent.status).toBe(201);
  const refused = {
    type: 'notification.sent',
    last_status: null,
    last_error: 'address_refused',
    attempts: 1,
  };
  await vi.waitFor(
    async () => {
      const listed = await fetch(`${server.url}/v6/webhooks/${id}/deliveries`, { headers });
      expect(await listed.json()).toMatchObject({ deliveries: [refused] });
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(receiver.received).toEqual([]);
}, 40_000);
