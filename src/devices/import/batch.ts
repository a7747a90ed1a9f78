/** Collects the lines of an import that are stored in one transaction. */
import { type DeviceLine, readDeviceLine, type Statement } from './device-line.ts';
import type { Line } from './ndjson.ts';
import { rejectionOf, type RejectedLine } from './report.ts';

/**
 * Some 1.2 MB of common lines, which the triggers hold in Postgres' `work_mem` of 4. Larger batches are no faster, and
 * keep more alive for the garbage collector to move, which stops the event loop meanwhile: the slowest health check
 * during an import of 100,000 lines took 36 ms; with 2,000 lines per batch and one more batch in flight, 55.
 */
const LINES_MAX = 1_000;
/** Bounds the memory whatever the length of the lines. */
const BYTES_MAX = 2 * 1024 * 1024;

export interface Batch {
  lines: number;
  bytes: number;
  devices: DeviceLine[];
  pushTokens: Set<string>;
  /** The statement that will probably store most of the devices. */
  preparedFor: Statement;
  rejected: RejectedLine[];
}

export function emptyBatch(preparedFor: Statement): Batch {
  return { lines: 0, bytes: 0, devices: [], pushTokens: new Set(), preparedFor, rejected: [] };
}

export function isFull(batch: Batch): boolean {
  return batch.lines >= LINES_MAX || batch.bytes >= BYTES_MAX;
}

/** Checks a line and adds it to the batch, as a device or as rejected. */
export function addLine(batch: Batch, line: Line): 'device' | 'empty' | 'rejected' {
  batch.lines += 1;
  batch.bytes += line.bytes?.length ?? 0;
  try {
    const device = readDeviceLine(line, batch.preparedFor);
    if (device === undefined) return 'empty';
    batch.devices.push(device);
    batch.pushTokens.add(device.pushToken);
    return 'device';
  } catch (error) {
    batch.rejected.push(rejectionOf(line.number, error));
    return 'rejected';
  }
}

export function sharesToken(batch: Batch, other: Batch): boolean {
  return !batch.pushTokens.isDisjointFrom(other.pushTokens);
}
