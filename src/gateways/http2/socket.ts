import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';

/** Either kind of socket, and the event that says that it can be spoken over. */
export interface OpeningSocket {
  readonly socket: Socket;
  readonly ready: 'connect' | 'secureConnect';
}

/**
 * Connects to an origin for HTTP/2: over TLS with ALPN, or over plain TCP to a peer known to speak it (`http:`).
 * @param secureContext whom to trust, where not Node's own certificate authorities alone
 */
export function openSocket(origin: string, secureContext: SecureContext | undefined): OpeningSocket {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1'); // an IPv6 address
  const isSecure = protocol === 'https:';
  const address = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port), noDelay: true };
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
