/** Reads a line of an import as a device. */
import { isJsonObject } from '../../parse.ts';
import { type DeviceRegistration, parseRegistration } from '../device-schema.ts';
import { isCustomAsStored, isRegistrationAsStored } from './fast-validate.ts';
import { BadLine, parseLine } from './ndjson.ts';

/**
 * @returns undefined for an empty line
 * @throws {BadLine}
 * @throws {ApiError} `invalid_request` with every fault, at paths such as `custom.plan.value`
 */
export function readDevice(bytes: Uint8Array): DeviceRegistration | undefined {
  const value = parseLine(bytes);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new BadLine('the device must be an object');
  if (isRegistrationAsStored(value)) return value;
  const { custom } = value;
  if (!isCustomAsStored(custom)) return withoutHints(parseRegistration(value));
  value['custom'] = undefined; // both objects are ours, and need not be copied
  const registration = withoutHints(parseRegistration(value));
  registration.custom = custom;
  return registration;
}

/** To move a device to another token takes five statements, where the other lines of a batch share a few. */
function withoutHints(registration: DeviceRegistration): DeviceRegistration {
  if (typeof registration.previous_push_token !== 'string') return registration;
  throw new BadLine('previous_push_token is known to POST /v6/devices alone');
}

/** Reads a line that was read as a device before. */
export function readDeviceAgain(bytes: Uint8Array): DeviceRegistration {
  const registration = readDevice(bytes);
  if (registration === undefined) throw new Error('an empty line is no device');
  return registration;
}
