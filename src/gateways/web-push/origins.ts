/**
 * Connections to push services, kept apart by origin, so that a slow service holds no other up: each has a bound of requests, and what
 * exceeds it is tried later.
 */
import { connect, type Socket } from 'node:net';
import type { Answer, Http2Pool, Tunnel } from '@carillon/http2-client';
import { tunnelFor } from '../../proxy/proxy-settings.ts';
import { publicAddress, type Resolve } from '../../proxy/public-addresses.ts';
import { type GatewayOptions, openGatewayPool, targetOf } from '../open-pool.ts';
import { type Reaching, speaksHttp2 } from './h2-or-h1.ts';
import { allowanceOf, type WebPushHosts } from './hosts.ts';
import { type Http1Client, openHttp1 } from './http1.ts';

export interface OriginOptions extends GatewayOptions {
  hosts: WebPushHosts;
  resolve: Resolve;
}

interface OriginRequest {
  path: string;
  /** The same array for all pushes of a message to the origin. */
  headers: readonly string[];
  ownHeaders: readonly string[];
  body: Buffer;
}

export type Origin = ReturnType<typeof openOrigin>;

/** Hosts of UnifiedPush are anybody's: connections to those used longest ago are closed. */
const OPEN_MAX = 100;
/** After an attempt to connect that failed, the next one waits. */
const ASK_AGAIN_MS = 2_000;
/** The session of another service is closed sooner than Apple's: it may be one of thousands. */
const SESSIONS_MAX = 8;

export function openOrigins(options: OriginOptions) {
  const open = new Map<string, Origin>();
  const closing = new Set<Promise<void>>();

  function close(origin: Origin): void {
    const closed = origin.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  return {
    /** @returns undefined if the host may not be called */
    of(name: string): Origin | undefined {
      const known = open.get(name);
      if (known !== undefined) {
        if (open.size > OPEN_MAX / 2) {
          open.delete(name); // the newest use is last
          open.set(name, known);
        }
        return known;
      }
      const allowance = allowanceOf(name, options.hosts);
      if (allowance === undefined) return undefined;
      const { ca, proxy, resolve } = options;
      const proxied = tunnelFor(proxy, name);
      const tunnel = allowance === 'named' ? proxied : publicTunnel(resolve, proxied);
      const origin = openOrigin({ origin: name, ca, tunnel }, options);
      open.set(name, origin);
      for (const [oldest, idle] of open) {
        if (open.size <= OPEN_MAX) break;
        if (idle.pending > 0) continue;
        open.delete(oldest);
        close(idle);
      }
      return origin;
    },
    async whenSent(): Promise<void> {
      await Promise.all([...open.values()].map(async (origin) => origin.whenSent()));
    },
    async close(): Promise<void> {
      for (const origin of open.values()) close(origin);
      open.clear();
      await Promise.all(closing);
    },
  };
}

type Client = { kind: 'h2'; pool: Http2Pool } | { kind: 'h1'; client: Http1Client };

function openOrigin(reaching: Reaching, { reserved, observe }: OriginOptions) {
  const { origin: name } = reaching;
  const target = targetOf(name);
  let client: Client | undefined;
  let asking: Promise<Client | undefined> | undefined;
  let failedAt = -Infinity;
  let isClosed = false;
  let pending = 0;

  async function ask(): Promise<Client | undefined> {
    try {
      const isHttp2 = await speaksHttp2(reaching);
      if (isClosed) return undefined;
      client = isHttp2 ? { kind: 'h2', pool: openPool() } : { kind: 'h1', client: openHttp1(reaching) };
      return client;
    } catch {
      failedAt = performance.now();
      return undefined;
    } finally {
      asking = undefined;
    }
  }

  function openPool(): Http2Pool {
    const { ca, tunnel } = reaching;
    const sessionsMax = SESSIONS_MAX;
    return openGatewayPool({ gateway: 'web_push', origin: name, ca, tunnel, reserved, sessionsMax, observe });
  }

  async function send(request: OriginRequest, isWanted: () => boolean): Promise<Answer> {
    if (client === undefined && performance.now() - failedAt >= ASK_AGAIN_MS) asking ??= ask();
    const ready = client ?? (await asking);
    if (ready === undefined) return { kind: 'never_sent', reason: 'connection_failed' };
    const { path, headers, ownHeaders, body } = request;
    if (ready.kind === 'h2') return ready.pool.request({ path, headers, ownHeaders, body }, isWanted);
    const ownAndShared = [...headers.slice(target.length), ...ownHeaders];
    return ready.client.request({ path, headers: ownAndShared, body }, isWanted);
  }

  return {
    name,
    /** Of HTTP/2; HTTP/1.1 has none of them. */
    target,
    /** Requests that have no answer yet. */
    get pending() {
      return pending;
    },
    request(request: OriginRequest, isWanted: () => boolean): Promise<Answer> {
      pending += 1;
      return send(request, isWanted).finally(() => {
        pending -= 1;
      });
    },
    whenReady: () => (client?.kind === 'h2' ? client.pool.whenReady() : undefined),
    async whenSent(): Promise<void> {
      if (client?.kind === 'h2') await client.pool.whenSent();
    },
    async close(): Promise<void> {
      isClosed = true;
      await asking;
      if (client?.kind === 'h2') await client.pool.close();
      else await client?.client.close();
    },
  };
}

/** Connects to public addresses alone. The proxy, if there is one, gets the checked address: it may resolve the name differently. */
function publicTunnel(resolve: Resolve, proxied: Tunnel | undefined): Tunnel {
  return {
    name: proxied?.name ?? 'the check for public addresses',
    open: async ({ host, port }, signal) => {
      const checked = { host: await publicAddress(resolve, host), port };
      return proxied === undefined
        ? connected(connect({ ...checked, signal }))
        : proxied.open(checked, signal);
    },
  };
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket.setNoDelay(true))).once('error', reject);
  });
}
