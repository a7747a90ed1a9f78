/** A random delay from half of `delayMs` to all of it, so that callers that failed together do not retry together. */
export function jittered(delayMs: number, random: () => number): number {
  return Math.round(delayMs * (0.5 + random() / 2));
}
