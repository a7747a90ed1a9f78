/**
 * The OAuth access token by which Google knows the sender: fetched with the service account's key for the
 * messaging scope alone, shared by all requests, renewed ahead of its end.
 */
import { Agent } from 'node:https';
import { JWT } from 'google-auth-library';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { clockAheadMs } from '../clock-ahead.ts';
import { trustAlso } from '../../http2-client/socket.ts';
import type { FcmCredentials } from './service-account.ts';

export interface AccessTokenOptions {
  credentials: FcmCredentials;
  /** Where Google's `/token` is; only the origin counts. */
  oauthUrl: string;
  ca: string | undefined;
  clock: Clock;
}

/** `refused`: Google does not know the account or its key; `clock`: or its clock and ours disagree. `unavailable`: worth another try. */
export type AccessGrant =
  | { kind: 'granted'; token: string }
  | { kind: 'refused'; reason: string; clock?: { aheadMs: number } }
  | { kind: 'unavailable'; reason: string };

export interface AccessToken {
  /** A promise only where Google has to be asked; never rejects. Callers at the same time share one request. */
  get(): AccessGrant | Promise<AccessGrant>;
  /** FCM answered 401 to `token`: the next `get` fetches another, unless that has been done. */
  discard(token: string): void;
  close(): void;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT_TIMEOUT_MS = 10_000;
/** A token lives an hour; five minutes before its end another is fetched. */
const RENEW_AHEAD_MS = 5 * 60 * 1000;

/** What a failed grant looks like; `data.error` is OAuth's own code (RFC 6749, section 5.2). */
const grantFailure = z.object({
  response: z.object({
    status: z.number(),
    headers: z.instanceof(Headers).optional().catch(undefined),
    data: z.object({ error: z.string() }).optional().catch(undefined),
  }),
});

export function openAccessToken(options: AccessTokenOptions): AccessToken {
  const { credentials, oauthUrl, ca, clock } = options;
  const agent = new Agent(ca === undefined ? {} : { secureContext: trustAlso(ca) });
  let held: { grant: AccessGrant & { kind: 'granted' }; renewAt: number } | undefined;
  let asking: Promise<AccessGrant> | undefined;

  async function askGoogle(): Promise<AccessGrant> {
    // A client for each grant: it would answer a second call from a cache of its own, and by its own clock.
    const client = new JWT({
      email: credentials.client_email,
      key: credentials.private_key,
      scopes: [SCOPE],
      transporterOptions: {
        agent,
        timeout: GRANT_TIMEOUT_MS,
        retryConfig: { retry: 0 }, // whoever sends the push retries, with backoff
        // The library knows one address only; this is its way in for another.
        adapter: (request, send) => send({ ...request, url: new URL(request.url.pathname, oauthUrl) }),
      },
    });
    try {
      const { access_token: token, expiry_date: expiresAt } = await client.authorize();
      if (typeof token !== 'string' || typeof expiresAt !== 'number') {
        return { kind: 'unavailable', reason: 'Google answered without an access token' };
      }
      held = { grant: { kind: 'granted', token }, renewAt: expiresAt - RENEW_AHEAD_MS };
      return held.grant;
    } catch (error) {
      return grantOf(error, clock());
    }
  }

  return {
    get() {
      if (held !== undefined && clock().getTime() < held.renewAt) return held.grant;
      asking ??= askGoogle().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    discard(token) {
      if (held?.grant.token === token) held = undefined;
    },
    close() {
      agent.destroy();
    },
  };
}

function grantOf(error: unknown, now: Date): AccessGrant {
  const failure = grantFailure.safeParse(error);
  if (!failure.success)
    return { kind: 'unavailable', reason: 'the Google access token could not be fetched' };
  const { status, headers, data } = failure.data.response;
  const reason = `Google access token: ${data?.error ?? `HTTP ${status}`}`;
  if (status !== 400 && status !== 401 && status !== 403) return { kind: 'unavailable', reason };
  // What we sign says from when until when it holds: with a wrong clock that is another time than Google's.
  const aheadMs = clockAheadMs(headers?.get('date'), now);
  return { kind: 'refused', reason, ...(aheadMs !== null && { clock: { aheadMs } }) };
}
