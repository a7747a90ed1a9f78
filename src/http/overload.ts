/**
 * Sheds load before the process fails: 503 with `Retry-After` while the event loop lags or the heap is nearly full,
 * before a key is checked or a body read.
 */
import { getHeapStatistics } from 'node:v8';
import { fastifyUnderPressure } from '@fastify/under-pressure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

export interface Overload {
  /** The duration of one turn of the event loop, as the mean of a second. */
  eventLoopDelayMsMax: number;
  heapBytesMax: number;
}

/**
 * A call waits for several turns of the event loop; at a second per turn callers give up. A broadcast in the same process
 * causes turns of 100 ms, which is fine. The utilisation of the loop does not show overload: it is 100% in every broadcast.
 * At nine tenths of the heap the garbage collector runs all the time, and the process soon runs out of memory.
 */
export const overload: Overload = {
  eventLoopDelayMsMax: 1_000,
  heapBytesMax: 0.9 * getHeapStatistics().heap_size_limit,
};

const SAMPLE_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** Probes and metrics must work under load; the document and its page cost next to nothing. */
const NEVER_SHED: ReadonlySet<string | undefined> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
]);

/** Sampling ends when the server closes. */
export function shedOverload(server: FastifyInstance, { eventLoopDelayMsMax, heapBytesMax }: Overload): void {
  void server.register(fastifyUnderPressure, {
    maxEventLoopDelay: eventLoopDelayMsMax,
    maxHeapUsedBytes: heapBytesMax,
    sampleInterval: SAMPLE_EVERY_MS,
    pressureHandler: (request, _reply, _what, value) => shed(request, value),
  });
}

async function shed(request: FastifyRequest, value: number | undefined): Promise<void> {
  // Infinity means that a single long turn left no sample; that turn is over.
  if (value === Infinity || NEVER_SHED.has(request.routeOptions.url)) return;
  throw new ApiError('unavailable', {
    message: 'The server is overloaded; nothing was done; try again shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
