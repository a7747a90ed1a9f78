/**
 * Implements the `Idempotency-Key` header. For 24 hours, a call with the same key and body gets the first response
 * again, even if the first call is still running. A call with the same key and another body is refused. Each app has
 * its own keys.
 */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';
import { canonicalText, parseJson } from '../json/lossless.ts';
import { createdNotification, type CreatedNotification } from './look-up/notification-reply.ts';

const KEPT_MS = 24 * 3_600_000;

export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .describe('For 24 hours, a call with the same key and body gets the first reply again and sends nothing.');

/** A key, and the digest of the body that came with it. */
export interface Idempotency {
  key: string;
  bodyHash: Buffer;
}

/**
 * @param hash of a body with sensitive texts, which must not be guessed from it
 * @throws {ApiError} `invalid_header` if the key is not 1 to 255 visible ASCII characters
 */
export function parseIdempotency(
  header: string | undefined,
  body: unknown,
  hash: (body: string) => Buffer = sha256,
): Idempotency | undefined {
  if (header === undefined) return undefined;
  if (!idempotencyKey.safeParse(header).success) {
    throw new ApiError('invalid_header', {
      message: 'The Idempotency-Key header must be 1 to 255 visible ASCII characters.',
    });
  }
  return { key: header, bodyHash: hash(canonicalText(body)) };
}

function sha256(body: string): Buffer {
  return createHash('sha256').update(body).digest();
}

/**
 * Finds the first call with the key. If that call is at least 24 hours old, its key is removed and free again.
 * @returns the first response; undefined if the key is free
 * @throws {ApiError} `idempotency_key_reused` if the key was used with another body
 */
export async function firstResponse(
  db: Kysely<Database>,
  appId: string,
  { key, bodyHash }: Idempotency,
  now: Date,
): Promise<CreatedNotification | undefined> {
  const first = await db
    .selectFrom('notifications')
    .select(['id', 'audience_id', 'body', 'created_at', 'body_hash'])
    .where('app_id', '=', appId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (first === undefined) return undefined;
  if (first.created_at.getTime() <= now.getTime() - KEPT_MS) {
    await db
      .updateTable('notifications')
      .set({ idempotency_key: null, body_hash: null })
      .where('app_id', '=', appId)
      .where('id', '=', first.id)
      .execute();
    return undefined;
  }
  if (first.body_hash?.equals(bodyHash) !== true) throw new ApiError('idempotency_key_reused');
  return createdNotification(first, parseJson(first.body));
}
