/**
 * Signing in through an OpenID provider. The values to compare when the browser comes back are in a cookie that lasts ten
 * minutes. It is SameSite=Lax, because coming back is a navigation from another site.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { userAuthor } from '../authenticate.ts';
import type { Observe } from '../../observe.ts';
import { type RolesByGroup, signInIdentity } from '../../console/accounts/oidc-users.ts';
import { readCookie, sessionCookie } from '../../console/accounts/session-cookie.ts';
import { createSession } from '../../console/accounts/session-store.ts';
import type { User } from '../../console/accounts/users.ts';
import type { AccountDeps } from './own-account.ts';
import { isUnreachable, openProvider, type ProviderSettings } from './openid-provider.ts';

export type OidcSettings = ProviderSettings & { roles: RolesByGroup };

type OidcDeps = Pick<AccountDeps, 'db' | 'clock' | 'rateLimits'> & { observe: Observe };

/** The sign-in page has a sentence for each problem (`packages/console/src/screens/sign-in`). */
type Problem = 'unreachable' | 'expired' | 'refused' | 'no_role' | 'failed';

/** Groups are asked for again after this time: somebody who has left the company gets in no longer than that. */
const OIDC_SESSION_MS = 12 * 3_600_000;
const STATE_SECONDS = 600;

const stateSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
});

export function addOidc(server: FastifyInstance, settings: OidcSettings, deps: OidcDeps): void {
  const { db, clock, rateLimits, observe } = deps;
  const { consoleUrl, roles } = settings;
  const provider = openProvider(settings, clock);
  const isTls = consoleUrl.startsWith('https:');
  const cookieName = isTls ? '__Host-carillon-openid' : 'carillon-openid';
  const cookieOf = (value: string, seconds: number): string =>
    `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isTls ? '; Secure' : ''}`;

  /** Redirects to the sign-in page, which says what went wrong. The reason goes to the log. */
  const fail = (reply: FastifyReply, problem: Problem, reason?: unknown): FastifyReply => {
    if (reason !== undefined) observe({ kind: 'openid_failed', problem, reason: reasonOf(reason) });
    return reply.redirect(`${consoleUrl}/sign-in?problem=${problem}`, 303);
  };

  const report = ({ id: requestId, ip: address }: FastifyRequest, userId: string | null): void => {
    const result = userId === null ? 'forbidden' : 'signed_in';
    observe({ kind: 'sign_in', requestId, address, by: 'openid', userId, result });
  };

  void server.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      rateLimits.countAddress(request);
    });

    scope.get('/console/openid/sign-in', async (request, reply) => {
      const { next = '' } = z.looseObject({ next: z.string().optional() }).catch({}).parse(request.query);
      try {
        const { url, checks } = await provider.begin();
        const state = JSON.stringify({ ...checks, next: nextAddress(next) });
        void reply.header('set-cookie', cookieOf(Buffer.from(state).toString('base64url'), STATE_SECONDS));
        return await reply.redirect(url.href, 303);
      } catch (error) {
        return fail(reply, problemOf(error), error);
      }
    });

    scope.get('/console/openid/callback', async (request, reply) => {
      const known = readState(request);
      void reply.header('set-cookie', cookieOf('', 0));
      if (known === undefined) return fail(reply, 'expired');
      try {
        const identity = await provider.finish(new URL(request.url, consoleUrl).search, known);
        const authorOf = (user: User) => userAuthor(user, request);
        const user = await signInIdentity(db, identity, roles, { authorOf, clock });
        report(request, user?.id ?? null);
        if (user === undefined) return await fail(reply, 'no_role');
        const userAgent = request.headers['user-agent'];
        const session = { userId: user.id, userAgent, lastsMs: OIDC_SESSION_MS };
        const { secret } = await createSession(db, session, clock);
        const { host, headers } = request;
        const cookie = sessionCookie({ host, headers, protocol: isTls ? 'https' : 'http' }, secret);
        return await reply.header('set-cookie', cookie).redirect(`${consoleUrl}/${known.next}`, 303);
      } catch (error) {
        return fail(reply, problemOf(error), error);
      }
    });

    // It only ends the session at the provider, which asks the user first, so a link on another site does no harm.
    scope.get('/console/openid/sign-out', async (_request, reply) => {
      try {
        const url = await provider.signOutUrl();
        return await reply.redirect(url?.href ?? `${consoleUrl}/sign-in`, 303);
      } catch (error) {
        return fail(reply, problemOf(error), error);
      }
    });
  });

  function readState({ headers }: FastifyRequest): z.output<typeof stateSchema> | undefined {
    const value = headers.cookie === undefined ? undefined : readCookie(headers.cookie, cookieName);
    if (value === undefined || value === '') return undefined;
    try {
      return stateSchema.parse(JSON.parse(Buffer.from(value, 'base64url').toString()));
    } catch {
      return undefined;
    }
  }
}

function problemOf(error: unknown): Problem {
  const name = error instanceof Error ? error.name : '';
  // The provider sent the browser back with an error, for example because the user pressed "cancel".
  if (name === 'AuthorizationResponseError') return 'refused';
  return isUnreachable(error) ? 'unreachable' : 'failed';
}

/** Names and codes only: messages of a provider may quote tokens or addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const said = 'error' in error && typeof error.error === 'string' ? error.error.slice(0, 100) : '';
  const inner = error.cause instanceof Error ? reasonOf(error.cause) : '';
  return [error.name, codeOf(error), said, inner].filter((part) => part !== '').join(' ');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Relative to `/console/`. Neither a scheme nor a host can be in it, however a browser reads it. */
const WITHIN = /^[a-z](?!.*\/\/)[^:\\\p{Cc}]*$/u;

/**
 * Where the return from the provider leads. After a password no server redirects: the page's router shows only what the browser itself
 * reads as an address of the console.
 * @param next an address within the console, as its router makes them; anything else, and null, is its first page: ''
 */
export function nextAddress(next: string | null): string {
  return next !== null && WITHIN.test(next) ? next : '';
}
