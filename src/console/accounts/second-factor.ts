/** The second factor of a user: enrolling, checking and removing it. Each code counts once, also if two calls bring it at once. */
import { type Kysely, sql } from 'kysely';
import { seal, type SealContext, type SecretKey, unseal } from '../../apps/seal.ts';
import type { Author } from '../../audit/author.ts';
import { inTransaction } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import {
  addressOfSecret,
  hashOfRecoveryCode,
  newRecoveryCodes,
  newSecretOfCodes,
  stepOfCode,
} from './one-time-codes.ts';
import { recordAboutUser, type User } from './users.ts';

export interface SecondFactor {
  since: Date;
  recoveryCodesLeft: number;
}

/** @returns undefined if the user has none, or has not confirmed it */
export async function readSecondFactor(
  db: Kysely<Database>,
  userId: string,
): Promise<SecondFactor | undefined> {
  const row = await db
    .selectFrom('console_second_factors')
    .select(['confirmed_at', sql<number>`cardinality(recovery_hashes)`.as('left')])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined || row.confirmed_at === null) return undefined;
  return { since: row.confirmed_at, recoveryCodesLeft: row.left };
}

/** Makes a secret, which counts from `confirmFactor` on, instead of one that waits for that. @returns undefined if there is a factor */
export async function enrolFactor(
  db: Kysely<Database>,
  key: SecretKey,
  user: User,
  clock: Clock,
): Promise<{ secret: string; address: string } | undefined> {
  const secret = newSecretOfCodes();
  const values = { sealed_secret: seal(key, secret, contextOf(user.id)), created_at: clock() };
  const stored = await db
    .insertInto('console_second_factors')
    .values({ user_id: user.id, ...values })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(values).where('console_second_factors.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst();
  return stored && { secret, address: addressOfSecret(secret, user.name) };
}

/** @returns the recovery codes, which cannot be read again; undefined if the code is wrong or nothing waits for one */
export async function confirmFactor(
  db: Kysely<Database>,
  key: SecretKey,
  { userId, code }: { userId: string; code: string },
  clock: Clock,
): Promise<string[] | undefined> {
  const row = await rowOf(db, userId);
  if (row === undefined || row.confirmed_at !== null) return undefined;
  const now = clock();
  const step = stepOfCode(unseal(key, row.sealed_secret, contextOf(userId)), code, now);
  if (step === undefined) return undefined;
  const { codes, hashes } = newRecoveryCodes();
  const confirmed = await db
    .updateTable('console_second_factors')
    .set({ confirmed_at: now, last_step: step, recovery_hashes: hashes })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', row.sealed_secret)
    .where('confirmed_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return confirmed && codes;
}

const TIME_BASED = /^\d{6}$/;

/** @returns the kind of code that was used up; undefined if the code is wrong or was used before */
export async function useCode(
  db: Kysely<Database>,
  key: SecretKey,
  { userId, code }: { userId: string; code: string },
  clock: Clock,
): Promise<'time_based' | 'recovery' | undefined> {
  const digits = code.replaceAll(' ', '');
  const update = db
    .updateTable('console_second_factors')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .returning('user_id');
  if (!TIME_BASED.test(digits)) {
    const hash = hashOfRecoveryCode(code);
    const used = await update
      .set({ recovery_hashes: sql`array_remove(recovery_hashes, ${hash}::bytea)` })
      .where(sql<boolean>`${hash}::bytea = any (recovery_hashes)`)
      .executeTakeFirst();
    return used && 'recovery';
  }
  const row = await rowOf(db, userId);
  const step = row && stepOfCode(unseal(key, row.sealed_secret, contextOf(userId)), digits, clock());
  if (step === undefined) return undefined;
  const used = await update.set({ last_step: step }).where('last_step', '<', step).executeTakeFirst();
  return used && 'time_based';
}

/** @returns false if the user has none */
export async function resetFactor(
  db: Kysely<Database>,
  user: User,
  { author, clock }: { author: Author; clock: Clock },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const removed = await transaction
      .deleteFrom('console_second_factors')
      .where('user_id', '=', user.id)
      .returning('confirmed_at')
      .executeTakeFirst();
    if (removed === undefined || removed.confirmed_at === null) return false;
    await recordAboutUser(transaction, 'console_user.second_factor_removed', user, clock, author);
    return true;
  });
}

/** Encrypts all secrets with the current key. Run it in a transaction. @returns how many there are. @throws {Error} as `unseal` does */
export async function resealSecondFactors(db: Kysely<Database>, key: SecretKey): Promise<number> {
  const rows = await db
    .selectFrom('console_second_factors')
    .select(['user_id', 'sealed_secret'])
    .orderBy('user_id')
    .forUpdate()
    .execute();
  for (const { user_id: userId, sealed_secret: sealed } of rows) {
    const context = contextOf(userId);
    await db
      .updateTable('console_second_factors')
      .set({ sealed_secret: seal(key, unseal(key, sealed, context), context) })
      .where('user_id', '=', userId)
      .execute();
  }
  return rows.length;
}

function rowOf(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('console_second_factors')
    .select(['sealed_secret', 'confirmed_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Users belong to no app. */
function contextOf(userId: string): SealContext {
  return { appId: '', kind: `second factor ${userId}` };
}
