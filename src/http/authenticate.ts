/**
 * Turns the credentials of a request into a caller: an API key, or the session of a user and an app. This happens before the
 * body is read, so a caller gets 401 or 403 before any error about the body.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify';
import type { Scope } from '../apps/scopes.ts';
import type { Caller } from '../apps/caller.ts';
import type { Keyring } from '../apps/keyring.ts';
import type { Author } from '../audit/author.ts';
import { refuseOtherOrigins } from '../console/accounts/same-origin.ts';
import { sessionSecretOf } from '../console/accounts/session-cookie.ts';
import type { Session } from '../console/accounts/session-store.ts';
import type { Sessions } from '../console/accounts/sessions.ts';
import { ApiError } from '../api/errors.ts';
import type { Status } from '../status/status.ts';
import { APP_HEADER, toApiError } from './error-reply.ts';
import type { RateLimits } from './rate-limit/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the caller is known, and for calls that need none. */
    caller: Caller | null;
  }
}

interface Credentials {
  keyring: Keyring;
  /** Undefined: there is no console, and cookies are ignored. */
  sessions: Sessions | undefined;
  /** Ends the wait for a look-up while the database stands still. */
  status: Pick<Status, 'reading'>;
}

/** Nearly every key is known from a call within the last two seconds. Then nothing is awaited, which costs less. */
export function makeAuthentication(
  server: FastifyInstance,
  { keyring, sessions, status }: Credentials,
  limits: RateLimits,
) {
  server.decorateRequest('caller', null);
  return {
    /** A hook for `onRequest`: 429 past a limit, 401 without a caller, 403 if the caller has none of the scopes. */
    require: (...scopes: readonly Scope[]): onRequestHookHandler => {
      const admit = (request: FastifyRequest, caller: Caller): void => {
        limits.countCaller(caller.by.id);
        if (!scopes.some((scope) => caller.scopes.includes(scope))) throw lacks(caller, scopes);
        request.caller = caller;
      };
      const lookUp = async (
        request: FastifyRequest,
        authenticated: () => Promise<Caller>,
        done: HookHandlerDoneFunction,
      ): Promise<void> => {
        try {
          const isRead = request.method === 'GET';
          admit(request, await (isRead ? status.reading(authenticated) : authenticated()));
        } catch (error) {
          done(toApiError(error));
          return;
        }
        done();
      };
      return (request, _reply, done) => {
        try {
          limits.countAddress(request);
          const { authorization } = request.headers;
          if (authorization === undefined && sessions !== undefined) {
            const secret = request.headers[APP_HEADER] === undefined ? undefined : sessionSecretOf(request);
            if (secret !== undefined) {
              refuseOtherOrigins(request);
              const session = sessions.recall(secret);
              if (session === undefined) {
                void lookUp(request, async () => callerIn(await sessions.find(secret), request), done);
                return;
              }
              admit(request, callerIn(session, request));
              done();
              return;
            }
          }
          const credentials = readBasicCredentials(authorization);
          const known = credentials && keyring.recall(credentials);
          if (known === undefined) {
            void lookUp(request, async () => authenticate(keyring, limits, request, credentials), done);
            return;
          }
          admit(request, known);
        } catch (error) {
          done(toApiError(error));
          return;
        }
        done();
      };
    },
    /** A hook to run after `require`: 403 if the caller is a user without this permission. */
    requireOfUsers:
      (scope: Scope): onRequestHookHandler =>
      ({ caller }, _reply, done) => {
        const lacksIt = caller?.by.kind === 'user' && !caller.scopes.includes(scope);
        done(lacksIt ? lacks(caller, [scope]) : undefined);
      },
    /** @throws {Error} if the route does not `require` a caller */
    callerOf: ({ caller }: FastifyRequest) => {
      if (caller === null) throw new Error('the route requires no caller');
      return caller;
    },
    /** Checks again that the caller of an open request has this permission: a key or a session may have ended. */
    stillHas: async (request: FastifyRequest, scope: Scope): Promise<boolean> => {
      const { caller, headers } = request;
      try {
        if (caller?.by.kind === 'user') {
          const session = await sessions?.find(sessionSecretOf(request) ?? '');
          return callerIn(session, request).scopes.includes(scope);
        }
        const credentials = readBasicCredentials(headers.authorization);
        const found = credentials && (await keyring.authenticate(credentials));
        return found?.scopes.includes(scope) === true;
      } catch (error) {
        // A database that does not answer says nothing about the key.
        return !(error instanceof ApiError);
      }
    },
  };
}

/** The author of the changes that a request makes, for the audit log. */
export function authorOf({ by }: Pick<Caller, 'by'>, { ip, id }: FastifyRequest): Author {
  return { by, address: ip, requestId: id };
}

/** A user of the console who signs in, or changes their own account. */
export function userAuthor({ id, name }: { id: string; name: string }, request: FastifyRequest): Author {
  return authorOf({ by: { kind: 'user', id, name } }, request);
}

function lacks({ by, scopes: own }: Caller, scopes: readonly Scope[]): ApiError {
  const needed = scopes.join(' or ');
  return new ApiError('forbidden', {
    message:
      by.kind === 'key'
        ? `The API key lacks the permission that this call needs: ${needed}.`
        : `Your role in this app allows ${own.join(', ')}, but this call needs ${needed}.`,
  });
}

/** @throws {ApiError} `unauthorized` if the session has ended; `forbidden` if its user has no role in the app */
function callerIn(session: Session | undefined, { headers }: FastifyRequest): Caller {
  if (session === undefined) {
    throw new ApiError('unauthorized', { message: 'The session has ended; sign in again.' });
  }
  const appId = headers[APP_HEADER];
  const app = typeof appId === 'string' ? session.apps.get(appId) : undefined;
  if (app === undefined) {
    throw new ApiError('forbidden', { message: 'You have no role in an app with this id.' });
  }
  return app.caller;
}

/**
 * After too many failures from an address, unknown keys from there are refused without a lookup. Keys that this process
 * has served before still pass, because many callers may share the address of a proxy.
 */
async function authenticate(
  keyring: Keyring,
  limits: RateLimits,
  request: FastifyRequest,
  credentials: BasicCredentials | undefined,
): Promise<Caller> {
  if (credentials === undefined || !keyring.hasServed(credentials.key)) limits.refuseGuessing(request);
  const caller = credentials && (await keyring.authenticate(credentials));
  if (caller !== undefined) return caller;
  limits.countFailure(request);
  throw new ApiError('unauthorized');
}

export interface BasicCredentials {
  /** Empty, or the app's bundle id. */
  username: string;
  key: string;
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * RFC 7617: base64 of `<username>:<password>` in UTF-8; a username has no colon, a password may.
 * @returns undefined for anything else, including a missing header
 */
export function readBasicCredentials(authorization: string | undefined): BasicCredentials | undefined {
  const [, encoded] = BASIC.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  return { username: text.slice(0, colon), key: text.slice(colon + 1) };
}
