/** The services whose exports can be imported, by the word after `--from`. */
import { airship } from './airship.ts';
import { oneSignal } from './onesignal.ts';
import { parseServer } from './parse.ts';
import { pinpoint } from './pinpoint.ts';
import type { Fields } from './service.ts';

export const services = { onesignal: oneSignal, parse: parseServer, pinpoint, airship } as const;
export const serviceNames = ['onesignal', 'parse', 'pinpoint', 'airship'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** @throws {Error} if a field is missing that each record of the service has; it says from which service the file may be */
export function checkMarks(name: ServiceName, fieldNames: readonly string[]): void {
  const { title, marks, format } = services[name];
  const missing = marks.filter((mark) => !fieldNames.includes(mark));
  if (missing.length === 0) return;
  const what = format === 'CSV' ? 'its header' : 'its first record';
  throw new Error(
    `this is no export of ${title}: ${what} has no ${missing.join(', ')}; ${hintFor(fieldNames)}`,
  );
}

/** Checks the first record. In CSV, the header was checked, and a faulty row says nothing. */
export function checkFirst(name: ServiceName, fields: Fields | undefined): void {
  if (services[name].format === 'CSV') return;
  if (fields !== undefined) {
    checkMarks(name, Object.keys(fields));
    return;
  }
  const { title } = services[name];
  throw new Error(
    `this is no export of ${title}: its first record is not a JSON object; see docs/migrate.md for the export to make`,
  );
}

function hintFor(fieldNames: readonly string[]): string {
  const other = serviceNames.find((name) => services[name].marks.every((mark) => fieldNames.includes(mark)));
  return other === undefined
    ? 'see docs/migrate.md for the export to make'
    : `it looks like one of ${services[other].title}: use --from ${other}`;
}
