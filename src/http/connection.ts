/** What becomes of a connection that brings no proper request: an error of the usual shape where there can be one, and the end. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyReply } from 'fastify';
import { ApiError, type ErrorCode } from '../errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import { errorBody } from './error-reply.ts';

/** Node's codes for what is wrong; every other one is of bytes that its parser cannot read. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** A mark on a socket, for as long as the socket is there. */
const unlimited = new WeakSet<Socket>();

/** For the server's `clientErrorHandler`. No request was made of the bytes, so its id is always a new one. */
export function cutsConnection(observe: Observe): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    // Node tells of an overdue request once, and goes on with it where nobody ends it.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unlimited.has(socket)) return;
    if (error.code !== 'ECONNRESET' && socket.writable) {
      const told = new ApiError(CODES[error.code] ?? 'invalid_http');
      const requestId = randomUUID();
      observe({ kind: 'request_unreadable', requestId, status: told.status, reason: error.code });
      socket.write(replyOf(told, requestId));
    }
    socket.destroy(error);
  };
}

function replyOf(error: ApiError, requestId: string): string {
  const body = stringifyJson(errorBody(error));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Lets the request that is arriving on the socket take as long as something moves: the server's limit for a
 * whole request is made for bodies of 1 MiB. The work is over when the request is.
 */
export async function withoutTimeLimit<Result>(socket: Socket, work: () => Promise<Result>): Promise<Result> {
  unlimited.add(socket);
  try {
    return await work();
  } finally {
    unlimited.delete(socket);
  }
}

/** Aborts when the caller disconnects before it has the reply. Fastify's `request.signal` ends with the request's body. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
