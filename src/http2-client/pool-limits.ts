import type { SessionLimits } from './session.ts';

/** How much a pool of sessions opens, and how long it waits for what. */
export interface PoolLimits extends SessionLimits {
  sessionsMax: number;
  /** How long all sessions must have been full, and requests waiting, before the pool opens more. */
  growAfterMs: number;
  /** The longest wait for a free stream, each time that it is sent; then the request comes back. */
  waitTimeoutMs: number;
  /** How often a request may be refused unprocessed before it comes back as `never_sent`. */
  attemptsMax: number;
  /**
   * How often a request is sent again that may or may not have arrived: where the peer can tell a repeat by its
   * identifiers, since sending is at-least-once. The last answer counts.
   */
  repeatsIfAmbiguous: number;
  /** The wait after the first failure to connect; doubles with each one that follows, up to the most. */
  reconnectAfterMs: number;
  reconnectAfterMsMax: number;
  /** How long `close` lets requests in flight finish. */
  closeTimeoutMs: number;
  sweepMs: number;
}

export const DEFAULT_LIMITS: PoolLimits = {
  // Apple allows about 1,000, FCM 100. So many are ambiguous when a session dies, and held up by one lost packet.
  streamsMax: 250,
  // With FCM's 100 streams, 16 sessions carry 32,000 requests a second over a round trip of 50 ms.
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
  sweepMs: 500,
};
