/** Lists a webhook's latest deliveries, and sends a test event. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database, WebhookDeliveriesTable } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { count, idText, timeText } from '../reply.ts';
import { readWebhook } from './webhooks.ts';

const DELIVERIES_SHOWN = 100;

export const webhookDeliveryReply = z.strictObject({
  id: idText.describe('The same as in the header `webhook-id`, in every attempt.'),
  type: z.string(),
  state: z
    .enum(['waiting', 'delivered', 'failed'])
    .describe('`failed`: no more attempts; a day after the event at the latest.'),
  created_at: timeText,
  attempts: count,
  last_status: z
    .int()
    .nullable()
    .describe('The HTTP status of the last attempt; null if there was no response.'),
  last_error: z.string().nullable().describe('Why there was no response, as a code such as `timeout`.'),
  next_attempt_at: timeText.nullable().describe('Null if there are no more attempts.'),
  ended_at: timeText.nullable(),
});

type WebhookDeliveryJson = z.output<typeof webhookDeliveryReply>;

const columns = [
  'id',
  'type',
  'state',
  'created_at',
  'attempt',
  'last_status',
  'last_error',
  'due_at',
  'ended_at',
] as const satisfies (keyof WebhookDeliveriesTable)[];

/** Lists at most 100 deliveries, newest first. @throws {ApiError} `not_found` */
export async function listDeliveries(
  db: Kysely<Database>,
  appId: string,
  webhookId: string,
): Promise<WebhookDeliveryJson[]> {
  const { id } = await readWebhook(db, appId, webhookId);
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select(columns)
    .where('app_id', '=', appId)
    .where('webhook_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(DELIVERIES_SHOWN)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    state: row.state,
    created_at: row.created_at.toISOString(),
    attempts: row.attempt,
    last_status: row.last_status,
    last_error: row.last_error,
    next_attempt_at: row.ended_at === null ? row.due_at.toISOString() : null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }));
}

/** Queues a `webhook.test` event; no subscription is needed. @returns its id @throws {ApiError} `not_found` */
export async function sendTest(
  db: Kysely<Database>,
  appId: string,
  webhookId: string,
  clock: Clock,
): Promise<string> {
  const webhook = await readWebhook(db, appId, webhookId);
  const id = randomUUID();
  const now = clock();
  await db
    .insertInto('webhook_deliveries')
    .values({
      app_id: appId,
      webhook_id: webhook.id,
      id,
      type: 'webhook.test',
      data: stringifyJson({}),
      created_at: now,
      due_at: now,
    })
    .execute();
  return id;
}
