/**
 * Limits requests per API key and per address, and failed authentications per address. Beyond a limit, requests get 429
 * with `Retry-After`. The limits apply only to calls that need a key; the others cost little.
 */
import { fastifyRateLimit, type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { type Counted, type Counts, openCounts } from './counts.ts';
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
  countAddress: (request: FastifyRequest) => Promise<void>;
  /** Counts the request for its key. @throws {ApiError} `rate_limited` */
  countKey: (request: FastifyRequest, keyId: string) => Promise<void>;
  /** Counts a failed authentication for the address. @throws {ApiError} `rate_limited` */
  countFailure: (request: FastifyRequest) => Promise<void>;
  /** @throws {ApiError} `rate_limited` if the address has failed to authenticate too often; counts nothing */
  refuseGuessing: (request: FastifyRequest) => Promise<void>;
}

/** Allows bursts of ten seconds' worth of requests, and `Retry-After` stays short. */
const REQUESTS_WINDOW_S = 10;
const FAILURES_WINDOW_S = 60;
const EXCHANGE_EVERY_MS = 200;

type Limiter = (request: FastifyRequest, options?: { increment: boolean }) => Promise<void>;

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
  void server.register(fastifyRateLimit, { global: false, store: storeOn(counts) });

  const keyIds = new WeakMap<FastifyRequest, string>();
  const limiterOf = (
    max: number,
    windowSeconds: number,
    nameOf: (request: FastifyRequest) => string,
    sentenceOf?: (seconds: number) => string,
  ): Limiter => {
    if (max === 0) return async () => undefined;
    let limit: ReturnType<FastifyInstance['createRateLimit']> | undefined;
    return async (request, options) => {
      limit ??= server.createRateLimit({ max, timeWindow: windowSeconds * 1_000, keyGenerator: nameOf });
      const found = await limit(request, options);
      if (found.isAllowed || !found.isExceeded) return;
      const { ttlInSeconds: retryAfterSeconds } = found;
      const message = sentenceOf?.(retryAfterSeconds);
      throw new ApiError('rate_limited', { retryAfterSeconds, ...(message !== undefined && { message }) });
    };
  };
  const perSecond = (max: number): number => max * REQUESTS_WINDOW_S;
  const byAddress = limiterOf(
    perSecond(settings.addressRequestsPerSecond),
    REQUESTS_WINDOW_S,
    (request) => `address:${normalizeIP(request.ip)}`,
  );
  const byKey = limiterOf(
    perSecond(settings.keyRequestsPerSecond),
    REQUESTS_WINDOW_S,
    (request) => `key:${keyIds.get(request)}`,
  );
  const byFailures = limiterOf(
    settings.addressFailuresPerMinute,
    FAILURES_WINDOW_S,
    (request) => `failures:${normalizeIP(request.ip)}`,
    tooManyFailures,
  );
  return {
    countAddress: byAddress,
    countKey: async (request, keyId) => {
      keyIds.set(request, keyId);
      await byKey(request);
    },
    countFailure: byFailures,
    refuseGuessing: async (request) => byFailures(request, { increment: false }),
  };
}

/** Explains why even a valid key may be refused: a caller who has just replaced a wrong key would not expect that. */
function tooManyFailures(seconds: number): string {
  return (
    'Too many failed sign-ins from this address. Keys that this process has served before still work; ' +
    `any other key is refused for another ${seconds} s: try again then.`
  );
}

type Callback = (error: Error | null, counted: Counted) => void;

/** The interface that the plugin expects of a store. */
function storeOn(counts: Counts): new () => FastifyRateLimitStore {
  return class Store {
    incr(name: string, callback: Callback, windowMs: number): void {
      callback(null, counts.add(name, windowMs));
    }
    read(name: string, callback: Callback, windowMs: number): void {
      callback(null, counts.read(name, windowMs));
    }
    child(): FastifyRateLimitStore {
      return this;
    }
  };
}
