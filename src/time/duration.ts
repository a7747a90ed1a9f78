/** ISO 8601 durations of days, hours, minutes and seconds: `PT30M`, `P1DT12H`. */

const WITHOUT_NUMBER = /[PT]$/;
const DURATION = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;
const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000];

/** As a pattern of JSON Schema: a duration has a number, and does not end with its `T`. */
export const durationShape = { pattern: DURATION.source, not: { pattern: WITHOUT_NUMBER.source } } as const;

export const DURATION_RULE = 'must be an ISO 8601 duration such as "PT30M"';

/** @returns milliseconds; undefined if the text is no such duration */
export function durationMs(text: string): number | undefined {
  const [, ...numbers] = DURATION.exec(text) ?? [];
  if (numbers.length === 0 || WITHOUT_NUMBER.test(text)) return undefined;
  return UNITS_MS.reduce((sum, unitMs, index) => sum + Number(numbers[index] ?? 0) * unitMs, 0);
}
