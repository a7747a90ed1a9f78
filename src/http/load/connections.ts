/**
 * Limits the open connections, so that the process keeps file descriptors for its database, its gateways and its files. A few
 * more connections than the limit are accepted, to say so: they get 503 with `Retry-After`, or the answer to a probe, and are
 * closed. Further ones are closed at once.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Observe } from '../../observe.ts';
import { isNeverShed, overloaded } from './refusal.ts';

export type ConnectionLimit = ReturnType<typeof limitConnections>;

/** How many connections are accepted above the limit. */
const SURPLUS_MAX = 32;
/** The time that such a connection has to send a request. */
const SURPLUS_TIMEOUT_MS = 5_000;
/** Below this part of the limit, `connections_full` is over. */
const OVER_BELOW = 0.9;
const CLOSE_IDLE_EVERY_MS = 1_000;

/** @param max the number of connections; infinite: none is refused */
export function limitConnections(max: number, observe: Observe) {
  const surplus = new WeakSet<Socket>();
  let open = 0;
  let isFull = false;
  let idleClosedAt = -Infinity;

  const onFull = (server: Server, reason: string): void => {
    if (!isFull) observe({ kind: 'connections_full', open, max, reason });
    isFull = true;
    const now = performance.now();
    if (now - idleClosedAt < CLOSE_IDLE_EVERY_MS) return;
    idleClosedAt = now;
    server.closeIdleConnections(); // between two requests
  };
  return {
    /** Whether the connection was opened when the limit was reached. */
    isSurplus: (socket: Socket) => surplus.has(socket),
    /** Counts the connections of a server; all servers of a process share the limit. */
    count(server: Server) {
      server.on('connection', (socket: Socket) => {
        open += 1;
        socket.once('close', () => {
          open -= 1;
          if (!isFull || open >= OVER_BELOW * max) return;
          isFull = false;
          observe({ kind: 'connections_free', open, max });
        });
        if (open <= max) return;
        onFull(server, 'limit');
        if (open > max + SURPLUS_MAX) return void socket.destroy();
        surplus.add(socket);
        socket.setTimeout(SURPLUS_TIMEOUT_MS);
      });
      // Node reports a connection that it cannot accept here; without a listener the process would exit.
      server.on('error', (error: NodeJS.ErrnoException) => {
        if (server.listening) onFull(server, error.code ?? error.message);
      });
    },
  };
}

/** Answers requests on surplus connections with 503, and closes these connections. */
export function refuseSurplus(server: FastifyInstance, connections: ConnectionLimit): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!connections.isSurplus(request.raw.socket)) return done();
    void reply.header('connection', 'close');
    return done(
      isNeverShed(request.routeOptions.url) ? undefined : overloaded('Too many connections are open'),
    );
  });
}
