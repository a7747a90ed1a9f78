/** Computes how long a retry waits, whatever a gateway asks for. */
import { jittered } from '../scheduling/jitter.ts';
import type { GatewayName } from '../route.ts';

/**
 * Google asks for at least 10 s if FCM's answer names no delay. Apple never names one, and its 503s are short-lived. `oauth` is
 * Google's server for access tokens.
 */
const FIRST_DELAY_MS = { apns: 1_000, fcm: 10_000, web_push: 2_000, oauth: 1_000 } as const satisfies Record<
  GatewayName | 'oauth',
  number
>;
/**
 * The first delay is at least this long, whatever the gateway asks for: a gateway that is down often asks for 0
 * seconds.
 */
const ASKED_FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = 60_000;
/** Up to this share is added to a delay that the gateway asked for, which must not be shortened. */
const ASKED_JITTER = 0.2;

/**
 * Milliseconds until the next attempt: a delay that doubles with every attempt up to a minute, or the one that the
 * gateway asked for, if that is longer. So a device gets at most two requests in the first second and fewer in each
 * that follows, whatever the gateway answers. Jitter keeps the devices of a slice from being retried all at once.
 * @param tries attempts so far, 1 or more
 * @param askedMs the wait that the gateway asked for; null: none
 * @param random 0 to 1
 */
export function retryDelayMs(
  gateway: keyof typeof FIRST_DELAY_MS,
  tries: number,
  askedMs: number | null,
  random: () => number,
): number {
  const firstMs = askedMs === null ? FIRST_DELAY_MS[gateway] : ASKED_FIRST_DELAY_MS;
  const ownMs = jittered(Math.min(firstMs * 2 ** (tries - 1), DELAY_MS_MAX), random);
  return askedMs === null ? ownMs : Math.max(ownMs, Math.round(askedMs * (1 + ASKED_JITTER * random())));
}
