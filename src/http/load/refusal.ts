/** The refusal of a request while there is too much load. */
import { ApiError } from '../../api/errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** Probes and metrics must work under load. The API document and its page cost next to nothing. */
const NEVER_SHED: ReadonlySet<string | undefined> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
]);

/** @param route undefined: no call has the address */
export function isNeverShed(route: string | undefined): boolean {
  return NEVER_SHED.has(route);
}

/** @param why the beginning of the sentence. @returns the 503 for a request that was not begun */
export function overloaded(why: string): ApiError {
  return new ApiError('unavailable', {
    message: `${why}; nothing was done; try again shortly.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
