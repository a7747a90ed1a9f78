/** Handles connections without a valid HTTP request, connections without a time limit, and callers that disconnect early. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyReply } from 'fastify';
import { ApiError, type ErrorCode } from '../api/errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import { errorBody } from './error-reply.ts';

/**
 * A reply is data, unless its route says otherwise: no browser or proxy stores it, takes it for a page or a script, or shows it
 * within a page (OWASP ASVS 5.0, V3.2.1, V3.4 and V14.3.2).
 */
export const GUARDS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/** The replies to Node's error codes. All other codes mean that its parser cannot read the bytes. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Sockets whose request has no time limit. */
const unlimited = new WeakSet<Socket>();

/**
 * For the server's `clientErrorHandler`: sends an error of the usual form if the socket is writable, and closes the socket.
 * The caller's `x-request-id` was not read, so the reply has a new one.
 */
export function handleClientErrors(observe: Observe): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    // Node reports an overdue request once. If it is not ended here, it continues.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unlimited.has(socket)) return;
    if (error.code !== 'ECONNRESET' && socket.writable) {
      const refusal = new ApiError(CODES[error.code] ?? 'invalid_http');
      const requestId = randomUUID();
      observe({ kind: 'request_unreadable', requestId, status: refusal.status, reason: error.code });
      socket.write(replyOf(refusal, requestId));
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
    ...Object.entries(GUARDS).map((header) => header.join(': ')),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Lifts the time limit for a whole request until the work is done: that limit is meant for bodies of up to 1 MiB. The limit
 * for a connection without traffic still applies.
 */
export async function withoutTimeLimit<Result>(socket: Socket, work: () => Promise<Result>): Promise<Result> {
  unlimited.add(socket);
  try {
    return await work();
  } finally {
    unlimited.delete(socket);
  }
}

/** Aborts when the caller disconnects before it has the reply. (Fastify's `request.signal` aborts when the body has ended.) */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
