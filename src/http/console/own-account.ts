/** The own account of a user: sessions, password, second factor, and adding an app. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { newApp } from '../../apps/apps.ts';
import type { SecretKey } from '../../apps/seal.ts';
import { inTransaction } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import { parseBy, text } from '../../api/parse.ts';
import { addApp, type WhoAddsApps } from '../../console/accounts/add-app.ts';
import { newPassword, type Passwords } from '../../console/accounts/passwords.ts';
import {
  confirmFactor,
  enrolFactor,
  readSecondFactor,
  resetFactor,
  useCode,
} from '../../console/accounts/second-factor.ts';
import { noSessionCookie, sessionSecretOf } from '../../console/accounts/session-cookie.ts';
import { endSession, endSessions, listSessions, type Session } from '../../console/accounts/session-store.ts';
import type { Sessions } from '../../console/accounts/sessions.ts';
import { readPasswordHash, recordAboutUser, setPassword, type User } from '../../console/accounts/users.ts';
import { userAuthor } from '../authenticate.ts';
import { requiredBody } from '../body.ts';
import type { RateLimits } from '../rate-limit/rate-limit.ts';

export interface AccountDeps {
  db: Kysely<Database>;
  clock: Clock;
  /** Seals second factors, and proves that a browser is known. */
  secret: SecretKey;
  sessions: Sessions;
  rateLimits: RateLimits;
  whoAddsApps?: WhoAddsApps | undefined;
}

export const anyText = text(1_000, 1);
export const codeText = text(100, 1);
const newPasswordBody = z.strictObject({ current_password: anyText, password: newPassword });
const passwordBody = z.strictObject({ password: anyText });
const codeBody = z.strictObject({ code: codeText });
const removeBody = z.strictObject({ password: anyText, code: codeText });
const appBody = z.strictObject({ app: newApp });

/** Adds the routes of the user's own account. @param scope a scope that refuses other origins */
export function addOwnAccount(scope: FastifyInstance, deps: AccountDeps, passwords: Passwords): void {
  const { db, clock, secret, sessions, rateLimits, whoAddsApps: who = 'admins' } = deps;

  scope.get('/console/sessions', async (request) => {
    const { id: current, user } = await requireSession(sessions, request);
    const listed = await listSessions(db, user.id, clock);
    return { sessions: listed.map((one) => Object.assign(one, { is_current: one.id === current })) };
  });

  scope.delete<{ Params: { session_id: string } }>(
    '/console/sessions/:session_id',
    async (request, reply) => {
      const { user } = await requireSession(sessions, request);
      const isEnded = await endSession(db, { id: request.params.session_id, userId: user.id });
      if (!isEnded) throw new ApiError('not_found', { message: 'You have no session with this id.' });
      return reply.code(204).send();
    },
  );

  scope.delete('/console/sessions', async (request, reply) => {
    const { user } = await requireSession(sessions, request);
    await inTransaction(db, async (transaction) => {
      await endSessions(transaction, { userId: user.id });
      await recordAboutUser(transaction, 'console_user.signed_out', user, clock, userAuthor(user, request));
    });
    sessions.forget(sessionSecretOf(request) ?? '');
    void reply.header('set-cookie', noSessionCookie(request));
    return reply.code(204).send();
  });

  scope.put('/console/password', async (request, reply) => {
    const session = await requireSession(sessions, request);
    const { id: exceptId, user } = session;
    const body = parseBy(newPasswordBody, requiredBody(request));
    await checkPassword(session, body.current_password, request, 'current_password');
    const passwordHash = await passwords.hash(body.password);
    await inTransaction(db, async (transaction) => {
      await setPassword(transaction, user.id, passwordHash);
      await endSessions(transaction, { userId: user.id, exceptId });
      await recordAboutUser(transaction, 'console_user.password_set', user, clock, userAuthor(user, request));
    });
    return reply.code(204).send();
  });

  scope.get('/console/second-factor', async (request) => {
    const { user } = await requireSession(sessions, request);
    return { second_factor: (await readSecondFactor(db, user.id)) ?? null };
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

  scope.post('/console/apps', async (request, reply) => {
    const session = await requireSession(sessions, request);
    const { bundle_id: bundleId, name } = parseBy(appBody, requiredBody(request)).app;
    const author = userAuthor(session.user, request);
    const { app, isNew } = await addApp(db, session, { bundleId, name }, { who, author, clock });
    // The next call of this browser finds the app among its own; other processes do within two seconds.
    sessions.forget(sessionSecretOf(request) ?? '');
    return reply.code(isNew ? 201 : 200).send({ app });
  });

  /** A session alone, in a browser that was left open, must not decide who can sign in. */
  async function checkPassword(
    { user, id }: Session,
    password: string,
    request: FastifyRequest,
    path = 'password',
  ): Promise<void> {
    const limit = rateLimits.ofPasswords(request, user.name, id);
    limit.refuse();
    if (await passwords.matches(password, await readPasswordHash(db, user.id), limit)) return;
    throw invalidRequest([{ path, message: 'is not your password' }]);
  }
}

/**
 * Uses up the code of a user who has a second factor.
 * @param knownAs as for `RateLimits.ofPasswords`
 * @throws {ApiError} `invalid_request` at `code` if it is missing, wrong or was used before; `rate_limited`
 */
export async function passSecondFactor(
  { db, clock, secret, rateLimits }: AccountDeps,
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

/** @throws {ApiError} `unauthorized` without a session */
export async function requireSession(sessions: Sessions, request: FastifyRequest): Promise<Session> {
  const secret = sessionSecretOf(request);
  const session = secret === undefined ? undefined : await sessions.find(secret);
  if (session === undefined) throw new ApiError('unauthorized', { message: 'You are not signed in.' });
  return session;
}
