/** Converts moments between the form of a field and the form of the API. */
import type { JsonObject } from './members.ts';

/** @returns '2026-12-24T18:00' in the reader's zone; undefined if the text is not a moment */
export function toLocal(iso: string): string | undefined {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return undefined;
  return date.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' }).replace(' ', 'T');
}

/** Moments that are often wanted, as a field has them, in the reader's zone. @param now Unix ms */
export function quickMoments(now = Date.now()): { label: string; local: string }[] {
  const ahead = (days: number, hour: number): string => {
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    date.setHours(hour, 0, 0, 0);
    return toLocal(date.toISOString()) ?? '';
  };
  const today = new Date(now);
  const daysToMonday = (8 - today.getDay()) % 7 || 7;
  return [
    { label: 'In an hour', local: toLocal(new Date(now + 3_600_000).toISOString()) ?? '' },
    ...(today.getHours() < 17 ? [{ label: 'Today 18:00', local: ahead(0, 18) }] : []),
    { label: 'Tomorrow 9:00', local: ahead(1, 9) },
    ...(daysToMonday > 1 ? [{ label: 'Monday 9:00', local: ahead(daysToMonday, 9) }] : []),
  ];
}

/** @returns ISO 8601 in UTC, without milliseconds; the text itself if it is not a moment */
export function fromLocal(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace('.000Z', 'Z');
}

const UTC = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' });

/** '24 Dec 2026, 17:00 UTC' */
export function utcText(iso: string): string {
  return `${UTC.format(new Date(iso))} UTC`;
}

export function isPast(iso: string): boolean {
  return new Date(iso).getTime() <= Date.now();
}

/** Whether it is not sent at once. */
export function isLater({ deliver_at: at, deliver_at_local: local }: JsonObject): boolean {
  return local !== undefined || (typeof at === 'string' && !isPast(at));
}
