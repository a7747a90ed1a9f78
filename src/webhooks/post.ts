/**
 * Sends one POST to an untrusted receiver. Only public addresses are allowed, unless the settings allow others.
 * Redirects are not followed, there is a time limit, and only the status of the response is kept.
 */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { publicLookup, type Resolve } from './addresses.ts';
import { endpointFault } from './endpoint.ts';

export interface PostOptions {
  allowPrivate: boolean;
  resolve: Resolve;
  timeoutMs: number;
}

/** `status` is null if there was no response; `error` is a code, never text from the receiver. */
export type PostResult =
  { ok: boolean; status: number; error: null } | { ok: false; status: null; error: string };

/** The response's body is read up to this size, so that the receiver can finish sending it. */
const ANSWER_BYTES_MAX = 8 * 1024;

/**
 * Opens a new connection every time: a receiver may close an idle connection just as it is used, and the attempt would
 * fail. Resolves when the head of the response has arrived.
 * @returns `ok` for a status from 200 to 299
 */
export async function post(
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  { allowPrivate, resolve, timeoutMs }: PostOptions,
): Promise<PostResult> {
  // Checked again: the settings may have become stricter since the webhook was created.
  if (endpointFault(url.href, allowPrivate) !== undefined) {
    return { ok: false, status: null, error: 'address_refused' };
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((settle) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
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
      settle({ ok: status >= 200 && status <= 299, status, error: null });
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) response.destroy();
      });
      response.on('error', () => undefined); // closed by the receiver, or by the time limit
    });
    request.on('error', (error) => {
      settle({ ok: false, status: null, error: signal.aborted ? 'timeout' : codeOf(error) });
    });
    request.end(body);
  });
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection_failed';
}
