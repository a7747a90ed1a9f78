import { timeZones } from '../../src/time/time-zones.ts';

const names = [...timeZones];

/** One of 80 time zones. @param index 0 to 79 */
export function timeZone(index: number): string {
  return names[index * 5] ?? 'UTC';
}
