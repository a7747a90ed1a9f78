/**
 * A server without any calls. It gives every request an id, a size limit and a time limit, parses JSON without losing
 * digits, sends every failure in the same form, and observes every reply.
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
import { ApiError } from '../api/errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import { parseBody, refuseEncoded } from './body.ts';
import { GUARDS, handleClientErrors } from './connection.ts';
import { sendError, toApiError } from './error-reply.ts';
import { observeFailure, observeReply } from './observe-request.ts';
import { readForwardedFor } from './rate-limit/forwarded-for.ts';

export interface ServerLimits {
  /** The time for a whole request to arrive; a slower client gets 408 and is disconnected. */
  requestTimeoutMs: number;
  /** The time that a connection may have no traffic, even while the server works on the reply. */
  connectionTimeoutMs: number;
  /** The time between two requests on a connection; longer than the usual 60 seconds of load balancers. */
  keepAliveTimeoutMs: number;
  /** The time for the database and the queue to answer when `/readyz` checks them. */
  readinessTimeoutMs: number;
  /** The time between two signs of life on a stream of events; its caller is checked again each time. */
  streamHeartbeatMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  requestTimeoutMs: 30_000,
  connectionTimeoutMs: 90_000,
  keepAliveTimeoutMs: 72_000,
  readinessTimeoutMs: 2_000,
  streamHeartbeatMs: 15_000, // proxies close connections without traffic, often after 60 seconds
};

const BODY_BYTES_MAX = 1024 * 1024;

/** An id from a caller appears in logs and headers, so only short, visible text that needs no escaping is accepted. */
const ACCEPTABLE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** @returns the caller's `x-request-id` if it is acceptable, otherwise a new UUID */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE_ID.test(given) ? given : randomUUID();
}

export function bareServer(observe: Observe, limits: ServerLimits, trustedProxies?: string): FastifyInstance {
  const server = fastify({
    logger: false, // `observe` reports requests and failures
    trustProxy: trustedProxies ?? false,
    genReqId: requestIdOf,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      // Without it Node's default of 60 s would be larger than `requestTimeout`.
      headersTimeout: limits.requestTimeoutMs,
      // How often Node looks for overdue requests.
      connectionsCheckingInterval: Math.ceil(limits.requestTimeoutMs / 4),
    },
    clientErrorHandler: handleClientErrors(observe),
    // While the server closes, it still serves requests on open connections, and closes each connection afterwards.
    return503OnClosing: false,
    // A user id in an address has up to 255 characters of 12 bytes each, percent-encoded.
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      // Fastify runs no hooks for an address that it cannot decode.
      void reply.headers(GUARDS).header('x-request-id', request.id);
      fail(observe, error, request, reply);
      observeReply(observe, request, reply);
    },
  });

  server.setReplySerializer(stringifyJson); // writes the exact numbers that `parseBody` has kept
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request);
      done(null, parseBody(body));
    } catch (error) {
      done(toApiError(error));
    }
  });

  const otherMethods = rememberFixedPaths(server);
  // Before anything asks for the address of the request: Fastify takes it from this header.
  if (trustedProxies !== undefined) server.addHook('onRequest', cleanForwardedFor);
  // Hooks with a callback: a promise per hook and request costs more than these do.
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(GUARDS).header('x-request-id', request.id);
    done(
      repeatedHost(request) ??
        otherMethods(request, reply) ??
        (request.is404 ? addressRefusal(server, request, reply) : undefined),
    );
  });
  server.addHook('onResponse', (request, reply, done) => {
    observeReply(observe, request, reply);
    done();
  });
  server.setErrorHandler((error, request, reply) => fail(observe, error, request, reply));
  return server;
}

function cleanForwardedFor({ headers }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { 'x-forwarded-for': header } = headers;
  if (typeof header === 'string') headers['x-forwarded-for'] = readForwardedFor(header);
  done();
}

function fail(observe: Observe, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toApiError(error);
  observeFailure(observe, request, failure);
  sendError(reply, failure);
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const satisfies HTTPMethods[];

/** RFC 9112, section 3.2: such a request may mean one host to a proxy and another one here. Node keeps the first. */
function repeatedHost({ raw: { rawHeaders } }: FastifyRequest): ApiError | undefined {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts < 2) return undefined;
  return new ApiError('invalid_http', { message: 'The request has more than one Host header; send one.' });
}

/** @returns 404 for an unknown address, or 405 if only the method is wrong. Runs before credentials are checked */
function addressRefusal(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): ApiError {
  const allowed = METHODS.filter((method) => isRoute(server, method, request.url));
  if (allowed.length === 0) return new ApiError('not_found');
  void reply.header('allow', allowed.join(', '));
  return new ApiError('method_not_allowed');
}

/**
 * If the method of `/v6/devices/import` is wrong, the router reads `import` as the id of a device.
 * @returns a function that gives 405 for such a request
 */
function rememberFixedPaths(server: FastifyInstance) {
  const methodsByPath = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    if (/[:*]/.test(url)) return;
    const methods = methodsByPath.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByPath.set(url, methods);
  });
  return ({ url, method }: FastifyRequest, reply: FastifyReply): ApiError | undefined => {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    const methods = methodsByPath.get(path.endsWith('/') ? path.slice(0, -1) : path);
    if (methods === undefined || methods.has(method)) return undefined;
    void reply.header('allow', METHODS.filter((one) => methods.has(one)).join(', '));
    return new ApiError('method_not_allowed');
  };
}

function isRoute(server: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route: unknown = server.findRoute({ method, url }); // Fastify's type lacks null, which it returns if there is none
  return route !== null;
}
