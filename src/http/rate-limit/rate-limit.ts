/**
 * Limits requests per API key or user and per address, and failed authentications per address and name. Beyond a limit, requests get 429
 * with `Retry-After`. The limits apply only to calls that need a key, and to signing in; the others cost little.
 */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { GuessLimit } from '../../console/accounts/passwords.ts';
import { ApiError } from '../../api/errors.ts';
import { openCounts } from './counts.ts';
import { networkOf } from './network.ts';

/** 0, the default, switches a limit off. */
export interface RateLimitSettings {
  keyRequestsPerSecond?: number;
  addressRequestsPerSecond?: number;
  addressFailuresPerMinute?: number;
  /** A Redis in which processes share their counts. Undefined: each process counts alone. */
  redisUrl?: string | undefined;
}

export type RateLimits = ReturnType<typeof addRateLimits>;

/** Allows bursts of ten seconds' worth of requests, and `Retry-After` stays short. */
const REQUESTS_WINDOW_S = 10;
const REQUESTS_WINDOW_MS = REQUESTS_WINDOW_S * 1_000;
const FAILURES_WINDOW_MS = 60_000;
/** Wrong passwords for one name from one address, or in one browser that is known. It holds without any setting. */
const WRONG_PASSWORDS_MAX = 10;
/** Wrong passwords for one name from all addresses together, as NIST SP 800-63B (5.2.2) allows. */
const WRONG_PASSWORDS_EVERYWHERE_MAX = 100;
const WRONG_PASSWORDS_WINDOW_MS = 600_000;

/** The timer and the connection are closed with the server. */
export function addRateLimits(
  server: FastifyInstance,
  {
    keyRequestsPerSecond = 0,
    addressRequestsPerSecond = 0,
    addressFailuresPerMinute: failures = 0,
    redisUrl,
  }: RateLimitSettings,
  clock: Clock,
) {
  const counts = openCounts(clock, redisUrl);
  server.addHook('onClose', async () => counts.close());
  const perKey = keyRequestsPerSecond * REQUESTS_WINDOW_S;
  const perAddress = addressRequestsPerSecond * REQUESTS_WINDOW_S;
  return {
    /** Counts the request for its address. @throws {ApiError} `rate_limited` */
    countAddress: ({ ip }: FastifyRequest) => {
      if (perAddress > 0)
        refuseBeyond(perAddress, counts.add(`address:${networkOf(ip)}`, REQUESTS_WINDOW_MS));
    },
    /** Counts a request of the key or user. @throws {ApiError} `rate_limited` */
    countCaller: (id: string) => {
      if (perKey > 0) refuseBeyond(perKey, counts.add(`key:${id}`, REQUESTS_WINDOW_MS));
    },
    /** Counts a failed authentication for the address. @throws {ApiError} `rate_limited` */
    countFailure: ({ ip }: FastifyRequest) => {
      if (failures === 0) return;
      refuseBeyond(failures, counts.add(`failures:${networkOf(ip)}`, FAILURES_WINDOW_MS), tooManyFailures);
    },
    /** @throws {ApiError} `rate_limited` if the address has failed to authenticate too often; counts nothing */
    refuseGuessing: ({ ip }: FastifyRequest) => {
      if (failures === 0) return;
      refuseBeyond(failures, counts.read(`failures:${networkOf(ip)}`, FAILURES_WINDOW_MS), tooManyFailures);
    },
    /**
     * Limits wrong passwords for one name from one address, from all addresses, and for all names from one address.
     * @param knownAs a session or a browser in which this user has signed in before: what others guess does not count for it
     */
    ofPasswords: ({ ip }: { ip: string }, name: string, knownAs: string | undefined) => {
      const network = networkOf(ip);
      const wrong = `password:${nameKey(name)}`;
      if (knownAs !== undefined) return guessLimit([[`${wrong}:${knownAs}`, WRONG_PASSWORDS_MAX - 1]]);
      return guessLimit([
        [`${wrong}:${network}`, WRONG_PASSWORDS_MAX - 1],
        [wrong, WRONG_PASSWORDS_EVERYWHERE_MAX - 1],
        ...(failures > 0 ? [[`failures:${network}`, failures, FAILURES_WINDOW_MS] as const] : []),
      ]);
    },
    /** Limits wrong codes of a second factor, which only somebody with the password tries. @param knownAs as for `ofPasswords` */
    ofCodes: (userId: string, knownAs: string | undefined) =>
      guessLimit([[`code:${userId}:${knownAs ?? ''}`, WRONG_PASSWORDS_MAX - 1]]),
  };

  function guessLimit(
    names: readonly (readonly [name: string, max: number, windowMs?: number])[],
  ): GuessLimit {
    return {
      refuse: () => {
        for (const [counted, max, windowMs = WRONG_PASSWORDS_WINDOW_MS] of names) {
          refuseBeyond(max, counts.read(counted, windowMs), tooManyPasswords);
        }
      },
      countWrong: () => {
        for (const [counted, , windowMs = WRONG_PASSWORDS_WINDOW_MS] of names) counts.add(counted, windowMs);
      },
    };
  }
}

/** A hash, because a long name would take long in Redis, and someone may type a password in its place. */
function nameKey(name: string): string {
  return hash('sha256', name.normalize('NFKC').toLowerCase(), 'base64url');
}

/** @throws {ApiError} `rate_limited` */
function refuseBeyond(
  max: number,
  { current, ttl }: { current: number; ttl: number },
  sentenceOf?: (seconds: number) => string,
): void {
  if (current <= max) return;
  const retryAfterSeconds = Math.ceil(ttl / 1_000);
  const message = sentenceOf?.(retryAfterSeconds);
  throw new ApiError('rate_limited', { retryAfterSeconds, ...(message !== undefined && { message }) });
}

/** Explains why even a valid key may be refused: a caller who has just replaced a wrong key would not expect it. */
function tooManyFailures(seconds: number): string {
  return (
    'Too many failed sign-ins from this address. Keys that this process has served before still work; ' +
    `any other key is refused for another ${seconds} s: try again then.`
  );
}

function tooManyPasswords(seconds: number): string {
  return `Too many failed sign-ins with this name or from this address; try again in ${seconds} s.`;
}
