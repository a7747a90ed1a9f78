/** Signing in and out: `/console/session`. `http/authenticate.ts` reads the cookie as well, for the calls of the API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import { userAuthor } from '../authenticate.ts';
import { requiredBody } from '../body.ts';
import { toApiError } from '../error-reply.ts';
import type { Observe } from '../../observe.ts';
import { parseBy } from '../../api/parse.ts';
import { whyNoApp } from '../../console/accounts/add-app.ts';
import { readInvite, useInvite } from '../../console/accounts/invites.ts';
import { openKnownBrowsers } from '../../console/accounts/known-browser.ts';
import { newPassword, openPasswords, type Passwords } from '../../console/accounts/passwords.ts';
import {
  noSessionCookie,
  refuseReadableCookies,
  sessionCookie,
  sessionSecretOf,
} from '../../console/accounts/session-cookie.ts';
import { createSession, endSession } from '../../console/accounts/session-store.ts';
import { findUser, hasUsers, type User } from '../../console/accounts/users.ts';
import {
  type AccountDeps,
  addOwnAccount,
  anyText,
  codeText,
  passSecondFactor,
  requireSession,
} from './own-account.ts';
import type { Status } from '../../status/status.ts';
import { refuseOtherOrigins } from '../../console/accounts/same-origin.ts';

interface SignInDeps extends AccountDeps {
  status: Pick<Status, 'reading'>;
  observe: Observe;
  /** Undefined: users sign in with passwords only. */
  oidc?: { issuer: string } | undefined;
  /** Whether this is the server of `carillon demo`. */
  isDemo?: boolean | undefined;
}

const signInBody = z.strictObject({ name: anyText, password: anyText, code: codeText.optional() });
const inviteBody = z.strictObject({
  token: anyText,
  password: newPassword.optional(),
  confirmed: z.literal(true, 'must be true').optional(),
  code: codeText.optional(),
});

/** Adds the routes of signing in and of the user's own account. All of them need a page of the same origin. */
export function addSignIn(server: FastifyInstance, deps: SignInDeps): void {
  const passwords = openPasswords();
  void server.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      deps.rateLimits.countAddress(request);
      refuseOtherOrigins(request);
    });
    addSession(scope, deps, passwords);
    addOwnAccount(scope, deps, passwords);
  });
}

function addSession(scope: FastifyInstance, deps: SignInDeps, passwords: Passwords): void {
  const { db, sessions, rateLimits, clock, status } = deps;
  const known = openKnownBrowsers(deps.secret);

  /** @returns whether the request has a session, which ends */
  async function endSessionOf(request: FastifyRequest): Promise<boolean> {
    const secret = sessionSecretOf(request);
    const session = secret === undefined ? undefined : await sessions.find(secret);
    if (secret === undefined || session === undefined) return false;
    await endSession(db, { id: session.id, userId: session.user.id });
    sessions.forget(secret);
    return true;
  }

  /** Signs in who `identify` returns, and reports the attempt: nothing else tells an operator that somebody guesses. */
  async function attempt(
    by: 'password' | 'link',
    request: FastifyRequest,
    reply: FastifyReply,
    identify: (isAbout: (user: User) => void) => Promise<User>,
  ): Promise<FastifyReply> {
    let userId: string | null = null;
    const report = (result: string): void =>
      deps.observe({ kind: 'sign_in', requestId: request.id, address: request.ip, by, userId, result });
    try {
      const user = await identify(({ id }) => (userId = id));
      const replied = await signIn(user, request, reply);
      report('signed_in');
      return replied;
    } catch (error) {
      report(toApiError(error).code);
      throw error;
    }
  }

  /** Starts a session, and sends its cookie and the cookie of a known browser. */
  async function signIn(user: User, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const userAgent = request.headers['user-agent'];
    await endSessionOf(request); // the browser forgets its secret, so nobody else may use it
    const { secret } = await createSession(db, { userId: user.id, userAgent }, clock);
    const cookies = [sessionCookie(request, secret), known.cookieFor(request, user.name)];
    return reply.header('set-cookie', cookies).code(204).send();
  }

  scope.get('/console/session', async (request) => {
    const { session, whyNone } = await status.reading(async () => {
      const found = await requireSession(sessions, request);
      return { session: found, whyNone: await whyNoApp(db, found, deps.whoAddsApps ?? 'admins') };
    });
    const { user, signsIn, apps, expiresAt, secondFactor } = session;
    return {
      user: { ...user, signs_in: signsIn, second_factor: secondFactor },
      apps: Array.from(apps, ([id, { name, role, caller }]) => ({
        id,
        bundle_id: caller.bundleId,
        name,
        role,
      })),
      expires_at: expiresAt.toISOString(),
      /** Why the user may not add an app; null if they may. */
      why_no_new_app: whyNone ?? null,
      is_demo: deps.isDemo ?? false,
    };
  });

  scope.get('/console/sign-in-options', async () => ({
    has_users: await status.reading(async () => hasUsers(db)),
    // The name of its host, for the button.
    openid: deps.oidc === undefined ? null : new URL(deps.oidc.issuer).host,
  }));

  scope.post('/console/session', async (request, reply) =>
    attempt('password', request, reply, async (isAbout) => {
      const { name, password, code } = parseBy(signInBody, requiredBody(request));
      refuseReadableCookies(request);
      const knownAs = known.idOf(request, name);
      const limit = rateLimits.ofPasswords(request, name, knownAs);
      limit.refuse();
      const user = await findUser(db, name);
      if (user !== undefined) isAbout(user);
      if (!(await passwords.matches(password, user?.passwordHash, limit)) || user === undefined) {
        throw new ApiError('unauthorized', { message: 'This name and this password do not match.' });
      }
      await passSecondFactor(deps, request, { user, code, knownAs });
      return user;
    }),
  );

  scope.post('/console/session/invite', async (request, reply) =>
    attempt('link', request, reply, async (isAbout) => {
      const { token, password, confirmed, code } = parseBy(inviteBody, requiredBody(request));
      refuseReadableCookies(request);
      const invite = await readInvite(db, token, clock);
      if (invite === undefined) throw linkNotValid();
      isAbout(invite.user);
      if (invite.setsPassword && password === undefined) {
        throw invalidRequest([
          { path: 'password', message: `is required: choose one for ${invite.user.name}` },
        ]);
      }
      // Without a question, a link that others send would sign a person in to their account, unnoticed.
      if (!invite.setsPassword && confirmed !== true) {
        const message = `is required: ask whether to continue as ${invite.user.name}`;
        throw invalidRequest([{ path: 'confirmed', message }]);
      }
      const passwordHash =
        invite.setsPassword && password !== undefined ? await passwords.hash(password) : undefined;
      const { user } = invite;
      await passSecondFactor(deps, request, { user, code, knownAs: known.idOf(request, user.name) });
      const by = { author: userAuthor(user, request), clock };
      if (!(await useInvite(db, { secret: token, user, passwordHash }, by))) throw linkNotValid();
      return user;
    }),
  );

  scope.delete('/console/session', async (request, reply) => {
    if (await endSessionOf(request)) void reply.header('set-cookie', noSessionCookie(request));
    return reply.code(204).send();
  });
}

function linkNotValid(): ApiError {
  return new ApiError('not_found', {
    message: 'This link has been used, has expired, or was replaced by a newer one; ask for another.',
  });
}
