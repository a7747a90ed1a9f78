/**
 * The key by which an app's retired push tokens are hashed and encrypted, and its sensitive notifications as well. It is random,
 * created when first needed, and stored encrypted with SECRET_KEY. It survives the replacement of that key, and a copy of the
 * database alone does not help to guess tokens or one-time codes.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { opens, reseal, seal, type SecretKey, unseal } from './seal.ts';

export type TokenKey = ReturnType<typeof makeTokenKey>;
export type TokenKeys = ReturnType<typeof openTokenKeys>;

const KEY_BYTES = 32;
const KIND = 'token key';

/** Reads the database once per app. */
export function openTokenKeys(db: Kysely<Database>, secret: SecretKey) {
  const known = new Map<string, Promise<TokenKey>>();
  return {
    /** @throws {Error} of the database, or because the key was sealed with another SECRET_KEY */
    of(appId: string): Promise<TokenKey> {
      const before = known.get(appId);
      if (before !== undefined) return before;
      const asked = readOrMake(db, secret, appId);
      known.set(appId, asked);
      asked.catch(() => known.delete(appId)); // the next call retries
      return asked;
    },
  };
}

/** If several processes create a key at once, all use the first that was stored. */
async function readOrMake(db: Kysely<Database>, secret: SecretKey, appId: string): Promise<TokenKey> {
  const context = { appId, kind: KIND };
  const known = await db
    .selectFrom('token_keys')
    .select('sealed')
    .where('app_id', '=', appId)
    .executeTakeFirst();
  const { sealed } =
    known ??
    (await db
      .insertInto('token_keys')
      .values({ app_id: appId, sealed: seal(secret, randomBytes(KEY_BYTES).toString('hex'), context) })
      // Changes nothing, but returns the row of a process that was first.
      .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ sealed: sql`token_keys.sealed` }))
      .returning('sealed')
      .executeTakeFirstOrThrow());
  return makeTokenKey(appId, createSecretKey(unseal(secret, sealed, context), 'hex'));
}

/** @param key 32 random bytes */
export function makeTokenKey(appId: string, key: KeyObject) {
  const hashKey = derive(key, 'hash of push tokens');
  const encryptionKey = { current: derive(key, 'encryption of push tokens') };
  const context = { appId, kind: 'push token' };
  const bodyHashKey = derive(key, 'hash of sensitive bodies');
  const bodyKey = { current: derive(key, 'encryption of sensitive bodies') };
  const bodyContext = (id: string) => ({ appId, kind: `notification ${id}` });
  return {
    /** The HMAC-SHA-256 of a token (32 bytes); the same token always has the same hash. */
    hash: (token: string): Buffer => createHmac('sha256', hashKey).update(token).digest(),
    encrypt: (token: string): Buffer => seal(encryptionKey, token, context),
    /** @throws {Error} if it was encrypted with another key, or was altered */
    decrypt: (encrypted: Buffer): string => unseal(encryptionKey, encrypted, context),
    /** The HMAC-SHA-256 of the body of a request (32 bytes). Without the key, a code of six digits would be guessed from its hash. */
    hashBody: (body: string): Buffer => createHmac('sha256', bodyHashKey).update(body).digest(),
    /** @param id of the notification; the result is decrypted for no other one */
    encryptBody: (body: string, id: string): Buffer => seal(bodyKey, body, bodyContext(id)),
    /** @throws {Error} as `decrypt` does */
    decryptBody: (encrypted: Buffer, id: string): string => unseal(bodyKey, encrypted, bodyContext(id)),
  };
}

/** RFC 5869. No salt: the key is random and of full length. */
function derive(key: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `carillon ${purpose}`, KEY_BYTES)));
}

/**
 * Encrypts all token keys with the current key. Run it in a transaction, so that all change or none.
 * @returns the number of token keys
 * @throws {Error} if one of them cannot be decrypted with the current or the previous key
 */
export async function resealTokenKeys(db: Kysely<Database>, secret: SecretKey): Promise<number> {
  const rows = await db.selectFrom('token_keys').selectAll().orderBy('app_id').forUpdate().execute();
  for (const { app_id: appId, sealed } of rows) {
    await db
      .updateTable('token_keys')
      .set({ sealed: reseal(secret, sealed, { appId, kind: KIND }) })
      .where('app_id', '=', appId)
      .execute();
  }
  return rows.length;
}

/**
 * Whether the stored token keys were encrypted with this key: true if it decrypts any of them, or if there are none.
 */
export async function opensTokenKeys(db: Kysely<Database>, secret: SecretKey): Promise<boolean> {
  const rows = await db.selectFrom('token_keys').selectAll().execute();
  return (
    rows.length === 0 ||
    rows.some(({ app_id: appId, sealed }) => opens(secret, sealed, { appId, kind: KIND }))
  );
}
