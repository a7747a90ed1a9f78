/** Sends one request to a gateway over a session of its own, which is closed afterwards: for checks, not for pushes. */
import { type Answered, openHttp2Pool, type TransportFailure } from '@carillon/http2-client';
import { tunnelFor } from '../proxy/proxy-settings.ts';
import { type Connecting, describeWithoutTokens, targetOf } from './open-pool.ts';

export interface Question extends Connecting {
  /** Scheme, host and port. */
  url: string;
  path: string;
  /** Alternating names and values, without the pseudo-headers. */
  headers: readonly string[];
  body: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 8_000;

/** Never rejects, and resolves within about 15 seconds. Without an answer, `reason` is a sentence. */
export async function askGateway(
  question: Question,
): Promise<Answered | { kind: 'unanswered'; reason: string }> {
  const { url, ca, proxy, path, headers, body } = question;
  const { origin } = new URL(url);
  let failure: TransportFailure | undefined;
  const pool = openHttp2Pool({
    origin,
    ca,
    tunnel: tunnelFor(proxy, origin),
    onEvent: (event) => {
      if (event.kind === 'session_closed' && !event.wasOpen) failure ??= event.failure;
    },
    sessionsMax: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    waitTimeoutMs: ANSWER_TIMEOUT_MS,
    requestTimeoutMs: ANSWER_TIMEOUT_MS,
    closeTimeoutMs: 1_000,
    checkIntervalMs: 100,
  });
  const request = { path, headers: [...targetOf(url), ...headers], ownHeaders: [], body };
  try {
    // Only the first attempt to connect counts, since a person waits for the answer.
    const answer = await pool.request(request, () => failure === undefined);
    if (answer.kind === 'answered') return answer;
    return { kind: 'unanswered', reason: describeWithoutTokens(failure ?? answer) };
  } finally {
    await pool.close();
  }
}
