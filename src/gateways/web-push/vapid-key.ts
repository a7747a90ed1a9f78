/** The key pair by which the push services know an app (VAPID, RFC 8292), in the form in which others have it: two texts of base64url. */
import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';

/** The browsers subscribe with the public key, so it cannot be replaced without each of them subscribing again. */
export interface VapidCredentials {
  /** 32 bytes. */
  privateKey: string;
  /** 65 bytes: an uncompressed point of P-256. */
  publicKey: string;
  /** Whom a push service asks about our pushes: `mailto:` or `https:`. */
  subject: string;
  /** Where a click on a notification without a `url` leads; null: the service worker decides. */
  url: string | null;
}

const CURVE = 'prime256v1';
const PRIVATE_KEY_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Apple refuses spaces, brackets and `localhost`. */
const MAILTO = /^mailto:[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/;

export function makeVapidKey(): Pick<VapidCredentials, 'privateKey' | 'publicKey'> {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return keyPairOf(pair.getPrivateKey());
}

/**
 * @param given the private key of another service (32 bytes in base64url), and its public key, if it is known
 * @throws {Error} a plain sentence without any part of the key
 */
export function readVapidKey(
  given: string,
  publicKey?: string,
): Pick<VapidCredentials, 'privateKey' | 'publicKey'> {
  const text = given.trim();
  const bytes = BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (bytes.length !== PRIVATE_KEY_BYTES) {
    throw new Error(
      'The private key must be 32 bytes in base64url, 43 characters, as web-push and OneSignal have it.',
    );
  }
  let pair: ReturnType<typeof keyPairOf>;
  try {
    pair = keyPairOf(bytes);
  } catch {
    throw new Error('The private key is no private key of the curve P-256.');
  }
  const expected =
    publicKey === undefined ? undefined : Buffer.from(publicKey.trim(), 'base64').toString('base64url');
  if (expected !== undefined && expected !== pair.publicKey) {
    throw new Error('The public key does not belong to the private key.');
  }
  return pair;
}

/** @throws {Error} a plain sentence */
export function checkVapidSubject(subject: string): void {
  const url = URL.parse(subject);
  const isAddress = url?.protocol === 'https:' && url.hostname !== 'localhost';
  if (!isAddress && !(MAILTO.test(subject) && !subject.endsWith('@localhost'))) {
    throw new Error(
      'The subject must be mailto: and an e-mail address, or an https address, where push services can ask about pushes.',
    );
  }
}

/** @throws {Error} a plain sentence */
export function checkDefaultUrl(url: string): void {
  if (URL.parse(url)?.protocol !== 'https:') throw new Error('The url must be an https address.');
}

/** For signing. */
export function signingKeyOf({ privateKey, publicKey }: VapidCredentials): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey }, format: 'jwk' });
}

function keyPairOf(privateKey: Buffer): { privateKey: string; publicKey: string } {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(privateKey);
  return {
    privateKey: privateKey.toString('base64url'),
    publicKey: pair.getPublicKey().toString('base64url'),
  };
}
