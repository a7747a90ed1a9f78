/**
 * The rules that `@carillon/import-formats` needs to read the export of another service: JSON is parsed like any line,
 * and the schema of every registration drops attributes that break a rule.
 */
import type { Device, DeviceRules, Fitted } from '@carillon/import-formats';
import { faultSentence } from '../../api/errors.ts';
import { isRegistrationAsStored } from '../fast-validate.ts';
import { leaveOutFaults } from '../understand.ts';
import { BadLine, parseText } from './device-line.ts';

/** The schema's own sentence may name a different zone for each device; the report needs one sentence, to count it. */
const TIME_ZONE_RULE = 'must be the IANA name of a time zone';
/** These are refused: the caller of an export could correct nothing else. */
const REFUSING: ReadonlySet<string> = new Set(['platform', 'push_token', 'subscription']);

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
