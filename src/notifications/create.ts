/**
 * Creates a notification: judges the request for both gateways, then stores it, with its audience where that is
 * new, in one statement. After the commit a worker is told; whether that bell is heard is the sweep's care, not
 * the caller's.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import type { AndroidSettings } from '../apps/android-settings.ts';
import type { Clock } from '../clock.ts';
import { preparedAs } from '../db/prepared.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import type { Job, Queue } from '../queue/queue.ts';
import { RedisAway } from '../queue/redis-errors.ts';
import { noSpan, type Span, within } from '../tracing/span.ts';
import { firstResponse, type Idempotency, parseIdempotency } from './idempotency.ts';
import { messageFrom } from './message.ts';
import { createdNotification, type CreatedNotification } from './notification-reply.ts';
import { parseRequest } from './request.ts';
import { refuseTooLarge, refuseUnloadableImage } from './gateway-limits.ts';
import { audienceOf, type Target } from './target.ts';

export interface CreateRequest {
  appId: string;
  /** Of the app, as they are now: the size of the payload depends on them. Left out, its pushes are data alone. */
  android?: AndroidSettings;
  /** The whole body, from `parseJson`. */
  body: unknown;
  /** The header as it came. */
  idempotencyKey?: string | undefined;
  /** Of the HTTP request; kept with the notification. */
  requestId: string;
}

export interface CreateDeps {
  clock: Clock;
  queue: Pick<Queue, 'add'>;
  observe: Observe;
  /** Of the HTTP request. */
  span?: Span;
}

interface NewNotification {
  app_id: string;
  id: string;
  body: string;
  created_at: Date;
  due_at: Date;
  request_id: string;
  traceparent: string | null;
}

/**
 * Each try that fails has learnt why: the audience was made, or the key taken, by another meanwhile. The next
 * one sees that; more than two in a row take a key that becomes free and is taken again just then.
 */
const TRIES_MAX = 5;

/**
 * @returns the new notification; under an idempotency key that was used before, the first response again
 * @throws {ApiError} `invalid_request` with every fault, `payload_too_large`, `invalid_header`, `not_found` for
 * a stored audience that the app lacks, `idempotency_key_reused`. Nothing is stored then, no audience either
 */
export async function createNotification(
  db: Kysely<Database>,
  request: CreateRequest,
  deps: CreateDeps,
): Promise<CreatedNotification> {
  const attributes = { 'carillon.app.id': request.appId };
  const span = (deps.span ?? noSpan).begin('create notification', { attributes });
  return within(span, async () => create(db, request, deps, span));
}

async function create(
  db: Kysely<Database>,
  { appId, android, body, idempotencyKey, requestId }: CreateRequest,
  { clock, queue, observe }: CreateDeps,
  span: Span,
): Promise<CreatedNotification> {
  const now = clock();
  const { target, deliverAt, notification, content } = parseRequest(body, now);
  const idempotency = parseIdempotency(idempotencyKey, body);
  const row = {
    app_id: appId,
    id: randomUUID(),
    body: stringifyJson(notification),
    created_at: now,
    due_at: deliverAt !== null && deliverAt > now ? deliverAt : now,
    request_id: requestId,
    traceparent: span.traceparent,
  };
  const message = messageFrom(row, content, android);
  refuseUnloadableImage(message);
  refuseTooLarge(message);

  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const audienceId = await insertNotification(db, row, target, idempotency);
    if (audienceId !== undefined) {
      span.set({ 'carillon.notification.id': row.id });
      // Not awaited: a queue that hangs must not hold up the reply. What is due later is started by the sweep.
      if (row.due_at <= now) {
        const bell = {
          lane: 'direct',
          kind: 'plan',
          appId,
          notificationId: row.id,
          requestId,
          bell: 0,
        } as const;
        void ring(queue, observe, bell, span);
      }
      return createdNotification({ ...row, audience_id: audienceId }, notification);
    }
    const first = idempotency && (await firstResponse(db, appId, idempotency, now));
    if (first !== undefined) return first;
    if (target.kind === 'stored') {
      throw new ApiError('not_found', {
        message: 'The app has no audience of the id in notification.to; all devices are "*".',
      });
    }
  }
  throw new Error(`a notification could not be stored in ${TRIES_MAX} tries`);
}

/**
 * One statement, so that nothing is stored by halves. Whoever comes second with an idempotency key waits in it
 * until the first has committed or rolled back.
 * @returns the id of the audience; undefined where nothing was stored: the key is taken, or there is no audience
 */
async function insertNotification(
  db: Kysely<Database>,
  row: NewNotification,
  target: Target,
  idempotency: Idempotency | undefined,
): Promise<string | undefined> {
  const { app_id: appId, id, body, created_at: createdAt, due_at: dueAt } = row;
  const { key = null, bodyHash = null } = idempotency ?? {};
  try {
    const { rows } = await sql<{ audience_id: string }>`${preparedAs(`create_notification_${target.kind}`)}
      with ${audienceOf(appId, target, createdAt)}
      insert into notifications
        (app_id, id, audience_id, body, state, created_at, due_at, idempotency_key, body_hash,
          request_id, traceparent)
      select ${appId}, ${id}, audience.id, ${body}, 'scheduled', ${createdAt}, ${dueAt}, ${key}, ${bodyHash},
        ${row.request_id}, ${row.traceparent}
      from audience
      returning audience_id`.execute(db);
    return rows[0]?.audience_id;
  } catch (error) {
    // The index makes it an error, which takes a new audience back with it: the losing body may have another.
    if (error instanceof DatabaseError && error.constraint === 'notifications_idempotency') return undefined;
    throw error;
  }
}

async function ring(queue: Pick<Queue, 'add'>, observe: Observe, bell: Job, span: Span): Promise<void> {
  try {
    await within(span.begin('ring for a worker', { kind: 'producer' }), async () => queue.add([bell]));
  } catch (error) {
    if (error instanceof RedisAway) return; // the queue has told of it, and the sweep rings
    observe({ kind: 'queue_error', message: error instanceof Error ? error.message : String(error) });
  }
}
