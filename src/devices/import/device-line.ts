/** Checks a line of an import, and prepares it for the statement that will probably store it. */
import type { Line } from '../../json/lines.ts';
import { isJsonObject } from '../../api/parse.ts';
import type { FaultDetail } from '../../api/errors.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { tooManyAttributesFault } from '../device-errors.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import { NONE, type Understood, understandDevice } from '../understand.ts';
import { copyRow } from './copy.ts';
import { isCustomAsStored, isRegistrationAsStored } from '../fast-validate.ts';
import { mergeItem } from './merge.ts';
import type { DeviceQuietHours } from '../../db/wave-tables.ts';
import { BadLine, parseLine } from './parse-line.ts';

const LINE_KIB_MAX = 64;
export const LINE_BYTES_MAX = LINE_KIB_MAX * 1024;

/** New devices are copied into the table (`copy.ts`), and known ones are merged (`merge.ts`). */
export type Statement = 'copy' | 'merge';

/**
 * A checked line that waits to be stored. It holds the text for one statement, and the bytes. If the other statement is
 * needed, the bytes are parsed again: keeping each parsed device would cost 5 µs of garbage collection.
 */
export interface DeviceLine {
  number: number;
  bytes: Uint8Array;
  platform: DeviceRegistration['platform'];
  pushToken: string;
  /** Stored by a statement of their own; undefined: they stay as they are. */
  quietHours: DeviceQuietHours | null | undefined;
  preparedFor: Statement;
  prepared: string;
  /** Values that were left out of the device. */
  ignored: readonly FaultDetail[];
}

/**
 * @returns undefined for an empty line
 * @throws {BadLine}
 * @throws {ApiError} `invalid_request` with every fault, if one of them cannot be left out
 */
export function readDeviceLine({ number, bytes }: Line, preparedFor: Statement): DeviceLine | undefined {
  if (bytes === undefined) throw new BadLine(`the line is longer than ${LINE_KIB_MAX} KiB`);
  const read = readRegistration(bytes);
  if (read === undefined) return undefined;
  const { registration, ignored } = read;
  return {
    number,
    bytes,
    platform: registration.platform,
    pushToken: registration.push_token,
    quietHours: registration.quiet_hours,
    preparedFor,
    prepared: textFor(preparedFor, number, registration),
    ignored,
  };
}

/** The line for a device that has too many other custom attributes: its custom attributes do not change. */
export function withoutCustom(line: DeviceLine): DeviceLine {
  const value = parseLine(line.bytes);
  const { custom: _custom, ...others } = isJsonObject(value) ? value : {};
  const bytes = Buffer.from(stringifyJson(others));
  const registration = registrationOf({ ...line, bytes });
  return {
    ...line,
    bytes,
    preparedFor: 'merge',
    prepared: textFor('merge', line.number, registration),
    ignored: [...line.ignored, tooManyAttributesFault('custom')],
  };
}

/** The text of the line for a statement. It takes longer if the line was prepared for the other statement. */
export function preparedText(line: DeviceLine, statement: Statement): string {
  if (line.preparedFor === statement) return line.prepared;
  return textFor(statement, line.number, registrationOf(line));
}

function registrationOf({ bytes }: DeviceLine): DeviceRegistration {
  const read = readRegistration(bytes);
  if (read === undefined) throw new Error('a checked line is never empty');
  return read.registration;
}

function textFor(statement: Statement, number: number, registration: DeviceRegistration): string {
  return statement === 'copy' ? copyRow(registration) : mergeItem(number, registration);
}

function readRegistration(bytes: Uint8Array): Understood | undefined {
  const value = parseLine(bytes);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new BadLine('the device must be an object');
  if (isRegistrationAsStored(value)) return { registration: value, ignored: NONE };
  const { custom } = value;
  if (!isCustomAsStored(custom)) return withoutPreviousToken(understandDevice(value));
  value['custom'] = undefined; // changed in place: nobody else uses the object
  const read = withoutPreviousToken(understandDevice(value));
  read.registration.custom = custom;
  return read;
}

/** Rejects `previous_push_token`: it would take five statements per line, and other lines share a few per page. */
function withoutPreviousToken(read: Understood): Understood {
  if (typeof read.registration.previous_push_token !== 'string') return read;
  throw new BadLine('previous_push_token is accepted only by POST /v6/devices');
}
