/** Users with a second factor, and what their authenticator app shows. */
import type { Kysely } from 'kysely';
import { confirmFactor, enrolFactor } from '../../../../src/console/accounts/second-factor.ts';
import type { Database } from '../../../../src/db/tables.ts';
import { codeAt } from '../../../console/browser.ts';
import { testSecret } from '../../../support/secret.ts';

const HOUR_MS = 3_600_000;

/** Enrolled an hour ago: no code of today was used. @returns the secret and the recovery codes */
export async function insertSecondFactor(
  db: Kysely<Database>,
  user: { id: string; name: string },
): Promise<{ secret: string; recoveryCodes: readonly string[] }> {
  const at = new Date(Date.now() - HOUR_MS);
  const clock = (): Date => at;
  const enrolled = await enrolFactor(db, testSecret, user, clock);
  if (enrolled === undefined) throw new Error(`${user.name} has a second factor already`);
  const { secret } = enrolled;
  const confirmation = { userId: user.id, code: codeAt(secret, at) };
  const recoveryCodes = await confirmFactor(db, testSecret, confirmation, clock);
  if (recoveryCodes === undefined) throw new Error('the code was refused');
  return { secret, recoveryCodes };
}
