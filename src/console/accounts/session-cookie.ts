/**
 * The cookie of a session. Over TLS it is `__Host-carillon`, which no other host and no page without TLS can set. Without TLS
 * it has a plain name, and only browsers on the same machine get it.
 */
import { ApiError } from '../../api/errors.ts';

const SECURE_PREFIX = '__Host-';
const NAME = 'carillon';
const SECRET = /^[\w-]{43}$/;
const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** The parts of a request that cookies depend on. */
export interface BrowserRequest {
  /** The host that the browser has called; behind a trusted proxy, from `X-Forwarded-Host`. */
  host: string;
  protocol: string;
  headers: { cookie?: string | undefined; origin?: string | undefined };
}

/** @returns the secret of the session; undefined if the request has no such cookie */
export function sessionSecretOf(request: BrowserRequest): string | undefined {
  const secret = readNamedCookie(request, NAME);
  return secret !== undefined && SECRET.test(secret) ? secret : undefined;
}

/** @returns the value of a cookie that `namedCookie` has set */
export function readNamedCookie(request: BrowserRequest, name: string): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  // A page of a sibling domain could set the plain name over TLS.
  return (
    readCookie(cookie, SECURE_PREFIX + name) ??
    (isLoopback(request.host) ? readCookie(cookie, name) : undefined)
  );
}

/** @throws {ApiError} `forbidden` if the cookie could be read on the way */
export function refuseReadableCookies(request: BrowserRequest): void {
  if (isSecure(request) || isLoopback(request.host)) return;
  throw new ApiError('forbidden', {
    message:
      'Signing in needs HTTPS, because others could read the session on the way: use an https:// address, or localhost.',
  });
}

/** The value of `Set-Cookie` for a new session. It has no expiry of its own: the server knows when the session ends. */
export function sessionCookie(request: BrowserRequest, secret: string): string {
  return namedCookie(request, NAME, secret, 'SameSite=Strict');
}

/** The value of `Set-Cookie` that removes the cookie. */
export function noSessionCookie(request: BrowserRequest): string {
  return namedCookie(request, NAME, '', 'SameSite=Strict; Max-Age=0');
}

/** The value of `Set-Cookie`. Over TLS the name gets the prefix `__Host-`. */
export function namedCookie(
  request: BrowserRequest,
  name: string,
  value: string,
  attributes: string,
): string {
  const common = `Path=/; HttpOnly; ${attributes}`;
  return isSecure(request)
    ? `${SECURE_PREFIX}${name}=${value}; Secure; ${common}`
    : `${name}=${value}; ${common}`;
}

/** If TLS ends at a proxy that is not trusted (`TRUST_PROXY`), only the `Origin` of the browser shows that there was TLS. */
function isSecure({ protocol, headers }: BrowserRequest): boolean {
  return protocol === 'https' || headers.origin?.startsWith('https://') === true;
}

/** @returns the first value of that name, as RFC 6265 (5.4) orders cookies */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** Whether a host, with or without a port, is this machine itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
