/**
 * Checks who sends a push (VAPID, RFC 8292). Stricter than the RFC, as some services are: the header and a subject are required.
 * A token's signature is verified once, and its times with every request.
 */
import { z } from 'zod';
import { isSignedBy, readJwt } from '../jwt.ts';
import { publicKeyOf } from './subscriptions.ts';
import { refuse, type WebRefusal } from './refusals.ts';

/** A sender whose token is valid. */
export interface VapidSender {
  /** 65 bytes in base64url. */
  publicKey: string;
  subject: string;
}

export interface Vapid {
  /** @param origin the origin of the endpoint, with its port, for which the token must be */
  check(authorization: string | undefined, origin: string): VapidSender | WebRefusal;
}

const claimsSchema = z.object({
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  sub: z.string().optional(),
});
type Verified = VapidSender & Pick<z.infer<typeof claimsSchema>, 'aud' | 'exp'>;

const EXPIRY_MAX_SECONDS = 86_400;
const VERIFIED_MAX = 1000;

export function createVapid(clock: () => Date): Vapid {
  const verified = new Map<string, Verified>();
  return {
    check: (authorization, origin) => {
      if (authorization === undefined) return refuse('MissingVapid', 'The authorization header is missing.');
      let sender = verified.get(authorization);
      if (sender === undefined) {
        const verifying = verify(authorization);
        if ('reason' in verifying) return verifying;
        if (verified.size >= VERIFIED_MAX) verified.clear();
        verified.set(authorization, (sender = verifying));
      }
      const { aud, exp } = sender;
      if (![aud].flat().includes(origin)) return refuse('BadVapid', `The audience is not ${origin}.`);
      const secondsLeft = exp - clock().getTime() / 1000;
      if (secondsLeft <= 0) return refuse('BadVapid', 'The token has expired.');
      if (secondsLeft > EXPIRY_MAX_SECONDS)
        return refuse('BadVapid', 'The token is valid for over 24 hours.');
      return sender;
    },
  };
}

function verify(authorization: string): Verified | WebRefusal {
  const parameters = /^vapid +(.+)$/i.exec(authorization)?.[1]?.split(',') ?? [];
  const valueOf = (name: string): string | undefined =>
    parameters.map((one) => /^\s*(\w+)="?([^"]*?)"?\s*$/.exec(one)).find((one) => one?.[1] === name)?.[2];
  const [token, key] = [valueOf('t'), valueOf('k')];
  if (token === undefined || key === undefined) {
    return refuse('BadVapid', 'The authorization header is not: vapid t=<token>, k=<public key>.');
  }
  const publicKey = Buffer.from(key, 'base64url').toString('base64url');
  const jwt = readJwt(token, claimsSchema);
  if (jwt === undefined) return refuse('BadVapid', 'The token is no JWT with aud and exp.');
  let isValid: boolean;
  try {
    isValid = publicKey === key && isSignedBy(jwt, 'ES256', publicKeyOf(publicKey));
  } catch {
    isValid = false;
  }
  if (!isValid) return refuse('BadVapid', 'The token is not signed with the key (ES256).');
  const { aud, exp, sub = '' } = jwt.claims;
  if (!/^(?:mailto:|https:\/\/)./.test(sub)) {
    return refuse('BadVapid', 'The subject is neither a mailto: nor an https: address.');
  }
  return { publicKey, subject: sub, aud, exp };
}
