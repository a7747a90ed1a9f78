/** Signed tokens (RFC 7519, compact form) as Apple and Google take them: read first, verified when the key is known. */
import { type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { readJson } from './read-json.ts';

const headerSchema = z.object({ alg: z.string(), kid: z.string().optional() });
const claimsSchema = z.object({
  iss: z.string(),
  iat: z.number(),
  exp: z.number().optional(),
  aud: z.string().optional(),
  scope: z.string().optional(),
});

export interface Jwt {
  header: z.infer<typeof headerSchema>;
  /** Times are in seconds since 1970. */
  claims: z.infer<typeof claimsSchema>;
  signed: string;
  signature: Buffer;
}

/** Takes a token apart without judging its signature; undefined where it is no token with `iss` and `iat`. */
export function readJwt(text: string): Jwt | undefined {
  const [headerText, claimsText, signatureText, ...rest] = text.split('.');
  if (headerText === undefined || claimsText === undefined || signatureText === undefined) return undefined;
  if (rest.length > 0) return undefined;
  const header = headerSchema.safeParse(readPart(headerText));
  const claims = claimsSchema.safeParse(readPart(claimsText));
  if (!header.success || !claims.success) return undefined;
  return {
    header: header.data,
    claims: claims.data,
    signed: `${headerText}.${claimsText}`,
    signature: Buffer.from(signatureText, 'base64url'),
  };
}

/** Whether the token names this algorithm and the key's owner signed it. */
export function isSignedBy(jwt: Jwt, algorithm: 'ES256' | 'RS256', publicKey: KeyObject): boolean {
  if (jwt.header.alg !== algorithm) return false;
  // An EC signature inside a token is the two bare numbers; RSA takes no notice.
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(jwt.signed), key, jwt.signature);
}

function readPart(text: string): unknown {
  return readJson(Buffer.from(text, 'base64url').toString());
}
