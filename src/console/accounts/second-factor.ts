/**
 * The second factor of a user: enrolling, checking and removing it. Its codes are time-based ones (RFC 6238) of an authenticator app, and
 * recovery codes on paper. Each counts once, also if two calls bring it at once.
 */
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { hashOf } from '../../apps/api-keys.ts';
import { seal, type SealContext, type SecretKey, unseal } from '../../apps/seal.ts';
import type { Author } from '../../audit/author.ts';
import { inTransaction } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { recordAboutUser, type User } from './users.ts';

const SECRET_BYTES = 20; // RFC 4226, section 4, recommends 160 bits
/** The steps of 30 s before and after now whose code is accepted as well: clocks of phones differ. */
const STEPS_AROUND = 1;
const ISSUER = 'Carillon';

const RECOVERY_CODES = 10;
/** So many that a plain hash keeps them secret, as OWASP ASVS 5.0 has it (V6.5.2, V11.5.1). */
const RECOVERY_BYTES = 16;
const RECOVERY_GROUP = /.{4}(?=.)/g;

/** @returns undefined if the user has none, or has not confirmed it. As replies have it */
export async function readSecondFactor(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('console_second_factors')
    .select('confirmed_at as since')
    .select(sql<number>`cardinality(recovery_hashes)`.as('recovery_codes_left'))
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
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

/** @returns base32, as people type it into an app */
export function newSecretOfCodes(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** @returns the address that authenticator apps read from a QR code */
function addressOfSecret(secret: string, userName: string): string {
  return totpOf(secret, userName).toString();
}

/** @returns the step of 30 s that the code belongs to; undefined if it is wrong or too old */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const totp = totpOf(secret);
  const timestamp = now.getTime();
  const around = totp.validate({ token: code, timestamp, window: STEPS_AROUND });
  return around === null ? undefined : totp.counter({ timestamp }) + around;
}

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

/** @returns codes of 128 random bits in groups of four, and their hashes, which are stored */
export function newRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    randomBytes(RECOVERY_BYTES).toString('hex').replaceAll(RECOVERY_GROUP, '$&-'),
  );
  return { codes, hashes: codes.map(hashOfRecoveryCode) };
}

/** @param code as somebody has typed it */
export function hashOfRecoveryCode(code: string): Buffer {
  return hashOf(code.toLowerCase().replaceAll(/[^0-9a-f]/g, ''));
}
