/** An HTTP/2 server over TLS that a test scripts stream by stream. */
import {
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import { isIP } from 'node:net';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

export interface Certificate {
  key: string;
  cert: string;
}

/** @param names host names and IP addresses */
export async function makeCertificate(names = ['localhost']): Promise<Certificate> {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: names.map(altName) }],
  });
  return { key: pems.private, cert: pems.cert };
}

function altName(name: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name };
}

export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  session: Http2Session,
) => void | Promise<void>;

export interface Peer {
  readonly origin: string;
  /** The open sessions, and the number of all so far. */
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  readonly opened: () => number;
  close(): Promise<void>;
}

export async function openPeer(
  certificate: Certificate,
  onStream: StreamHandler,
  options: { settings?: Settings; port?: number; paddingStrategy?: number } = {},
): Promise<Peer> {
  const sessions = new Set<ServerHttp2Session>();
  let opened = 0;
  const { port, settings, ...rest } = options;
  const server = createSecureServer({ ...certificate, ...rest, settings: settings ?? {} });
  server.on('session', (session) => {
    opened += 1;
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const { session } = stream;
    if (session !== undefined) void onStream(stream, headers, session);
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(port ?? 0, 'localhost', resolve);
  });
  return {
    origin: `https://localhost:${portOf(server)}`,
    sessions,
    opened: () => opened,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** Reads a request's whole body. */
export async function bodyOf(stream: ServerHttp2Stream): Promise<string> {
  let body = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) body += String(chunk);
  return body;
}

export function respond(stream: ServerHttp2Stream, status = 200, body = '', headers = {}): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, ...headers });
  stream.end(body);
}
