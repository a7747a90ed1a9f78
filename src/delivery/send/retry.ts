/** Delays of retries. */
import type { GatewayName } from '../../gateways/gateway.ts';
import { jittered } from '../../jitter.ts';

/** Google asks for at least 10 s if its answer names no delay. Apple never names one, and its 503s are short-lived. */
const FIRST_DELAY_MS: Readonly<Record<GatewayName, number>> = { apns: 1_000, fcm: 10_000 };
const DELAY_MS_MAX = 60_000;

/**
 * Milliseconds until the next attempt: the delay that the gateway asked for, or else one that doubles with every
 * attempt. Jitter keeps the devices of a slice from being retried all at once.
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
