/** Reads an export of another service as lines of devices, as an import of devices takes them. */
import { plainText } from '../plain-text.ts';
import { stringifyJson } from '../../../json/lossless.ts';
import type { Line } from '../../../json/lines.ts';
import type { DeviceRegistration } from '../../device-schema.ts';
import { addLeftOut, addNotMapped, type ExportReport } from './export-report.ts';
import { fitDevice } from './fit.ts';
import type { SourceRecord } from './service.ts';
import { checkFirst, checkMarks, type ServiceName, services } from './services.ts';

const UNREADABLE = 'the record cannot be read';

/**
 * Yields a line per device, numbered like the line of its record; where several records share a line, they are
 * counted on from it, because the numbers of an import must differ.
 * @param report counts the records, and what of them is not in the lines
 * @throws {Error} if the export is from elsewhere
 */
export async function* convertExport(
  name: ServiceName,
  chunks: AsyncIterable<Uint8Array>,
  report: ExportReport,
): AsyncGenerator<Line[], void> {
  const { read } = services[name];
  const header = (columns: readonly string[]): void => checkMarks(name, columns);
  let last = 0;
  for await (const records of read(plainText(chunks), header)) {
    const lines: Line[] = [];
    for (const record of records) {
      if (report.read === 0) checkFirst(name, record.fields);
      report.read += 1;
      const number = Math.max(last + 1, record.line);
      if (record.fields !== undefined) last = number;
      const device = deviceOf(name, record, number, report);
      if (device !== undefined) lines.push({ number, bytes: Buffer.from(stringifyJson(device)) });
    }
    if (lines.length > 0) yield lines;
  }
}

function deviceOf(
  name: ServiceName,
  { fields, fault: unreadable = UNREADABLE }: SourceRecord,
  line: number,
  report: ExportReport,
): DeviceRegistration | undefined {
  if (fields === undefined) {
    addLeftOut(report, unreadable, line);
    return undefined;
  }
  const mapping = services[name].map(fields);
  if (mapping.leftOut !== undefined) {
    addLeftOut(report, mapping.leftOut, line);
    return undefined;
  }
  const fitted = fitDevice(mapping.device);
  if (fitted.leftOut !== undefined) {
    addLeftOut(report, fitted.leftOut, line);
    return undefined;
  }
  for (const fault of [...mapping.notMapped, ...fitted.dropped]) addNotMapped(report, fault);
  return fitted.device;
}
