/** Lists a webhook's latest deliveries, and sends a test event. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { count, idText, timeText } from '../api/reply.ts';
import { ApiError } from '../api/errors.ts';
import { isUuid } from '../uuid.ts';
import { readWebhook } from './webhooks.ts';

const DELIVERIES_SHOWN = 100;

export const webhookDeliveryReply = z
  .strictObject({
    id: idText.describe('The value of the header `webhook-id` in every attempt.'),
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
  })
  .meta({ id: 'WebhookDelivery' });

type WebhookDeliveryJson = z.output<typeof webhookDeliveryReply>;

/** Lists at most 100 deliveries, newest first. @throws {ApiError} `not_found` */
export async function listDeliveries(
  db: Kysely<Database>,
  appId: string,
  webhookId: string,
): Promise<WebhookDeliveryJson[]> {
  const { id } = await readWebhook(db, appId, webhookId);
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select(['id', 'type', 'state', 'created_at', 'attempt as attempts', 'last_status', 'last_error'])
    .select(['due_at', 'ended_at'])
    .where('app_id', '=', appId)
    .where('webhook_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(DELIVERIES_SHOWN)
    .execute();
  return rows.map(({ due_at: dueAt, ended_at: endedAt, ...row }) =>
    Object.assign(row, {
      created_at: row.created_at.toISOString(),
      next_attempt_at: endedAt === null ? dueAt.toISOString() : null,
      ended_at: endedAt?.toISOString() ?? null,
    }),
  );
}

/** Queues a `webhook.test` event; no subscription is needed. @returns its id @throws {ApiError} `not_found` */
export async function sendTest(
  db: Kysely<Database>,
  appId: string,
  webhookId: string,
  clock: Clock,
  author?: Author,
): Promise<string> {
  const { id: webhook_id } = await readWebhook(db, appId, webhookId);
  const id = randomUUID();
  const now = clock();
  const event = { type: 'webhook.test', data: '{}', created_at: now, due_at: now };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('webhook_deliveries')
      .values({ app_id: appId, webhook_id, id, ...event })
      .execute();
    await recordChange(transaction, author, { appId, action: 'webhook.tested', objectId: webhook_id }, clock);
  });
  return id;
}

/**
 * Sends an event again, under the same id, even if it was delivered. An event that waits for its next attempt is sent
 * at once.
 * @throws {ApiError} `not_found`
 */
export async function sendAgain(
  db: Kysely<Database>,
  { appId, webhookId, id }: { appId: string; webhookId: string; id: string },
  clock: Clock,
  author: Author,
): Promise<void> {
  const webhook = await readWebhook(db, appId, webhookId);
  if (!isUuid(id)) throw noSuchEvent();
  await db.transaction().execute(async (transaction) => {
    const before = await transaction
      .selectFrom('webhook_deliveries')
      .select(['type', 'state', 'attempt'])
      .where('app_id', '=', appId)
      .where('webhook_id', '=', webhook.id)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) throw noSuchEvent();
    await transaction
      .updateTable('webhook_deliveries')
      .set({ state: 'waiting', due_at: clock(), ended_at: null })
      .where('app_id', '=', appId)
      .where('webhook_id', '=', webhook.id)
      .where('id', '=', id)
      .execute();
    const change = { appId, action: 'webhook.event_sent_again', objectId: webhook.id } as const;
    await recordChange(transaction, author, { ...change, before: { event: id, ...before } }, clock);
  });
}

function noSuchEvent(): ApiError {
  return new ApiError('not_found', { message: 'The webhook has no such event, or it is no longer kept.' });
}
