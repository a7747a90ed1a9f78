/**
 * Creates a notification: checks the request against the limits of both gateways, then stores it together with its audience
 * if that is new (`intake/`). After the commit a job is queued that wakes a worker. If the job gets lost, the sweep finds the
 * notification.
 */
import { randomUUIDv7 } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { AndroidSettings } from '../apps/android-settings.ts';
import type { TokenKeys } from '../apps/token-keys.ts';
import type { QuietHours } from '../apps/quiet-hours-of-app.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { noSpan, type Span, within } from '../tracing/span.ts';
import { firstResponse, parseIdempotency } from './idempotency.ts';
import { type Intake, openIntake, type Stored } from './intake/intake.ts';
import { activityPushOf, claimWishOf, selectionOf } from './intake/line.ts';
import { messageFrom, type NotificationContent } from './message.ts';
import { createdNotification, type CreatedNotification } from './look-up/notification-reply.ts';
import { warningsOf } from './preview/warnings.ts';
import { recipientsOf } from './recipients.ts';
import { parseRequest } from './request.ts';
import { hideTexts } from './sensitive/stored-body.ts';
import { hidesSome } from './sensitive/sensitive.ts';
import { refuseUndeliverable } from './gateway-limits.ts';
import { noSuchAudience } from './target.ts';

export interface CreateRequest {
  appId: string;
  /** The app's current settings, which affect the size of the payload. Without them, pushes contain only data. */
  android?: AndroidSettings;
  /** The quiet hours of the app, used unless the notification sets its own. */
  quietHours?: QuietHours | null;
  /** The whole body, as `parseJson` returns it. */
  body: unknown;
  /** The header as it was sent. */
  idempotencyKey?: string | undefined;
  requestId: string;
  /** The id of the API key or the user of the request; stored with the notification. Null: neither made it. */
  madeBy?: string | null;
}

export interface CreateDeps {
  clock: Clock;
  queue: Pick<Queue, 'add'>;
  observe: Observe;
  /** Stores it together with notifications of other calls. Undefined: it is stored alone. */
  intake?: Intake;
  /** Encrypt sensitive texts. Undefined: a notification with any cannot be created. */
  tokenKeys?: TokenKeys;
  span?: Span;
}

/**
 * A try fails if another call creates the audience or uses the key at the same time. The next try finds the result, so
 * there is no wait between them. A third try is needed only if a key expires and is used again at that moment.
 */
const TRIES_MAX = 5;

/**
 * @returns the new notification, with warnings for a dry run; the first response again if the idempotency key was used
 *   before
 * @throws {ApiError} `invalid_request` with every fault, `payload_too_large`, `invalid_header`, `not_found` if the
 *   app does not have the stored audience, `idempotency_key_reused`. Then neither notification nor audience is stored
 */
export async function createNotification(
  db: Kysely<Database>,
  request: CreateRequest,
  deps: CreateDeps,
): Promise<CreatedNotification> {
  const { span: parent = noSpan } = deps;
  if (parent === noSpan) return create(db, request, deps, noSpan);
  const attributes = { 'carillon.app.id': request.appId };
  const span = parent.begin('create notification', { attributes });
  return within(span, async () => create(db, request, deps, span));
}

async function create(
  db: Kysely<Database>,
  { appId, android, quietHours = null, body, idempotencyKey, requestId, madeBy = null }: CreateRequest,
  { clock, queue, observe, tokenKeys, intake = openIntake({ db, queue, clock, observe }) }: CreateDeps,
  span: Span,
): Promise<CreatedNotification> {
  const now = clock();
  const { target, deliverAt, moment, notification: sent, content } = parseRequest(body, now, quietHours);
  const bodyHash = hidesSome(content.sensitive) ? (await tokenKeys?.of(appId))?.hashBody : undefined;
  const idempotency = parseIdempotency(idempotencyKey, body, bodyHash);
  const id = randomUUIDv7(); // a random id would change a page of its own in each index (docs/decisions/0036)
  const submitted = { appId, id, notification: sent, body: stringifyJson(sent) };
  const { notification, body: shown, encrypted } = await hideTexts(content, submitted, tokenKeys);
  const row = {
    app_id: appId,
    id,
    body: shown,
    ...(encrypted !== undefined && { encrypted_body: encrypted }),
    created_at: now,
    due_at: deliverAt !== null && deliverAt > now ? deliverAt : now,
    request_id: requestId,
    traceparent: span.traceparent,
    made_by: madeBy,
    ...(moment !== null && { moment: JSON.stringify(moment) }),
  };
  const message = messageFrom(row, content, android);
  refuseUndeliverable(message, content, submitted.body);

  const claim = moment === null ? claimWishOf(target, content) : undefined;
  const activity = activityPushOf(target, content);
  const recipients = recipientsOf(target);
  const line = { row, selection: selectionOf(target), recipients, idempotency, claim, activity };
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const stored = await intake.store(line);
    if (stored !== undefined) {
      span.set({ 'carillon.notification.id': row.id });
      if (stored.wakeUp !== undefined && span !== noSpan) void trace(stored.wakeUp, span);
      return warned(createdNotification({ ...row, audience_id: stored.audienceId }, notification), content);
    }
    const first = idempotency && (await firstResponse(db, appId, idempotency, now));
    if (first !== undefined) return warned(first, content);
    if (target.kind === 'stored') throw noSuchAudience();
  }
  throw new Error(`a notification could not be stored in ${TRIES_MAX} tries`);
}

/** Adds warnings to the reply to a dry run, which is a trial like a preview. */
function warned(created: CreatedNotification, content: NotificationContent): CreatedNotification {
  return content.dry_run === true ? { ...created, warnings: warningsOf(content) } : created;
}

/** The wake-up serves all notifications that were stored together; each request has a span for it. */
async function trace(wakeUp: NonNullable<Stored['wakeUp']>, parent: Span): Promise<void> {
  const span = parent.begin('wake a worker', { kind: 'producer' });
  const { error } = await wakeUp;
  if (error === undefined) span.end();
  else span.fail(error);
}
