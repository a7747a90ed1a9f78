/** The second factor at `/console/second-factor`: users enrol and remove their own; a sign-in asks for a code of it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { SecretKey } from '../../apps/seal.ts';
import { inTransaction } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import { parseBy, text } from '../../api/parse.ts';
import type { Passwords } from '../../console/accounts/passwords.ts';
import {
  confirmFactor,
  enrolFactor,
  readSecondFactor,
  resetFactor,
  useCode,
} from '../../console/accounts/second-factor.ts';
import { sessionSecretOf } from '../../console/accounts/session-cookie.ts';
import { endSessions, type Session } from '../../console/accounts/session-store.ts';
import type { Sessions } from '../../console/accounts/sessions.ts';
import { readPasswordHash, recordAboutUser, type User } from '../../console/accounts/users.ts';
import { userAuthor } from '../author.ts';
import { requiredBody } from '../body.ts';
import type { RateLimits } from '../rate-limit/rate-limit.ts';

export interface SecondFactorDeps {
  db: Kysely<Database>;
  clock: Clock;
  secret: SecretKey;
  sessions: Sessions;
  rateLimits: RateLimits;
}

export const codeText = text(100, 1);
const passwordBody = z.strictObject({ password: text(1_000, 1) });
const codeBody = z.strictObject({ code: codeText });
const removeBody = z.strictObject({ password: text(1_000, 1), code: codeText });

/**
 * Uses up the code of a user who has a second factor.
 * @param knownAs as for `RateLimits.ofPasswords`
 * @throws {ApiError} `invalid_request` at `code` if it is missing, wrong or was used before; `rate_limited`
 */
export async function passSecondFactor(
  { db, clock, secret, rateLimits }: SecondFactorDeps,
  request: FastifyRequest,
  { user, code, knownAs }: { user: User; code: string | undefined; knownAs: string | undefined },
): Promise<void> {
  if ((await readSecondFactor(db, user.id)) === undefined) return;
  if (code === undefined) {
    throw invalidRequest([
      { path: 'code', message: 'is required: the six digits of the authenticator app, or a recovery code' },
    ]);
  }
  const limit = rateLimits.ofCodes(user.id, knownAs);
  limit.refuse();
  const used = await useCode(db, secret, { userId: user.id, code }, clock);
  if (used === undefined) {
    limit.countWrong();
    throw invalidRequest([{ path: 'code', message: 'is wrong, too old, or was used before' }]);
  }
  if (used === 'recovery') {
    await recordAboutUser(db, 'console_user.recovery_code_used', user, clock, userAuthor(user, request));
  }
}

export function addSecondFactor(scope: FastifyInstance, deps: SecondFactorDeps, passwords: Passwords): void {
  const { db, clock, secret, sessions, rateLimits } = deps;

  scope.get('/console/second-factor', async (request) => {
    const factor = await readSecondFactor(db, (await requireSession(sessions, request)).user.id);
    return {
      second_factor:
        factor === undefined
          ? null
          : { since: factor.since.toISOString(), recovery_codes_left: factor.recoveryCodesLeft },
    };
  });

  scope.post('/console/second-factor', async (request) => {
    const session = await requireSession(sessions, request);
    const { password } = parseBy(passwordBody, requiredBody(request));
    await checkPassword(session, password, request);
    const enrolled = await enrolFactor(db, secret, session.user, clock);
    if (enrolled === undefined) {
      const message = 'asks for a second factor, but you have one; remove it first';
      throw invalidRequest([{ path: '', message }]);
    }
    return enrolled;
  });

  scope.put('/console/second-factor', async (request) => {
    const { id: exceptId, user } = await requireSession(sessions, request);
    const { code } = parseBy(codeBody, requiredBody(request));
    const limit = rateLimits.ofCodes(user.id, exceptId);
    limit.refuse();
    const codes = await inTransaction(db, async (transaction) => {
      const confirmed = await confirmFactor(transaction, secret, { userId: user.id, code }, clock);
      if (confirmed === undefined) return undefined;
      // They were opened without it.
      await endSessions(transaction, { userId: user.id, exceptId });
      const author = userAuthor(user, request);
      await recordAboutUser(transaction, 'console_user.second_factor_set', user, clock, author);
      return confirmed;
    });
    if (codes === undefined) {
      limit.countWrong();
      throw invalidRequest([{ path: 'code', message: 'is wrong: check the clock of the phone' }]);
    }
    sessions.clear();
    return { recovery_codes: codes };
  });

  scope.delete('/console/second-factor', async (request, reply) => {
    const session = await requireSession(sessions, request);
    const { user, id: knownAs } = session;
    const { password, code } = parseBy(removeBody, requiredBody(request));
    await checkPassword(session, password, request);
    await passSecondFactor(deps, request, { user, code, knownAs });
    await resetFactor(db, user, { author: userAuthor(user, request), clock });
    sessions.clear();
    return reply.code(204).send();
  });

  /** A session alone, in a browser that was left open, must not decide who can sign in. */
  async function checkPassword(
    { user, id }: Session,
    password: string,
    request: FastifyRequest,
  ): Promise<void> {
    const limit = rateLimits.ofPasswords(request, user.name, id);
    limit.refuse();
    if (await passwords.matches(password, await readPasswordHash(db, user.id), limit)) return;
    throw invalidRequest([{ path: 'password', message: 'is not your password' }]);
  }
}

/** @throws {ApiError} `unauthorized` without a session */
export async function requireSession(sessions: Sessions, request: FastifyRequest): Promise<Session> {
  const secret = sessionSecretOf(request);
  const session = secret === undefined ? undefined : await sessions.find(secret);
  if (session === undefined) throw new ApiError('unauthorized', { message: 'You are not signed in.' });
  return session;
}
