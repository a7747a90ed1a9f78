/**
 * Creates, lists and revokes API keys; `keyring.ts` authenticates them. A key is shown once; only its SHA-256 is stored,
 * which suffices for a secret of 256 random bits.
 */
import { hash as digestOf, randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { isUuid } from '../uuid.ts';
import { androidColumns, type AndroidSettings, androidSettingsOf } from './android-settings.ts';

const SCOPES = ['read', 'write', 'register', 'admin'] as const;

/** Permission of a key. No scope includes another: `admin` does not include `read`. */
export type Scope = (typeof SCOPES)[number];

interface KnownKey {
  keyId: string;
  appId: string;
  bundleId: string;
  scopes: readonly Scope[];
}

export interface AuthenticatedKey extends KnownKey {
  /** The settings of the key's app. */
  android: AndroidSettings;
}

export interface ApiKey extends AuthenticatedKey {
  hash: Buffer;
  /** To the minute. */
  lastUsedAt: Date | null;
}

export interface ApiKeySummary extends KnownKey {
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Lets people and scanners for leaked secrets recognise a key. */
const KEY_PREFIX = 'carillon_';
const KEY_BYTES = 32;

/**
 * @param text scopes joined by commas, e.g. `read,write`
 * @throws {Error} if a scope is unknown or none is given
 */
export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every(isScope)) throw new Error(`scopes are any of ${SCOPES.join(', ')}, joined by commas`);
  return SCOPES.filter((scope) => names.includes(scope));
}

/** @returns the id, and the key, which cannot be read again */
export async function createApiKey(
  db: Kysely<Database>,
  { appId, scopes }: { appId: string; scopes: readonly Scope[] },
  clock: Clock,
): Promise<{ id: string; key: string }> {
  const id = randomUUID();
  const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  await db
    .insertInto('api_keys')
    .values({
      id,
      app_id: appId,
      hash: hashOf(key),
      scopes: [...scopes],
      created_at: clock(),
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return { id, key };
}

/** @returns undefined for an unknown or revoked key */
export async function readApiKey(db: Kysely<Database>, hash: Buffer): Promise<ApiKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('apps', 'apps.id', 'api_keys.app_id')
    .select(['api_keys.id', 'app_id', 'hash', 'scopes', 'last_used_at', 'bundle_id', ...androidColumns])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return (
    row && {
      keyId: row.id,
      appId: row.app_id,
      bundleId: row.bundle_id,
      scopes: row.scopes.filter(isScope),
      android: androidSettingsOf(row),
      hash: row.hash,
      lastUsedAt: row.last_used_at,
    }
  );
}

/** Writes nothing if the stored last use is later than `dueBefore`, so that only one of many processes writes. */
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

/** All keys, the newest first, without their secrets. */
export async function listApiKeys(db: Kysely<Database>): Promise<ApiKeySummary[]> {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('apps', 'apps.id', 'api_keys.app_id')
    .select(['api_keys.id', 'app_id', 'scopes', 'bundle_id', 'last_used_at', 'revoked_at'])
    .select('api_keys.created_at')
    .orderBy('api_keys.created_at', 'desc')
    .orderBy('api_keys.id')
    .execute();
  return rows.map((row) => ({
    keyId: row.id,
    appId: row.app_id,
    bundleId: row.bundle_id,
    scopes: row.scopes.filter(isScope),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }));
}

/** @returns false if the key does not exist; revoking a key again changes nothing */
export async function revokeApiKey(db: Kysely<Database>, keyId: string, clock: Clock): Promise<boolean> {
  if (!isUuid(keyId)) return false;
  const revoked = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(clock())) }))
    .where('id', '=', keyId)
    .executeTakeFirst();
  return revoked.numUpdatedRows > 0n;
}

/**
 * The SHA-256 of a key, which is stored. Creates no hash object, because the garbage collector has to finalize each
 * one.
 */
export function hashOf(key: string): Buffer {
  return digestOf('sha256', key, 'buffer');
}

function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}
