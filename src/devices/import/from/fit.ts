/** Drops the attributes of a mapped device that break a rule, by the same schema as every registration. */
import type { DeviceRegistration } from '../../device-schema.ts';
import { leaveOutFaults } from '../../understand.ts';
import { isRegistrationAsStored } from '../../fast-validate.ts';
import { faultSentence } from '../../../errors.ts';
import type { Device, LeftOut, NotMapped } from './service.ts';

/** Its own sentence may name another zone for each device, and reasons are counted. */
const TIME_ZONE_RULE = 'must be the IANA name of a time zone';
/** An export has no caller who could mend anything else. */
const REFUSING: ReadonlySet<string> = new Set(['platform', 'push_token']);

type Fitted = LeftOut | { device: DeviceRegistration; dropped: NotMapped[]; leftOut?: never };

/** @returns the device and what was dropped, or why nothing is left */
export function fitDevice(device: Device): Fitted {
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
