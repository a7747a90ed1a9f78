/** What becomes of a connection that brings no proper request: a bare status where there can be one, and the end. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';

const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** A mark on a socket, for as long as the socket is there. */
const unhurried = new WeakSet<Socket>();

/** For the server's `clientErrorHandler`. */
export function cutConnection(error: ConnectionError, socket: Socket): void {
  // Node tells of an overdue request once, and goes on with it where nobody ends it.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unhurried.has(socket)) return;
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const status = STATUSES[error.code] ?? 400;
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
  }
  socket.destroy(error);
}

/**
 * Lets the request that is arriving on the socket take as long as something moves: the server's limit for a
 * whole request is made for bodies of 1 MiB. The work is over when the request is.
 */
export async function withoutHurry<Result>(socket: Socket, work: () => Promise<Result>): Promise<Result> {
  unhurried.add(socket);
  try {
    return await work();
  } finally {
    unhurried.delete(socket);
  }
}
