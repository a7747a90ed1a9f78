/**
 * Knows for how long this process has had the database without a break. Leases that expire while the database is away say nothing
 * about their holders, who could not renew them.
 */
import type { Clock } from '../../clock.ts';

export interface PresenceOptions {
  /** Asks the database for anything. @throws the database's error */
  ask: () => Promise<unknown>;
  clock: Clock;
  /** A monotonic clock, in milliseconds. */
  monotonicMs?: () => number;
}

const ASK_EVERY_MS = 1_000;
/** From one answer to the next. A longer time is a break, whether the database, the network or this process stood still. */
const BREAK_MS = 3_000;

export function openPresence({ ask, clock, monotonicMs = () => performance.now() }: PresenceOptions) {
  let since: number | undefined;
  let last = { wallMs: Number.NEGATIVE_INFINITY, monotonicMs: Number.NEGATIVE_INFINITY };
  let isAsking = false;

  const isBroken = (): boolean =>
    // The monotonic clock stands still while a laptop or a virtual machine is suspended.
    monotonicMs() - last.monotonicMs > BREAK_MS || clock().getTime() - last.wallMs > BREAK_MS;
  const askOnce = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      await ask();
      if (isBroken()) since = monotonicMs();
      last = { wallMs: clock().getTime(), monotonicMs: monotonicMs() };
    } catch {
      // The callers that need the database report that it is away.
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void askOnce(), ASK_EVERY_MS);
  void askOnce();
  return {
    /** Whether the database has answered without a break for this many milliseconds. */
    hasLasted: (ms: number): boolean => since !== undefined && !isBroken() && monotonicMs() - since >= ms,
    close: (): void => clearInterval(timer),
  };
}
