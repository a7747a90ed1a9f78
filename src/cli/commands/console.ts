/** The users of the console. The first user can only be added here: the page never lets its first visitor become a user. */
import { type Command, Option } from 'commander';
import type { Kysely } from 'kysely';
import { type App, listApps } from '../../apps/apps.ts';
import { commandLine } from '../../audit/author.ts';
import { inTransaction } from '../../audit/record.ts';
import { systemClock } from '../../clock.ts';
import { createInvite, INVITE_MS, linkOf } from '../../console/accounts/invites.ts';
import { newPassword, openPasswords } from '../../console/accounts/passwords.ts';
import { type Role, ROLES } from '../../console/accounts/roles.ts';
import { resetFactor } from '../../console/accounts/second-factor.ts';
import { endSessions, listSessions } from '../../console/accounts/session-store.ts';
import {
  createUser,
  faultOfUserName,
  findUser,
  hasUsers,
  listUsers,
  recordAboutUser,
  removeRole,
  removeUser,
  setRole,
  type User,
} from '../../console/accounts/users.ts';
import type { Database } from '../../db/tables.ts';
import type { Resources } from '../../process/resources.ts';
import { judge } from '../../api/parse.ts';
import { askPassword } from '../ask-password.ts';
import { print, table } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';
import { requireApp } from './apps.ts';

interface Common {
  json?: boolean;
}

/** Acts on a user. @returns what is printed: a value with `--json`, otherwise the lines */
type Act<Given> = (
  user: User,
  resources: Resources & { consoleUrl: string },
  options: Given,
) => Promise<[value: unknown, ...lines: string[]]>;

const roleOption = () => new Option('--role <role>', 'what the user may do in these apps').choices(ROLES);
const appOption = () => new Option('--app <id>', 'bundle id of the app');

export function addTo(console: Command, terminal: Terminal): void {
  /** Adds a command about one user. */
  const onUser = <Given = object>(
    name: string,
    description: string,
    act: Act<Given>,
    options: readonly Option[] = [],
  ): void => {
    const command = console.command(name).description(description).argument('<name>');
    for (const option of options) command.addOption(option);
    command
      .option('--json', 'print one JSON value')
      .action(async (userName: string, given: Common & Given) => {
        await withResources(terminal, async (resources, { consoleUrl }) => {
          const user = await requireUser(resources.db, userName);
          const [value, ...lines] = await act(user, { ...resources, consoleUrl }, given);
          print(terminal, given.json, value, lines);
        });
      });
  };

  addAddUser(console, terminal);
  onUser(
    'invite',
    'makes a one-time link with which a user chooses a new password',
    async (user, { db, consoleUrl }) => {
      const link = await inTransaction(db, async (transaction) => {
        await recordAboutUser(transaction, 'console_user.link_made', user, systemClock, commandLine);
        return makeLink(transaction, user, consoleUrl);
      });
      return [{ id: user.id, name: user.name, link }, ...linkLines(user, link)];
    },
  );
  addUsers(console, terminal);
  onUser(
    'set-role',
    'gives a user a role in an app, or changes it',
    async (user, resources, { app, role }: { app: string; role: Role }) => {
      const { id: appId, bundleId } = await requireApp(resources, app);
      await setRole(resources.db, { user, appId, role }, systemClock, commandLine);
      const value = { id: user.id, name: user.name, bundle_id: bundleId, role };
      return [value, `${user.name} is ${role} of ${bundleId}`];
    },
    [appOption().makeOptionMandatory(), roleOption().makeOptionMandatory()],
  );
  onUser(
    'remove-user',
    'removes a user and ends their sessions; with --app, removes only the role in that app',
    async (user, resources, { app }: { app?: string }) => {
      const { db } = resources;
      if (app === undefined) {
        await removeUser(db, user, systemClock, commandLine);
        return [{ id: user.id, removed: true }, `removed ${user.name}`];
      }
      const { id: appId, bundleId } = await requireApp(resources, app);
      if (!(await removeRole(db, { user, appId }, systemClock, commandLine))) {
        throw new Error(`${user.name} has no role in ${bundleId}; see "carillon console users"`);
      }
      const value = { id: user.id, bundle_id: bundleId, removed: true };
      return [value, `${user.name} no longer has a role in ${bundleId}`];
    },
    [appOption()],
  );
  onUser('sessions', 'lists the browsers in which a user is signed in', async (user, { db }) => {
    const sessions = await listSessions(db, user.id, systemClock);
    const rows = sessions.map(({ user_agent: agent, created_at, last_used_at, expires_at }) => {
      return [created_at, last_used_at, expires_at, printable(agent ?? '')];
    });
    return [sessions, ...table([['SIGNED IN', 'LAST USED', 'ENDS', 'BROWSER'], ...rows])];
  });
  onUser('sign-out', 'ends all sessions of a user', async (user, { db }) => {
    const ended = await inTransaction(db, async (transaction) => {
      await recordAboutUser(transaction, 'console_user.signed_out', user, systemClock, commandLine);
      return endSessions(transaction, { userId: user.id });
    });
    return [{ id: user.id, sessions_ended: ended }, `sessions of ${user.name} ended: ${ended}`];
  });
  onUser(
    'reset-second-factor',
    'removes the second factor of a user, such as of a lost phone',
    async (user, { db }) => {
      const removed = await resetFactor(db, user, { author: commandLine, clock: systemClock });
      if (!removed) throw new Error(`${user.name} has no second factor`);
      return [{ id: user.id, removed }, `${user.name} has no second factor any more`];
    },
  );
}

function addAddUser(console: Command, terminal: Terminal): void {
  console
    .command('add-user')
    .description('adds a user and prints a one-time link for choosing a password')
    .argument('<name>', 'the name to sign in with, such as an e-mail address')
    .option('--app <ids...>', 'bundle ids of the apps; the first user is admin of all apps without it')
    .addOption(roleOption())
    .option('--password', 'ask for the password (or read it from standard input) instead of printing a link')
    .option('--json', 'print one JSON value')
    .action(async (name: string, options: Common & { app?: string[]; role?: Role; password?: boolean }) => {
      const fault = faultOfUserName(name);
      if (fault !== undefined) throw new Error(`the name ${fault}`);
      const passwordHash = options.password === true ? await hashOfNewPassword(terminal) : undefined;
      await withResources(terminal, async (resources, { consoleUrl }) => {
        const { apps, role } = await appsOfNewUser(resources, options);
        const user = await resources.db.transaction().execute(async (transaction) => {
          const created = await createUser(transaction, { name, passwordHash }, systemClock);
          if (created === undefined) {
            throw new Error(
              `there is already a user ${name}; see "carillon console set-role" and "carillon console invite"`,
            );
          }
          for (const { id: appId } of apps) {
            await setRole(transaction, { user: created, appId, role }, systemClock, commandLine);
          }
          return created;
        });
        const link = passwordHash === undefined ? await makeLink(resources.db, user, consoleUrl) : undefined;
        const bundleIds = apps.map(({ bundleId }) => bundleId);
        print(
          terminal,
          options.json,
          { id: user.id, name, role, apps: bundleIds, ...(link !== undefined && { link }) },
          [
            apps.length === 0
              ? `added ${name}, who adds the first app in the console`
              : `added ${name} as ${role} of ${bundleIds.join(', ')}`,
            ...(link === undefined ? [] : linkLines(user, link)),
          ],
        );
      });
    });
}

/** @throws {Error} if an option is missing: only the first user of a server gets all apps without being named */
async function appsOfNewUser(
  resources: Resources,
  { app: ids, role }: { app?: string[]; role?: Role },
): Promise<{ apps: App[]; role: Role }> {
  if (ids !== undefined && role !== undefined) {
    return { apps: await Promise.all(ids.map(async (id) => requireApp(resources, id))), role };
  }
  if (ids !== undefined || role !== undefined || (await hasUsers(resources.db))) {
    throw new Error('name the apps by --app and the role by --role: only the first user needs neither');
  }
  return { apps: await listApps(resources.db), role: 'admin' };
}

function addUsers(console: Command, terminal: Terminal): void {
  console
    .command('users')
    .description('lists all users and their roles')
    .option('--json', 'print one JSON value')
    .action(async ({ json }: Common) => {
      await withResources(terminal, async ({ db }) => {
        const users = await listUsers(db);
        print(
          terminal,
          json,
          users.map(({ id, name, signsIn, createdAt, roles }) => ({
            id,
            name,
            signs_in: signsIn,
            created_at: createdAt,
            roles: roles.map(({ bundleId, role }) => ({ bundle_id: bundleId, role })),
          })),
          table([
            ['NAME', 'ROLES', 'SIGNS IN WITH', 'ADDED'],
            ...users.map(({ name, roles, signsIn, createdAt }) => [
              name,
              roles.map(({ bundleId, role }) => `${role} of ${bundleId}`).join(', ') || 'none',
              { password: 'a password', openid: 'OpenID', not_yet: 'nothing yet' }[signsIn],
              createdAt.toISOString(),
            ]),
          ]),
        );
      });
    });
}

/** @throws {Error} with a message for the user if there is none */
async function requireUser(db: Kysely<Database>, name: string): Promise<User> {
  const user = await findUser(db, name);
  if (user === undefined) throw new Error(`there is no user ${name}; see "carillon console users"`);
  return user;
}

async function makeLink(db: Kysely<Database>, { id: userId }: User, consoleUrl: string): Promise<string> {
  const { secret } = await createInvite(db, { userId, setsPassword: true }, systemClock);
  return linkOf(consoleUrl, secret);
}

function linkLines({ name }: User, link: string): string[] {
  return [
    link,
    `(${name} chooses a password there; works once, within ${INVITE_MS / 3_600_000} hours; shown only this once)`,
  ];
}

async function hashOfNewPassword(terminal: Terminal): Promise<string> {
  const password = await askPassword(terminal, 'Password: ');
  const judged = judge(newPassword, password);
  if (!judged.success) throw new Error(`the password ${judged.error.issues[0]?.message ?? 'is not usable'}`);
  return openPasswords().hash(password);
}

/** Replaces control characters: a browser may send any name, and a terminal would obey them. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}
