import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** A socket that is connecting, and the name of the event after which it can be written to. */
export interface OpeningSocket {
  readonly socket: Socket;
  readonly ready: 'connect' | 'secureConnect';
}

/** The size of the largest TLS record (RFC 8446, section 5.1), which is the most that arrives at once. */
const READ_BYTES = 16_384;

/**
 * Connects to an origin for HTTP/2: `https:` over TLS with ALPN, `http:` over plain TCP to a peer known to speak it.
 * @param secureContext certificate authorities to trust; undefined: Node's own
 * @param onData receives the bytes from 0 to `end` of a buffer that the next read overwrites. The socket emits no
 *   `data` events: they would cost a buffer, an event and two ticks for every small answer.
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

/**
 * A TLS context that trusts one more certificate authority (PEM) in addition to Node's own: the option `ca` of a TLS
 * socket would replace the list. Made once per pool, because reading the list takes 20 ms.
 */
export function trustAlso(authority: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), authority] });
}
