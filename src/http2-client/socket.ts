import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';

/** Either kind of socket, and the event that says that it can be spoken over. */
export interface OpeningSocket {
  readonly socket: Socket;
  readonly ready: 'connect' | 'secureConnect';
}

/** The most that comes at once over TLS: a record (RFC 8446, section 5.1). */
const READ_BYTES = 16_384;

/**
 * Connects to an origin for HTTP/2: over TLS with ALPN, or over plain TCP to a peer known to speak it (`http:`).
 * @param secureContext whom to trust, where not Node's own certificate authorities alone
 * @param onData told what comes, which lies in `bytes` from 0 up to `end` until it returns: the next bytes come to
 *   the same place. The socket's stream of data stays empty: a buffer, an event and two turns of a stream for every
 *   answer of a few bytes would cost as much as reading them.
 */
export function openSocket(
  origin: string,
  secureContext: SecureContext | undefined,
  onData: (bytes: Buffer, end: number) => void,
): OpeningSocket {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1'); // an IPv6 address
  const isSecure = protocol === 'https:';
  const bytes = Buffer.allocUnsafeSlow(READ_BYTES);
  const address = {
    host,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    noDelay: true,
    onread: {
      buffer: bytes,
      callback: (end: number): boolean => {
        onData(bytes, end);
        return true;
      },
    },
  };
  if (!isSecure) return { socket: connectTcp(address), ready: 'connect' };
  const socket = connectTls({
    ...address,
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    ...(isIP(host) === 0 && { servername: host }),
    ...(secureContext !== undefined && { secureContext }),
  });
  return { socket, ready: 'secureConnect' };
}
