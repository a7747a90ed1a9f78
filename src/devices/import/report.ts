/** The report on an import: a count per outcome, and the rejected lines. */
import { z } from 'zod';
import { ApiError, faultSentence } from '../../errors.ts';
import { count } from '../../reply.ts';
import { BadLine } from './parse-line.ts';

const REJECTED_LISTED_MAX = 1_000;
/** The message names the faulty attributes, whose names may be long. */
const ERROR_CHARACTERS_MAX = 500;

const rejectedLine = z.strictObject({
  line: z.int().min(1).describe('The line number from 1; empty lines count.'),
  error: z.string(),
});

export type RejectedLine = z.output<typeof rejectedLine>;

/** The four counts add up to the number of lines that are not empty. */
export const importReply = z.strictObject({
  imported: count.describe('New devices.'),
  updated: count.describe('Devices that the app already had, found by push token.'),
  unchanged: count.describe('Devices that the app already had, with the same attributes.'),
  rejected_count: count,
  rejected: z.array(rejectedLine).describe('The first 1,000 rejected lines, sorted by line.'),
});

export type ImportReport = z.output<typeof importReply>;

export function emptyReport(): ImportReport {
  return { imported: 0, updated: 0, unchanged: 0, rejected_count: 0, rejected: [] };
}

/** All rejected lines are counted; the first 1,000 are listed. */
export function addReport(sum: ImportReport, part: ImportReport): void {
  sum.imported += part.imported;
  sum.updated += part.updated;
  sum.unchanged += part.unchanged;
  sum.rejected_count += part.rejected_count;
  sum.rejected.push(...part.rejected.slice(0, REJECTED_LISTED_MAX - sum.rejected.length));
}

/** Describes all faults of a line in one message. @throws any error that is not a fault of the line */
export function rejectionOf(line: number, error: unknown): RejectedLine {
  if (error instanceof BadLine) return { line, error: error.message };
  if (!(error instanceof ApiError)) throw error;
  const sentence = error.details.map((fault) => faultSentence(fault, 'the device')).join('; ');
  if (sentence.length <= ERROR_CHARACTERS_MAX) return { line, error: sentence };
  return { line, error: `${sentence.slice(0, ERROR_CHARACTERS_MAX).toWellFormed()}…` };
}
