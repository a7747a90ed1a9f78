/** Webhooks: make one, list them, remove one, see what became of its events, send it one that tests it. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { SecretKey } from '../../apps/seal.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { idText } from '../../reply.ts';
import { listDeliveries, sendTest, webhookDeliveryReply } from '../../webhooks/deliveries.ts';
import {
  createWebhook,
  listWebhooks,
  newWebhookReply,
  parseWebhookBody,
  readWebhook,
  removeWebhook,
  webhookReply,
} from '../../webhooks/webhooks.ts';
import type { Authentication } from '../authenticate.ts';
import { requiredBody } from '../body.ts';

interface WebhookDeps {
  db: Kysely<Database>;
  /** Seals the secrets of webhooks. */
  secret: SecretKey;
  clock: Clock;
  authentication: Authentication;
  allowPrivate: boolean;
}

interface ById {
  Params: { id: string };
}

export const oneWebhookReply = z.strictObject({ webhook: webhookReply });
export const createdWebhookReply = z.strictObject({ webhook: newWebhookReply });
export const webhookListReply = z.strictObject({ webhooks: z.array(webhookReply) });
export const webhookDeliveryListReply = z.strictObject({ deliveries: z.array(webhookDeliveryReply) });
export const webhookTestReply = z.strictObject({
  id: idText.describe('The id of the event, among the deliveries.'),
});

export function addWebhookRoutes(
  server: FastifyInstance,
  { db, secret, clock, authentication, allowPrivate }: WebhookDeps,
): void {
  const mayRead = { onRequest: authentication.require('read') };
  const mayWrite = { onRequest: authentication.require('write') };

  server.post('/v6/webhooks', mayWrite, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const { url, events } = parseWebhookBody(requiredBody(request), allowPrivate);
    const webhook = await createWebhook(db, secret, { appId, url, events }, clock);
    return reply.code(201).send({ webhook });
  });

  server.get('/v6/webhooks', mayRead, async (request) => ({
    webhooks: await listWebhooks(db, authentication.callerOf(request).appId),
  }));

  server.get<ById>('/v6/webhooks/:id', mayRead, async (request) => ({
    webhook: await readWebhook(db, authentication.callerOf(request).appId, request.params.id),
  }));

  server.delete<ById>('/v6/webhooks/:id', mayWrite, async (request, reply) => {
    await removeWebhook(db, authentication.callerOf(request).appId, request.params.id);
    return reply.code(204).send();
  });

  server.get<ById>('/v6/webhooks/:id/deliveries', mayRead, async (request) => ({
    deliveries: await listDeliveries(db, authentication.callerOf(request).appId, request.params.id),
  }));

  server.post<ById>('/v6/webhooks/:id/test', mayWrite, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    return reply.code(202).send({ id: await sendTest(db, appId, request.params.id, clock) });
  });
}
