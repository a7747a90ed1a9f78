/**
 * Sheds load before the process falls over: 503 with `Retry-After` while the event loop lags or the heap is
 * nearly full, before a key is looked at or a body read.
 */
import { getHeapStatistics } from 'node:v8';
import { fastifyUnderPressure } from '@fastify/under-pressure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

export interface Overload {
  /** Of one turn of the event loop, the mean of a second. */
  eventLoopDelayMsMax: number;
  heapBytesMax: number;
}

/**
 * A call waits for several turns of the event loop, so at a second a turn its answer takes many, and callers give
 * up. A broadcast in the same process makes turns of 100 ms (ROLE=all), which is well. How busy the loop is
 * says nothing: it is fully busy at every broadcast.
 * At nine tenths of the heap the collector runs all the time, and soon after the process ends.
 */
export const overload: Overload = {
  eventLoopDelayMsMax: 1_000,
  heapBytesMax: 0.9 * getHeapStatistics().heap_size_limit,
};

const SAMPLE_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** Who looks after the process must be able to see it; the rest are texts in memory. */
const NEVER_SHED: ReadonlySet<string | undefined> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
]);

/** The measuring ends with the server. */
export function shedOverload(server: FastifyInstance, { eventLoopDelayMsMax, heapBytesMax }: Overload): void {
  void server.register(fastifyUnderPressure, {
    maxEventLoopDelay: eventLoopDelayMsMax,
    maxHeapUsedBytes: heapBytesMax,
    sampleInterval: SAMPLE_EVERY_MS,
    pressureHandler: (request, _reply, _what, value) => shed(request, value),
  });
}

async function shed(request: FastifyRequest, value: number | undefined): Promise<void> {
  // Infinite is the delay of which there is no sample: after one long turn, which is over.
  if (value === Infinity || NEVER_SHED.has(request.routeOptions.url)) return;
  throw new ApiError('unavailable', {
    message: 'The server has more to do than it can; nothing was done; try again shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
