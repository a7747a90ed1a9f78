/** The report on an import: a count per outcome, and the rejected lines. */
import { z } from 'zod';
import { ApiError, type FaultDetail, faultSentence } from '../../api/errors.ts';
import { count } from '../../api/reply.ts';
import { BadLine } from './device-line.ts';

const LISTED_MAX = 1_000;
/** The message names the faulty attributes, whose names may be long. */
const ERROR_CHARACTERS_MAX = 500;

const rejectedLine = z
  .strictObject({
    line: z.int().min(1).describe('The line number from 1; empty lines count.'),
    error: z.string(),
  })
  .meta({ id: 'RejectedLine' });

export type RejectedLine = z.output<typeof rejectedLine>;

const ignoredValue = z
  .strictObject({
    line: z.int().min(1),
    path: z.string().describe('Of the value in the line, such as `custom.plan.value`.'),
    message: z.string().describe('Why the value was left out; path and message form a sentence.'),
  })
  .meta({ id: 'IgnoredInLine' });

type IgnoredValue = z.output<typeof ignoredValue>;

/** The first four counts add up to the number of lines that are not empty. */
export const importReply = z
  .strictObject({
    imported: count.describe('New devices.'),
    updated: count.describe('Devices that the app already had, found by push token.'),
    unchanged: count.describe('Devices that the app already had, with the same attributes.'),
    rejected_count: count,
    rejected: z.array(rejectedLine).describe('The first 1,000 rejected lines, sorted by line.'),
    ignored_count: count.describe('Values that were left out of devices. Only if there are any.').optional(),
    ignored: z.array(ignoredValue).describe('The first 1,000 of these values, sorted by line.').optional(),
  })
  .meta({ id: 'ImportResult' });

export type ImportReport = z.output<typeof importReply>;

export function emptyReport(): ImportReport {
  return { imported: 0, updated: 0, unchanged: 0, rejected_count: 0, rejected: [] };
}

/** All rejected lines and ignored values are counted; the first 1,000 of each are listed. */
export function addReport(sum: ImportReport, added: ImportReport): void {
  sum.imported += added.imported;
  sum.updated += added.updated;
  sum.unchanged += added.unchanged;
  sum.rejected_count += added.rejected_count;
  sum.rejected.push(...added.rejected.slice(0, LISTED_MAX - sum.rejected.length));
  if (added.ignored_count !== undefined) addValues(sum, added.ignored_count, added.ignored ?? []);
}

/** Adds the values that were left out of a line's device. */
export function addIgnored(report: ImportReport, line: number, faults: readonly FaultDetail[]): void {
  if (faults.length === 0) return;
  const values = faults.map(({ path, message }) => ({
    line,
    path: shortened(path),
    message: shortened(message),
  }));
  addValues(report, values.length, values);
}

function addValues(report: ImportReport, total: number, values: readonly IgnoredValue[]): void {
  const listed = (report.ignored ??= []);
  listed.push(...values.slice(0, LISTED_MAX - listed.length));
  report.ignored_count = (report.ignored_count ?? 0) + total;
}

/** Describes all faults of a line in one message. @throws any error that is not a fault of the line */
export function rejectionOf(line: number, error: unknown): RejectedLine {
  if (error instanceof BadLine) return { line, error: error.message };
  if (!(error instanceof ApiError)) throw error;
  return {
    line,
    error: shortened(error.details.map((fault) => faultSentence(fault, 'the device')).join('; ')),
  };
}

function shortened(text: string): string {
  return text.length <= ERROR_CHARACTERS_MAX
    ? text
    : `${text.slice(0, ERROR_CHARACTERS_MAX).toWellFormed()}…`;
}
