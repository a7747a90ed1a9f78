/**
 * Limits requests per API key and per address, and failed authentications per address. Beyond a limit, requests get 429
 * with `Retry-After`. The limits apply only to calls that need a key; the others cost little.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { type Counted, openCounts } from './counts.ts';
import { networkOf } from './network.ts';
import { openRedisCounts } from './redis.ts';

/** 0 switches a limit off. */
export interface RateLimitSettings {
  keyRequestsPerSecond: number;
  addressRequestsPerSecond: number;
  addressFailuresPerMinute: number;
  /** A Redis in which processes share their counts. Undefined: each process counts alone. */
  redisUrl: string | undefined;
}

export interface RateLimits {
  /** Counts the request for its address. @throws {ApiError} `rate_limited` */
  countAddress: (request: FastifyRequest) => void;
  /** Counts a request of the key. @throws {ApiError} `rate_limited` */
  countKey: (keyId: string) => void;
  /** Counts a failed authentication for the address. @throws {ApiError} `rate_limited` */
  countFailure: (request: FastifyRequest) => void;
  /** @throws {ApiError} `rate_limited` if the address has failed to authenticate too often; counts nothing */
  refuseGuessing: (request: FastifyRequest) => void;
}

/** Allows bursts of ten seconds' worth of requests, and `Retry-After` stays short. */
const REQUESTS_WINDOW_S = 10;
const FAILURES_WINDOW_S = 60;
const EXCHANGE_EVERY_MS = 200;

/** The timer and the connection are closed with the server. */
export function addRateLimits(
  server: FastifyInstance,
  settings: RateLimitSettings,
  clock: Clock,
): RateLimits {
  const shared = settings.redisUrl === undefined ? undefined : openRedisCounts(settings.redisUrl);
  const counts = openCounts(clock, shared);
  let exchanging: Promise<void> | undefined;
  const timer = setInterval(() => {
    // While counts cannot be shared, each process counts alone.
    exchanging ??= counts
      .exchange()
      .catch(() => undefined)
      .finally(() => (exchanging = undefined));
  }, EXCHANGE_EVERY_MS);
  server.addHook('onClose', async () => {
    clearInterval(timer);
    await exchanging;
    shared?.close();
  });
  const perKey = settings.keyRequestsPerSecond * REQUESTS_WINDOW_S;
  const perAddress = settings.addressRequestsPerSecond * REQUESTS_WINDOW_S;
  const failures = settings.addressFailuresPerMinute;
  const requestsMs = REQUESTS_WINDOW_S * 1_000;
  const failuresMs = FAILURES_WINDOW_S * 1_000;
  return {
    countAddress: ({ ip }) => {
      if (perAddress > 0) refuseBeyond(perAddress, counts.add(`address:${networkOf(ip)}`, requestsMs));
    },
    countKey: (keyId) => {
      if (perKey > 0) refuseBeyond(perKey, counts.add(`key:${keyId}`, requestsMs));
    },
    countFailure: ({ ip }) => {
      if (failures === 0) return;
      refuseBeyond(failures, counts.add(`failures:${networkOf(ip)}`, failuresMs), tooManyFailures);
    },
    refuseGuessing: ({ ip }) => {
      if (failures === 0) return;
      refuseBeyond(failures, counts.read(`failures:${networkOf(ip)}`, failuresMs), tooManyFailures);
    },
  };
}

/** @throws {ApiError} `rate_limited` */
function refuseBeyond(
  max: number,
  { current, ttl }: Counted,
  sentenceOf?: (seconds: number) => string,
): void {
  if (current <= max) return;
  const retryAfterSeconds = Math.ceil(ttl / 1_000);
  const message = sentenceOf?.(retryAfterSeconds);
  throw new ApiError('rate_limited', { retryAfterSeconds, ...(message !== undefined && { message }) });
}

/** Explains why even a valid key may be refused: a caller who has just replaced a wrong key would not expect that. */
function tooManyFailures(seconds: number): string {
  return (
    'Too many failed sign-ins from this address. Keys that this process has served before still work; ' +
    `any other key is refused for another ${seconds} s: try again then.`
  );
}
