/**
 * Creates a notification: checks the request against the limits of both gateways, then stores it in one statement,
 * together with its audience if that is new. After the commit it queues a job that plans the notification. If the job
 * gets lost, the sweep queues it again.
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
import { drainJob } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
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
  /** The app's current settings, which affect the size of the payload. Without them, pushes contain only data. */
  android?: AndroidSettings;
  /** The whole body, from `parseJson`. */
  body: unknown;
  /** The header, unparsed. */
  idempotencyKey?: string | undefined;
  /** The id of the HTTP request; stored with the notification. */
  requestId: string;
}

export interface CreateDeps {
  clock: Clock;
  queue: Pick<Queue, 'add'>;
  observe: Observe;
  /** The span of the HTTP request. */
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
 * A try fails if another call creates the audience or uses the key at the same time. The next try finds the result, so
 * there is no wait between them. A third try is needed only if a key expires and is used again at that moment.
 */
const TRIES_MAX = 5;

/**
 * @returns the new notification; if the idempotency key was used before, the first response again
 * @throws {ApiError} `invalid_request` with every fault, `payload_too_large`, `invalid_header`, `not_found` if the
 *   app does not have the stored audience, `idempotency_key_reused`. Then neither notification nor audience is stored
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
      // Not awaited, as a queue that hangs must not delay the reply. The sweep starts notifications that are due later.
      if (row.due_at <= now) void wake(queue, observe, span);
      return createdNotification({ ...row, audience_id: audienceId }, notification);
    }
    const first = idempotency && (await firstResponse(db, appId, idempotency, now));
    if (first !== undefined) return first;
    if (target.kind === 'stored') {
      throw new ApiError('not_found', {
        message: 'The app has no audience with the id in notification.to; "*" stands for all devices.',
      });
    }
  }
  throw new Error(`a notification could not be stored in ${TRIES_MAX} tries`);
}

/**
 * Runs one statement, so that the notification and its audience are stored together or not at all. A second call with
 * the same idempotency key waits in this statement until the first has committed or rolled back.
 * @returns the id of the audience; undefined if nothing was stored: the key is used, or the audience does not exist
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
    // The error rolls back a new audience too, as it should: the other call may have used a different body.
    if (error instanceof DatabaseError && error.constraint === 'notifications_idempotency') return undefined;
    throw error;
  }
}

async function wake(queue: Pick<Queue, 'add'>, observe: Observe, span: Span): Promise<void> {
  try {
    await within(span.begin('wake a worker', { kind: 'producer' }), async () => queue.add([drainJob]));
  } catch (error) {
    if (error instanceof RedisAway) return; // already logged; the sweep finds the notification
    observe({ kind: 'queue_error', message: error instanceof Error ? error.message : String(error) });
  }
}
