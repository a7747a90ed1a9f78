/** Delays of retries. */
import type { GatewayName } from '../../gateways/gateway.ts';
import { jittered } from '../../jitter.ts';

/** Google asks for at least 10 s where it names no time; Apple names none, and its 503s are short. */
const FIRST_DELAY_MS: Readonly<Record<GatewayName, number>> = { apns: 1_000, fcm: 10_000 };
const DELAY_MS_MAX = 60_000;

/**
 * Milliseconds until the next attempt: the time that the gateway asked for, otherwise doubling with jitter, so that the
 * devices of a slice are not all retried at once.
 * @param tries attempts so far, 1 or more
 * @param random 0 to 1
 */
export function retryDelayMs(
  gateway: GatewayName,
  tries: number,
  afterMs: number | null,
  random: () => number,
): number {
  if (afterMs !== null) return afterMs;
  const step = Math.min(FIRST_DELAY_MS[gateway] * 2 ** (tries - 1), DELAY_MS_MAX);
  return jittered(step, random);
}
