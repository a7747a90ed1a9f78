/** Requests over HTTP/1.1, with Node's own client, to push services that do not speak HTTP/2. */
import { Agent, request as requestHttps } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, AnswerHeaders } from '@carillon/http2-client';
import { handOver } from '../hand-over.ts';
import { openTls, type Reaching } from './h2-or-h1.ts';

interface Http1Request {
  path: string;
  /** Alternating names and values, without pseudo-headers. */
  headers: readonly string[];
  body: Buffer;
}

export type Http1Client = ReturnType<typeof openHttp1>;

/** Each carries one request at a time. */
const SOCKETS_MAX = 64;
const TIMEOUT_MS = 20_000;
/** A service closes idle connections too; what is left is then seldom closed just as it is used. */
const IDLE_MS = 30_000;
const BODY_BYTES_MAX = 16 * 1024;

export function openHttp1(reaching: Reaching) {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, timeout: IDLE_MS });
  agent.createConnection = (_options, done) => {
    void handOver(openTls(reaching, ['http/1.1']), done);
    return undefined;
  };
  const running = new Set<Promise<unknown>>();
  const { host } = new URL(reaching.origin);

  function once({ path, headers, body }: Http1Request): Promise<Answer> {
    return new Promise((settle) => {
      let isConnected = false;
      const request = requestHttps(`${reaching.origin}${path}`, {
        method: 'POST',
        agent,
        headers: [...headers, 'host', host, 'content-length', String(body.length)],
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      request.on('socket', (socket) => {
        if (!socket.connecting && request.reusedSocket) isConnected = true;
        else socket.once('secureConnect', () => (isConnected = true));
      });
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        const answer = (): void =>
          settle({
            kind: 'answered',
            status: response.statusCode ?? 0,
            headers: headersOf(response.headers),
            body: Buffer.concat(chunks).toString('utf8', 0, BODY_BYTES_MAX),
          });
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= BODY_BYTES_MAX) return;
          answer();
          response.destroy();
        });
        // The status is all that counts, even if the rest breaks off.
        response.on('error', answer).on('end', answer);
      });
      const fail = (detail: string): void =>
        settle(
          isConnected
            ? {
                kind: 'ambiguous',
                reason: detail === 'timeout' ? 'answer_timeout' : 'closed_by_peer',
                detail,
              }
            : { kind: 'never_sent', reason: 'connection_failed', detail },
        );
      request.on('error', (error: NodeJS.ErrnoException) =>
        fail(
          error.name === 'TimeoutError' || error.name === 'AbortError'
            ? 'timeout'
            : (error.code ?? error.name),
        ),
      );
      request.on('close', () => fail('closed'));
      request.end(body);
    });
  }

  async function send(request: Http1Request, isWanted: () => boolean): Promise<Answer> {
    if (!isWanted()) return { kind: 'never_sent', reason: 'not_wanted' };
    const answer = await once(request);
    return answer.kind === 'ambiguous' && isWanted() ? notUnsent(await once(request)) : answer;
  }

  return {
    /** Never rejects. An ambiguous request is sent once more. */
    request(request: Http1Request, isWanted: () => boolean): Promise<Answer> {
      const sent = send(request, isWanted).finally(() => running.delete(sent));
      running.add(sent);
      return sent;
    },
    /** Lets requests in flight finish, within their time limit. */
    async close(): Promise<void> {
      await Promise.all(running);
      agent.destroy();
    },
  };
}

/** The first attempt may have arrived, so a second that was not sent does not make the whole unsent. */
function notUnsent(answer: Answer): Answer {
  return answer.kind === 'never_sent' ? { ...answer, kind: 'ambiguous' } : answer;
}

function headersOf(headers: IncomingHttpHeaders): AnswerHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
