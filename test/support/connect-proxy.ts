/** An HTTP proxy for CONNECT, which can demand a password, refuse, hang or close. */
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { portOf } from './ports.ts';

export interface ConnectProxy {
  /** `host:port`, as it is named in messages. */
  readonly name: string;
  /** For `HTTPS_PROXY`, with the user and the password that it demands. */
  readonly url: string;
  /** The authorities of all CONNECT requests so far. */
  readonly asked: string[];
  /** What it does from now on; a number is the status that it refuses with. By default it connects. */
  behave(how: 'connect' | 'hang' | 'close' | 'garbage' | number): void;
  close(): Promise<void>;
}

const USER = 'operator';
const PASSWORD = 'p@ss:wörd';

const refuse: RequestListener = (_request, response) => void response.writeHead(405).end();

/**
 * Connections lead to this machine, whatever their host is.
 * @param certificate for TLS to the proxy itself
 */
export async function openConnectProxy(certificate?: { key: string; cert: string }): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  let behaviour: Parameters<ConnectProxy['behave']>[0] = 'connect';
  const server =
    certificate === undefined ? createHttpServer(refuse) : createHttpsServer(certificate, refuse);
  const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('connect', ({ url = '', headers }, near) => {
    near.on('error', () => near.destroy());
    asked.push(url);
    const status = headers['proxy-authorization'] === expected ? behaviour : 407;
    if (status === 'hang') return;
    if (status === 'close') return void near.destroy();
    if (status === 'garbage') return void near.end('nonsense\r\n\r\n');
    if (status !== 'connect') return void near.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const far = connect(Number(url.slice(url.lastIndexOf(':') + 1)), '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    sockets.add(far);
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const name = `localhost:${portOf(server)}`;
  const scheme = certificate === undefined ? 'http' : 'https';
  return {
    name,
    url: `${scheme}://${USER}:${encodeURIComponent(PASSWORD)}@${name}`,
    asked,
    behave: (how) => {
      behaviour = how;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
