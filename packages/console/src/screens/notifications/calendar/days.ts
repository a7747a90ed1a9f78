/** The days of a month, and what is due on each, by the reader's clock. */
import type { DueEntry } from '../../../replies.ts';

const DAYS_OF_WEEK = 7;

/** '2026-12-24', by the reader's clock. */
export function dayOf(at: Date): string {
  return at.toLocaleDateString('sv-SE'); // Swedes write days so
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** 'Thursday 24 December' */
export function dayName(day: string): string {
  return DAY.format(startOf(day));
}

/** The midnight with which a day begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

/** The day that is so many days later; fewer than 0: earlier. A day may have 23 or 25 hours. */
export function dayAfter(day: string, days: number): string {
  const at = startOf(day);
  at.setDate(at.getDate() + days);
  return dayOf(at);
}

/** '2026-12' and 1 → '2027-01' */
export function monthAfter(month: string, months: number): string {
  const at = startOf(`${month}-01`);
  at.setMonth(at.getMonth() + months);
  return dayOf(at).slice(0, 7);
}

/** The weeks that have days of a month, each from Monday to Sunday: at most six. */
export function weeksOf(month: string): string[][] {
  const first = startOf(`${month}-01`);
  const weeks: string[][] = [];
  let monday = dayAfter(dayOf(first), -((first.getDay() + 6) % DAYS_OF_WEEK));
  while (weeks.length === 0 || monday.startsWith(month)) {
    const from = monday;
    weeks.push(Array.from({ length: DAYS_OF_WEEK }, (_, index) => dayAfter(from, index)));
    monday = dayAfter(monday, DAYS_OF_WEEK);
  }
  return weeks;
}

/** By day: local times as they are everywhere, and what began before the first day and goes on with that one. */
export function byDay(entries: readonly DueEntry[], first: string): ReadonlyMap<string, readonly DueEntry[]> {
  const days = new Map<string, DueEntry[]>();
  for (const entry of entries) {
    const own = entry.local_time?.slice(0, 10) ?? dayOf(new Date(entry.at));
    const day = own < first ? first : own;
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  for (const due of days.values()) due.sort((one, other) => clockOf(one).localeCompare(clockOf(other)));
  return days;
}

/** '09:00' by the reader's clock, '09:00 local' by that of each device. */
export function clockOf({ at, local_time: local }: DueEntry): string {
  if (local !== null) return `${local.slice(11, 16)} local`;
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/** The name of what is due: its title, otherwise its text. */
export function dueText({ title, alert }: Pick<DueEntry, 'title' | 'alert'>): string {
  return [title, alert].find((text) => text !== null && text.trim() !== '') ?? 'No text';
}
