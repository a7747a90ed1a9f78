import type { Answer } from './answer.ts';
import type { Schedule } from './outgoing.ts';
import type { SessionLimits } from './session.ts';
import type { Tunnel } from './socket.ts';
import type { TransportFailure } from './transport-reason.ts';

/** Limits and timeouts of a pool. */
export interface PoolLimits extends SessionLimits {
  sessionsMax: number;
  /** The pool opens more sessions when all have been full and requests have waited for this long. */
  growAfterMs: number;
  /** The longest wait for a free stream, per attempt; a request that waits longer ends as `never_sent`. */
  waitTimeoutMs: number;
  /** A request that comes back unprocessed this many times ends as `never_sent`. */
  attemptsMax: number;
  /**
   * How often an ambiguous request is sent again, for peers that recognise a repeat by an id in it. The last answer
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
  // Apple allows about 1,000, FCM 100. A session that dies leaves up to this many requests ambiguous, and a lost packet
  // delays them all.
  streamsMax: 250,
  // With FCM's 100 streams, 16 sessions carry 32,000 requests per second over a round trip of 50 ms.
  sessionsMax: 16,
  growAfterMs: 50,
  waitTimeoutMs: 15_000,
  attemptsMax: 5,
  repeatsIfAmbiguous: 0,
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  firstAnswerTimeoutMs: 10_000,
  overtakenTimeoutMs: 5_000,
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
  /** Certificate authority (PEM) to trust in addition to the system's. */
  ca?: string | undefined;
  /** Leads the connections through a proxy. Undefined: they are opened directly. */
  tunnel?: Tunnel | undefined;
  onEvent?: (event: PoolEvent) => void;
  /**
   * For peers whose answers are read: bodies of all answers, including those with status 200, are kept up to this many
   * bytes (at most 1 MiB). By default, bodies are cut after 16 KiB, and those with status 200 are dropped.
   */
  bodyBytesMax?: number | undefined;
  /**
   * Runs a task at the end of a turn of the event loop, `setImmediate` by default. All writes happen in such a task, so
   * the caller can save answers before new requests take their place.
   */
  schedule?: Schedule;
  /** Answered requests that count as in flight until the caller has saved their answers. */
  reserved?: Reserved | undefined;
}

/** Events of a pool, for logs and metrics. */
export type PoolEvent =
  | { readonly kind: 'session_opened' }
  /** `wasOpen`: false if the attempt to connect failed. */
  | { readonly kind: 'session_closed'; readonly failure: TransportFailure; readonly wasOpen: boolean }
  | { readonly kind: 'request_sent' }
  /** `durationMs` counts from `request_sent`. */
  | { readonly kind: 'request_ended'; readonly answer: Answer['kind']; readonly durationMs: number };

/**
 * Answers that the caller has not saved yet. A crash would repeat these requests as it repeats those in flight, so both
 * share one limit: the more answers are unsaved, the fewer requests are sent.
 */
export interface Reserved {
  readonly count: number;
  /** @param listener called when `count` has decreased @returns a function that removes the listener */
  onRemoved(listener: () => void): () => void;
}
