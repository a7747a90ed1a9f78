/** A smaller difference may be the travel time of the answer, and no gateway refuses a token because of it. */
const NOTABLE_MS = 60_000;

/**
 * How far our clock is ahead of a gateway's, in milliseconds; negative if it is behind. Null if both agree
 * within a minute, or if the gateway does not send its time.
 * @param date the `Date` header of the gateway's answer (RFC 9110, section 6.6.1)
 */
export function clockAheadMs(date: string | null | undefined, now: Date): number | null {
  const aheadMs = now.getTime() - Date.parse(date ?? '');
  return Math.abs(aheadMs) >= NOTABLE_MS ? aheadMs : null;
}

/** @returns e.g. `the clock is 2 h ahead` */
export function clockSentence(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const hours = Math.round(minutes / 60);
  const days = Math.round(hours / 24);
  const amount = minutes < 90 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${days} days`;
  return `the clock is ${amount} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}

/**
 * The difference of two clocks that is certain: a difference shorter than the time of the answer proves nothing.
 * @param ours when the question was asked and answered, in milliseconds
 * @param theirs the time in the answer
 * @returns how far our clock is ahead; negative: behind
 */
export function surelyAheadMs(ours: { asked: number; answered: number }, theirs: number): number {
  return theirs > ours.answered ? ours.answered - theirs : Math.max(ours.asked - theirs, 0);
}
