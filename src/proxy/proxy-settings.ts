/** The proxy for outgoing connections, and the addresses that are reached without it (`NO_PROXY`). */
import { BlockList, isIP } from 'node:net';
import type { Tunnel } from '@carillon/http2-client';
import { openTunnelThrough } from './tunnel.ts';

/** Plain data, because threads get it too. */
export interface ProxySettings {
  /** `http://user:password@host:port`, or `https:` for TLS to the proxy itself. */
  url: string;
  /** Text of `NO_PROXY`. */
  except: string;
}

/**
 * Without a scheme, the address is `http`, as in curl, and needs a port.
 * @returns the full address; undefined if the text is not an address
 */
export function parseProxyUrl(text: string): string | undefined {
  const hasScheme = text.includes('://');
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return undefined;
  if (!hasScheme && !/:\d+$/.test(text)) return undefined;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  try {
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
  } catch {
    return undefined;
  }
  return url.href;
}

/** @param address scheme, host and port that a connection is for. @returns undefined: connect directly */
export function tunnelFor(proxy: ProxySettings | undefined, address: string | URL): Tunnel | undefined {
  if (proxy === undefined || isExcepted(proxy.except, new URL(address))) return undefined;
  return openTunnelThrough(proxy.url);
}

/** A proxy on another machine would connect to itself. */
const LOOPBACK = blockListOf(['127.0.0.0/8', '::1/128']);

/**
 * The rules of curl: entries are separated by commas or spaces; `*` alone means all addresses; a name stands for itself
 * and all names below it, with or without a dot before it; an IP address for itself, `10.0.0.0/8` for a range. As in
 * most other programs, an entry may end in a port. Loopback addresses are always excepted.
 */
export function isExcepted(except: string, { protocol, hostname, port }: URL): boolean {
  const host = withoutBrackets(hostname).replace(/\.$/, '').toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost') || isIn(LOOPBACK, host)) return true;
  const actualPort = port === '' ? (protocol === 'http:' ? '80' : '443') : port;
  return except
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, actualPort));
}

/** An entry's name, address or range, and its port. An IPv6 address with a port is in brackets. */
const ENTRY = /^(?:\[(?<ipv6>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d+))?$/;

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const parts = ENTRY.exec(entry)?.groups;
  const named = parts?.['ipv6'] ?? parts?.['name'] ?? entry;
  if (parts?.['port'] !== undefined && parts['port'] !== port) return false;
  if (isIP(host) !== 0) return isIn(blockListOf([named]), host);
  const name = named.replace(/^\*?\./, '').replace(/\.$/, '');
  return host === name || host.endsWith(`.${name}`);
}

/** @param host a name is in no list */
export function isIn(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** @param ranges addresses, and ranges with a prefix; others are left out */
export function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    const version = isIP(network);
    const bitsMax = version === 4 ? 32 : 128;
    const bits = prefix === undefined ? bitsMax : Number(prefix);
    if (version === 0 || !Number.isInteger(bits) || bits < 0 || bits > bitsMax) continue;
    list.addSubnet(network, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
