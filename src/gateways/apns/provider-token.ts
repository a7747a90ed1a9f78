/**
 * The provider token: the JWT by which Apple knows the sender. One is shared by all requests of an app, in
 * both environments; Apple takes it for 20 to 60 minutes and punishes minting more often than every 20.
 */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import type { Clock } from '../../clock.ts';

export interface ApnsCredentials {
  /** Ten characters each, from Apple's developer account. */
  keyId: string;
  teamId: string;
  /** The text of the `.p8` file. */
  privateKey: string;
}

const RENEW_AFTER_MS = 45 * 60 * 1000;
const MINT_DISTANCE_MS = 20 * 60 * 1000;

export interface ProviderToken {
  /** A token that Apple should take, renewed well before its hour is over. */
  current(): string;
  /**
   * Apple called `token` expired (our clock and Apple's disagree): mints another unless that has been done.
   * @returns whether `current()` is now another token; false where another was minted for this cause less
   *   than 20 minutes ago
   */
  replace(token: string): boolean;
}

/** @throws {Error} a sentence, where the key is not one */
export function openProviderToken(credentials: ApnsCredentials, clock: Clock): ProviderToken {
  const key = parseApnsKey(credentials.privateKey);
  let token: { text: string; mintedAt: number } | undefined;
  let replacedAt = Number.NEGATIVE_INFINITY;

  function mint(now: number): { text: string; mintedAt: number } {
    token = { text: signToken(key, credentials, Math.floor(now / 1000)), mintedAt: now };
    return token;
  }

  return {
    current() {
      const now = clock().getTime();
      return (token === undefined || now - token.mintedAt >= RENEW_AFTER_MS ? mint(now) : token).text;
    },
    replace(refused) {
      if (token === undefined || token.text !== refused) return true; // another request was faster
      const now = clock().getTime();
      if (now - replacedAt < MINT_DISTANCE_MS) return false;
      replacedAt = now;
      mint(now);
      return true;
    },
  };
}

/**
 * Reads the text of Apple's `.p8` file.
 * @throws {Error} a plain sentence, without any part of the key
 */
export function parseApnsKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error('The APNs key is not a private key in PEM format; use the .p8 file as Apple gave it.');
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Error('The APNs key is not an elliptic-curve key on P-256; use the .p8 file as Apple gave it.');
  }
  return key;
}

function signToken(key: KeyObject, { keyId, teamId }: ApnsCredentials, issuedAtSeconds: number): string {
  const header = base64url({ alg: 'ES256', kid: keyId });
  const claims = base64url({ iss: teamId, iat: issuedAtSeconds });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' });
  return `${header}.${claims}.${signature.toString('base64url')}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
