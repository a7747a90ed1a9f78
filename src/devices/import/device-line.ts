/** Parses and checks a line of an import. */
import { CONVERT_TO_UTF8, utf8Text } from '@carillon/import-formats/plain-text';
import type { Line } from '../../json/lines.ts';
import { isJsonObject } from '../../api/parse.ts';
import { type FaultDetail, faultSentence } from '../../api/errors.ts';
import { UnusableJson } from '../../json/lossless.ts';
import { sizeFault } from '../../json/size.ts';
import { BadJson, parseSentJson } from '../../json/strict.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import { NONE, type Understood, understandDevice } from '../understand.ts';
import { isCustomAsStored, isRegistrationAsStored } from '../fast-validate.ts';

const LINE_KIB_MAX = 64;
export const LINE_BYTES_MAX = LINE_KIB_MAX * 1024;

/** A line that cannot be used. The message contains no part of the line's values. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

/** A checked line that waits to be stored. */
export interface DeviceLine {
  number: number;
  registration: DeviceRegistration;
  /** Values that were left out of the device. */
  ignored: readonly FaultDetail[];
}

/**
 * @returns undefined for an empty line
 * @throws {BadLine}
 * @throws {ApiError} `invalid_request` with every fault, if one of them cannot be left out
 */
export function readDeviceLine({ number, bytes }: Line): DeviceLine | undefined {
  if (bytes === undefined) throw new BadLine(`the line is longer than ${LINE_KIB_MAX} KiB`);
  const value = parseLine(bytes);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new BadLine('the device must be an object');
  return { number, ...readRegistration(value) };
}

function readRegistration(device: Record<string, unknown>): Understood {
  if (isRegistrationAsStored(device)) return { registration: device, ignored: NONE };
  const { custom, ...others } = device;
  const isChecked = isCustomAsStored(custom);
  const read = understandDevice(isChecked ? others : device);
  // It would take five statements per line, and other lines share a few per page.
  if (typeof read.registration.previous_push_token === 'string') {
    throw new BadLine('previous_push_token is accepted only by POST /v6/devices');
  }
  if (isChecked) read.registration.custom = custom;
  return read;
}

/**
 * @returns the value with exact numbers (see `parseSentJson`); undefined for an empty line
 * @throws {BadLine}
 */
export function parseLine(bytes: Uint8Array): unknown {
  const text = utf8Text(bytes);
  if (text === undefined) throw new BadLine(`the line is not valid UTF-8: ${CONVERT_TO_UTF8}`);
  return text.trim() === '' ? undefined : parseText(text);
}

/** @throws {BadLine} */
export function parseText(text: string): unknown {
  const fault = sizeFault(text);
  if (fault !== undefined) throw new BadLine(`the line ${fault}`);
  try {
    return parseSentJson(text);
  } catch (error) {
    if (error instanceof BadJson) throw new BadLine(`the line ${error.message} at column ${error.column}`);
    if (error instanceof UnusableJson) throw new BadLine(faultSentence(error, 'the line'));
    throw error;
  }
}
