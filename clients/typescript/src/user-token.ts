/** User tokens: a back end vouches for the user of a phone (docs/connect.md, "Prove the user"). */
import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';

export interface UserTokenOptions {
  /** The `user_id`. */
  userId: string;
  /** The `user_email`, if the app uses it. */
  email?: string;
  /** The bundle id of the app. */
  app: string;
  /** The id under which the server has the key. */
  keyId: string;
  algorithm: 'ES256' | 'EdDSA' | 'HS256';
  /** The private key (PEM), or the secret of HS256 as bytes. */
  key: string | Uint8Array | KeyObject;
  /** For how long the token is good, an hour by default, 24 hours at most. */
  expiresInSeconds?: number;
  /** The only push token with which it may be used. */
  pushToken?: string;
}

/** @returns the token that a phone sends as `user_token`. @throws {Error} if the key does not fit the algorithm */
export function signUserToken(options: UserTokenOptions): string {
  const { userId, email, app, keyId, algorithm, key, expiresInSeconds = 3_600, pushToken } = options;
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    sub: userId,
    aud: app,
    iat: now,
    exp: now + expiresInSeconds,
    email,
    push_token: pushToken,
  };
  const signed = [{ alg: algorithm, typ: 'JWT', kid: keyId }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${signatureOf(signed, algorithm, key).toString('base64url')}`;
}

function signatureOf(
  signed: string,
  algorithm: UserTokenOptions['algorithm'],
  key: UserTokenOptions['key'],
): Buffer {
  if (algorithm === 'HS256') {
    if (typeof key === 'string') throw new Error('the secret of HS256 is bytes: Buffer.from(text, "base64")');
    return createHmac('sha256', key).update(signed).digest();
  }
  const privateKey =
    typeof key === 'string' || key instanceof Uint8Array ? createPrivateKey(Buffer.from(key)) : key;
  const isEc = algorithm === 'ES256';
  if (privateKey.asymmetricKeyType !== (isEc ? 'ec' : 'ed25519')) {
    throw new Error(`the key does not fit ${algorithm}`);
  }
  return sign(isEc ? 'sha256' : null, Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
}
