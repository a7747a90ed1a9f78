/** Reads `REDIS_URL`: one server, a cluster, or the Sentinels that know which server is the master. */

export interface RedisNode {
  host: string;
  port: number;
}

export interface RedisAddress {
  kind: 'server' | 'cluster' | 'sentinel';
  isEncrypted: boolean;
  /** The server, one node of the cluster, or the Sentinels. */
  nodes: [RedisNode, ...RedisNode[]];
  username: string | undefined;
  password: string | undefined;
  database: number;
  /** Sentinel's name for the master and its replicas; empty without Sentinel. */
  masterName: string;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26379;
const FORM =
  /^redis(?<tls>s?)(?:\+(?<kind>cluster|sentinel))?:\/\/(?:(?<credentials>[^/?#]*)@)?(?<hosts>[^@/?#]+)(?<path>\/[^?#]*)?(?<query>\?[^#]*)?$/;
const SENTINEL_PARAMETERS: ReadonlySet<string> = new Set(['sentinel_username', 'sentinel_password']);

/**
 * Forms: `redis://[user:password@]host[:port][/database]`, `redis+cluster://` with one node of the cluster or its
 * configuration endpoint, and
 * `redis+sentinel://[user:password@]host[:port],host[:port]/master[/database][?sentinel_password=…]`, as Python's
 * clients accept it; each with `rediss` for TLS, also to the Sentinels.
 * @returns undefined for anything else
 */
export function readRedisAddress(url: string): RedisAddress | undefined {
  const { tls, kind, credentials = '', hosts = '', path = '', query = '' } = FORM.exec(url)?.groups ?? {};
  if (tls === undefined) return undefined;
  try {
    const isSentinel = kind === 'sentinel';
    const [first, ...others] = hosts.split(',').map((host) => nodeOf(host, isSentinel));
    const colon = credentials.includes(':') ? credentials.indexOf(':') : credentials.length;
    const segments = path.split('/').slice(1).map(decodeURIComponent);
    const masterName = isSentinel ? (segments.shift() ?? '') : '';
    const [database = '', ...more] = segments;
    const parameters = new URLSearchParams(query);
    const isUnknown = [...parameters.keys()].some((name) => !SENTINEL_PARAMETERS.has(name));
    const isWrong = isSentinel ? masterName === '' || isUnknown : others.length > 0;
    if (first === undefined || isWrong || more.length > 0 || !/^\d*$/.test(database)) return undefined;
    return {
      kind: kind === 'cluster' || isSentinel ? (isSentinel ? 'sentinel' : 'cluster') : 'server',
      isEncrypted: tls === 's',
      nodes: [first, ...others],
      username: decodeURIComponent(credentials.slice(0, colon)) || undefined,
      password: decodeURIComponent(credentials.slice(colon + 1)) || undefined,
      database: Number(database),
      masterName,
      sentinelUsername: parameters.get('sentinel_username') || undefined,
      sentinelPassword: parameters.get('sentinel_password') || undefined,
    };
  } catch {
    return undefined; // not percent-encoded, or no host
  }
}

/** @throws {Error} if the text is not a host */
function nodeOf(text: string, isSentinel: boolean): RedisNode {
  // For this scheme, `URL` neither changes the host nor assumes a default port.
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new Error('a host is missing');
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? (isSentinel ? SENTINEL_PORT : REDIS_PORT) : Number(port) };
}

/** @returns a message without the passwords of the address: Redis echoes arguments in some errors */
export function withoutPasswords(url: string, message: string): string {
  const address = readRedisAddress(url);
  const passwords = [address?.password, address?.sentinelPassword].filter((text) => text !== undefined);
  return passwords
    .flatMap((password) => [password, encodeURIComponent(password)])
    .reduce((text, password) => text.replaceAll(password, '***'), message);
}
