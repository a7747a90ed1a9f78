/**
 * An agent for Google's own libraries, in which the names of Google's hosts are fixed. It connects to the configured
 * addresses instead, trusts the configured certificate authority, and closes silent sockets.
 */
import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { type ProxySettings, tunnelFor, withoutBrackets } from '../../proxy/proxy-settings.ts';
import { trustAlso } from '@carillon/http2-client';
import { handOver } from '../hand-over.ts';
import type { Connecting } from '../open-pool.ts';

declare module 'node:http' {
  /** Node calls it for every request, and packages override it for proxies, but the types lack it. */
  interface Agent {
    addRequest(request: ClientRequest, options: ClientRequestArgs): void;
  }
}

export interface GoogleAddresses extends Connecting {
  /** Scheme, host and port of FCM, and of Google's OAuth. */
  fcmUrl: string;
  oauthUrl: string;
}

export const OAUTH_HOST = 'oauth2.googleapis.com';
const SOCKET_TIMEOUT_MS = 5_000;
const HTTPS_PORT = 443;

/**
 * Whether access tokens come directly from Google's own address, verified with the authorities that Node trusts.
 * Without this agent, they do.
 */
export function isGooglesOauth({ oauthUrl, ca, proxy }: GoogleAddresses): boolean {
  return ca === undefined && proxy === undefined && new URL(oauthUrl).host === OAUTH_HOST;
}

export class GoogleAgent extends Agent {
  #isDestroyed = false;
  readonly #secureContext;
  readonly #proxy: ProxySettings | undefined;
  readonly #addresses: ReadonlyMap<string, URL>;

  constructor({ fcmUrl, oauthUrl, ca, proxy }: GoogleAddresses) {
    super();
    this.#proxy = proxy;
    this.#secureContext = ca === undefined ? undefined : trustAlso(ca);
    this.#addresses = new Map([
      ['fcm.googleapis.com', new URL(fcmUrl)],
      [OAUTH_HOST, new URL(oauthUrl)],
    ]);
  }

  override addRequest(request: ClientRequest, options: ClientRequestArgs): void {
    // A library may try again after its caller has given up.
    if (this.#isDestroyed) request.destroy(new Error('the agent is closed'));
    const address = this.#addresses.get(options.host ?? '');
    if (address !== undefined) request.setHeader('host', address.host);
    super.addRequest(request, options);
  }

  override destroy(): void {
    this.#isDestroyed = true;
    super.destroy();
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Socket | undefined {
    const address = this.#addresses.get(host ?? '');
    const name = withoutBrackets(address?.hostname ?? host ?? '');
    const target = { host: name, port: Number(address === undefined ? port : address.port || HTTPS_PORT) };
    const tunnel = tunnelFor(this.#proxy, address ?? `https://${host}:${port}`);
    const secure = (through?: Socket): Socket => {
      const socket = connect({
        ...target,
        ...(through !== undefined && { socket: through }),
        // RFC 6066, section 3: a server name is never an address.
        servername: isIP(name) === 0 ? name : '',
        ...(this.#secureContext !== undefined && { secureContext: this.#secureContext }),
      });
      return socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy(new Error('the peer is silent')));
    };
    if (tunnel === undefined) return secure();
    void handOver(tunnel.open(target, AbortSignal.timeout(SOCKET_TIMEOUT_MS)).then(secure), done);
    return undefined;
  }
}
