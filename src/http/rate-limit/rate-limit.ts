/**
 * Limits requests by API key and by address, and failed authentications by address: 429 with `Retry-After`.
 * They bind the calls that need a key; what asks for none is answered from memory, but for `/readyz`.
 */
import { fastifyRateLimit, type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { type Counted, type Counts, openCounts } from './counts.ts';
import { openRedisCounts } from './redis.ts';

/** 0 is no limit. */
export interface RateLimitSettings {
  keyRequestsPerSecond: number;
  addressRequestsPerSecond: number;
  addressFailuresPerMinute: number;
  /** Where processes share their counts; undefined: each counts for itself. */
  redisUrl: string | undefined;
}

export interface RateLimits {
  /** Counts a request of its address. @throws {ApiError} `rate_limited` */
  countAddress: (request: FastifyRequest) => Promise<void>;
  /** Counts a request of its key. @throws {ApiError} `rate_limited` */
  countKey: (request: FastifyRequest, keyId: string) => Promise<void>;
  /** Counts a failed authentication of the address. @throws {ApiError} `rate_limited` */
  countFailure: (request: FastifyRequest) => Promise<void>;
  /** @throws {ApiError} `rate_limited` where the address has failed to authenticate too often; counts nothing */
  refuseGuessing: (request: FastifyRequest) => Promise<void>;
}

/** Ten seconds' worth may come at once, and whoever is refused need not wait for long. */
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
    // Where the counts cannot be shared each process counts for itself.
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

/** Says why a good key may be refused: whoever has just made one, because the old one was wrong, would not guess it. */
function tooManyFailures(seconds: number): string {
  return (
    'Too many failed sign-ins from this address. Keys that this process has served before still work; ' +
    `any other key is not looked at for another ${seconds} s: try again then.`
  );
}

type Callback = (error: Error | null, counted: Counted) => void;

/** The counts as the plugin asks for them. */
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
