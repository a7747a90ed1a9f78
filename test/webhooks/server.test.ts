import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/process/config.ts';
import { startServer } from '../../src/main.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { useReceivers, verifies } from './receiver.ts';

const database = useTestDatabase();
const openReceiver = useReceivers();

test.each([
  ['true', 204, null],
  ['false', null, 'address_refused'],
])(
  'a server with WEBHOOK_ALLOW_PRIVATE=%s sends the end of a notification to a private address: %s %s',
  async (allowPrivate, status, error) => {
    const { db } = database;
    const receiver = await openReceiver((_request, response) => response.writeHead(204).end());
    const app = await insertApp(db);
    const { key } = await createApiKey(db, { appId: app.id, scopes: ['read', 'write'] }, systemClock);
    const settings = {
      DATABASE_URL: database.url,
      SECRET_KEY: randomBytes(32).toString('hex'),
      PORT: '0',
    };
    const start = async (allowed: string) =>
      startServer(readConfig({ ...settings, WEBHOOK_ALLOW_PRIVATE: allowed }, false), observeNothing);
    const call = async (url: string | undefined, path: string, body?: object): Promise<unknown> => {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(response.ok).toBe(true);
      return response.json();
    };

    const allowing = await start('true');
    const webhook = { url: receiver.url, events: ['notification.sent'] };
    let made: unknown;
    try {
      made = await call(allowing.url, '/v6/webhooks', { webhook });
    } finally {
      await allowing.close();
    }
    const { id, secret } = z
      .looseObject({ webhook: z.looseObject({ id: z.string(), secret: z.string() }) })
      .parse(made).webhook;

    const server = await start(allowPrivate);
    try {
      await call(server.url, '/v6/notifications', { notification: { to: '*', payload: { alert: 'hello' } } });
      await vi.waitFor(
        async () => {
          const reported = await call(server.url, `/v6/webhooks/${id}/deliveries`);
          expect(reported).toEqual({
            deliveries: [
              expect.objectContaining({
                type: 'notification.sent',
                last_status: status,
                last_error: error,
                attempts: 1,
              }),
            ],
          });
        },
        { timeout: 30_000, interval: 100 },
      );
    } finally {
      await server.close();
    }
    expect(receiver.received).toHaveLength(status === null ? 0 : 1);
    for (const received of receiver.received) expect(await verifies(secret, received)).toBe(true);
  },
  40_000,
);
