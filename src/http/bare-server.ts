/**
 * A server without a call: it gives every request an id, a size limit and a time limit, parses JSON without losing
 * digits, turns every failure into the one shape of an error, and observes every reply.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { conditionOf } from '../db/database-error.ts';
import { ApiError } from '../errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import { parseBody, refuseEncoded } from './body.ts';
import { cutsConnection } from './connection.ts';
import { loggableError, sendError, toApiError } from './error-reply.ts';

export interface ServerLimits {
  /** For a whole request to arrive; a client slower than that is cut with 408. */
  requestTimeoutMs: number;
  /** For a connection on which nothing moves at all, ours to answer included. */
  connectionTimeoutMs: number;
  /** For a connection between two requests. Longer than a load balancer's usual 60 seconds. */
  keepAliveTimeoutMs: number;
  /** For each dependency to answer `/readyz`. */
  readinessTimeoutMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  requestTimeoutMs: 30_000,
  connectionTimeoutMs: 90_000,
  keepAliveTimeoutMs: 72_000,
  readinessTimeoutMs: 2_000,
};

const BODY_BYTES_MAX = 1024 * 1024;

/** What is taken over from a caller ends up in logs and headers: visible, short, nothing to escape. */
const SANE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** @returns the caller's `x-request-id` where it is sane, else a new UUID */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}

export function bareServer(observe: Observe, limits: ServerLimits, trustedProxies?: string): FastifyInstance {
  const server = fastify({
    logger: false, // what happens is told through `observe`
    trustProxy: trustedProxies ?? false,
    genReqId: requestIdOf,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      // Node takes the smaller of the two for the headers, and its own default would be the larger one.
      headersTimeout: limits.requestTimeoutMs,
      // How often Node looks for overdue requests.
      connectionsCheckingInterval: Math.ceil(limits.requestTimeoutMs / 4),
    },
    clientErrorHandler: cutsConnection(observe),
    // While closing, what still comes in on an open connection is served, and the connection then closed.
    return503OnClosing: false,
    // A user id in an address: 255 characters of up to 12 bytes each, percent-encoded.
    // An address with a slash at its end is the same address.
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      // Fastify runs no hook for an address that it cannot read.
      void reply.header('x-request-id', request.id);
      fail(observe, error, request, reply);
      observeReply(observe, request, reply);
    },
  });

  server.setReplySerializer(stringifyJson); // keeps the exact numbers that `parseBody` has kept
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request);
      done(null, parseBody(body));
    } catch (error) {
      done(toApiError(error));
    }
  });

  server.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    if (request.is404) refuseAddress(server, request, reply);
  });
  server.addHook('onResponse', async (request, reply) => observeReply(observe, request, reply));
  server.setErrorHandler((error, request, reply) => fail(observe, error, request, reply));
  return server;
}

function fail(observe: Observe, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const told = toApiError(error);
  // What is refused to shed load, or until the start is over, has no cause: nothing failed.
  if (told.status >= 500 && told.cause !== undefined) {
    const condition = conditionOf(told.cause);
    observe({
      kind: 'request_failed',
      ...named(request),
      error: loggableError(told),
      ...(condition !== undefined && { condition }),
    });
  }
  sendError(reply, told);
}

function observeReply(observe: Observe, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime: durationMs } = reply;
  observe({ kind: 'request_handled', ...named(request), status, durationMs });
}

/** The route and never the address: addresses hold ids of devices and of users. */
function named(request: FastifyRequest): { requestId: string; method: string; route: string } {
  return { requestId: request.id, method: request.method, route: request.routeOptions.url ?? 'unknown' };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const satisfies HTTPMethods[];

/** 404 for an address that is nothing, 405 for one that answers other methods; before any credentials. */
function refuseAddress(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): never {
  const allowed = METHODS.filter((method) => isRoute(server, method, request.url));
  if (allowed.length === 0) throw new ApiError('not_found');
  void reply.header('allow', allowed.join(', '));
  throw new ApiError('method_not_allowed');
}

function isRoute(server: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route: unknown = server.findRoute({ method, url }); // null, whatever its type says
  return route !== null;
}
