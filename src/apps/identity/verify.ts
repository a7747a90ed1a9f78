/** Verifies user tokens: JWTs in which an app's back end says who uses a phone (docs/decisions/0055-user-tokens.md). */
import { errors, jwtVerify } from 'jose';
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { unstorableText } from '../../json/lossless.ts';
import { parseSentJson } from '../../json/strict.ts';
import { isWithin } from '../../api/parse.ts';
import type { Observe } from '../../observe.ts';
import type { Caller } from '../caller.ts';
import { KNOWN_FOR_MS } from '../recent-look-ups.ts';
import type { SecretKey } from '../seal.ts';
import { type CheckingKey, readCheckingKeys } from './key-store.ts';

/** Why a token does not prove what a call says; each ends a sentence that begins with the path of the token. */
export const refusals = {
  missing: 'is required from an app that names a user',
  malformed: 'is no JWT in compact form, or its header asks for something that is not supported',
  unknown_key: 'has no `kid`, or one that is not the id of a stored key',
  algorithm: 'has another `alg` than its key',
  signature: 'is not signed by its key',
  expired: 'has expired',
  not_yet_valid: 'is not valid yet',
  too_long: 'has an `exp` that is more than 24 hours ahead',
  audience: 'has another `aud` than the bundle id of the app',
  claims: 'lacks `exp` or `sub`, or has a claim of another type',
  other_user: 'is for another user',
  other_email: 'has another `email`',
  other_device: 'is for another push token',
} as const;

export type TokenRefusal = keyof typeof refusals;

/** What a good token says. */
export interface ProvenUser {
  userId: string;
  email: string | null;
  /** The only push token with which it may be used; undefined: any. */
  pushToken: string | undefined;
}

export interface UserTokens {
  /** @returns the user of the token, or why it proves nothing */
  verify(app: Pick<Caller, 'appId' | 'bundleId'>, token: string): Promise<ProvenUser | TokenRefusal>;
  observe: Observe;
}

const TOKEN_CHARACTERS_MAX = 4_096;
/** jose would skip white space. */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** The clocks of servers differ. */
const TOLERANCE_SECONDS = 60;
const LIFETIME_SECONDS_MAX = 24 * 60 * 60;
/** As long as those of a device. */
const TEXT_CHARACTERS_MAX = 255;

/** Reads the keys of an app at most every two seconds, and only when a token is to be verified. */
export function openUserTokens({
  db,
  secret,
  clock,
  observe,
}: {
  db: Kysely<Database>;
  secret: SecretKey;
  clock: Clock;
  observe: Observe;
}): UserTokens {
  const known = new Map<string, { keys: Promise<CheckingKey[]>; readMs: number }>();

  async function keysOf(appId: string): Promise<CheckingKey[]> {
    const nowMs = clock().getTime();
    const before = known.get(appId);
    if (before !== undefined && nowMs >= before.readMs && nowMs - before.readMs < KNOWN_FOR_MS) {
      return before.keys;
    }
    const keys = readCheckingKeys(db, secret, appId);
    known.set(appId, { keys, readMs: nowMs });
    keys.catch(() => known.delete(appId)); // the next call retries
    return keys;
  }

  return {
    observe,
    verify: async ({ appId, bundleId }, token) => {
      const header = readHeader(token);
      if (header === undefined) return 'malformed';
      const { kid } = header;
      const found = (await keysOf(appId)).find(({ keyId }) => keyId === kid);
      if (found === undefined) return 'unknown_key';
      const currentDate = clock();
      try {
        const { payload } = await jwtVerify(token, found.key, {
          algorithms: [found.algorithm],
          audience: bundleId,
          clockTolerance: TOLERANCE_SECONDS,
          requiredClaims: ['exp', 'sub'],
          currentDate,
        });
        const aheadSeconds = (payload.exp ?? Infinity) - currentDate.getTime() / 1_000;
        if (aheadSeconds > LIFETIME_SECONDS_MAX + TOLERANCE_SECONDS) return 'too_long';
        return userFrom(payload) ?? 'claims';
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

/** Reads the header before anything is verified. @returns undefined if the token has another form than a JWT of ours */
function readHeader(token: string): { kid?: unknown } | undefined {
  if (token.length > TOKEN_CHARACTERS_MAX || !COMPACT.test(token)) return undefined;
  try {
    // The strict parser refuses a name that occurs twice, which another reader may understand otherwise.
    const [header] = token
      .split('.', 2)
      .map((part) => parseSentJson(Buffer.from(part, 'base64url').toString()));
    return typeof header === 'object' && header !== null ? header : undefined;
  } catch {
    return undefined;
  }
}

function userFrom(payload: Readonly<Record<string, unknown>>): ProvenUser | undefined {
  const { sub, email = null, push_token: pushToken } = payload;
  if (!isShortText(sub, 1)) return undefined;
  if (email !== null && !isShortText(email, 0)) return undefined;
  if (pushToken !== undefined && typeof pushToken !== 'string') return undefined;
  return { userId: sub, email, pushToken };
}

function isShortText(value: unknown, charactersMin: number): value is string {
  return (
    typeof value === 'string' &&
    isWithin(value, charactersMin, TEXT_CHARACTERS_MAX) &&
    unstorableText(value) === undefined
  );
}

/** @throws {Error} the error, if it is not about the token */
function refusalOf(error: unknown): TokenRefusal {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'audience';
    return error.claim === 'nbf' && error.reason === 'check_failed' ? 'not_yet_valid' : 'claims';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEError) return 'malformed';
  throw error;
}
