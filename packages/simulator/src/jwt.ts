/** Parses and verifies the signed tokens of senders (JWT, RFC 7519, compact form). */
import { type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { readJson } from './read-json.ts';

const headerSchema = z.object({ alg: z.string(), kid: z.string().optional() });
/** The claims of the tokens for Apple and Google. Times are in seconds since 1970. */
export const issuedClaims = z.object({
  iss: z.string(),
  iat: z.number(),
  exp: z.number().optional(),
  aud: z.string().optional(),
  scope: z.string().optional(),
});

export interface Jwt<Claims> {
  header: z.infer<typeof headerSchema>;
  claims: Claims;
  signed: string;
  signature: Buffer;
}

/** Parses a token without verifying its signature; undefined if it is not a token with these claims. */
export function readJwt<Claims>(text: string, claimsSchema: z.ZodType<Claims>): Jwt<Claims> | undefined {
  const [headerText, claimsText, signatureText, ...rest] = text.split('.');
  if (headerText === undefined || claimsText === undefined || signatureText === undefined) return undefined;
  if (rest.length > 0) return undefined;
  const header = headerSchema.safeParse(readSegment(headerText));
  const claims = claimsSchema.safeParse(readSegment(claimsText));
  if (!header.success || !claims.success) return undefined;
  return {
    header: header.data,
    claims: claims.data,
    signed: `${headerText}.${claimsText}`,
    signature: Buffer.from(signatureText, 'base64url'),
  };
}

/** Whether the token names this algorithm and is signed with the key. */
export function isSignedBy(
  jwt: Omit<Jwt<unknown>, 'claims'>,
  algorithm: 'ES256' | 'RS256',
  publicKey: KeyObject,
): boolean {
  if (jwt.header.alg !== algorithm) return false;
  // A JWT's EC signature is two plain numbers, not ASN.1. RSA ignores the option.
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(jwt.signed), key, jwt.signature);
}

function readSegment(text: string): unknown {
  return readJson(Buffer.from(text, 'base64url').toString());
}
