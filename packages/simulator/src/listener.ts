/**
 * Opens a TLS port for HTTP/2, HTTP/1.1 or both. Every request is passed on as an `Exchange`, which has the
 * whole request and the ways to end it, including abrupt ones.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type IncomingHttpHeaders as Http2Headers,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Certificate } from './certificate.ts';

export interface Reply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Connection {
  /** The number of requests read so far, including the current one. */
  requests: number;
  /** If true, nothing on this connection is answered any more. */
  stalled: boolean;
  /** Announces a new SETTINGS_MAX_CONCURRENT_STREAMS. No effect on HTTP/1.1. */
  setStreamsMax(streams: number): void;
  /** Drops the TCP connection without closing TLS or HTTP. */
  drop(): void;
}

export interface Exchange {
  readonly connection: Connection;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternately, as received. Unlike `headers`, they show repeated headers. */
  readonly rawHeaders: readonly string[];
  /** The body, or only its beginning if it is longer than any acceptable request. */
  readonly body: Buffer;
  readonly bodyBytes: number;
  reply(reply: Reply): void;
  /** Ends the stream with an HTTP/2 error code. On HTTP/1.1, which has no such codes, drops the connection. */
  reset(errorCode: number): void;
  /** Sends GOAWAY: requests after those read so far are not processed. */
  goAway(): void;
}

type Protocol = 'h2' | 'http/1.1';

export interface ListenerOptions {
  host: string;
  port: number;
  certificate: Certificate;
  /** SETTINGS_MAX_CONCURRENT_STREAMS of a new connection. */
  streamsMax: number;
  /** The protocols that are offered to a new connection, best first. One without ALPN speaks HTTP/1.1. */
  protocols: () => readonly Protocol[];
  onExchange: (exchange: Exchange) => void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

interface Http2Connection extends Connection {
  /** After GOAWAY, the last stream id that is processed. */
  lastStreamId: number | undefined;
  highestStreamId: number;
}

/** Sixteen times the limit of either gateway. */
const BODY_KEPT_BYTES_MAX = 65_536;

/** Opens the port. `close()` drops all connections. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const sockets = new Map<string, Socket>();
  const { certificatePem: cert, privateKeyPem: key } = options.certificate;

  const server = createSecureServer({
    cert,
    key,
    settings: { maxConcurrentStreams: options.streamsMax },
    // By default, Node answers ENHANCE_YOUR_CALM and drops clients that are refused too often or use too much memory.
    // With these limits it only answers REFUSED_STREAM, as the gateways do.
    maxSessionRejectedStreams: 2 ** 31,
    maxSessionMemory: 1024,
    ALPNCallback: ({ protocols }) => options.protocols().find((name) => protocols.includes(name)),
  });
  server.on('connection', (socket: Socket) => {
    const remote = nameOf(socket);
    sockets.set(remote, socket);
    socket.on('close', () => sockets.delete(remote));
  });
  server.on('session', (session) => {
    const socket = sockets.get(nameOf(session.socket));
    const connection = openHttp2Connection(session, () => socket?.resetAndDestroy());
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      readHttp2(connection, stream, headers, rawHeaders, options.onExchange);
    });
  });

  // A separate server for HTTP/1.1: a 'request' listener on the HTTP/2 server would also run every stream through Node's
  // compatibility layer.
  const http1 = createServer();
  const http1Connections = new WeakMap<Socket, Connection>();
  http1.on('connection', (socket: Socket) => {
    const drop = (): void => void sockets.get(nameOf(socket))?.resetAndDestroy();
    http1Connections.set(socket, { requests: 0, stalled: false, setStreamsMax: () => undefined, drop });
  });
  http1.on('request', (request, response) => {
    const connection = http1Connections.get(request.socket);
    if (connection !== undefined) readHttp1(connection, request, response, options.onExchange);
  });
  server.on('unknownProtocol', (socket: Socket) => {
    if (options.protocols().includes('http/1.1')) http1.emit('connection', socket);
    else socket.destroy();
  });

  return {
    port: await openPort(server, options),
    close: async () =>
      closePort(server, () => {
        for (const socket of sockets.values()) socket.destroy();
      }),
  };
}

/** @returns the port, which is any free one for 0 @throws if it is in use */
export async function openPort(server: Server, at: { host: string; port: number }): Promise<number> {
  server.listen(at.port, at.host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Stops listening, drops the connections and waits until all are closed; may be called twice. */
export async function closePort(server: Server, drop: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  drop();
  await closed;
}

function openHttp2Connection(session: ServerHttp2Session, drop: () => void): Http2Connection {
  return {
    requests: 0,
    stalled: false,
    lastStreamId: undefined,
    highestStreamId: 0,
    setStreamsMax: (streams) => {
      if (!session.destroyed && !session.closed) session.settings({ maxConcurrentStreams: streams });
    },
    drop,
  };
}

function readHttp2(
  connection: Http2Connection,
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
  onExchange: (exchange: Exchange) => void,
): void {
  const id = stream.id ?? 0;
  stream.on('error', () => undefined); // the client has gone
  readBody(stream, (body, bodyBytes) => {
    const { lastStreamId } = connection;
    if (connection.stalled || stream.destroyed) return;
    if (lastStreamId !== undefined && id > lastStreamId) return;
    connection.requests += 1;
    connection.highestStreamId = Math.max(connection.highestStreamId, id);
    onExchange({
      connection,
      method: headers[':method'] ?? '',
      path: headers[':path'] ?? '',
      headers,
      rawHeaders,
      body,
      bodyBytes,
      reply: (reply) => {
        if (connection.stalled || stream.destroyed || stream.closed) return;
        const empty = reply.body === '';
        stream.respond({ ...reply.headers, ':status': reply.status }, { endStream: empty });
        if (!empty) stream.end(reply.body);
      },
      reset: (errorCode) => {
        if (!stream.destroyed) stream.close(errorCode);
      },
      goAway: () => {
        const { session } = stream;
        if (session === undefined || session.destroyed || connection.lastStreamId !== undefined) return;
        connection.lastStreamId = connection.highestStreamId;
        session.goaway(constants.NGHTTP2_NO_ERROR, connection.lastStreamId);
        // Closes the session when its streams have finished, which sends another GOAWAY. Waits for a PING so that the
        // first GOAWAY has left; otherwise nghttp2 raises its last stream id, which clients treat as an error.
        session.ping(() => session.close());
      },
    });
  });
}

function readHttp1(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  onExchange: (exchange: Exchange) => void,
): void {
  const { method = '', url: path = '', headers, rawHeaders } = request;
  readBody(request, (body, bodyBytes) => {
    if (connection.stalled) return;
    connection.requests += 1;
    onExchange({
      connection,
      method,
      path,
      headers,
      rawHeaders,
      body,
      bodyBytes,
      reply: (reply) => {
        if (!connection.stalled) response.writeHead(reply.status, reply.headers).end(reply.body);
      },
      reset: () => connection.drop(),
      goAway: () => {
        response.shouldKeepAlive = false;
      },
    });
  });
}

function readBody(from: Readable, whenRead: (body: Buffer, bytes: number) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  from.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= BODY_KEPT_BYTES_MAX) chunks.push(chunk);
  });
  from.on('end', () => {
    const [first] = chunks;
    whenRead(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks), bytes);
  });
}

function nameOf(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}

/** A request's headers without pseudo-headers, as a plain object. Names are in lower case, values decoded as UTF-8. */
export function keptHeaders(exchange: Exchange): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exchange.headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, readUtf8(Array.isArray(value) ? value.join(', ') : (value ?? ''))]),
  );
}

/** Node returns each byte of a header as one character. */
function readUtf8(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}
