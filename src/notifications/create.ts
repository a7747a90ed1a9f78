/**
 * Creates a notification: judges the request for both gateways, finds or makes the audience, and stores both in
 * one transaction. After the commit a worker is told; whether that bell is heard is the sweep's care, not the
 * caller's.
 */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json.ts';
import type { Observe } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { firstResponse, parseIdempotency } from './idempotency.ts';
import { pushMessageOf } from './message.ts';
import { createdNotification, type CreatedNotification } from './record.ts';
import { parseRequest } from './request.ts';
import { refuseTooLarge } from './size.ts';
import { findTargetAudience } from './target.ts';

export interface CreateRequest {
  appId: string;
  /** The whole body, from `parseJson`. */
  body: unknown;
  /** The header as it came. */
  idempotencyKey?: string | undefined;
}

export interface CreateDeps {
  clock: Clock;
  queue: Pick<Queue, 'add'>;
  observe: Observe;
}

/**
 * @returns the new notification; under an idempotency key that was used before, the first response again
 * @throws {ApiError} `invalid_request` with every fault, `payload_too_large`, `invalid_header`, `not_found` for
 * a stored audience that the app lacks, `idempotency_key_reused`. Nothing is stored then, no audience either
 */
export async function createNotification(
  db: Kysely<Database>,
  request: CreateRequest,
  { clock, queue, observe }: CreateDeps,
): Promise<CreatedNotification> {
  const { appId, body, idempotencyKey } = request;
  const now = clock();
  const { target, deliverAt, notification } = parseRequest(body, now);
  const idempotency = parseIdempotency(idempotencyKey, body);
  const row = {
    app_id: appId,
    id: randomUUID(),
    body: stringifyJson(notification),
    state: 'scheduled' as const,
    created_at: now,
    due_at: deliverAt !== null && deliverAt > now ? deliverAt : now,
  };
  refuseTooLarge(pushMessageOf(row));

  const { response, isNew } = await db.transaction().execute(async (transaction) => {
    if (idempotency !== undefined) {
      const first = await firstResponse(transaction, appId, idempotency, now);
      if (first !== undefined) return { response: first, isNew: false };
    }
    const audienceId = await findTargetAudience(transaction, appId, target, clock);
    const stored = { ...row, audience_id: audienceId };
    await transaction
      .insertInto('notifications')
      .values({
        ...stored,
        idempotency_key: idempotency?.key ?? null,
        body_hash: idempotency?.bodyHash ?? null,
      })
      .execute();
    return { response: createdNotification(stored), isNew: true };
  });

  // Not awaited: a queue that hangs must not hold up the reply. What is due later is started by the sweep.
  if (isNew && row.due_at <= now) void ring(queue, observe, appId, row.id);
  return response;
}

async function ring(
  queue: Pick<Queue, 'add'>,
  observe: Observe,
  appId: string,
  notificationId: string,
): Promise<void> {
  try {
    await queue.add([{ lane: 'direct', kind: 'plan', appId, notificationId, bell: 0 }]);
  } catch (error) {
    observe({ kind: 'queue_error', message: error instanceof Error ? error.message : String(error) });
  }
}
