/**
 * Users that an OpenID provider has authenticated. The provider's groups decide their roles: at each sign-in the roles become
 * exactly those of the groups.
 */
import type { Kysely } from 'kysely';
import type { Author } from '../../audit/author.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { type Role, ROLES } from './roles.ts';
import { endSessions } from './session-store.ts';
import { appIdsOf, createUser, faultOfUserName, removeRole, setRole, type User } from './users.ts';

/** By group: the role in each app, by bundle id, or in all apps (`*`). */
export type RolesByGroup = Readonly<Record<string, Readonly<Record<string, Role>>>>;

export interface Identity {
  issuer: string;
  /** The id of the user at the provider; the only part that never changes. */
  subject: string;
  /** Names to choose from, the best first. */
  names: readonly string[];
  groups: readonly string[];
}

/** Finds or makes the user, and gives the roles of the groups. @returns undefined if there is none: then roles and sessions end */
export async function signInIdentity(
  db: Kysely<Database>,
  identity: Identity,
  rolesByGroup: RolesByGroup,
  { authorOf, clock }: { authorOf: (user: User) => Author; clock: Clock },
): Promise<User | undefined> {
  return db.transaction().execute(async (transaction) => {
    const roles = await rolesOf(transaction, identity.groups, rolesByGroup);
    const known = await findIdentity(transaction, identity);
    if (roles.size === 0 && known === undefined) return undefined;
    const user = known ?? (await createIdentity(transaction, identity, clock));
    const author = authorOf(user);
    for (const appId of await appIdsOf(transaction, user.id)) {
      if (!roles.has(appId)) await removeRole(transaction, { user, appId }, clock, author);
    }
    for (const [appId, role] of roles) await setRole(transaction, { user, appId, role }, clock, author);
    if (roles.size > 0) return user;
    await endSessions(transaction, { userId: user.id });
    return undefined;
  });
}

/** @returns the highest role of the groups in each app, by its id */
async function rolesOf(
  db: Kysely<Database>,
  groups: readonly string[],
  rolesByGroup: RolesByGroup,
): Promise<Map<string, Role>> {
  const given = groups.flatMap((group) =>
    Object.hasOwn(rolesByGroup, group) ? Object.entries(rolesByGroup[group] ?? {}) : [],
  );
  const roles = new Map<string, Role>();
  if (given.length === 0) return roles;
  const apps = await db.selectFrom('apps').select(['id', 'bundle_id']).orderBy('id').execute();
  for (const { id, bundle_id: bundleId } of apps) {
    const here = new Set(given.flatMap(([app, role]) => (app === '*' || app === bundleId ? [role] : [])));
    const highest = ROLES.findLast((role) => here.has(role));
    if (highest !== undefined) roles.set(id, highest);
  }
  return roles;
}

async function findIdentity(db: Kysely<Database>, { issuer, subject }: Identity): Promise<User | undefined> {
  return db
    .selectFrom('console_users')
    .select(['id', 'name'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * A name that is taken belongs to another account, and a provider must not open that one. So this user gets the name
 * with a suffix and, as a last resort, the id at the provider.
 */
async function createIdentity(
  db: Kysely<Database>,
  { issuer, subject, names }: Identity,
  clock: Clock,
): Promise<User> {
  const best = names.find((name) => faultOfUserName(name) === undefined) ?? subject;
  for (const name of [best, `${best} (OpenID)`, `${best.slice(0, 100)} (OpenID ${subject.slice(0, 100)})`]) {
    if (faultOfUserName(name) !== undefined) continue;
    const created = await createUser(db, { name, provider: { issuer, subject } }, clock);
    if (created !== undefined) return created;
    const other = await findIdentity(db, { issuer, subject, names, groups: [] });
    if (other !== undefined) return other; // the same user signed in twice at the same time
  }
  throw new Error('no name is free for a user of the OpenID provider');
}
