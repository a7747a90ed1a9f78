/** Opens a span for each request, as a child of the caller's span if the request names one (W3C Trace Context). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noSpan, noTracer, type Span, type Tracer } from '../tracing/span.ts';

export interface RequestSpans {
  /** @returns the span of a request; `noSpan` if it is not traced */
  of(request: FastifyRequest): Span;
}

/** Probes and scrapes come every few seconds. Their traces would only fill the storage. */
const NEVER_TRACED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/** Adds hooks that begin and end a span per request, unless tracing is off. */
export function traceRequests(server: FastifyInstance, tracer: Tracer): RequestSpans {
  if (tracer === noTracer) return { of: () => noSpan };
  const spans = new WeakMap<FastifyRequest, Span>();

  server.addHook('onRequest', async (request) => {
    const { method, headers, id, routeOptions } = request;
    // The route, never the address, which holds ids of devices and users.
    const { url: route } = routeOptions;
    if (NEVER_TRACED.has(route)) return;
    const { traceparent } = headers;
    const span = tracer.begin(route === undefined ? method : `${method} ${route}`, {
      parent: typeof traceparent === 'string' ? traceparent : null,
      kind: 'server',
      attributes: {
        'http.request.method': method,
        ...(route !== undefined && { 'http.route': route }),
        'carillon.request.id': id,
      },
    });
    spans.set(request, span);
  });

  server.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': statusCode });
    // A 4xx is a fault of the caller, not of the server.
    if (statusCode >= 500) span?.fail({ code: String(statusCode) });
    else span?.end();
  });
  return { of: (request) => spans.get(request) ?? noSpan };
}
