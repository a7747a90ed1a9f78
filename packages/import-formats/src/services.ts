/** The services whose exports can be imported, by their names for `--from`. */
import { airship } from './airship.ts';
import { oneSignal } from './onesignal.ts';
import { parseServer } from './parse.ts';
import { pinpoint } from './pinpoint.ts';
import type { Fields } from './service.ts';

export const services = { onesignal: oneSignal, parse: parseServer, pinpoint, airship };
export const serviceNames = ['onesignal', 'parse', 'pinpoint', 'airship'] as const;
export type ServiceName = (typeof serviceNames)[number];

const SEE_DOCS = 'see docs/migrate.md for the export to make';

/**
 * @throws {Error} if a field is missing that each record of the service has; the error says which service the file may
 *   come from
 */
export function checkMarks(name: ServiceName, fieldNames: readonly string[]): void {
  const { title, marks, format } = services[name];
  const missing = marks.filter((mark) => !fieldNames.includes(mark));
  if (missing.length === 0) return;
  const what = format === 'CSV' ? 'its header' : 'its first record';
  throw new Error(
    `this is not an export of ${title}: ${what} has no ${missing.join(', ')}; ${hintFor(fieldNames)}`,
  );
}

/** Checks the first record. For CSV, the header has been checked, and a faulty row proves nothing. */
export function checkFirst(name: ServiceName, fields: Fields | undefined): void {
  const { title, format } = services[name];
  if (format === 'CSV') return;
  if (fields === undefined) {
    throw new Error(`this is not an export of ${title}: its first record is not a JSON object; ${SEE_DOCS}`);
  }
  checkMarks(name, Object.keys(fields));
}

function hintFor(fieldNames: readonly string[]): string {
  const other = serviceNames.find((name) => services[name].marks.every((mark) => fieldNames.includes(mark)));
  return other === undefined
    ? SEE_DOCS
    : `it looks like an export of ${services[other].title}: use --from ${other}`;
}
