/** Reads an export of another service as lines of devices. */
import { addLeftOut, addNotMapped, type ExportReport } from './export-report.ts';
import { readJson } from './objects.ts';
import { plainText } from './plain-text.ts';
import { readCsv } from './read-csv.ts';
import type { Device, LeftOut, NotMapped, ParseJson, SourceRecord } from './service.ts';
import { checkFirst, checkMarks, type ServiceName, services } from './services.ts';

const UNREADABLE = 'the record cannot be read';

/** Rules about devices that the caller knows and this package does not. */
export interface DeviceRules {
  parse: ParseJson;
  /** Drops the attributes of a device that break a rule. */
  fit: (device: Device) => Fitted;
}

/** The device and the attributes that were dropped, or the reason why nothing is left. */
export type Fitted = LeftOut | { device: object; dropped: readonly NotMapped[]; leftOut?: never };

export interface DeviceLine {
  number: number;
  /** The device as JSON in UTF-8. */
  bytes: Buffer;
}

/**
 * Yields a line per device, numbered like the line of its record. Records that share a line are numbered from it on,
 * because an import needs different numbers.
 * @param chunks the file, compressed by gzip or not, in UTF-8 or UTF-16
 * @param report counts the records, and the values that are not in the lines
 * @throws {Error} if the export is from another service
 */
export async function* convertExport(
  name: ServiceName,
  chunks: AsyncIterable<Uint8Array>,
  report: ExportReport,
  rules: DeviceRules,
): AsyncGenerator<DeviceLine[], void> {
  const { format } = services[name];
  const text = plainText(chunks);
  const pages =
    format === 'CSV'
      ? readCsv(text, (columns) => checkMarks(name, columns))
      : readJson(text, rules.parse, format.pageStart);
  let last = 0;
  for await (const records of pages) {
    const lines: DeviceLine[] = [];
    for (const record of records) {
      if (report.read === 0) checkFirst(name, record.fields);
      report.read += 1;
      const number = Math.max(last + 1, record.line);
      if (record.fields !== undefined) last = number;
      const found = deviceOf(name, record, rules);
      if (found.leftOut !== undefined) {
        addLeftOut(report, found.leftOut, number);
        continue;
      }
      for (const fault of found.notMapped) addNotMapped(report, fault);
      lines.push({ number, bytes: Buffer.from(JSON.stringify(found.device)) });
    }
    if (lines.length > 0) yield lines;
  }
}

type Found = LeftOut | { device: object; notMapped: readonly NotMapped[]; leftOut?: never };

function deviceOf(
  name: ServiceName,
  { fields, fault: unreadable = UNREADABLE }: SourceRecord,
  { parse, fit }: DeviceRules,
): Found {
  if (fields === undefined) return { leftOut: unreadable };
  const mapping = services[name].map(fields, parse);
  if (mapping.leftOut !== undefined) return mapping;
  const fitted = fit(mapping.device);
  if (fitted.leftOut !== undefined) return fitted;
  return { device: fitted.device, notMapped: [...mapping.notMapped, ...fitted.dropped] };
}
