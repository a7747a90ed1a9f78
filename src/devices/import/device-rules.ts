/**
 * What `@carillon/import-formats` asks about devices while it reads the export of another service: JSON is parsed as that of
 * any line, and the attributes that break a rule are dropped by the same schema as those of every registration.
 */
import type { Device, DeviceRules, Fitted } from '@carillon/import-formats';
import { faultSentence } from '../../api/errors.ts';
import { isRegistrationAsStored } from '../fast-validate.ts';
import { leaveOutFaults } from '../understand.ts';
import { BadLine, parseText } from './parse-line.ts';

/** Its own sentence may name another zone for each device, and reasons are counted. */
const TIME_ZONE_RULE = 'must be the IANA name of a time zone';
/** An export has no caller who could mend anything else. */
const REFUSING: ReadonlySet<string> = new Set(['platform', 'push_token']);

export const deviceRules: DeviceRules = { parse: parseRecord, fit: fitDevice };

function parseRecord(text: string): unknown {
  try {
    return parseText(text);
  } catch (error) {
    if (error instanceof BadLine) return undefined;
    throw error;
  }
}

function fitDevice(device: Device): Fitted {
  if (isRegistrationAsStored(device)) return { device, dropped: [] };
  const read = leaveOutFaults(device, { path: '', refusing: REFUSING });
  if (read.refused !== undefined) {
    const [fault] = read.refused;
    return { leftOut: fault === undefined ? '' : faultSentence(fault, 'the device') };
  }
  const dropped = read.leftOut.map(({ attribute, fault: { message } }) => ({
    field: attribute,
    reason: attribute === 'time_zone' ? TIME_ZONE_RULE : message,
  }));
  return { device: read.registration, dropped };
}
