/** Webhooks: create, list, read, remove, list deliveries, send a test event. */
import { z } from 'zod';
import { listDeliveries, sendAgain, sendTest, webhookDeliveryReply } from '../../webhooks/deliveries.ts';
import {
  createWebhook,
  listWebhooks,
  newWebhookReply,
  parseWebhookBody,
  readWebhook,
  removeWebhook,
  webhookBody,
  webhookReply,
} from '../../webhooks/webhooks.ts';
import { idText } from '../../api/reply.ts';
import { callsWithKey, jsonReply } from '../call.ts';
import { newWebhook, webhook, webhookDelivery } from './samples.ts';

const oneWebhookReply = z.strictObject({ webhook: webhookReply }).meta({ id: 'OneWebhook' });

const createdWebhookReply = z.strictObject({ webhook: newWebhookReply }).meta({ id: 'CreatedWebhook' });

const webhookListReply = z.strictObject({ webhooks: z.array(webhookReply) }).meta({ id: 'WebhookList' });

const deliveryListReply = z
  .strictObject({ deliveries: z.array(webhookDeliveryReply) })
  .meta({ id: 'WebhookDeliveryList' });

const testReply = z
  .strictObject({ id: idText.describe('The id of the event in the list of deliveries.') })
  .meta({ id: 'WebhookTest' });

const call = callsWithKey('Webhooks');

export const webhookCalls = [
  call({
    id: 'createWebhook',
    address: 'POST /v6/webhooks',
    summary: 'Create a webhook',
    description:
      'At most 10 per app. Each event is sent as a POST of JSON, signed with the secret in this reply as described at ' +
      'https://www.standardwebhooks.com. It is repeated for up to a day until the receiver replies with 2xx.',
    scopes: ['write'],
    usersNeed: 'admin', // it is sent everything that happens in the app
    body: { schema: webhookBody, example: { webhook: { url: webhook.url, events: webhook.events } } },
    replies: [
      jsonReply(201, 'The new webhook, with its secret.', createdWebhookReply, { webhook: newWebhook }),
    ],
    parse: (body, { webhooksMayBePrivate }) => parseWebhookBody(body, webhooksMayBePrivate),
    handle: async ({ db, secret, clock }, { caller, body: { url, events }, author }) => ({
      webhook: await createWebhook(db, secret, { appId: caller.appId, url, events }, clock, author()),
    }),
  }),
  call({
    id: 'listWebhooks',
    address: 'GET /v6/webhooks',
    summary: 'List webhooks, oldest first',
    scopes: ['read'],
    replies: [jsonReply(200, 'All webhooks of the app.', webhookListReply, { webhooks: [webhook] })],
    handle: async ({ db }, { caller }) => ({ webhooks: await listWebhooks(db, caller.appId) }),
  }),
  call({
    id: 'readWebhook',
    address: 'GET /v6/webhooks/:webhook_id',
    summary: 'Read a webhook',
    scopes: ['read'],
    replies: [jsonReply(200, 'The webhook.', oneWebhookReply, { webhook })],
    handle: async ({ db }, { caller, params }) => ({
      webhook: await readWebhook(db, caller.appId, params.webhook_id),
    }),
  }),
  call({
    id: 'deleteWebhook',
    address: 'DELETE /v6/webhooks/:webhook_id',
    summary: 'Remove a webhook',
    description: 'Its events are removed too, even unsent ones.',
    scopes: ['write'],
    usersNeed: 'admin',
    replies: [{ status: 204, description: 'Removed.' }],
    handle: async ({ db, clock }, { caller, params, author }) =>
      removeWebhook(db, caller.appId, params.webhook_id, clock, author()),
  }),
  call({
    id: 'listWebhookDeliveries',
    address: 'GET /v6/webhooks/:webhook_id/deliveries',
    summary: 'List the latest deliveries of a webhook',
    description: 'The latest 100, newest first. Finished deliveries are kept for 7 days.',
    scopes: ['read'],
    replies: [jsonReply(200, 'The deliveries.', deliveryListReply, { deliveries: [webhookDelivery] })],
    handle: async ({ db }, { caller, params }) => ({
      deliveries: await listDeliveries(db, caller.appId, params.webhook_id),
    }),
  }),
  call({
    id: 'testWebhook',
    address: 'POST /v6/webhooks/:webhook_id/test',
    summary: 'Send a test event',
    description: 'A `webhook.test`, delivered and repeated like any other event.',
    scopes: ['write'],
    usersNeed: 'admin',
    replies: [
      jsonReply(202, 'Queued; `id` identifies it in the list of deliveries.', testReply, {
        id: webhookDelivery.id,
      }),
    ],
    handle: async ({ db, clock }, { caller, params, author }) => ({
      id: await sendTest(db, caller.appId, params.webhook_id, clock, author()),
    }),
  }),
  call({
    id: 'sendWebhookDeliveryAgain',
    address: 'POST /v6/webhooks/:webhook_id/deliveries/:delivery_id/retry',
    summary: 'Send an event again',
    description:
      'Keeps the `webhook-id`, and works for delivered events too. An event that waits for its ' +
      'next attempt is sent at once. An event that is more than a day old gets one attempt.',
    scopes: ['write'],
    usersNeed: 'admin',
    replies: [jsonReply(202, 'Queued.', testReply, { id: webhookDelivery.id })],
    handle: async ({ db, clock }, { caller, params, author }) => {
      const { webhook_id: webhookId, delivery_id: id } = params;
      await sendAgain(db, { appId: caller.appId, webhookId, id }, clock, author());
      return { id: id.toLowerCase() };
    },
  }),
];
