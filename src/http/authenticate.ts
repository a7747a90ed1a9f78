/**
 * Turns the credentials of a request into an app and the permissions of its key. This happens before the body is read, so
 * a caller gets 401 or 403 before any error about the body.
 */
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify';
import type { AuthenticatedKey, Scope } from '../apps/api-keys.ts';
import type { Keyring } from '../apps/keyring.ts';
import { ApiError } from '../errors.ts';
import { toApiError } from './error-reply.ts';
import type { RateLimits } from './rate-limit/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the key is checked, and for calls that need none. */
    caller: AuthenticatedKey | null;
  }
}

export interface Authentication {
  /** A hook for `onRequest`: 429 past a limit, 401 without a valid key, 403 if the key has none of the scopes. */
  require(...scopes: readonly Scope[]): onRequestHookHandler;
  /** @returns the key of the request. @throws {Error} if the route does not `require` a key */
  callerOf(request: FastifyRequest): AuthenticatedKey;
}

/** Nearly every key is known from a call within the last two seconds. Then nothing is awaited, which costs less. */
export function makeAuthentication(
  server: FastifyInstance,
  keyring: Keyring,
  limits: RateLimits,
): Authentication {
  server.decorateRequest('caller', null);
  return {
    require: (...scopes) => {
      const admit = (request: FastifyRequest, caller: AuthenticatedKey): void => {
        limits.countKey(caller.keyId);
        if (!scopes.some((scope) => caller.scopes.includes(scope))) {
          throw new ApiError('forbidden', {
            message: `The API key lacks the permission that this call needs: ${scopes.join(' or ')}.`,
          });
        }
        request.caller = caller;
      };
      const lookUp = async (
        request: FastifyRequest,
        credentials: BasicCredentials | undefined,
        done: HookHandlerDoneFunction,
      ): Promise<void> => {
        try {
          admit(request, await authenticate(keyring, limits, request, credentials));
        } catch (error) {
          done(toApiError(error));
          return;
        }
        done();
      };
      return (request, _reply, done) => {
        try {
          limits.countAddress(request);
          const credentials = readBasicCredentials(request.headers.authorization);
          const known = credentials && keyring.recall(credentials);
          if (known === undefined) {
            void lookUp(request, credentials, done);
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
    callerOf: ({ caller }) => {
      if (caller === null) throw new Error('the route requires no API key');
      return caller;
    },
  };
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
): Promise<AuthenticatedKey> {
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
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * RFC 7617: base64 of `<username>:<password>` in UTF-8; a username has no colon, a password may.
 * @returns undefined for anything else, including a missing header
 */
export function readBasicCredentials(authorization: string | undefined): BasicCredentials | undefined {
  const [, encoded] = BASIC.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = decode(Buffer.from(encoded, 'base64'));
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  return { username: text.slice(0, colon), key: text.slice(colon + 1) };
}

/** @returns '' for bytes that are not UTF-8; it has no colon, so it counts as no credentials */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return '';
  }
}
