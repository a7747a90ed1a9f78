import type { Operation } from './operation.ts';
import { newWebhook, webhook, webhookDelivery } from './samples.ts';

export const webhookOperations: readonly Operation[] = [
  {
    id: 'createWebhook',
    method: 'post',
    path: '/v6/webhooks',
    tag: 'Webhooks',
    summary: 'Have events sent to an address',
    description:
      'At most 10 an app. Each event is a POST of JSON, signed by https://www.standardwebhooks.com with the secret ' +
      'of this reply, and repeated for a day until it is answered with 2xx.',
    scopes: ['write'],
    body: { schema: 'CreateWebhook', example: { webhook: { url: webhook.url, events: webhook.events } } },
    replies: [
      {
        status: 201,
        description: 'The new webhook, with its secret.',
        content: { schema: 'CreatedWebhook', example: { webhook: newWebhook } },
      },
    ],
  },
  {
    id: 'listWebhooks',
    method: 'get',
    path: '/v6/webhooks',
    tag: 'Webhooks',
    summary: 'List webhooks, oldest first',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'All of the app.',
        content: { schema: 'WebhookList', example: { webhooks: [webhook] } },
      },
    ],
  },
  {
    id: 'readWebhook',
    method: 'get',
    path: '/v6/webhooks/{webhook_id}',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    scopes: ['read'],
    replies: [
      { status: 200, description: 'The webhook.', content: { schema: 'Webhook', example: { webhook } } },
    ],
  },
  {
    id: 'deleteWebhook',
    method: 'delete',
    path: '/v6/webhooks/{webhook_id}',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    description: 'With its events, sent or not.',
    scopes: ['write'],
    replies: [{ status: 204, description: 'It is gone.' }],
  },
  {
    id: 'listWebhookDeliveries',
    method: 'get',
    path: '/v6/webhooks/{webhook_id}/deliveries',
    tag: 'Webhooks',
    summary: 'See what became of the latest events',
    description: 'The latest 100, newest first. What has ended is kept for 7 days.',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'The deliveries.',
        content: { schema: 'WebhookDeliveryList', example: { deliveries: [webhookDelivery] } },
      },
    ],
  },
  {
    id: 'testWebhook',
    method: 'post',
    path: '/v6/webhooks/{webhook_id}/test',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'A `webhook.test`, sent and repeated as any other.',
    scopes: ['write'],
    replies: [
      {
        status: 202,
        description: 'It is on its way.',
        content: { schema: 'WebhookTest', example: { id: webhookDelivery.id } },
      },
    ],
  },
];
