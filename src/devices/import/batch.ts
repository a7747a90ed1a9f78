/** Reads lines of an import into a batch: what can be stored, and what is rejected, each with its number. */
import { z } from 'zod';
import { ApiError, faultSentence } from '../../errors.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import { readDevice } from './line.ts';
import { saidBy } from './merge.ts';
import { rowOf } from './rows.ts';
import { BadLine, type Line } from './ndjson.ts';

/**
 * Some 1.2 MB of common lines, which the triggers hold in Postgres' `work_mem` of 4. Larger batches are no faster, and
 * keep more alive for the garbage collector to move, which stops the event loop meanwhile: the slowest health check
 * during an import of 100,000 lines took 36 ms; with 2,000 lines, and one more batch on its way, 55.
 */
const LINES_MAX = 1_000;
/** So that lines of whatever length never add up to much memory. */
const BYTES_MAX = 2 * 1024 * 1024;

const LINE_KIB_MAX = 64;
export const LINE_BYTES_MAX = LINE_KIB_MAX * 1024;

/** The names of faulty attributes are told, and may be long. */
const ERROR_CHARACTERS_MAX = 500;

/**
 * A line as it waits to be stored: as little as that takes. To keep what was read of it would cost Node 5 µs a device,
 * which its collector would take to move it about. So one text is made, the one that is likely to be needed, and for the
 * other the line is read a second time.
 */
export interface NumberedDevice {
  line: number;
  bytes: Uint8Array;
  platform: DeviceRegistration['platform'];
  pushToken: string;
  /** Its row where it is new (`rowOf`), */
  row: string | undefined;
  /** or else what is merged into the device that is known (`saidBy`). */
  said: string | undefined;
}

export const rejectedLine = z.strictObject({
  line: z.int().min(1).describe('From 1, empty lines counted.'),
  error: z.string(),
});

export interface Batch {
  lines: number;
  bytes: number;
  devices: NumberedDevice[];
  pushTokens: Set<string>;
  likelyKnown: boolean;
  rejected: z.output<typeof rejectedLine>[];
}

/** @param likelyKnown whether most of the devices are likely to be known */
export function emptyBatch(likelyKnown: boolean): Batch {
  return { lines: 0, bytes: 0, devices: [], pushTokens: new Set(), likelyKnown, rejected: [] };
}

export function isFull(batch: Batch): boolean {
  return batch.lines >= LINES_MAX || batch.bytes >= BYTES_MAX;
}

/**
 * Reads a line into the batch; an empty one leaves no trace.
 * @returns what it was, as far as the line itself tells
 */
export function addLine(batch: Batch, { number: line, bytes }: Line): 'device' | 'empty' | 'rejected' {
  batch.lines += 1;
  batch.bytes += bytes?.length ?? 0;
  try {
    if (bytes === undefined) throw new BadLine(`the line is longer than ${LINE_KIB_MAX} KiB`);
    const registration = readDevice(bytes);
    if (registration === undefined) return 'empty';
    const pushToken = registration.push_token;
    batch.devices.push({
      line,
      bytes,
      platform: registration.platform,
      pushToken,
      row: batch.likelyKnown ? undefined : rowOf(registration),
      said: batch.likelyKnown ? saidBy(line, registration) : undefined,
    });
    batch.pushTokens.add(pushToken);
    return 'device';
  } catch (error) {
    batch.rejected.push({ line, error: sentenceOf(error) });
    return 'rejected';
  }
}

export function sharesToken(batch: Batch, other: Batch): boolean {
  return !batch.pushTokens.isDisjointFrom(other.pushTokens);
}

/** What is wrong with a line, all of it. @throws what is not the line's fault */
export function sentenceOf(error: unknown): string {
  if (error instanceof BadLine) return error.message;
  if (!(error instanceof ApiError)) throw error;
  const sentence = error.details.map((fault) => faultSentence(fault, 'the device')).join('; ');
  if (sentence.length <= ERROR_CHARACTERS_MAX) return sentence;
  return `${sentence.slice(0, ERROR_CHARACTERS_MAX).toWellFormed()}…`;
}
