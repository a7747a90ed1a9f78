/** One request to a gateway, over a session of its own that is closed afterwards: for checks, not for pushes. */
import type { Answer } from '../http2-client/answer.ts';
import type { GatewayName } from './gateway.ts';
import { openHttp2Pool } from '../http2-client/pool.ts';

export interface Question {
  gateway: GatewayName;
  /** Scheme, host and port. */
  url: string;
  /** PEM of a certificate authority to trust beside the system's. */
  ca: string | undefined;
  path: string;
  /** Flat names and values, beside those that make up the request line. */
  headers: readonly string[];
  body: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 8_000;

/** Asks once. Never rejects, and answers within some 15 seconds; where no session opens, the reason says why. */
export async function askGateway({ gateway, url, ca, path, headers, body }: Question): Promise<Answer> {
  const { origin, host, protocol } = new URL(url);
  let failure: string | undefined;
  const pool = openHttp2Pool({
    name: gateway,
    origin,
    ca,
    observe: (observation) => {
      if (observation.kind === 'session_closed' && !observation.wasOpen) failure ??= observation.reason;
    },
    sessionsMax: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    waitTimeoutMs: ANSWER_TIMEOUT_MS,
    requestTimeoutMs: ANSWER_TIMEOUT_MS,
    closeTimeoutMs: 1_000,
    sweepMs: 100,
  });
  const target = [':method', 'POST', ':scheme', protocol.slice(0, -1), ':authority', host];
  const exchange = { path, headers: [...target, ...headers], ownHeaders: [], body };
  try {
    // The first attempt to connect decides: whoever asks is waiting.
    const answer = await pool.request(exchange, () => failure === undefined);
    return answer.kind === 'answered' || failure === undefined ? answer : { ...answer, reason: failure };
  } finally {
    await pool.close();
  }
}
