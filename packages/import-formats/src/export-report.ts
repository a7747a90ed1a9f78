/**
 * Counts records of an export that did not become a device, and fields that did not fit into one. It contains names and
 * numbers, never values.
 */
import type { NotMapped } from './service.ts';

const LINES_LISTED_MAX = 5;
/** Custom attributes may have any number of names. */
const FIELDS_LISTED_MAX = 1_000;
const NAME_CHARACTERS_MAX = 100;
const OTHERS: NotMapped = { field: 'other fields', reason: `only ${FIELDS_LISTED_MAX} are listed` };

export interface LeftOutCount {
  reason: string;
  count: number;
  /** The first lines. */
  lines: number[];
}

export interface NotMappedCount extends NotMapped {
  count: number;
}

export interface ExportReport {
  read: number;
  leftOut: Map<string, LeftOutCount>;
  notMapped: Map<string, NotMappedCount>;
}

export function emptyExportReport(): ExportReport {
  return { read: 0, leftOut: new Map(), notMapped: new Map() };
}

export function addLeftOut({ leftOut }: ExportReport, reason: string, line: number): void {
  const found = leftOut.get(reason) ?? { reason, count: 0, lines: [] };
  found.count += 1;
  if (found.lines.length < LINES_LISTED_MAX) found.lines.push(line);
  leftOut.set(reason, found);
}

export function addNotMapped({ notMapped }: ExportReport, sent: NotMapped): void {
  const field = sent.field
    .replaceAll(/\p{Cc}/gu, '�')
    .slice(0, NAME_CHARACTERS_MAX)
    .toWellFormed();
  const isListed = notMapped.size < FIELDS_LISTED_MAX || notMapped.has(keyOf(field, sent.reason));
  const { field: shown, reason } = isListed ? { field, reason: sent.reason } : OTHERS;
  const found = notMapped.get(keyOf(shown, reason)) ?? { field: shown, reason, count: 0 };
  found.count += 1;
  notMapped.set(keyOf(shown, reason), found);
}

function keyOf(field: string, reason: string): string {
  return `${field}\n${reason}`;
}

/** The most frequent first. */
export function listed<Count extends { count: number }>(counts: ReadonlyMap<string, Count>): Count[] {
  return [...counts.values()].sort((one, other) => other.count - one.count);
}
