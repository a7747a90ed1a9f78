/**
 * The OAuth access token that identifies the sender to Google. All requests share it; it is renewed before it expires.
 */
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { proxyFailureIn } from '../../proxy/tunnel.ts';
import { withinTime } from '../../scheduling/time-limit.ts';
import { clockAheadMs } from '../clock-ahead.ts';
import { retryAfterMs } from '../retry-after.ts';
import { retryDelayMs } from '../retry-delay.ts';
import { type GoogleAddresses, GoogleAgent, isGooglesOauth } from './google-agent.ts';
import { type GoogleCredential, openGoogleCredential } from './google-credential.ts';
import type { FcmCredentials } from './service-account.ts';

interface AccessTokenOptions extends GoogleAddresses {
  credentials: FcmCredentials;
  clock: Clock;
  /** Whether firebase-admin's `cert` is used for a key; by default wherever possible. */
  isGoogle?: boolean;
}

/**
 * - `refused`: Google does not accept the account or its key; `clock` is set if Google's clock and ours disagree.
 * - `unavailable`: no token could be fetched now; worth another try, after `afterMs` if Google asks for a wait.
 */
export type AccessGrant =
  | { kind: 'granted'; token: string }
  | { kind: 'refused'; reason: string; clock?: { aheadMs: number } }
  | { kind: 'unavailable'; reason: string; afterMs: number | null };

export type AccessToken = ReturnType<typeof openAccessToken>;

const GRANT_TIMEOUT_MS = 10_000;
/** google-auth-library renews the token of the process only in its last five minutes, so we must not ask earlier. */
const RENEW_AHEAD_MS = 4 * 60 * 1000;
/** The shortest time between two renewals because of a 401. */
const DISCARD_DISTANCE_MS = 60_000;

/** The error of a refused grant; `data.error` is OAuth's code (RFC 6749, section 5.2). */
const grantFailure = z.object({
  response: z.object({
    status: z.number(),
    headers: z.custom<Pick<Headers, 'get'>>(hasGet).optional().catch(undefined),
    data: z.object({ error: z.string() }).optional().catch(undefined),
  }),
});

/** Google's libraries use `node-fetch`, whose headers are of another class than the global `Headers`. */
function hasGet(headers: unknown): boolean {
  return headers instanceof Object && 'get' in headers && typeof headers.get === 'function';
}

export function openAccessToken({ credentials, clock, isGoogle, ...addresses }: AccessTokenOptions) {
  const agent = new GoogleAgent(addresses);
  let credential: GoogleCredential | undefined;
  let held: { grant: AccessGrant & { kind: 'granted' }; renewAtMs: number } | undefined;
  let fetching: Promise<AccessGrant> | undefined;
  /** The last failure, and the time from `fromMs` to `untilMs` in which it is the answer. */
  let failed: { grant: AccessGrant; fromMs: number; untilMs: number } | undefined;
  let failures = 0;
  let discardedAtMs = -Infinity;

  async function fetchToken(): Promise<AccessGrant> {
    try {
      credential ??= await openGoogleCredential(credentials, agent, isGoogle ?? isGooglesOauth(addresses));
      const { access_token: token, expires_in: seconds } = await withinTime(
        GRANT_TIMEOUT_MS,
        credential.getAccessToken(),
      );
      const renewAtMs = clock().getTime() + seconds * 1000 - RENEW_AHEAD_MS;
      held = { grant: { kind: 'granted', token }, renewAtMs };
      failures = 0;
      return held.grant;
    } catch (error) {
      const now = clock();
      const grant = failedGrant(error, credentials, now);
      failures += 1;
      const askedMs = grant.kind === 'unavailable' ? grant.afterMs : null;
      const fromMs = now.getTime();
      failed = { grant, fromMs, untilMs: fromMs + retryDelayMs('oauth', failures, askedMs, Math.random) };
      return grant;
    }
  }

  return {
    /**
     * Returns a promise only if a token has to be fetched; it never rejects. Concurrent callers share one request, and
     * after a failure all get the same answer for a growing time, because thousands of pushes may ask.
     */
    get(): AccessGrant | Promise<AccessGrant> {
      const nowMs = clock().getTime();
      if (held !== undefined && nowMs < held.renewAtMs) return held.grant;
      if (failed !== undefined && nowMs >= failed.fromMs && nowMs < failed.untilMs) return failed.grant;
      fetching ??= fetchToken().finally(() => {
        fetching = undefined;
      });
      return fetching;
    },
    /**
     * To be called when FCM answers 401 to `token`: the next `get` fetches another, unless a newer token has been
     * fetched, or another one was refused less than a minute ago. With the identity of the process, it returns the same
     * token until that expires.
     */
    discard(token: string): void {
      const sinceMs = clock().getTime() - discardedAtMs;
      if (held?.grant.token !== token || (sinceMs >= 0 && sinceMs < DISCARD_DISTANCE_MS)) return;
      discardedAtMs = clock().getTime();
      held = undefined;
      credential?.discard();
    },
    close(): void {
      agent.destroy();
    },
  };
}

/** @param error the error that `getAccessToken` of a credential threw */
export function failedGrant(
  error: unknown,
  credentials: FcmCredentials,
  now: Date,
): Exclude<AccessGrant, { kind: 'granted' }> {
  const failure = grantFailure.safeParse(error);
  if (!failure.success) {
    const by = 'application_default' in credentials ? ' with the application default credentials' : '';
    const proxyFailure = proxyFailureIn(error);
    const why = proxyFailure === undefined ? '' : `: ${proxyFailure}`;
    return {
      kind: 'unavailable',
      reason: `the Google access token could not be fetched${by}${why}`,
      afterMs: null,
    };
  }
  const { status, headers, data } = failure.data.response;
  const reason = `Google access token: ${data?.error ?? `HTTP ${status}`}`;
  if (status !== 400 && status !== 401 && status !== 403) {
    const asked = headers?.get('retry-after') ?? undefined;
    return { kind: 'unavailable', reason, afterMs: retryAfterMs({ 'retry-after': asked }, now) };
  }
  // A signed grant states when it is valid, so Google refuses it if the clock of this machine is wrong.
  const aheadMs = clockAheadMs(headers?.get('date'), now);
  return { kind: 'refused', reason, ...(aheadMs !== null && { clock: { aheadMs } }) };
}
