/**
 * One-time links to the console. A link of an invite lets its user choose a password; other links sign in at once, for the
 * demo. The secret is in the fragment of the address, which browsers do not send, so no log has it.
 */
import type { Kysely } from 'kysely';
import { hashOf } from '../../apps/api-keys.ts';
import type { Author } from '../../audit/author.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { endSessions, newSecret } from './session-store.ts';
import { recordAboutUser, setPassword, type User } from './users.ts';

/** How long a link can be used. */
export const INVITE_MS = 3 * 24 * 3_600_000;

/** @returns the address that a person opens, below that of the console: `https://push.example.com/console` */
export function linkOf(consoleUrl: string, secret: string): string {
  return `${consoleUrl}/invite#${secret}`;
}

/** Replaces earlier links of the user. @returns the secret of the link, which cannot be read again */
export async function createInvite(
  db: Kysely<Database>,
  { userId, setsPassword }: { userId: string; setsPassword: boolean },
  clock: Clock,
): Promise<{ secret: string; expiresAt: Date }> {
  const now = clock();
  const { secret, stored } = newSecret(now, INVITE_MS);
  await db
    .deleteFrom('console_invites')
    .where((eb) => eb.or([eb('expires_at', '<=', now), eb('user_id', '=', userId)]))
    .execute();
  await db
    .insertInto('console_invites')
    .values({ ...stored, user_id: userId, sets_password: setsPassword })
    .execute();
  return { secret, expiresAt: stored.expires_at };
}

/** @returns undefined if the link is unknown, used or too old. Does not use it up. `setsPassword`: its user has to choose one */
export async function readInvite(db: Kysely<Database>, secret: string, clock: Clock) {
  const row = await db
    .selectFrom('console_invites')
    .innerJoin('console_users', 'console_users.id', 'console_invites.user_id')
    .select(['console_users.id', 'name', 'sets_password as setsPassword'])
    .where('hash', '=', hashOf(secret))
    .where('expires_at', '>', clock())
    .executeTakeFirst();
  return row && { user: { id: row.id, name: row.name }, setsPassword: row.setsPassword };
}

/**
 * Uses up a link.
 * @param passwordHash the chosen password, for an invite that sets one. A new password ends all sessions of the user
 * @param author the user of the link
 * @returns false if the link is unknown, used or too old; then nothing changes
 */
export async function useInvite(
  db: Kysely<Database>,
  { secret, user, passwordHash }: { secret: string; user: User; passwordHash: string | undefined },
  { author, clock }: { author: Author; clock: Clock },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const used = await transaction
      .deleteFrom('console_invites')
      .where('hash', '=', hashOf(secret))
      .where('expires_at', '>', clock())
      .where('sets_password', '=', passwordHash !== undefined)
      .where('user_id', '=', user.id)
      .returning('user_id')
      .executeTakeFirst();
    if (used === undefined) return false;
    if (passwordHash !== undefined) {
      await setPassword(transaction, user.id, passwordHash);
      await endSessions(transaction, { userId: user.id });
      await recordAboutUser(transaction, 'console_user.password_set', user, clock, author);
    }
    return true;
  });
}
