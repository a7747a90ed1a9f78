/**
 * Sends one POST to an untrusted receiver. Only public addresses are allowed, unless the settings allow others.
 * Redirects are not followed, there is a time limit, and only the status of the response is kept.
 */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ProxySettings, tunnelFor, withoutBrackets } from '../proxy/proxy-settings.ts';
import { proxyFailureIn } from '../proxy/tunnel.ts';
import { publicAddress, publicLookup, type Resolve } from '../proxy/public-addresses.ts';
import { endpointFault } from './endpoint.ts';

export interface PostOptions {
  allowPrivate: boolean;
  resolve: Resolve;
  timeoutMs: number;
  /** Undefined: connections are direct. */
  proxy?: ProxySettings | undefined;
}

/**
 * `status` is null if there was no response; `error` is a code, never text from the receiver. `retryAfter` is the text of that
 * header.
 */
export type PostResult =
  | { ok: boolean; status: number; error: null; retryAfter?: string | undefined }
  | { ok: false; status: null; error: string };

/** The response's body is read up to this size, so that the receiver can finish sending it. */
const ANSWER_BYTES_MAX = 8 * 1024;
const HTTPS_PORT = 443;

/**
 * Opens a new connection every time: a receiver may close an idle connection just as it is used, and the attempt would
 * fail. Resolves when the head of the response has arrived.
 * @returns `ok` for a status from 200 to 299
 */
export async function post(
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  { allowPrivate, resolve, timeoutMs, proxy }: PostOptions,
): Promise<PostResult> {
  // Checked again: the settings may have become stricter since the webhook was created.
  if (endpointFault(url.href, allowPrivate) !== undefined) {
    return { ok: false, status: null, error: 'address_refused' };
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  let socket: Socket | undefined;
  try {
    socket = await connectByProxy(url, { allowPrivate, resolve, proxy }, signal);
  } catch (error) {
    return { ok: false, status: null, error: errorOf(error, signal) };
  }
  return new Promise((settle) => {
    const request = send(url, {
      method: 'POST',
      ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Carillon',
        ...headers,
      },
      signal,
      ...(!allowPrivate && { lookup: publicLookup(resolve) }),
    });
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const retryAfter = response.headers['retry-after'];
      settle({ ok: status >= 200 && status <= 299, status, error: null, retryAfter });
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) response.destroy();
      });
      response.on('error', () => undefined); // closed by the receiver, or by the time limit
    });
    request.on('error', (error) => settle({ ok: false, status: null, error: errorOf(error, signal) }));
    // Also comes without an error, if the receiver answers 101 to a request that asked for no upgrade.
    request.on('close', () => settle({ ok: false, status: null, error: 'connection_failed' }));
    request.end(body);
  });
}

/**
 * Connects through the proxy, if there is one. The proxy gets the checked address and not the name, which it may
 * resolve differently.
 * @returns undefined: connect directly
 */
async function connectByProxy(
  url: URL,
  { allowPrivate, resolve, proxy }: Omit<PostOptions, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const tunnel = url.protocol === 'https:' ? tunnelFor(proxy, url) : undefined;
  if (tunnel === undefined) return undefined;
  const name = withoutBrackets(url.hostname);
  const host = allowPrivate ? name : await publicAddress(resolve, name);
  const socket = await tunnel.open({ host, port: Number(url.port || HTTPS_PORT) }, signal);
  return connectTls({ socket, ...(isIP(name) === 0 && { servername: name }), host: name });
}

function errorOf(error: unknown, signal: AbortSignal): string {
  if (proxyFailureIn(error) !== undefined) return 'proxy_failed';
  if (signal.aborted) return 'timeout';
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'connection_failed';
}
