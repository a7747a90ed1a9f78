/** Peers and pools that are closed after each test of a file. */
import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import { afterEach } from 'vitest';
import type { Answer } from '../src/answer.ts';
import { openHttp2Pool, type Http2Pool } from '../src/pool.ts';
import type { Http2PoolOptions, PoolEvent } from '../src/pool-options.ts';
import {
  type Certificate,
  makeCertificate,
  openPeer,
  type Peer,
  portOf,
  type StreamHandler,
} from './peer.ts';
import { openRawPeer, type RawPeer, type RawPeerScript } from './raw-peer.ts';

export const HEADERS = [':method', 'POST', ':scheme', 'https', ':authority', 'localhost'];

let made: Promise<Certificate> | undefined;

/** The certificate of all TLS peers of a file. */
export function certificateOfPeers(): Promise<Certificate> {
  return (made ??= makeCertificate());
}

/** @param usual limits of the pools, unless a test gives others: timeouts are as short as a test wants them */
export function usePools(usual: Partial<Http2PoolOptions>) {
  const open: { close(): Promise<void> | void }[] = [];
  const events: PoolEvent[] = [];
  let ca: string | undefined;
  afterEach(async () => {
    for (const resource of open.splice(0).toReversed()) await resource.close();
    events.length = 0;
  });
  const keepOpen = <Resource extends { close(): Promise<void> | void }>(resource: Resource): Resource => {
    open.push(resource);
    return resource;
  };
  const trusted = async (): Promise<Certificate> => {
    const certificate = await certificateOfPeers();
    ca = certificate.cert;
    return certificate;
  };
  return {
    /** The events of all pools of the current test. */
    events,
    keepOpen,
    /** A peer by node:http2. */
    peerOf: async (onStream: StreamHandler, options = {}): Promise<Peer> =>
      keepOpen(await openPeer(await trusted(), onStream, options)),
    /** A peer that is scripted frame by frame. */
    rawPeerOf: async (script: RawPeerScript): Promise<RawPeer> => keepOpen(await openRawPeer(script)),
    /** A TLS server without HTTP/2, for faults that node:http2 cannot make. @returns its origin */
    listenTls: async (onConnection: (socket: TLSSocket) => void, ALPNProtocols = ['h2']): Promise<string> => {
      const sockets = new Set<TLSSocket>();
      const server = createServer({ ...(await trusted()), ALPNProtocols }, (socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.resume(); // otherwise it would not notice that the client closes
        onConnection(socket);
      });
      server.listen(0, 'localhost');
      await once(server, 'listening');
      keepOpen({
        close: () =>
          new Promise((resolve) => {
            server.close(() => resolve());
            for (const socket of sockets) socket.destroy();
          }),
      });
      return `https://localhost:${portOf(server)}`;
    },
    poolTo: ({ origin }: { origin: string }, limits: Partial<Http2PoolOptions> = {}): Http2Pool =>
      keepOpen(openHttp2Pool({ origin, ca, onEvent: (event) => events.push(event), ...usual, ...limits })),
  };
}

export function ask(pool: Http2Pool, path: string, isWanted?: () => boolean): Promise<Answer> {
  return pool.request({ path, headers: HEADERS, ownHeaders: [], body: 'hello' }, isWanted);
}

/** Requests `/0`, `/1` and so on. */
export function askMany(pool: Http2Pool, count: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => ask(pool, `/${n}`)));
}
