/**
 * Sheds load before the process fails. While the event loop lags or the heap is nearly full, requests get 503 with
 * `Retry-After` before their key is checked or their body is read. While the memory of the container is nearly used up, only
 * requests with large bodies do.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { bodyBudgetBytes, bodyBytesOf, LARGE_BODY_BYTES } from './body-budget.ts';
import { isNeverShed, overloaded } from './refusal.ts';

export interface Overload {
  /** The duration of one turn of the event loop, averaged over a second. */
  eventLoopDelayMsMax: number;
  heapBytesMax: number;
  /**
   * The memory of the whole process (RSS): nine tenths of the container's limit; infinite if only the machine limits
   * it.
   */
  residentBytesMax: number;
  /** The bytes of all large bodies together (`body-budget.ts`). */
  bodyBytesMax: number;
}

/**
 * A call takes several turns of the event loop, so at one second per turn callers give up. A bulk notification in the same
 * process causes turns of 100 ms, which is fine. The utilisation of the loop does not show overload: it is 100% during
 * every bulk notification. At nine tenths of the heap, the garbage collector runs all the time and the process soon runs out of
 * memory.
 *
 * The system ends a process that exceeds the memory of its container. Resident memory may stay high long after a peak,
 * so this limit refuses only requests that would raise it.
 */
export const overload: Omit<Overload, 'residentBytesMax'> = {
  eventLoopDelayMsMax: 1_000,
  heapBytesMax: 0.9 * getHeapStatistics().heap_size_limit,
  bodyBytesMax: bodyBudgetBytes,
};

const SAMPLE_EVERY_MS = 1_000;
/** The histogram's own interval, which it adds to each delay. */
const RESOLUTION_MS = 10;
const OVERLOADED = 'The server is overloaded';

/** Sampling ends when the server closes. */
export function shedOverload(
  server: FastifyInstance,
  { eventLoopDelayMsMax, heapBytesMax, residentBytesMax }: Omit<Overload, 'bodyBytesMax'>,
): void {
  const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  turns.enable();
  let isOverloaded = false;
  let isMemoryLow = false;
  const timer = setInterval(() => {
    // Not a number if one turn was so long that no sample was taken; that turn is over.
    isOverloaded =
      turns.mean / 1e6 - RESOLUTION_MS > eventLoopDelayMsMax ||
      getHeapStatistics().used_heap_size > heapBytesMax;
    turns.reset();
    if (residentBytesMax !== Infinity) isMemoryLow = readResidentBytes() > residentBytesMax;
  }, SAMPLE_EVERY_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    turns.disable();
    done();
  });
  server.addHook('onRequest', (request, _reply, done) => {
    if (isOverloaded && !isNeverShed(request.routeOptions.url)) return done(overloaded(OVERLOADED));
    return done(
      isMemoryLow && bodyBytesOf(request.headers) > LARGE_BODY_BYTES ? overloaded(OVERLOADED) : undefined,
    );
  });
}

/** Linux reads it from a file, which fails while the process has no free descriptor. */
function readResidentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
