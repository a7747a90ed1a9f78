import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  TLSSocket,
} from 'node:tls';

/** Opens TCP connections to a peer in another way than directly, such as through a proxy. */
export interface Tunnel {
  /** For messages: `the proxy proxy.example.com:3128`. */
  readonly name: string;
  /**
   * @param signal ends the attempt
   * @returns a connection on which nothing has been received; rejects with an error whose message says who failed
   */
  open(target: { host: string; port: number }, signal: AbortSignal): Promise<Socket>;
}

export interface SocketOptions {
  origin: string;
  /** Certificate authorities to trust; undefined: Node's own. */
  secureContext: SecureContext | undefined;
  /** Undefined: connect directly. */
  tunnel: Tunnel | undefined;
}

export interface SocketEvents {
  /** The socket can be written to. */
  onReady(socket: Socket): void;
  /**
   * @param bytes a buffer that the next read overwrites; the received bytes are those from 0 to `end`. A direct socket
   *   emits no `data` events: they would cost a buffer, an event and two ticks for every small answer.
   */
  onData(bytes: Buffer, end: number): void;
  onDrain(): void;
  onError(error: unknown): void;
  /** The last event. */
  onClose(): void;
}

export interface OpeningSocket {
  destroy(): void;
}

/** The size of the largest TLS record (RFC 8446, section 5.1), which is the most that arrives at once. */
const READ_BYTES = 16_384;

/**
 * Connects to an origin for HTTP/2: `https:` over TLS with ALPN, `http:` over plain TCP to a peer known to speak
 * HTTP/2.
 */
export function openSocket(options: SocketOptions, events: SocketEvents): OpeningSocket {
  const { origin, secureContext, tunnel } = options;
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1'); // an IPv6 address
  const isSecure = protocol === 'https:';
  const target = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) };
  const tls = {
    host, // the certificate must be for this name
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    ...(isIP(host) === 0 && { servername: host }),
    ...(secureContext !== undefined && { secureContext }),
  } as const;
  if (tunnel !== undefined) {
    return openThrough(tunnel, target, events, (socket) =>
      isSecure ? connectTls({ ...tls, socket }) : socket,
    );
  }
  const bytes = Buffer.allocUnsafeSlow(READ_BYTES);
  const address = {
    ...target,
    noDelay: true,
    onread: {
      buffer: bytes,
      callback: (end: number): boolean => {
        events.onData(bytes, end);
        return true;
      },
    },
  };
  const socket = isSecure ? connectTls({ ...address, ...tls }) : connectTcp(address);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => events.onReady(socket));
  return listen(socket, events);
}

/** Node has no `onread` for TLS over a connected socket. */
function openThrough(
  tunnel: Tunnel,
  target: { host: string; port: number },
  events: SocketEvents,
  secure: (socket: Socket) => Socket,
): OpeningSocket {
  const ending = new AbortController();
  let opened: Socket | undefined;
  const open = async (): Promise<void> => {
    try {
      const tcp = await tunnel.open(target, ending.signal);
      opened = secure(tcp);
    } catch (error) {
      events.onError(error);
      events.onClose();
      return;
    }
    const socket = opened;
    listen(socket, events);
    socket.on('data', (bytes: Buffer) => events.onData(bytes, bytes.length));
    if (ending.signal.aborted) socket.destroy();
    else if (socket instanceof TLSSocket) socket.once('secureConnect', () => events.onReady(socket));
    else events.onReady(socket);
  };
  void open();
  return {
    destroy: () => {
      ending.abort();
      opened?.destroy();
    },
  };
}

function listen(socket: Socket, events: SocketEvents): Socket {
  return socket
    .on('drain', () => events.onDrain())
    .on('error', (error) => events.onError(error))
    .on('close', () => events.onClose());
}

/** By authority: of a process there are one or two. */
const trusting = new Map<string, SecureContext>();

/**
 * A TLS context that trusts one more certificate authority (PEM) in addition to Node's own: the option `ca` of a TLS
 * socket would replace the list. All pools of a process with the same authority share it, because reading the list takes 20 ms.
 */
export function trustAlso(authority: string): SecureContext {
  const made = trusting.get(authority);
  if (made !== undefined) return made;
  const context = createSecureContext({ ca: [...getCACertificates('default'), authority] });
  trusting.set(authority, context);
  return context;
}
