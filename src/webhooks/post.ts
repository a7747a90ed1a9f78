/**
 * One POST to a receiver that nobody here knows: to public addresses alone unless told otherwise, without following
 * redirects, within a time limit, and without keeping anything of the answer but its status.
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

/** `status` is null where no answer came; `error` is a code and never text of the receiver's. */
export type PostResult =
  { ok: boolean; status: number; error: null } | { ok: false; status: null; error: string };

/** Read, so that the receiver can finish its answer; more than this is cut off. */
const ANSWER_BYTES_MAX = 8 * 1024;

/**
 * A connection for each: an idle one that the receiver closes just then would look like a lost event.
 * @returns once the head of the answer is there; `ok` for a status from 200 to 299
 */
export async function post(
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  { allowPrivate, resolve, timeoutMs }: PostOptions,
): Promise<PostResult> {
  // Judged again: the settings may have become stricter since.
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
      response.on('error', () => undefined); // cut off, by the receiver or by the time limit
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
