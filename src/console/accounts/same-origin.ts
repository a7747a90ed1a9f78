/**
 * Refuses requests that another site makes in the name of a signed-in user. Browsers state where a request comes from in
 * `Sec-Fetch-Site` or, older ones and those without TLS, in `Origin`; pages cannot change either.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../api/errors.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** @throws {ApiError} `forbidden` unless the method is safe or the request comes from a page of the same origin */
export function refuseOtherOrigins(request: {
  method: string;
  host: string;
  headers: IncomingHttpHeaders;
}): void {
  if (SAFE_METHODS.has(request.method) || isSameOrigin(request)) return;
  throw new ApiError('forbidden', {
    message:
      'A request with the cookie of a session must come from a page of the same origin. Programs use an API key instead.',
  });
}

function isSameOrigin({ host, headers }: { host: string; headers: IncomingHttpHeaders }): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return origin !== undefined && URL.parse(origin)?.host === host.toLowerCase();
}
