/**
 * The console on a port of its own (`CONSOLE_PORT`). This port serves everything that `PORT` serves, because the pages
 * call the API at their own origin; only the console itself is left out of `PORT`.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../api/errors.ts';
import { DEFAULT_LIMITS } from '../bare-server.ts';
import { closeWithIdle } from '../listen.ts';
import { handleClientErrors } from '../connection.ts';
import type { ConnectionLimit } from '../load/connections.ts';
import type { Observe } from '../../observe.ts';

export interface OwnPort {
  /** Hides the routes of the scope from requests that come in elsewhere, and closes the port with the server. */
  guard(scope: FastifyInstance): void;
  /** Serves all routes of the server, which must be ready. @returns the address, without a path */
  listen(server: FastifyInstance, address: { host: string; port: number }): Promise<string>;
}

/** @param connections limits the connections of this port and of the others together */
export function makeOwnPort(observe: Observe, connections: ConnectionLimit): OwnPort {
  const requestsHere = new WeakSet<IncomingMessage>();
  let close: (() => Promise<void>) | undefined;
  return {
    guard(scope) {
      scope.addHook('onRequest', (request, _reply, done) => {
        done(requestsHere.has(request.raw) ? undefined : new ApiError('not_found'));
      });
      scope.addHook('onClose', async () => close?.());
    },
    async listen(server, { host, port }) {
      const { requestTimeoutMs, connectionTimeoutMs, keepAliveTimeoutMs } = DEFAULT_LIMITS;
      const second = createServer(
        {
          requestTimeout: requestTimeoutMs,
          headersTimeout: requestTimeoutMs,
          connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 4),
          keepAliveTimeout: keepAliveTimeoutMs,
        },
        (request, response) => {
          requestsHere.add(request);
          server.routing(request, response);
        },
      );
      second.setTimeout(connectionTimeoutMs);
      second.on('clientError', handleClientErrors(observe));
      connections.count(second);
      await new Promise<void>((resolve, reject) => {
        second.once('error', reject);
        second.listen({ host, port }, resolve);
      });
      close = async () => {
        const closed = async (): Promise<void> =>
          new Promise((resolve) => void second.close(() => resolve()));
        await closeWithIdle(second, closed);
      };
      const bound = second.address();
      const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
      return `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}`;
    },
  };
}
