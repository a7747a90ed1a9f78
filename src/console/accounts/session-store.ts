/**
 * The sessions of signed-in browsers. The secret of a session is 256 random bits in a cookie; only its SHA-256 is stored. A
 * session ends when its row is deleted, when it has not been used for 12 hours, or 7 days after signing in.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { androidColumns, androidSettingsOf } from '../../apps/android-settings.ts';
import { storedQuietHours } from '../../apps/quiet-hours-of-app.ts';
import { hashOf } from '../../apps/api-keys.ts';
import type { Caller } from '../../apps/caller.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { isUuid } from '../../uuid.ts';
import { type Role, scopesOf } from './roles.ts';
import { type SignInKind, type User, waySignedIn } from './users.ts';

export const IDLE_MS = 12 * 3_600_000;
export const SESSION_MS = 7 * 24 * 3_600_000;
const SECRET_BYTES = 32;
const USER_AGENT_CHARACTERS_MAX = 256;

export interface Session {
  id: string;
  user: User;
  signsIn: SignInKind;
  /** `required`: the user has to enrol one first, and until then has a role in no app. */
  secondFactor: 'on' | 'off' | 'required';
  /** When it was last used, to the minute. */
  lastUsedAt: Date;
  /** When it ends, even if it is in use. */
  expiresAt: Date;
  /** The user as a caller of each app, keyed by the app's id; sorted by bundle id. */
  apps: ReadonlyMap<string, { name: string; role: Role; caller: Caller }>;
}

/** @returns a secret for a cookie or a link, 43 characters of base64url, and its hash, which is stored */
export function newSecret(
  now: Date,
  lastsMs: number,
): { secret: string; stored: { hash: Buffer; created_at: Date; expires_at: Date } } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = new Date(now.getTime() + lastsMs);
  return { secret, stored: { hash: hashOf(secret), created_at: now, expires_at: expiresAt } };
}

/** `lastsMs`: it ends then, even if it is in use. @returns the secret for the cookie, which cannot be read again */
export async function createSession(
  db: Kysely<Database>,
  session: { userId: string; userAgent: string | undefined; lastsMs?: number },
  clock: Clock,
): Promise<{ secret: string; expiresAt: Date }> {
  const now = clock();
  const { userId, userAgent, lastsMs = SESSION_MS } = session;
  const { secret, stored } = newSecret(now, lastsMs);
  await db.deleteFrom('console_sessions').where('expires_at', '<=', now).execute();
  await db
    .insertInto('console_sessions')
    .values({
      ...stored,
      id: randomUUID(),
      user_id: userId,
      user_agent: userAgent?.slice(0, USER_AGENT_CHARACTERS_MAX) ?? null,
      last_used_at: now,
    })
    .execute();
  return { secret, expiresAt: stored.expires_at };
}

/** @returns undefined for an unknown session, and for one that has ended */
export async function readSession(
  db: Kysely<Database>,
  hash: Buffer,
  { now, requiresFactor }: { now: Date; requiresFactor: boolean },
): Promise<Session | undefined> {
  const rows = await db
    .selectFrom('console_sessions as session')
    .innerJoin('console_users as user', 'user.id', 'session.user_id')
    .leftJoin('console_second_factors as factor', 'factor.user_id', 'user.id')
    .leftJoin('console_roles', 'console_roles.user_id', 'user.id')
    .leftJoin('apps', 'apps.id', 'console_roles.app_id')
    .select(['session.id', 'session.last_used_at', 'session.expires_at'])
    .select([
      'user.id as user_id',
      'user.name as user_name',
      'password_hash',
      'issuer',
      'role',
      'confirmed_at',
    ])
    .select([
      'apps.id as app_id',
      'bundle_id',
      'apps.name as app_name',
      ...androidColumns,
      'apps.quiet_hours',
      'apps.identity_mode',
    ])
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', idleSince(now))
    .orderBy('bundle_id')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const user = { id: first.user_id, name: first.user_name };
  const by = { kind: 'user', ...user } as const;
  const signsIn = waySignedIn(first);
  const isRequired = requiresFactor && signsIn !== 'openid';
  const secondFactor = first.confirmed_at !== null ? 'on' : isRequired ? 'required' : 'off';
  return {
    id: first.id,
    user,
    signsIn,
    secondFactor,
    lastUsedAt: first.last_used_at,
    expiresAt: first.expires_at,
    apps: new Map(
      rows.flatMap(({ app_id: appId, bundle_id: bundleId, app_name: name, role, ...row }) => {
        const { android_presentation: presentation, identity_mode: identity } = row;
        if (secondFactor === 'required') return [];
        if (appId === null || bundleId === null || name === null || role === null) return [];
        if (presentation === null || identity === null) return [];
        const android = androidSettingsOf({ ...row, android_presentation: presentation });
        const quietHours = storedQuietHours(row.quiet_hours);
        const caller = { appId, bundleId, scopes: scopesOf(role), android, quietHours, identity, by };
        return [[appId, { name, role, caller }] as const];
      }),
    ),
  };
}

/** Writes nothing if the stored last use is later than `dueBefore`, so that only one of many processes writes. */
export async function noteSessionUse(
  db: Kysely<Database>,
  id: string,
  { now, dueBefore }: { now: Date; dueBefore: Date },
): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where('last_used_at', '<=', dueBefore)
    .execute();
}

/** The sessions of a user that have not ended, the last used first. The moments are ISO 8601, as replies have them. */
export async function listSessions(db: Kysely<Database>, userId: string, clock: Clock) {
  const now = clock();
  const rows = await db
    .selectFrom('console_sessions')
    .select(['id', 'user_agent', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', idleSince(now))
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ id, user_agent, ...at }) => ({
    id,
    user_agent,
    created_at: at.created_at.toISOString(),
    last_used_at: at.last_used_at.toISOString(),
    expires_at: at.expires_at.toISOString(),
  }));
}

/** @returns false if the user has no such session */
export async function endSession(
  db: Kysely<Database>,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const ended = await db
    .deleteFrom('console_sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return ended.numDeletedRows > 0n;
}

/** Ends all sessions of a user, or all but one. @returns how many */
export async function endSessions(
  db: Kysely<Database>,
  { userId, exceptId }: { userId: string; exceptId?: string },
): Promise<number> {
  const sessions = db.deleteFrom('console_sessions').where('user_id', '=', userId);
  const chosen = exceptId === undefined ? sessions : sessions.where('id', '<>', exceptId);
  const ended = await chosen.executeTakeFirst();
  return Number(ended.numDeletedRows);
}

function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS);
}
