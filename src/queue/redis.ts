/** Connections to Redis or Valkey: one server, a cluster, or the master that Sentinel knows. They reconnect for as long as they are open. */
import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { readRedisAddress } from './redis-address.ts';

/** Receives the errors of a connection (`redis-errors.ts`). */
export interface RedisErrors {
  /** Called when Redis cannot be reached, or refuses commands. */
  reportAway: (error: unknown) => void;
  /** The message of an error, without the password. */
  explain: (error: unknown) => string;
  /** Called when a connection is open: the next error is reported again. */
  connected: () => void;
}

export interface RedisOptions {
  /** An address in a form that `readRedisAddress` reads. */
  url: string;
  errors: RedisErrors;
  /**
   * Time limit of a command in milliseconds; such a connection refuses commands while it is not ready. Null, which
   * BullMQ's workers need: a command waits for Redis without limit.
   */
  commandTimeoutMs: number | null;
  /** A connection that owes an answer is replaced after this many milliseconds of silence. */
  silenceMsMax?: number;
}

export type RedisConnection = ReturnType<typeof openRedis>;

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_DELAY_MS_MAX = 2_000;
const MASTER_SILENCE_MS_MAX = 10_000;

/** Opens a connection; it is made in the background. Throws only if `url` is not such an address. */
export function openRedis({ url, errors, commandTimeoutMs, silenceMsMax }: RedisOptions) {
  const address = readRedisAddress(url);
  if (address === undefined) throw new Error('not the address of a Redis');
  let isClosed = false;

  const reconnectDelayMs = (attempt: number): number | null =>
    isClosed ? null : Math.min(attempt * 100, RECONNECT_DELAY_MS_MAX) * (0.5 + Math.random() / 2);

  const enableOfflineQueue = commandTimeoutMs === null;
  const tls = address.isEncrypted ? {} : undefined;
  const options = {
    username: address.username,
    password: address.password,
    tls,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: commandTimeoutMs === null ? null : 1,
    commandTimeout: commandTimeoutMs ?? undefined,
    socketTimeout: silenceMsMax,
  };
  const [node] = address.nodes;
  const client: Redis | Cluster =
    address.kind === 'cluster'
      ? new Cluster([node], {
          clusterRetryStrategy: reconnectDelayMs,
          redisOptions: options,
          enableOfflineQueue,
          // Names are not resolved here: a certificate is issued for a name, not for its address.
          dnsLookup: (name, found) => found(null, name),
        })
      : new Redis({
          ...options,
          enableOfflineQueue,
          db: address.database,
          retryStrategy: reconnectDelayMs,
          ...(address.kind === 'server'
            ? node
            : {
                name: address.masterName,
                sentinels: address.nodes,
                sentinelUsername: address.sentinelUsername,
                sentinelPassword: address.sentinelPassword,
                sentinelTLS: tls,
                enableTLSForSentinelMode: address.isEncrypted,
                sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
                sentinelRetryStrategy: reconnectDelayMs,
                // A hanging master keeps its connections after another has taken over.
                socketTimeout: silenceMsMax ?? MASTER_SILENCE_MS_MAX,
              }),
        });
  const connections: (Redis | Cluster)[] = [];
  const keep = (connection: Redis | Cluster): void => {
    connections.push(connection);
    connection.on('connect', () => {
      if (isClosed) connection.disconnect();
    });
  };
  keep(client);
  /**
   * BullMQ makes a duplicate for its blocking commands. If that is closed while Redis goes away or comes back, BullMQ
   * may leave it connected, or connect it again, and then the process could not exit.
   */
  const keepDuplicate = <Client extends Redis | Cluster>(duplicate: Client): Client => {
    keep(duplicate);
    duplicate.on('error', () => undefined); // BullMQ takes its own listener away before the last error
    return duplicate;
  };
  if (client instanceof Cluster) {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (...parameters) => keepDuplicate(duplicate(...parameters));
  } else {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (...parameters) => keepDuplicate(duplicate(...parameters));
  }
  client.on('error', (error) => {
    if (!isClosed) errors.reportAway(error);
  });
  client.on('ready', errors.connected);

  return {
    client,
    /** Resolves when commands can be sent; rejects at once between attempts to connect, otherwise after `timeoutMs`. */
    ready: async (timeoutMs: number): Promise<void> => {
      if (isClosed) throw new Error('the connection is closed');
      if (client.status === 'ready') return;
      if (client.status !== 'connecting' && client.status !== 'connect') {
        throw new Error(`the connection is ${client.status}`);
      }
      // Rejects with the connection's error if the attempt fails.
      await once(client, 'ready', { signal: AbortSignal.timeout(timeoutMs) });
    },
    /** Drops the connection and all duplicates of the client: commands still waiting reject. */
    close: (): void => {
      isClosed = true;
      for (const connection of connections) end(connection);
    },
  };
}

/**
 * Ends a connection that no longer reconnects. Between two attempts to connect, `disconnect` would neither reject the
 * commands that wait nor report the end: a last attempt does, whether it fails or not.
 */
function end(connection: Redis | Cluster): void {
  if (connection.status === 'reconnecting') connection.connect().catch(() => undefined);
  else connection.disconnect();
}
