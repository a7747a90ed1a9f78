/** Reads lines of an import into a batch: what can be stored, and what is rejected, each with its number. */
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { isJsonObject } from '../parse.ts';
import { type DeviceRegistration, parseRegistration } from './device-schema.ts';
import { isAsStored } from './import-custom.ts';
import { BadLine, type Line, parseLine } from './ndjson.ts';

/** Some 2.4 MB of common lines, which the statement and its triggers hold in Postgres' `work_mem` of 4. */
const LINES_MAX = 2_000;
/** So that lines of whatever length never add up to much memory. */
const BYTES_MAX = 2 * 1024 * 1024;

const LINE_KIB_MAX = 64;
export const LINE_BYTES_MAX = LINE_KIB_MAX * 1024;

/** The names of faulty attributes are told, and may be long. */
const ERROR_CHARACTERS_MAX = 500;

export interface NumberedDevice {
  line: number;
  /** Of the device, where it is new. */
  newId: string;
  registration: DeviceRegistration;
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
  newId: (line: number) => string;
  rejected: z.output<typeof rejectedLine>[];
}

/** @param newId of the device of a line */
export function emptyBatch(newId: Batch['newId']): Batch {
  return { lines: 0, bytes: 0, devices: [], pushTokens: new Set(), newId, rejected: [] };
}

export function isFull(batch: Batch): boolean {
  return batch.lines >= LINES_MAX || batch.bytes >= BYTES_MAX;
}

/** Reads a line into the batch; an empty one leaves no trace. */
export function addLine(batch: Batch, { number: line, bytes }: Line): void {
  batch.lines += 1;
  batch.bytes += bytes?.length ?? 0;
  try {
    if (bytes === undefined) throw new BadLine(`is longer than ${LINE_KIB_MAX} KiB`);
    const value = parseLine(bytes);
    if (value === undefined) return;
    if (!isJsonObject(value)) throw new BadLine('must be an object');
    const registration = readRegistration(value);
    batch.devices.push({ line, newId: batch.newId(line), registration });
    batch.pushTokens.add(registration.push_token);
  } catch (error) {
    batch.rejected.push({ line, error: sentenceOf(error) });
  }
}

/** @throws {ApiError} `invalid_request` */
function readRegistration(value: Record<string, unknown>): DeviceRegistration {
  const { custom } = value;
  if (!isAsStored(custom)) return parseRegistration(value);
  return { ...parseRegistration({ ...value, custom: undefined }), custom };
}

export function sharesToken(batch: Batch, other: Batch): boolean {
  return !batch.pushTokens.isDisjointFrom(other.pushTokens);
}

/** What is wrong with a line, all of it. @throws what is not the line's fault */
export function sentenceOf(error: unknown): string {
  if (error instanceof BadLine) return error.message;
  if (!(error instanceof ApiError)) throw error;
  const faults = error.details.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const sentence = faults.join('; ');
  if (sentence.length <= ERROR_CHARACTERS_MAX) return sentence;
  return `${sentence.slice(0, ERROR_CHARACTERS_MAX).toWellFormed()}…`;
}
