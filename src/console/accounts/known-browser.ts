/**
 * Recognises, by a separate cookie, browsers in which a user has signed in before. Guesses from elsewhere do not lock
 * the user out there (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretKey } from '../../apps/seal.ts';
import { type BrowserRequest, namedCookie, readNamedCookie } from './session-cookie.ts';

const COOKIE = 'carillon-known';
const MAX_AGE_S = 180 * 24 * 3_600;
const ID_BYTES = 16;
const VALUE = /^([\w-]{22})\.([\w-]{43})$/;

export function openKnownBrowsers({ current, previous }: SecretKey) {
  /** @returns the id of the browser; undefined if nobody has signed in there with this name */
  const idOf = (request: BrowserRequest, name: string): string | undefined => {
    const [, id, proof] = VALUE.exec(readNamedCookie(request, COOKIE) ?? '') ?? [];
    if (id === undefined || proof === undefined) return undefined;
    const keys = previous === undefined ? [current] : [current, previous];
    return keys.some((key) => isSame(proof, proofOf(key, id, name))) ? id : undefined;
  };
  return {
    idOf,
    /** The value of `Set-Cookie` after a sign-in. A browser that is known keeps its id. */
    cookieFor: (request: BrowserRequest, name: string): string => {
      const id = idOf(request, name) ?? randomBytes(ID_BYTES).toString('base64url');
      const attributes = `SameSite=Strict; Max-Age=${MAX_AGE_S}`;
      return namedCookie(request, COOKIE, `${id}.${proofOf(current, id, name)}`, attributes);
    },
  };
}

function proofOf(key: KeyObject, id: string, name: string): string {
  const folded = name.normalize('NFKC').toLowerCase();
  return createHmac('sha256', key).update(`known browser ${id} ${folded}`).digest('base64url');
}

function isSame(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
