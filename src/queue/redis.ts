/**
 * Connections to Redis or Valkey: one server, or a cluster. They reconnect for as long as they are open.
 */
import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';

/** Where the connections of one queue tell of their errors (`redis-errors.ts`). */
export interface RedisErrors {
  /** Redis cannot be asked, or refuses. */
  reportAway: (error: unknown) => void;
  /** What an error says, without the password. */
  explain: (error: unknown) => string;
  /** A connection is there: the next error is news. */
  connected: () => void;
}

export interface RedisOptions {
  /**
   * `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS; `redis+cluster://…` and
   * `rediss+cluster://…` name one node of a cluster, or its configuration endpoint.
   */
  url: string;
  errors: RedisErrors;
  /** How long a command may take, in milliseconds; null lets it wait for Redis, however long that takes. */
  commandTimeoutMs: number | null;
  /** A connection that owes an answer and says nothing for so long, in milliseconds, is made anew. */
  silenceMsMax?: number;
}

export interface RedisConnection {
  client: Redis | Cluster;
  /** Resolves when commands can be sent; rejects at once between attempts to connect, else in `timeoutMs`. */
  ready: (timeoutMs: number) => Promise<void>;
  /** From here on a broken connection (a duplicate of the client too) stays broken, and nobody is told. */
  giveUp: () => void;
  /** Drops the connection; commands still waiting reject. */
  close: () => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_DELAY_MS_MAX = 2_000;
const REDIS_PORT = 6379;

/** Opens a connection; it is made in the background. Throws only where `url` is not a URL. */
export function openRedis({ url, errors, commandTimeoutMs, silenceMsMax }: RedisOptions): RedisConnection {
  const address = new URL(url);
  let givenUp = false;

  const reconnectDelayMs = (attempt: number): number | null =>
    givenUp ? null : Math.min(attempt * 100, RECONNECT_DELAY_MS_MAX) * (0.5 + Math.random() / 2);

  const options = {
    username: decodeURIComponent(address.username) || undefined,
    password: decodeURIComponent(address.password) || undefined,
    tls: address.protocol.startsWith('rediss') ? {} : undefined,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: commandTimeoutMs === null ? null : 1,
    commandTimeout: commandTimeoutMs ?? undefined,
    socketTimeout: silenceMsMax,
  };
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1';
  const port = Number(address.port || REDIS_PORT);
  const client = address.protocol.includes('+cluster')
    ? new Cluster([{ host, port }], {
        clusterRetryStrategy: reconnectDelayMs,
        redisOptions: options,
        // Names stay names: a certificate is made out to a name, not to the address behind it.
        dnsLookup: (name, found) => found(null, name),
      })
    : new Redis({
        ...options,
        host,
        port,
        db: Number(address.pathname.slice(1) || 0),
        retryStrategy: reconnectDelayMs,
      });
  client.on('error', (error) => {
    if (!givenUp) errors.reportAway(error);
  });
  client.on('ready', errors.connected);

  return {
    client,
    ready: async (timeoutMs) => {
      if (givenUp) throw new Error('the connection is closed');
      if (client.status === 'ready') return;
      if (client.status !== 'connecting' && client.status !== 'connect') {
        throw new Error(`the connection is ${client.status}`);
      }
      // Rejects with the connection's error where the attempt fails.
      await once(client, 'ready', { signal: AbortSignal.timeout(timeoutMs) });
    },
    giveUp: () => {
      givenUp = true;
    },
    close: () => {
      givenUp = true;
      client.disconnect();
    },
  };
}
