/** A span for each request, under that of the caller where it tells one (W3C Trace Context). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noSpan, noTracer, type Span, type Tracer } from '../tracing/span.ts';

export interface RequestSpans {
  /** The span of a request; `noSpan` where it is not traced. */
  of(request: FastifyRequest): Span;
}

/** Asked every few seconds, by machines: they would fill a trace store and tell nothing. */
const NEVER_TRACED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/** Adds the hooks; none where nothing is traced. */
export function traceRequests(server: FastifyInstance, tracer: Tracer): RequestSpans {
  if (tracer === noTracer) return { of: () => noSpan };
  const spans = new WeakMap<FastifyRequest, Span>();

  server.addHook('onRequest', async (request) => {
    const { method, headers, id, routeOptions } = request;
    // The route and never the address, which holds ids of devices and of users.
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
    // What a caller did wrong is no failure of ours.
    if (statusCode >= 500) span?.fail({ code: String(statusCode) });
    else span?.end();
  });
  return { of: (request) => spans.get(request) ?? noSpan };
}
