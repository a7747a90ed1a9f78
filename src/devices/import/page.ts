/** Collects the lines of an import that are stored in one transaction. */
import type { Line } from '../../json/lines.ts';
import { type DeviceLine, readDeviceLine } from './device-line.ts';
import { rejectionOf, type RejectedLine } from './report.ts';

/**
 * Some 1.2 MB of common lines, which fit into Postgres' `work_mem` of 4 MB in the triggers. Larger pages are no
 * faster, and the garbage collector has more live objects to move while the event loop stops. During an import of
 * 100,000 lines, the slowest health check took 36 ms; with 2,000 lines per page and one more page in flight, it took
 * 55 ms.
 */
const LINES_MAX = 1_000;
/** Limits the memory if lines are long. */
const BYTES_MAX = 2 * 1024 * 1024;

export interface Page {
  lines: number;
  bytes: number;
  devices: DeviceLine[];
  pushTokens: Set<string>;
  rejected: RejectedLine[];
}

export function emptyPage(): Page {
  return { lines: 0, bytes: 0, devices: [], pushTokens: new Set(), rejected: [] };
}

export function isFull(page: Page): boolean {
  return page.lines >= LINES_MAX || page.bytes >= BYTES_MAX;
}

/** Checks a line and adds it to the page, as a device or as rejected. */
export function addLine(page: Page, line: Line): 'device' | 'empty' | 'rejected' {
  page.lines += 1;
  page.bytes += line.bytes?.length ?? 0;
  try {
    const device = readDeviceLine(line);
    if (device === undefined) return 'empty';
    page.devices.push(device);
    page.pushTokens.add(device.registration.push_token);
    return 'device';
  } catch (error) {
    page.rejected.push(rejectionOf(line.number, error));
    return 'rejected';
  }
}

export function sharesToken(page: Page, other: Page): boolean {
  return !page.pushTokens.isDisjointFrom(other.pushTokens);
}
