/** Drops the attributes of a mapped device that break a rule, by the same schema as every registration. */
import type { z } from 'zod';
import { CUSTOM_ATTRIBUTES_MAX } from '../../custom-attributes.ts';
import { registration, TAGS_MAX } from '../../device-schema.ts';
import { isRegistrationAsStored } from '../../fast-validate.ts';
import { memberPath } from '../../../json/lossless.ts';
import { isJsonObject, judge } from '../../../parse.ts';
import type { Device, LeftOut, NotMapped } from './service.ts';

/** Its own sentence may repeat part of the value. */
const TIME_ZONE_RULE = 'must be the IANA name of a time zone';
/** Each round drops at least one attribute; a second is needed where a rule waits for others. */
const ROUNDS_MAX = 10;

const BAD_TOKEN = 'the push token does not have the form of its platform';

/** Changes the device in place. @returns what was dropped, or why nothing is left */
export function fitDevice(device: Device): LeftOut | { dropped: NotMapped[]; leftOut?: never } {
  const dropped: NotMapped[] = [];
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (isRegistrationAsStored(device)) return { dropped };
    const result = judge(registration, device);
    if (result.success) return { dropped };
    // From the last to the first, so that the positions of tags stay right.
    for (const issue of result.error.issues.toReversed()) {
      if (issue.path[0] === 'platform' || issue.path[0] === 'push_token') return { leftOut: BAD_TOKEN };
      dropped.push(drop(device, issue));
    }
  }
  throw new Error('a device without its faulty attributes is valid');
}

function drop(device: Device, { path, code, message }: z.core.$ZodIssue): NotMapped {
  const [name, member] = path;
  const attribute = String(name);
  const { tags, custom } = device;
  if (name === 'time_zone') {
    Reflect.deleteProperty(device, name);
    return { field: 'time_zone', reason: TIME_ZONE_RULE };
  }
  if (name === 'tags' && Array.isArray(tags)) {
    if (typeof member === 'number') tags.splice(member, 1);
    else device['tags'] = tags.slice(0, TAGS_MAX);
    return { field: 'tags', reason: message };
  }
  if (name === 'custom' && isJsonObject(custom)) {
    if (member === undefined) {
      const kept = Object.entries(custom).slice(0, CUSTOM_ATTRIBUTES_MAX);
      device['custom'] = Object.fromEntries(kept);
      return { field: 'custom', reason: message };
    }
    device['custom'] = Object.fromEntries(Object.entries(custom).filter(([key]) => key !== member));
    if (code === 'invalid_key') return { field: 'custom', reason: 'a name must have 1 to 255 characters' };
    return { field: memberPath('custom', member), reason: message };
  }
  Reflect.deleteProperty(device, attribute);
  return { field: attribute, reason: message };
}
