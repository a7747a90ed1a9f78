/** Reads the keys that check user tokens. The algorithm belongs to the key: the header of a token does not choose it. */
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { isJsonObject, parseBy } from '../../api/parse.ts';
import { invalidRequest } from '../../api/errors.ts';

export const algorithms = ['ES256', 'EdDSA', 'HS256'] as const;
export type Algorithm = (typeof algorithms)[number];

/** RFC 7518, 3.2: as long as the hash. */
const SECRET_BYTES_MIN = 32;
const KEY_CHARACTERS_MAX = 4_096;
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const KEY_ID_RULE = 'must be 1 to 64 letters, digits, dots, hyphens and underscores';

const KEY_RULES: Readonly<Record<Algorithm, string>> = {
  ES256: 'must be a public key of the curve P-256, as PEM or JWK',
  EdDSA: 'must be an Ed25519 public key, as PEM or JWK',
  HS256: `must be a secret of at least ${SECRET_BYTES_MIN} bytes, in base64`,
};

export const identityKeyBody = z
  .strictObject({
    identity_key: z
      .strictObject({
        key_id: z
          .string(KEY_ID_RULE)
          .regex(KEY_ID, KEY_ID_RULE)
          .describe('The `kid` in the header of its tokens. A key with the same id is replaced.'),
        algorithm: z.enum(algorithms, `must be one of ${algorithms.join(', ')}`),
        key: z
          .string('must be text')
          .max(KEY_CHARACTERS_MAX, `must be at most ${KEY_CHARACTERS_MAX} characters`)
          .describe(
            `ES256 and EdDSA: the public key (P-256, Ed25519), as PEM or JWK. HS256: a secret of at least ${SECRET_BYTES_MIN} bytes, in base64.`,
          ),
      })
      .meta({ id: 'NewIdentityKey' }),
  })
  .meta({ id: 'StoreIdentityKey' });

export type NewIdentityKey = z.output<typeof identityKeyBody>['identity_key'];

/** @throws {ApiError} `invalid_request`; no message contains any part of the key */
export function parseIdentityKeyBody(body: unknown): NewIdentityKey {
  const parsed = parseBy(identityKeyBody, body).identity_key;
  if (keyFrom(parsed) === undefined) {
    throw invalidRequest([{ path: 'identity_key.key', message: KEY_RULES[parsed.algorithm] }]);
  }
  return parsed;
}

/** @returns undefined if the key does not fit its algorithm */
export function keyFrom({
  algorithm,
  key,
}: Pick<NewIdentityKey, 'algorithm' | 'key'>): KeyObject | undefined {
  return algorithm === 'HS256' ? secretFrom(key.trim()) : publicKeyFrom(algorithm, key.trim());
}

/** Only base64, so that the text of a public key is never taken for a secret. */
function secretFrom(text: string): KeyObject | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length < SECRET_BYTES_MIN ? undefined : createSecretKey(bytes);
}

/** A private key is refused: it must not leave the back end. */
function publicKeyFrom(algorithm: 'ES256' | 'EdDSA', text: string): KeyObject | undefined {
  if (text.includes('PRIVATE KEY')) return undefined;
  try {
    const jwk: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
    if (isJsonObject(jwk) && 'd' in jwk) return undefined;
    const key = createPublicKey(isJsonObject(jwk) ? { key: jwk, format: 'jwk' } : text);
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
    const fits =
      algorithm === 'EdDSA' ? type === 'ed25519' : type === 'ec' && details?.namedCurve === 'prime256v1';
    return fits ? key : undefined;
  } catch {
    return undefined;
  }
}
