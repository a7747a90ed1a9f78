/** Reports requests and their failures to the log and the metrics. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { conditionOf } from '../db/database-error.ts';
import type { ApiError } from '../api/errors.ts';
import type { Observe } from '../observe.ts';
import { loggableError } from './error-reply.ts';
import { streamOpenedAfterMs } from './streams.ts';

/** Reports a failure of ours with its cause; ignores a refusal, which is the caller's fault. */
export function observeFailure(observe: Observe, request: FastifyRequest, failure: ApiError): void {
  // A request refused because of load or during the start has no cause, because nothing failed.
  if (failure.status < 500 || failure.cause === undefined) return;
  const condition = conditionOf(failure.cause);
  observe({
    kind: 'request_failed',
    ...labelsOf(request),
    error: loggableError(failure),
    ...(condition !== undefined && { condition }),
  });
}

export function observeReply(observe: Observe, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status } = reply;
  const durationMs = streamOpenedAfterMs(request) ?? reply.elapsedTime;
  const address = status === 401 || status === 403 ? { address: request.ip } : undefined;
  observe({ kind: 'request_handled', ...labelsOf(request), status, durationMs, ...address });
}

/** Labels for the log. They name the route, never the address, which contains ids of devices and users. */
function labelsOf(request: FastifyRequest): { requestId: string; method: string; route: string } {
  return { requestId: request.id, method: request.method, route: request.routeOptions.url ?? 'unknown' };
}
