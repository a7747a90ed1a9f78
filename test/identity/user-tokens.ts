/** Keys of a back end, and user tokens as a back end or a forger makes them. */
import { createHmac, type KeyObject, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';

export const HOUR_SECONDS = 60 * 60;

export function publicPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

export const newKeys = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

export function newSecret(bytes = 32): Buffer {
  return randomBytes(bytes);
}

/** Claims of a good token; `undefined` leaves one out. */
export function claimsOf(bundleId: string, userId: unknown, nowMs: number, others: object = {}): object {
  const now = Math.floor(nowMs / 1_000);
  return { sub: userId, aud: bundleId, iat: now, exp: now + HOUR_SECONDS, jti: randomUUID(), ...others };
}

export type Signer = (signed: string) => Buffer;

export const signers = {
  es256: (key: KeyObject): Signer => {
    return (signed) => sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  },
  /** As OpenSSL writes a signature of its own accord, which a JWT does not have. */
  es256AsDer: (key: KeyObject): Signer => {
    return (signed) => sign('sha256', Buffer.from(signed), key);
  },
  eddsa: (key: KeyObject): Signer => {
    return (signed) => sign(null, Buffer.from(signed), key);
  },
  rs256: (key: KeyObject): Signer => {
    return (signed) => sign('sha256', Buffer.from(signed), key);
  },
  hs256: (secret: string | Buffer): Signer => {
    return (signed) => createHmac('sha256', secret).update(signed).digest();
  },
  bytes: (bytes: Buffer): Signer => {
    return () => bytes;
  },
};

/** @param header,claims objects, or JSON as text where it is not what `JSON.stringify` writes */
export function tokenOf(header: object | string, claims: object | string, signer: Signer): string {
  const signed = [header, claims]
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .map((json) => Buffer.from(json).toString('base64url'))
    .join('.');
  return `${signed}.${signer(signed).toString('base64url')}`;
}
