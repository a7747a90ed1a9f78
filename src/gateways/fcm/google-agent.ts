/**
 * An agent for Google's own libraries, in which the names of Google's hosts are fixed. It connects to the configured
 * addresses instead, trusts the configured certificate authority, and closes silent sockets.
 */
import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { trustAlso } from '../../http2-client/socket.ts';

declare module 'node:http' {
  /** Node calls it for every request, and packages override it for proxies, but the types lack it. */
  interface Agent {
    addRequest(request: ClientRequest, options: ClientRequestArgs): void;
  }
}

export interface GoogleAddresses {
  /** Scheme, host and port of FCM, and of Google's OAuth. */
  fcmUrl: string;
  oauthUrl: string;
  /** Certificate authority (PEM) to trust in addition to the system's. */
  ca: string | undefined;
}

export const OAUTH_HOST = 'oauth2.googleapis.com';
const SOCKET_TIMEOUT_MS = 5_000;
const HTTPS_PORT = 443;

/** Whether access tokens come from Google's own address, by the authorities that Node trusts: without this agent, they do. */
export function isGooglesOauth({ oauthUrl, ca }: Pick<GoogleAddresses, 'oauthUrl' | 'ca'>): boolean {
  return ca === undefined && new URL(oauthUrl).host === OAUTH_HOST;
}

export class GoogleAgent extends Agent {
  #isDestroyed = false;
  readonly #secureContext;
  readonly #addresses: ReadonlyMap<string, URL>;

  constructor({ fcmUrl, oauthUrl, ca }: GoogleAddresses) {
    super();
    this.#secureContext = ca === undefined ? undefined : trustAlso(ca);
    this.#addresses = new Map([
      ['fcm.googleapis.com', new URL(fcmUrl)],
      [OAUTH_HOST, new URL(oauthUrl)],
    ]);
  }

  override addRequest(request: ClientRequest, options: ClientRequestArgs): void {
    // A library that tries again after its caller has given up.
    if (this.#isDestroyed) request.destroy(new Error('the agent is closed'));
    const address = this.#addresses.get(options.host ?? '');
    if (address !== undefined) request.setHeader('host', address.host);
    super.addRequest(request, options);
  }

  override destroy(): void {
    this.#isDestroyed = true;
    super.destroy();
  }

  override createConnection({ host, port }: ClientRequestArgs): Socket {
    const address = this.#addresses.get(host ?? '');
    const name = address?.hostname ?? host ?? '';
    const socket = connect({
      host: name,
      port: Number(address === undefined ? port : address.port || HTTPS_PORT),
      // RFC 6066, section 3: a server name is never an address.
      servername: isIP(name) === 0 ? name : '',
      ...(this.#secureContext !== undefined && { secureContext: this.#secureContext }),
    });
    return socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy(new Error('the peer is silent')));
  }
}
