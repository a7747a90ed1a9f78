/**
 * Creates, lists and revokes API keys; `keyring.ts` authenticates them. A key is shown once; only its SHA-256 is stored,
 * which suffices for a secret of 256 random bits.
 */
import { hash as digestOf, randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Author } from '../audit/author.ts';
import { inTransaction, recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { isUuid } from '../uuid.ts';
import { androidColumns, androidSettingsOf } from './android-settings.ts';
import { storedQuietHours } from './quiet-hours-of-app.ts';
import type { Caller } from './caller.ts';
import { isScope, type Scope } from './scopes.ts';

export interface ApiKey {
  /** The key as a caller. */
  caller: Caller;
  hash: Buffer;
  /** When it was last used, to the minute. */
  lastUsedAt: Date | null;
}

/** Lets people and scanners for leaked secrets recognise a key. */
const KEY_PREFIX = 'carillon_';
const KEY_BYTES = 32;

const NAME_CHARACTERS_MAX = 100;
const NAME_RULE = `must be text of 1 to ${NAME_CHARACTERS_MAX} characters in one line`;

/** Not blank, and without control characters. The first part is not tried twice, so that a long text takes no longer. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const ONE_LINE = /^(?=[\s\S]*\S)[^\x00-\x1f\x7f-\x9f]*$/;

/** The rule for the name of a key. */
export const keyName = z
  .string(NAME_RULE)
  .trim()
  .max(NAME_CHARACTERS_MAX, NAME_RULE)
  .regex(ONE_LINE, NAME_RULE)
  .refine((name) => name.isWellFormed(), NAME_RULE);

/** @throws {Error} if it breaks the rule */
export function parseKeyName(name: string): string {
  const parsed = keyName.safeParse(name);
  if (!parsed.success) throw new Error(`the name of a key ${NAME_RULE}`);
  return parsed.data;
}

export interface NewApiKey {
  appId: string;
  scopes: readonly Scope[];
  /** The name for people. */
  name?: string | null;
}

/**
 * @param author for the audit log; undefined: no entry
 * @returns the id, and the key, which cannot be read again
 */
export async function createApiKey(
  db: Kysely<Database>,
  { appId, scopes, name = null }: NewApiKey,
  clock: Clock,
  author?: Author,
): Promise<{ id: string; key: string }> {
  const id = randomUUID();
  const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  const row = {
    id,
    app_id: appId,
    hash: hashOf(key),
    scopes: [...scopes],
    created_at: clock(),
    last_used_at: null,
    revoked_at: null,
    name,
  };
  await inTransaction(db, async (transaction) => {
    await transaction.insertInto('api_keys').values(row).execute();
    const change = { appId, action: 'key.created', objectId: id, after: { name, scopes } } as const;
    await recordChange(transaction, author, change, clock);
  });
  return { id, key };
}

/** @returns undefined for an unknown or revoked key */
export async function readApiKey(db: Kysely<Database>, hash: Buffer): Promise<ApiKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('apps', 'apps.id', 'api_keys.app_id')
    .select([
      'api_keys.id',
      'app_id',
      'hash',
      'scopes',
      'last_used_at',
      'bundle_id',
      ...androidColumns,
      'apps.quiet_hours',
      'apps.identity_mode',
    ])
    .select('api_keys.name as key_name')
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return (
    row && {
      caller: {
        appId: row.app_id,
        bundleId: row.bundle_id,
        scopes: row.scopes.filter(isScope),
        android: androidSettingsOf(row),
        quietHours: storedQuietHours(row.quiet_hours),
        identity: row.identity_mode,
        by: { kind: 'key', id: row.id, name: row.key_name },
      },
      hash: row.hash,
      lastUsedAt: row.last_used_at,
    }
  );
}

/** Writes nothing if the stored time is later than `dueBefore`, so that only one of many processes writes. */
export async function noteUse(
  db: Kysely<Database>,
  keyId: string,
  { now, dueBefore }: { now: Date; dueBefore: Date },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', keyId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', dueBefore)]))
    .execute();
}

/** Revoked keys stay in the table; no app needs more than this. */
const LISTED_MAX = 1_000;

/**
 * Keys without their secrets, the newest first, at most 1,000. `last_used_at` is to the minute; `name` is
 * null for a key that was created without one.
 * @param appId only keys of this app; undefined: of all apps
 */
export async function listApiKeys(db: Kysely<Database>, appId?: string) {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('apps', 'apps.id', 'api_keys.app_id')
    .select(['api_keys.id', 'api_keys.name', 'bundle_id', 'scopes'])
    .select(['api_keys.created_at', 'last_used_at', 'revoked_at'])
    .$if(appId !== undefined, (query) => query.where('api_keys.app_id', '=', appId ?? ''))
    .orderBy('api_keys.created_at', 'desc')
    .orderBy('api_keys.id')
    .limit(LISTED_MAX)
    .execute();
  return rows.map((row) => Object.assign(row, { scopes: row.scopes.filter(isScope) }));
}

/**
 * @param options `appId`: only a key of this app is revoked; undefined: of any app. `author` is for the audit log; undefined:
 *   no entry
 * @returns false if the key does not exist; revoking a key again changes nothing
 */
export async function revokeApiKey(
  db: Kysely<Database>,
  keyId: string,
  clock: Clock,
  { appId, author }: { appId?: string; author?: Author } = {},
): Promise<boolean> {
  if (!isUuid(keyId)) return false;
  return inTransaction(db, async (transaction) => {
    let find = transaction
      .selectFrom('api_keys')
      .select(['app_id', 'name', 'scopes', 'revoked_at'])
      .where('id', '=', keyId)
      .forUpdate();
    if (appId !== undefined) find = find.where('app_id', '=', appId);
    const found = await find.executeTakeFirst();
    if (found === undefined || found.revoked_at !== null) return found !== undefined;
    await transaction.updateTable('api_keys').set({ revoked_at: clock() }).where('id', '=', keyId).execute();
    const before = { name: found.name, scopes: found.scopes };
    const change = { appId: found.app_id, action: 'key.revoked', objectId: keyId, before } as const;
    await recordChange(transaction, author, change, clock);
    return true;
  });
}

/**
 * The SHA-256 of a key, which is stored. Creates no hash object, because the garbage collector has to finalize each
 * one.
 */
export function hashOf(key: string): Buffer {
  return digestOf('sha256', key, 'buffer');
}
