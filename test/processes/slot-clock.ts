import type { Clock } from '../../src/clock.ts';

/** Provider tokens change every half hour, a minute late (docs/decisions/0003). */
const SLOT_MS = 30 * 60_000;
const SLOT_LATE_MS = 60_000;
/** Apple's minimum time between two tokens of a team. */
const RENEWAL_MS = 20 * 60_000;

/**
 * A clock for a simulator that allows a team one new provider token in twenty minutes. A test that runs across the change of
 * tokens would see two within a minute, unlike a server that has been up for longer, so this clock jumps ahead by twenty
 * minutes at the change. Between changes it shows the real time.
 */
export function slotClock(): Clock {
  const first = slotAt(Date.now());
  return () => {
    const now = Date.now();
    return new Date(slotAt(now) === first ? now : now + RENEWAL_MS);
  };
}

function slotAt(ms: number): number {
  return Math.floor((ms - SLOT_LATE_MS) / SLOT_MS);
}
