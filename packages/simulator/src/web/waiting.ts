import type { WebPush } from '../ledger.ts';

/**
 * The pushes that wait for a browser which has been off since they were accepted: those whose time to live has not passed, and
 * of each topic only the newest (RFC 8030, 5.2 and 5.4).
 *
 * @param pushes to one browser, oldest first
 */
export function stillWaiting(pushes: readonly WebPush[], now: Date): WebPush[] {
  return pushes.filter(
    ({ topic, ttl, at }, index) =>
      at.getTime() + ttl * 1000 > now.getTime() &&
      (topic === null || !pushes.slice(index + 1).some((later) => later.topic === topic)),
  );
}
