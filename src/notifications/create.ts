/**
 * Creates a notification: checks the request against the limits of both gateways, then stores it, and its audience if
 * that is new, in one statement. After the commit a job is queued to plan it; if the job gets lost, the sweep queues it
 * again.
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
  /** The app's current settings, on which the size of the payload depends. Left out, its pushes are data only. */
  android?: AndroidSettings;
  /** The whole body, from `parseJson`. */
  body: unknown;
  /** The header, unparsed. */
  idempotencyKey?: string | undefined;
  /** Of the HTTP request; stored with the notification. */
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
 * A try fails when another call makes the audience, or takes the key, at the same time; the next one finds that done,
 * so it needs no wait. More than two tries take a key that becomes free and is taken again at that moment.
 */
const TRIES_MAX = 5;

/**
 * @returns the new notification; under an idempotency key that was used before, the first response again
 * @throws {ApiError} `invalid_request` with every fault, `payload_too_large`, `invalid_header`, `not_found` for
 *   a stored audience that the app lacks, `idempotency_key_reused`. Nothing is stored then, nor is the audience
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
      // Not awaited: a queue that hangs must not delay the reply. The sweep starts notifications that are due later.
      if (row.due_at <= now) void wake(queue, observe, span);
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
 * One statement, so that the notification and its audience are stored together or not at all. A second call with the
 * same idempotency key waits in it until the first has committed or rolled back.
 * @returns the id of the audience; undefined where nothing was stored: the key is taken, or the audience does not exist
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
    // A unique index raises an error, which also rolls back a new audience: the losing body may name another one.
    if (error instanceof DatabaseError && error.constraint === 'notifications_idempotency') return undefined;
    throw error;
  }
}

async function wake(queue: Pick<Queue, 'add'>, observe: Observe, span: Span): Promise<void> {
  try {
    await within(span.begin('wake a worker', { kind: 'producer' }), async () => queue.add([drainJob]));
  } catch (error) {
    if (error instanceof RedisAway) return; // in the log already; the sweep finds the notification
    observe({ kind: 'queue_error', message: error instanceof Error ? error.message : String(error) });
  }
}
