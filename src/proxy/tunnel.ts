/** Opens connections through an HTTP proxy, with the method CONNECT (RFC 9110, 9.3.6). */
import { request as requestHttp, STATUS_CODES } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Tunnel } from '@carillon/http2-client';

/** The proxy opened no connection. The message names the proxy, without its password. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/** The message of a `ProxyError`, at the end of another message: `node-fetch` keeps only the message of an error. */
const MESSAGE = /the proxy \S+ (?:answered|cannot be used|did not answer)[^\n]*$/;

/** @returns the message, if the error was caused by a proxy that opened no connection */
export function proxyFailureIn(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const [message] = MESSAGE.exec(cause.message) ?? [];
    if (message !== undefined) return message;
  }
  return undefined;
}

/** @param proxyUrl `http://user:password@host:port`, or `https:` for TLS to the proxy itself */
export function openTunnelThrough(proxyUrl: string): Tunnel {
  const { protocol, hostname, host, port, username, password } = new URL(proxyUrl);
  const isSecure = protocol === 'https:';
  const proxyHost = hostname.replace(/^\[(.*)\]$/, '$1');
  const defaultPort = isSecure ? 443 : 80;
  const name = `the proxy ${port === '' ? `${host}:${defaultPort}` : host}`;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = login === ':' ? {} : { 'proxy-authorization': `Basic ${btoaUtf8(login)}` };
  return {
    name,
    open: async (target, signal) => {
      const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
      const { promise, resolve, reject } = Promise.withResolvers<Socket>();
      const fail = (what: string): void => reject(new ProxyError(`${name} ${what}`));
      const request = (isSecure ? requestHttps : requestHttp)({
        host: proxyHost,
        port: port === '' ? defaultPort : Number(port),
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, ...authorization },
        agent: false,
        signal,
        ...(isSecure && isIP(proxyHost) === 0 && { servername: proxyHost }),
      });
      request.on('connect', ({ statusCode: status = 0 }, socket: Socket, head) => {
        const isOpen = status >= 200 && status <= 299 && head.length === 0;
        if (isOpen) return resolve(socket.setNoDelay(true));
        socket.destroy();
        return fail(`answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
      });
      request.on('error', (error) => {
        fail(signal.aborted ? 'did not answer in time' : `cannot be used: ${codeOf(error)}`);
      });
      request.end();
      return promise;
    },
  };
}

function btoaUtf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
