/** The stored keys of user tokens: sealed, several at once, replaced without a restart. */
import type { KeyObject } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import type { Author } from '../../audit/author.ts';
import { inTransaction, recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { reseal, seal, type SecretKey, unseal } from '../seal.ts';
import { type Algorithm, algorithms, keyFrom, type NewIdentityKey } from './key.ts';

/** More than anybody rotates. */
const KEYS_MAX = 10;

/** A key that checks tokens. */
export interface CheckingKey {
  keyId: string;
  algorithm: Algorithm;
  key: KeyObject;
}

const sealedKey = z.object({ algorithm: z.enum(algorithms), key: z.string() });

/**
 * Replaces the app's key with this id, or adds it.
 * @param key as `parseIdentityKeyBody` has checked it
 * @throws {ApiError} `invalid_request` beyond ten keys
 */
export async function storeIdentityKey(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
  { key_id: keyId, algorithm, key }: NewIdentityKey,
  clock: Clock,
  author: Author,
): Promise<void> {
  const sealed = seal(secret, JSON.stringify({ algorithm, key }), contextOf(appId, keyId));
  const row = { algorithm, sealed, created_at: clock() };
  await inTransaction(db, async (transaction) => {
    // One call after another, so that two do not both add the tenth.
    await transaction.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute();
    const known = await transaction
      .selectFrom('identity_keys')
      .select('key_id')
      .where('app_id', '=', appId)
      .execute();
    if (known.filter((other) => other.key_id !== keyId).length >= KEYS_MAX) {
      const message = `must leave the app with at most ${KEYS_MAX} keys; remove one first`;
      throw invalidRequest([{ path: 'identity_key.key_id', message }]);
    }
    await transaction
      .insertInto('identity_keys')
      .values({ app_id: appId, key_id: keyId, ...row })
      .onConflict((conflict) => conflict.columns(['app_id', 'key_id']).doUpdateSet(row))
      .execute();
    const change = { appId, action: 'identity_key.stored', objectId: keyId, after: { algorithm } } as const;
    await recordChange(transaction, author, change, clock);
  });
}

/** Every process refuses tokens of the key within two seconds. @throws {ApiError} `not_found` */
export async function removeIdentityKey(
  db: Kysely<Database>,
  { appId, keyId }: { appId: string; keyId: string },
  clock: Clock,
  author: Author,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const removed = await transaction
      .deleteFrom('identity_keys')
      .where('app_id', '=', appId)
      .where('key_id', '=', keyId)
      .returning('algorithm')
      .executeTakeFirst();
    if (removed === undefined) throw new ApiError('not_found', { message: 'The app has no such key.' });
    const change = { appId, action: 'identity_key.removed', objectId: keyId, before: removed } as const;
    await recordChange(transaction, author, change, clock);
  });
}

/** @throws {Error} if a key was sealed with another SECRET_KEY */
export async function readCheckingKeys(
  db: Kysely<Database>,
  secret: SecretKey,
  appId: string,
): Promise<CheckingKey[]> {
  const rows = await db.selectFrom('identity_keys').selectAll().where('app_id', '=', appId).execute();
  return rows.flatMap(({ key_id: keyId, sealed }) => {
    const stored = sealedKey.parse(JSON.parse(unseal(secret, sealed, contextOf(appId, keyId))));
    const key = keyFrom(stored);
    return key === undefined ? [] : [{ keyId, algorithm: stored.algorithm, key }];
  });
}

/**
 * Encrypts all keys with the current key. Run it in a transaction, so that all change or none.
 * @returns the number of keys
 * @throws {Error} if one of them cannot be decrypted with the current or the previous key
 */
export async function resealIdentityKeys(db: Kysely<Database>, secret: SecretKey): Promise<number> {
  const rows = await db.selectFrom('identity_keys').selectAll().forUpdate().execute();
  for (const { app_id: appId, key_id: keyId, sealed } of rows) {
    await db
      .updateTable('identity_keys')
      .set({ sealed: reseal(secret, sealed, contextOf(appId, keyId)) })
      .where('app_id', '=', appId)
      .where('key_id', '=', keyId)
      .execute();
  }
  return rows.length;
}

function contextOf(appId: string, keyId: string) {
  return { appId, kind: `identity key ${keyId}` };
}
