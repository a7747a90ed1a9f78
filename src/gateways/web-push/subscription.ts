/**
 * A subscription of Web Push, as a browser's `PushSubscription.toJSON()` has it. Its endpoint is the push token of the device;
 * its keys are stored as one text, `<p256dh>.<auth>`.
 */
import { createPublicKey } from 'node:crypto';

/** The endpoint is in a unique index, which holds up to some 2,700 bytes. */
const ENDPOINT_CHARACTERS_MAX = 2_048;
/** An uncompressed point of P-256: 4, then both coordinates. */
const PUBLIC_KEY_BYTES = 65;
const COORDINATE_BYTES = 32;
const SECRET_BYTES = 16;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** What Edge on Android and browsers without Google's services hand out: nobody answers there. */
const REMOVED_HOST = 'permanently-removed.invalid';

/** @returns what is wrong with the endpoint, as the end of a sentence that begins with its name; undefined: nothing */
export function endpointFault(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null || !/^[!-~]+$/.test(endpoint)) return 'must be the address that the browser gave';
  if (url.hostname === REMOVED_HOST) {
    return `is on ${REMOVED_HOST}: this browser cannot be reached by Web Push, so do not register it`;
  }
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not have a user or a password';
  if (endpoint.includes('#')) return 'must not have a fragment (#…)';
  // The origin is signed as it is written, so it must be written as the push service writes it.
  if (!endpoint.startsWith(`${url.origin}/`)) return `must begin with ${url.origin}/, as the browser gave it`;
  if (endpoint.length > ENDPOINT_CHARACTERS_MAX)
    return `must have at most ${ENDPOINT_CHARACTERS_MAX} characters`;
  return undefined;
}

/** Whether it is a public key of P-256 in base64url; a point that is not on the curve would leak the private key (RFC 8291, 7). */
export function isPublicKey(text: string): boolean {
  const point = bytesOf(text);
  if (point?.length !== PUBLIC_KEY_BYTES || point[0] !== 4) return false;
  const x = point.subarray(1, 1 + COORDINATE_BYTES).toString('base64url');
  const y = point.subarray(1 + COORDINATE_BYTES).toString('base64url');
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

export function isSecret(text: string): boolean {
  return bytesOf(text)?.length === SECRET_BYTES;
}

/** @param keys that have passed `isPublicKey` and `isSecret`, in base64 or base64url */
export function joinedKeys(keys: { p256dh: string; auth: string }): string {
  return [keys.p256dh, keys.auth].map((text) => Buffer.from(text, 'base64').toString('base64url')).join('.');
}

function bytesOf(text: string): Buffer | undefined {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}
