/**
 * The public key that an app registers for a device, so that its back end can encrypt texts for it. It is sent and returned as
 * a JWK, and stored as one text, `<x>.<y>`.
 */
import { createPublicKey, hash } from 'node:crypto';
import { z } from 'zod';

/** 32 bytes in base64url. */
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;
const rule = 'must be a public key as JWK: {"kty": "EC", "crv": "P-256", "x": "…", "y": "…"}';
const coordinateRule = 'must be 32 bytes in base64url';
const coordinate = z.string(coordinateRule).regex(COORDINATE, coordinateRule);
const ignored = z.unknown().describe('Ignored.').optional();

/** As a request sends it; `exportKey('jwk', …)` of a browser and a device that was read have more members. */
export const sentEncryptionKey = z
  .strictObject(
    {
      kty: z.literal('EC', 'must be EC'),
      crv: z.literal('P-256', 'must be P-256'),
      x: coordinate,
      y: coordinate,
      d: z.never('must not be sent: it is the private key').optional(),
      kid: ignored,
      use: ignored,
      alg: ignored,
      ext: ignored,
      key_ops: ignored,
    },
    rule,
  )
  .refine(isOnCurve, 'must be a point of the curve P-256')
  .meta({ id: 'NewEncryptionKey' })
  .transform(({ x, y }) => `${canonical(x)}.${canonical(y)}`);

export const encryptionKeyReply = z
  .strictObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    kid: z
      .string()
      .describe('Its id: the thumbprint of RFC 7638. It is the key of its entry in `encrypted_texts`.'),
  })
  .meta({ id: 'EncryptionKey' });

/** @param stored `<x>.<y>` */
export function encryptionKeyFrom(stored: string): z.output<typeof encryptionKeyReply> {
  const [x = '', y = ''] = stored.split('.');
  return { kty: 'EC', crv: 'P-256', x, y, kid: keyIdOf(stored) };
}

/**
 * The thumbprint of a stored key (RFC 7638): SHA-256 of its required members in the order of their names.
 * @returns 43 characters of base64url
 */
export function keyIdOf(stored: string): string {
  const dot = stored.indexOf('.');
  const members = `{"crv":"P-256","kty":"EC","x":"${stored.slice(0, dot)}","y":"${stored.slice(dot + 1)}"}`;
  return hash('sha256', members, 'base64url');
}

function isOnCurve({ x, y }: { x: string; y: string }): boolean {
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** The last character has bits that do not count, and the thumbprint must not depend on them. */
function canonical(encoded: string): string {
  return Buffer.from(encoded, 'base64url').toString('base64url');
}
