/** The id that a request is known by: in its reply, in the log, and in whatever called us. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What is taken over from a caller ends up in logs and headers: visible, short, nothing to escape. */
const SANE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** @returns the caller's `x-request-id` where it is sane, else a new UUID */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}
