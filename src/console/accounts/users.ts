/** The users of the console and their roles. A user has at most one role in each app. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { AuditAction } from '../../audit/actions.ts';
import type { Author } from '../../audit/author.ts';
import { inTransaction, recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { unstorableText } from '../../json/lossless.ts';
import type { Role } from './roles.ts';

export interface User {
  id: string;
  /** Unique without regard to case; no two look the same. */
  name: string;
}

export const signInKinds = ['password', 'openid', 'not_yet'] as const;

export type SignInKind = (typeof signInKinds)[number];

export interface UserSummary extends User {
  createdAt: Date;
  /** Whether the user signs in with a password, through an OpenID provider, or has only been invited. */
  signsIn: SignInKind;
  roles: { bundleId: string; role: Role }[];
}

const NAME_CHARACTERS_MAX = 255;
/** Control characters, and characters that change the direction of text or take no space: two names must not look the same. */
const UNFIT_FOR_NAME = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** @returns the rule that the name breaks; undefined if it breaks none */
export function faultOfUserName(name: string): string | undefined {
  const isFit =
    name.trim() === name &&
    name !== '' &&
    name.length <= NAME_CHARACTERS_MAX &&
    !UNFIT_FOR_NAME.test(name) &&
    unstorableText(name) === undefined;
  return isFit
    ? undefined
    : `must be 1 to ${NAME_CHARACTERS_MAX} visible characters without spaces at its ends`;
}

/** Letters that look like a Latin one, as small or as capital letters, because names are compared without regard to case. */
const CYRILLIC = ['авекмнорстухіјѕԁһԛԝѵ', 'abekmhopctyxijsdhqwv'] as const;
const GREEK = ['αβεζηικμνορτυχ', 'abezhikmvoptyx'] as const;
const OTHERS = ['ı', 'i'] as const;
const LATIN_OF: ReadonlyMap<string, string> = new Map(
  [CYRILLIC, GREEK, OTHERS].flatMap(([letters, latin]) =>
    Array.from(letters, (letter, index): [string, string] => [letter, latin.charAt(index)]),
  ),
);

/** @returns the same text for names that look the same: a short form of https://www.unicode.org/reports/tr39/#Confusable_Detection */
export function appearanceOf(name: string): string {
  return Array.from(name.normalize('NFKC').toLowerCase(), (letter) => LATIN_OF.get(letter) ?? letter).join(
    '',
  );
}

/** @returns undefined if the name, or one that looks the same, is taken */
export async function createUser(
  db: Kysely<Database>,
  user: { name: string; passwordHash?: string | undefined; provider?: { issuer: string; subject: string } },
  clock: Clock,
): Promise<User | undefined> {
  const appearance = appearanceOf(user.name);
  const others = await db.selectFrom('console_users').select('name').execute();
  if (others.some((other) => appearanceOf(other.name) === appearance)) return undefined;
  return db
    .insertInto('console_users')
    .values({
      id: randomUUID(),
      name: user.name.normalize('NFKC'),
      password_hash: user.passwordHash ?? null,
      issuer: user.provider?.issuer ?? null,
      subject: user.provider?.subject ?? null,
      created_at: clock(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'name'])
    .executeTakeFirst();
}

/** @returns undefined if there is no user with this name; upper and lower case do not matter */
export async function findUser(
  db: Kysely<Database>,
  name: string,
): Promise<(User & { passwordHash: string | null }) | undefined> {
  if (faultOfUserName(name) !== undefined) return undefined;
  return db
    .selectFrom('console_users')
    .select(['id', 'name', 'password_hash as passwordHash'])
    .where(sql`lower(name)`, 'in', [sql`lower(${name})`, sql`lower(${name.normalize('NFKC')})`])
    .orderBy(sql`lower(name) = lower(${name})`, 'desc')
    .executeTakeFirst();
}

export async function hasUsers(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('console_users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

export async function readPasswordHash(db: Kysely<Database>, userId: string): Promise<string | null> {
  const users = db.selectFrom('console_users').select('password_hash').where('id', '=', userId);
  return (await users.executeTakeFirst())?.password_hash ?? null;
}

export async function setPassword(db: Kysely<Database>, userId: string, passwordHash: string): Promise<void> {
  const change = { password_hash: passwordHash };
  await db.updateTable('console_users').set(change).where('id', '=', userId).execute();
}

interface RoleIn {
  user: User;
  appId: string;
}

/** Gives or changes a role; the present one changes nothing. Without an author, the audit log has no entry. */
export async function setRole(
  db: Kysely<Database>,
  { user, appId, role }: RoleIn & { role: Role },
  clock: Clock,
  author?: Author,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const before = await readRole(transaction, { user, appId });
    if (before === role) return;
    await transaction
      .insertInto('console_roles')
      .values({ app_id: appId, user_id: user.id, role })
      .onConflict((conflict) => conflict.columns(['app_id', 'user_id']).doUpdateSet({ role }))
      .execute();
    const action = before === undefined ? 'console_user.added' : 'console_user.role_changed';
    const change = {
      appId,
      action,
      objectId: user.id,
      before: before && { name: user.name, role: before },
      after: { name: user.name, role },
    } as const;
    await recordChange(transaction, author, change, clock);
  });
}

/** @returns false if the user had no role in the app. Without an author, the audit log has no entry */
export async function removeRole(
  db: Kysely<Database>,
  { user, appId }: RoleIn,
  clock: Clock,
  author?: Author,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const removed = await transaction
      .deleteFrom('console_roles')
      .where('app_id', '=', appId)
      .where('user_id', '=', user.id)
      .returning('role')
      .executeTakeFirst();
    if (removed === undefined) return false;
    const before = { name: user.name, role: removed.role };
    const change = { appId, action: 'console_user.removed', objectId: user.id, before } as const;
    await recordChange(transaction, author, change, clock);
    return true;
  });
}

/** Locks the row, so that the role stays until the end of the transaction. */
export async function readRole(db: Kysely<Database>, { user, appId }: RoleIn): Promise<Role | undefined> {
  const row = await db
    .selectFrom('console_roles')
    .select('role')
    .where('app_id', '=', appId)
    .where('user_id', '=', user.id)
    .forUpdate()
    .executeTakeFirst();
  return row?.role;
}

/** The apps in which the user has a role. */
export async function appIdsOf(db: Kysely<Database>, userId: string): Promise<string[]> {
  const roles = db.selectFrom('console_roles').select('app_id').where('user_id', '=', userId);
  return (await roles.orderBy('app_id').execute()).map((row) => row.app_id);
}

/** Records a change of the user in the audit log of each app in which the user has a role. */
export async function recordAboutUser(
  db: Kysely<Database>,
  action: Extract<AuditAction, `console_user.${string}`>,
  user: User,
  clock: Clock,
  author: Author,
): Promise<void> {
  for (const appId of await appIdsOf(db, user.id)) {
    const change = { appId, action, objectId: user.id, after: { name: user.name } };
    await recordChange(db, author, change, clock);
  }
}

/** Removes a user with all roles, sessions and links. */
export async function removeUser(
  db: Kysely<Database>,
  user: User,
  clock: Clock,
  author?: Author,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    for (const appId of await appIdsOf(transaction, user.id)) {
      await removeRole(transaction, { user, appId }, clock, author);
    }
    await transaction.deleteFrom('console_users').where('id', '=', user.id).execute();
  });
}

/** All users, sorted by name. */
export async function listUsers(db: Kysely<Database>): Promise<UserSummary[]> {
  const rows = await db
    .selectFrom('console_users as user')
    .select(['user.id', 'user.name', 'user.created_at as createdAt', 'password_hash', 'issuer'])
    .select((of) => {
      const roles = of.selectFrom('console_roles').innerJoin('apps', 'apps.id', 'app_id');
      const ofUser = roles.whereRef('user_id', '=', 'user.id').orderBy('bundle_id');
      return jsonArrayFrom(ofUser.select(['bundle_id as bundleId', 'role'])).as('roles');
    })
    .orderBy(sql`lower("user".name)`)
    .execute();
  return rows.map(({ id, name, createdAt, roles, ...row }) => {
    return { id, name, createdAt, roles, signsIn: waySignedIn(row) };
  });
}

export function waySignedIn(row: { password_hash: string | null; issuer: string | null }): SignInKind {
  if (row.issuer !== null) return 'openid';
  return row.password_hash === null ? 'not_yet' : 'password';
}
