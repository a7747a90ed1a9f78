/** The header that shows a push service who sends (RFC 8292): a signed token for each origin, kept for hours. */
import { sign } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { signingKeyOf, type VapidCredentials } from './vapid-key.ts';

/** A service allows 24 hours, by its own clock. */
const LIFETIME_MS = 12 * 60 * 60_000;
/** Apple asks for at most one new token an hour. */
const RENEW_AFTER_MS = 6 * 60 * 60_000;
/** Tokens of this many origins are kept; UnifiedPush may have any number. */
const ORIGINS_MAX = 1_000;

export function openVapid(credentials: VapidCredentials, clock: Clock) {
  const key = signingKeyOf(credentials);
  const header = inBase64Url({ typ: 'JWT', alg: 'ES256' });
  const kept = new Map<string, { value: string; madeAt: number }>();
  return {
    /** The value of `Authorization` for requests to the origin. */
    authorizationFor(origin: string): string {
      const now = clock().getTime();
      const known = kept.get(origin);
      // A clock that was set back makes the age negative.
      if (known !== undefined && Math.abs(now - known.madeAt) < RENEW_AFTER_MS) return known.value;
      const exp = Math.floor((now + LIFETIME_MS) / 1_000);
      const text = `${header}.${inBase64Url({ aud: origin, exp, sub: credentials.subject })}`;
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString(
        'base64url',
      );
      const value = `vapid t=${text}.${signature}, k=${credentials.publicKey}`;
      kept.delete(origin);
      kept.set(origin, { value, madeAt: now });
      for (const oldest of kept.keys()) {
        if (kept.size <= ORIGINS_MAX) break;
        kept.delete(oldest);
      }
      return value;
    },
  };
}

function inBase64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
