/**
 * Sheds load before the process fails. While the event loop lags or the heap is nearly full, requests get 503 with
 * `Retry-After` before their key is checked or their body is read.
 */
import { getHeapStatistics } from 'node:v8';
import { fastifyUnderPressure } from '@fastify/under-pressure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

export interface Overload {
  /** The duration of one turn of the event loop, averaged over a second. */
  eventLoopDelayMsMax: number;
  heapBytesMax: number;
}

/**
 * A call takes several turns of the event loop, so at one second per turn callers give up. A broadcast in the same process
 * causes turns of 100 ms, which is fine. The utilisation of the loop does not show overload: it is 100% during every
 * broadcast. At nine tenths of the heap, the garbage collector runs all the time and the process soon runs out of memory.
 */
export const overload: Overload = {
  eventLoopDelayMsMax: 1_000,
  heapBytesMax: 0.9 * getHeapStatistics().heap_size_limit,
};

const SAMPLE_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** Probes and metrics must work under load. The API document and its page cost next to nothing. */
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
  // Infinity means that one turn was so long that no sample was taken; that turn is over.
  if (value === Infinity || NEVER_SHED.has(request.routeOptions.url)) return;
  throw new ApiError('unavailable', {
    message: 'The server is overloaded; nothing was done; try again shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
