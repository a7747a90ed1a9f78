import type { Answer } from './answer.ts';
import type { Schedule } from './outgoing.ts';
import type { SessionLimits } from './session.ts';
import type { TransportFailure } from './transport-reason.ts';

/** Limits and timeouts of a pool. */
export interface PoolLimits extends SessionLimits {
  sessionsMax: number;
  /** The pool opens more sessions after all have been full, with requests waiting, for this long. */
  growAfterMs: number;
  /** The longest wait for a free stream, counted again for each attempt; then the request is `never_sent`. */
  waitTimeoutMs: number;
  /** Attempts at a request that the peer refuses unprocessed before it is `never_sent`. */
  attemptsMax: number;
  /**
   * Times that an ambiguous request is sent again, for peers that recognise a repeat by an id in it. The last answer
   * counts.
   */
  repeatsIfAmbiguous: number;
  /** The wait after the first failure to connect; doubles with each failure that follows, up to the maximum. */
  reconnectAfterMs: number;
  reconnectAfterMsMax: number;
  /** The time that `close` leaves to requests in flight. */
  closeTimeoutMs: number;
  /** The interval at which all timeouts are checked. */
  checkIntervalMs: number;
}

export const DEFAULT_LIMITS: PoolLimits = {
  // Apple allows about 1,000, FCM 100. A session that dies leaves this many ambiguous, and one lost packet delays them.
  streamsMax: 250,
  // With FCM's 100 streams, 16 sessions carry 32,000 requests per second over a round trip of 50 ms.
  sessionsMax: 16,
  growAfterMs: 50,
  waitTimeoutMs: 15_000,
  attemptsMax: 5,
  repeatsIfAmbiguous: 0,
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  drainAfterErrorMs: 1_000,
  pingAfterBusyMs: 5_000,
  pingAfterIdleMs: 60_000,
  pingTimeoutMs: 5_000,
  reconnectAfterMs: 1_000,
  reconnectAfterMsMax: 30_000,
  closeTimeoutMs: 10_000,
  checkIntervalMs: 500,
};

export interface Http2PoolOptions extends Partial<PoolLimits> {
  /** Scheme, host and port, e.g. `https://api.push.apple.com`. */
  origin: string;
  /** PEM of a certificate authority to trust besides the system's. */
  ca?: string | undefined;
  onEvent?: (event: PoolEvent) => void;
  /**
   * Runs a task at the end of a turn of the event loop, `setImmediate` by default. Everything that is sent leaves in
   * such a task, so the caller can save answers before new requests take their place.
   */
  schedule?: Schedule;
  /** Answered requests that still count as in flight. */
  reserved?: Reserved | undefined;
}

/** Events of a pool, for logs and metrics. */
export type PoolEvent =
  | { readonly kind: 'session_opened' }
  /** `wasOpen`: false where the attempt to connect failed. */
  | { readonly kind: 'session_closed'; readonly failure: TransportFailure; readonly wasOpen: boolean }
  | { readonly kind: 'request_sent' }
  /** `durationMs` counts from `request_sent`. */
  | { readonly kind: 'request_ended'; readonly answer: Answer['kind']; readonly durationMs: number };

/**
 * Answers that the caller has not saved yet. A crash would repeat these requests as it repeats those in flight, so
 * both share one limit: the more there are, the fewer requests leave.
 */
export interface Reserved {
  readonly count: number;
  /** @param listener called when `count` has decreased @returns a function that removes the listener */
  onRemoved(listener: () => void): () => void;
}
