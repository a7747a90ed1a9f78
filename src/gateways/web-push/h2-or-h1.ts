/** Asks an origin, by one TLS handshake, whether it speaks HTTP/2: not every push service does. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { trustAlso, type Tunnel } from '@carillon/http2-client';
import { withoutBrackets } from '../../proxy/proxy-settings.ts';

export interface Reaching {
  /** Scheme, host and port. */
  origin: string;
  /** Certificate authority (PEM) to trust in addition to the system's. */
  ca: string | undefined;
  /** Undefined: connections are direct. */
  tunnel: Tunnel | undefined;
}

const HTTPS_PORT = 443;
const TIMEOUT_MS = 10_000;

function targetOf(origin: string): { host: string; port: number } {
  const { hostname, port } = new URL(origin);
  return { host: withoutBrackets(hostname), port: port === '' ? HTTPS_PORT : Number(port) };
}

/**
 * Opens a TLS connection.
 * @returns a socket that may still be connecting
 * @throws the error of the tunnel
 */
export async function openTls(
  { origin, ca, tunnel }: Reaching,
  protocols: string[],
  signal: AbortSignal,
): Promise<TLSSocket> {
  const target = targetOf(origin);
  const options: ConnectionOptions = {
    host: target.host, // the certificate must be for this name
    ALPNProtocols: protocols,
    minVersion: 'TLSv1.2',
    ...(isIP(target.host) === 0 && { servername: target.host }),
    ...(ca !== undefined && { secureContext: trustAlso(ca) }),
  };
  const socket: Socket =
    tunnel === undefined
      ? connectTcp({ ...target, noDelay: true, signal })
      : await tunnel.open(target, signal);
  return connectTls({ ...options, socket });
}

/** @throws the error of the connection, or of the time limit */
export async function speaksHttp2(reaching: Reaching): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const socket = await openTls(reaching, ['h2', 'http/1.1'], signal);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      signal.addEventListener('abort', () => reject(new Error('no answer came in time')), { once: true });
    });
    return socket.alpnProtocol === 'h2';
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
