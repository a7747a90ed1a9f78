/**
 * The users of one app, for its admins. A user may also work on other apps of the server, over which an admin of this
 * app gets no power. Links that set a password are made only for users without a role elsewhere, and no caller gives a
 * role with more permissions than their own.
 */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../../apps/caller.ts';
import type { Author } from '../../audit/author.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import { idText, timeText } from '../../api/reply.ts';
import { isUuid } from '../../uuid.ts';
import { createInvite } from './invites.ts';
import { type Role, ROLES, scopesOf } from './roles.ts';
import { resetFactor } from './second-factor.ts';
import { endSessions, listSessions } from './session-store.ts';
import {
  appIdsOf,
  createUser,
  faultOfUserName,
  findUser,
  recordAboutUser,
  removeRole,
  removeUser,
  setRole,
  signInKinds,
  waySignedIn,
} from './users.ts';

const role = z.enum(ROLES, `must be one of ${ROLES.join(', ')}`);

const userName = z
  .string('must be text')
  .superRefine((name, context) => {
    const fault = faultOfUserName(name);
    if (fault !== undefined) context.addIssue(fault);
  })
  .describe('Unique on the server without regard to case; often an e-mail address.')
  .meta({ minLength: 1, maxLength: 255 });

export const inviteUserBody = z
  .strictObject({ user: z.strictObject({ name: userName, role }) })
  .meta({ id: 'InviteConsoleUser' });
export const changeUserBody = z
  .strictObject({ user: z.strictObject({ role }) })
  .meta({ id: 'ChangeConsoleUser' });

const appUserReply = z
  .strictObject({
    id: idText,
    name: z.string(),
    role: z.enum(ROLES),
    signs_in: z
      .enum(signInKinds)
      .describe('`not_yet`: the user was invited and has not chosen a password yet.'),
    second_factor: z.boolean().describe('Whether a sign-in with the password also needs a code.'),
    created_at: timeText,
  })
  .meta({ id: 'AppUser' });

const inviteReply = z
  .strictObject({
    token: z
      .string()
      .describe('The link is `<address of the console>/invite#<token>`. It cannot be read again.'),
    expires_at: timeText,
  })
  .meta({ id: 'Invite' });

export const appUsersReply = z.strictObject({ users: z.array(appUserReply) }).meta({ id: 'ConsoleUserList' });
export const oneUserReply = z.strictObject({ user: appUserReply }).meta({ id: 'ConsoleUser' });
export const invitedUserReply = z
  .strictObject({
    user: appUserReply,
    invite: inviteReply
      .nullable()
      .describe(
        'A link that works once. Null if the user can sign in already, or has been invited to another app.',
      ),
  })
  .meta({ id: 'InvitedConsoleUser' });
export const newInviteReply = z.strictObject({ invite: inviteReply }).meta({ id: 'ConsoleInvite' });
export const userSessionsReply = z
  .strictObject({
    sessions: z.array(
      z
        .strictObject({
          id: idText,
          user_agent: z
            .string()
            .nullable()
            .describe('As the browser names itself; cut after 256 characters.'),
          created_at: timeText,
          last_used_at: timeText.describe('When the session was last used, to the minute.'),
          expires_at: timeText.describe('It ends at this time, or after 12 hours without use.'),
        })
        .meta({ id: 'BrowserSession' }),
    ),
  })
  .meta({ id: 'ConsoleSessionList' });

type AppUser = z.output<typeof appUserReply>;

/** A user of the console in the caller's app. */
interface Wanted {
  caller: Caller;
  userId: string;
}

/** The caller, for the audit log, and the time. */
interface By {
  author: Author;
  clock: Clock;
}

/** The users with a role in the app, by name, or one of them. */
export async function listAppUsers(db: Kysely<Database>, appId: string, userId?: string): Promise<AppUser[]> {
  const users = db
    .selectFrom('console_roles')
    .innerJoin('console_users', 'console_users.id', 'console_roles.user_id')
    .leftJoin('console_second_factors as factor', 'factor.user_id', 'console_users.id')
    .select(['console_users.id', 'name', 'role', 'password_hash', 'issuer', 'console_users.created_at'])
    .select('confirmed_at')
    .where('app_id', '=', appId)
    .orderBy(sql`lower(name)`);
  const wanted = userId === undefined ? users : users.where('console_users.id', '=', userId);
  return (await wanted.execute()).map(({ id, name, role: given, ...row }) => ({
    id,
    name,
    role: given,
    signs_in: waySignedIn(row),
    second_factor: row.confirmed_at !== null,
    created_at: row.created_at.toISOString(),
  }));
}

/**
 * Gives a role to a new user, or to one of another app.
 * @param body `{"user": {"name", "role"}}`
 * @throws {ApiError} `invalid_request`, also if the user has a role in the app; `forbidden` if the role may do more than the caller
 */
export async function inviteUser(
  db: Kysely<Database>,
  caller: Caller,
  body: z.output<typeof inviteUserBody>['user'],
  { author, clock }: By,
): Promise<z.output<typeof invitedUserReply>> {
  refuseMoreThan(caller, body.role);
  const { appId } = caller;
  return db.transaction().execute(async (transaction) => {
    const created = await createUser(transaction, { name: body.name }, clock);
    const user = created ?? (await findUser(transaction, body.name));
    if (user === undefined) throw noSuchUser();
    await lockUser(transaction, user.id);
    const apps = await appIdsOf(transaction, user.id);
    if (apps.includes(appId)) {
      const message = 'has a role in this app already; change that role instead';
      throw invalidRequest([{ path: 'user.name', message }]);
    }
    await setRole(transaction, { user, appId, role: body.role }, clock, author);
    const read = await readUser(transaction, { caller, userId: user.id });
    const needsLink = read.signs_in === 'not_yet' && apps.length === 0;
    return { user: read, invite: needsLink ? await newInvite(transaction, user.id, clock) : null };
  });
}

/** @throws {ApiError} `not_found`; `forbidden` if either role may do more than the caller; `last_admin` */
export async function changeRole(
  db: Kysely<Database>,
  wanted: Wanted & { role: Role },
  { author, clock }: By,
): Promise<AppUser> {
  const { caller, role: given } = wanted;
  refuseMoreThan(caller, given);
  return db.transaction().execute(async (transaction) => {
    const user = await lockAppUser(transaction, wanted);
    if (given !== 'admin') await keepAdmin(transaction, caller.appId, user);
    await setRole(transaction, { user, appId: caller.appId, role: given }, clock, author);
    return readUser(transaction, wanted);
  });
}

/** Takes the role in the app. A user without any other role is removed. @throws {ApiError} as `changeRole` */
export async function removeAppUser(
  db: Kysely<Database>,
  wanted: Wanted,
  { author, clock }: By,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { appId } = wanted.caller;
    const user = await lockAppUser(transaction, wanted);
    await keepAdmin(transaction, appId, user);
    await removeRole(transaction, { user, appId }, clock, author);
    if ((await appIdsOf(transaction, user.id)).length === 0) await removeUser(transaction, user, clock);
  });
}

/**
 * Makes a link with which the user chooses a new password.
 * @throws {ApiError} `not_found`; `forbidden` if the user may do more than the caller; `user_elsewhere` if the user has a role
 *   in another app or signs in through OpenID
 */
export async function inviteAgain(
  db: Kysely<Database>,
  wanted: Wanted,
  { author, clock }: By,
): Promise<z.output<typeof inviteReply>> {
  return db.transaction().execute(async (transaction) => {
    const user = await lockAppUser(transaction, wanted);
    const isElsewhere = (await appIdsOf(transaction, user.id)).length > 1;
    if (user.signs_in === 'openid' || isElsewhere) throw new ApiError('user_elsewhere');
    await recordAboutUser(transaction, 'console_user.link_made', user, clock, author);
    return newInvite(transaction, user.id, clock);
  });
}

/** For a user who has lost it. @throws {ApiError} `not_found`; `forbidden` if the user may do more than the caller; `user_elsewhere` */
export async function resetSecondFactor(db: Kysely<Database>, wanted: Wanted, by: By): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const user = await lockAppUser(transaction, wanted);
    if ((await appIdsOf(transaction, user.id)).length > 1) {
      throw new ApiError('user_elsewhere', {
        message:
          'This user has a role in another app; ask the operator to run "carillon console reset-second-factor".',
      });
    }
    await resetFactor(transaction, user, by);
  });
}

/** @throws {ApiError} `not_found` */
export async function listUserSessions(
  db: Kysely<Database>,
  wanted: Wanted,
  clock: Clock,
): Promise<z.output<typeof userSessionsReply>['sessions']> {
  const { id } = await readUser(db, wanted);
  return listSessions(db, id, clock);
}

/** Signs the user out everywhere. @throws {ApiError} `not_found` */
export async function endUserSessions(
  db: Kysely<Database>,
  wanted: Wanted,
  { author, clock }: By,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const user = await readUser(transaction, wanted);
    await endSessions(transaction, { userId: user.id });
    await recordAboutUser(transaction, 'console_user.signed_out', user, clock, author);
  });
}

async function readUser(db: Kysely<Database>, { caller, userId }: Wanted): Promise<AppUser> {
  const [user] = isUuid(userId) ? await listAppUsers(db, caller.appId, userId) : [];
  if (user === undefined) throw noSuchUser();
  return user;
}

/** @throws {ApiError} `not_found`; `forbidden` if the user may do more than the caller */
async function lockAppUser(db: Kysely<Database>, wanted: Wanted): Promise<AppUser> {
  const { caller, userId } = wanted;
  if (!isUuid(userId)) throw noSuchUser();
  // Serialises changes of roles, so that two admins cannot remove each other's role at the same time.
  await db.selectFrom('apps').select('id').where('id', '=', caller.appId).forNoKeyUpdate().execute();
  await lockUser(db, userId);
  const user = await readUser(db, wanted);
  refuseMoreThan(caller, user.role);
  return user;
}

/**
 * Locks the user. Giving a role takes the same lock, so a role in another app is given before this change, which then sees
 * it, or after it.
 */
async function lockUser(db: Kysely<Database>, userId: string): Promise<void> {
  await db.selectFrom('console_users').select('id').where('id', '=', userId).forUpdate().execute();
}

/** @throws {ApiError} `last_admin` if the user is the only admin of the app */
async function keepAdmin(db: Kysely<Database>, appId: string, user: AppUser): Promise<void> {
  if (user.role !== 'admin') return;
  const admins = db.selectFrom('console_roles').select('user_id').where('app_id', '=', appId);
  const other = admins.where('role', '=', 'admin').where('user_id', '<>', user.id).limit(1);
  if ((await other.executeTakeFirst()) === undefined) throw new ApiError('last_admin');
}

/** Otherwise a caller could give itself, through that user, permissions that it lacks. */
function refuseMoreThan(caller: Caller, given: Role): void {
  const lacking = scopesOf(given).filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new ApiError('forbidden', {
    message: `The role ${given} includes permissions that the caller lacks: ${lacking.join(', ')}.`,
  });
}

async function newInvite(
  db: Kysely<Database>,
  userId: string,
  clock: Clock,
): Promise<z.output<typeof inviteReply>> {
  const { secret, expiresAt } = await createInvite(db, { userId, setsPassword: true }, clock);
  return { token: secret, expires_at: expiresAt.toISOString() };
}

function noSuchUser(): ApiError {
  return new ApiError('not_found', { message: 'The app has no console user with this id.' });
}
