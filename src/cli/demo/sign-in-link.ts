import type { Kysely } from 'kysely';
import { commandLine } from '../../audit/author.ts';
import type { Clock } from '../../clock.ts';
import { createInvite, linkOf } from '../../console/accounts/invites.ts';
import { createUser, findUser, setRole } from '../../console/accounts/users.ts';
import type { Database } from '../../db/tables.ts';

const NAME = 'demo';

/**
 * Makes a link that signs in as the user `demo`, an admin of the app, without a password and only once.
 * @param consoleUrl the address of the console, such as `http://localhost:8080/console`
 */
export async function makeSignInLink(
  db: Kysely<Database>,
  { appId, consoleUrl }: { appId: string; consoleUrl: string },
  clock: Clock,
): Promise<string> {
  const user = (await createUser(db, { name: NAME }, clock)) ?? (await findUser(db, NAME));
  if (user === undefined) throw new Error(`the user ${NAME} was removed meanwhile`);
  await setRole(db, { user, appId, role: 'admin' }, clock, commandLine);
  const { secret } = await createInvite(db, { userId: user.id, setsPassword: false }, clock);
  return linkOf(consoleUrl, secret);
}
