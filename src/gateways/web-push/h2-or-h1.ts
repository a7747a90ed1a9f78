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
 * Opens a TLS connection, which ends with an error if it is not open within 10 s.
 * @returns a socket that may still be connecting
 * @throws the error of the tunnel
 */
export async function openTls({ origin, ca, tunnel }: Reaching, protocols: string[]): Promise<TLSSocket> {
  const target = targetOf(origin);
  const options: ConnectionOptions = {
    host: target.host, // the certificate must be for this name
    ALPNProtocols: protocols,
    minVersion: 'TLSv1.2',
    ...(isIP(target.host) === 0 && { servername: target.host }),
    ...(ca !== undefined && { secureContext: trustAlso(ca) }),
  };
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(), TIMEOUT_MS);
  const inTime = (): void => clearTimeout(timer);
  try {
    const tcp: Socket =
      tunnel === undefined
        ? connectTcp({ ...target, noDelay: true })
        : await tunnel.open(target, opening.signal);
    const socket = connectTls({ ...options, socket: tcp });
    opening.signal.addEventListener('abort', () => socket.destroy(new Error('no answer came in time')));
    return socket.once('secureConnect', inTime).once('close', inTime);
  } catch (error) {
    inTime();
    throw error;
  }
}

/** @throws the error of the connection, or of the time limit */
export async function speaksHttp2(reaching: Reaching): Promise<boolean> {
  const socket = await openTls(reaching, ['h2', 'http/1.1']);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
    });
    return socket.alpnProtocol === 'h2';
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
