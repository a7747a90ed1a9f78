/** One attempt to deliver an event: signs it, sends it, and records the result and the next step. */
import type { Kysely } from 'kysely';
import { databaseError } from '../db/database-error.ts';
import { type SecretKey, unseal } from '../apps/seal.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import type { ProxySettings } from '../proxy/proxy-settings.ts';
import type { Resolve } from '../proxy/public-addresses.ts';
import { type Attempted, recordAttempt, type TakenDelivery } from './delivery-store.ts';
import { post, type PostResult } from './post.ts';
import { retryAfterMs, retryAt } from './retry.ts';
import { signedHeaders } from './sign.ts';
import { sealContext } from './webhooks.ts';

export interface WebhookContext {
  db: Kysely<Database>;
  secret: SecretKey;
  clock: Clock;
  observe: Observe;
  /** Returns 0 to 1, for the jitter of the backoff. */
  random: () => number;
  /** Whether webhooks may have private addresses and use plain HTTP. */
  allowPrivate: boolean;
  resolve: Resolve;
  /** Undefined: connections are direct. */
  proxy?: ProxySettings | undefined;
}

/** A day of retries has 32 attempts at most. What had more recorded no results, and may have ended a process each time. */
const ATTEMPTS_MAX = 50;
const GIVEN_UP: PostResult = { ok: false, status: null, error: 'no_result' };

/** Sends an event once and records the result, or gives it up after too many attempts. Never throws. */
export async function attemptOnce(
  context: WebhookContext,
  delivery: TakenDelivery,
  timeoutMs: number,
): Promise<void> {
  const { db, clock, observe, random } = context;
  try {
    const result = delivery.attempt > ATTEMPTS_MAX ? GIVEN_UP : await send(context, delivery, timeoutMs);
    const { status, error } = result;
    const now = clock();
    const attempted: Attempted = { status, error, next: nextOf(delivery, result, now, random()) };
    if (!(await recordAttempt(db, delivery, attempted, now))) return;
    const { webhookId, type, attempt } = delivery;
    const { state } = attempted.next;
    observe({ kind: 'webhook_attempted', webhookId, type, attempt, state, status, error });
  } catch (error) {
    // Nothing is recorded; the event is due again when its lease runs out.
    observe(databaseError(error, 'webhooks'));
  }
}

/** The receiver is gone for good (RFC 9110, 15.5.11). */
const GONE = 410;

function nextOf(delivery: TakenDelivery, result: PostResult, now: Date, random: number): Attempted['next'] {
  if (result.ok) return { state: 'delivered' };
  if (result.status === GONE || result === GIVEN_UP) return { state: 'failed' };
  const wantedMs = result.status === null ? 0 : retryAfterMs(result.retryAfter, now);
  const dueAt = retryAt(delivery, now, random, wantedMs);
  return dueAt === undefined ? { state: 'failed' } : { state: 'waiting', dueAt };
}

async function send(
  { secret, clock, allowPrivate, resolve, proxy }: WebhookContext,
  { appId, bundleId, webhookId, url, sealedSecret, id, type, data, createdAt }: TakenDelivery,
  timeoutMs: number,
): Promise<PostResult> {
  const key = open(secret, sealedSecret, sealContext(appId, webhookId));
  if (key === undefined) return { ok: false, status: null, error: 'secret_unreadable' };
  const body = stringifyJson({ id, type, timestamp: createdAt.toISOString(), app: bundleId, data });
  const headers = signedHeaders(key, { id, body, now: clock() });
  return post(new URL(url), { headers, body }, { allowPrivate, resolve, timeoutMs, proxy });
}

/** @returns undefined if the secret was encrypted with another SECRET_KEY, which the operator may restore */
function open(secret: SecretKey, sealed: Buffer, context: Parameters<typeof unseal>[2]): string | undefined {
  try {
    return unseal(secret, sealed, context);
  } catch {
    return undefined;
  }
}
