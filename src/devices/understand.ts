/**
 * Reads a registration and refuses it only for its platform, push token, ids or unknown names. A value that breaks
 * another rule is left out and named: a phone with an odd locale still gets its pushes (docs/decisions/0040). A known
 * device keeps its old value.
 */
import type { z } from 'zod';
import { DETAILS_MAX, type FaultDetail, invalidRequest } from '../api/errors.ts';
import { memberPath } from '../json/lossless.ts';
import { faultsOf, isJsonObject, judge } from '../api/parse.ts';
import { CUSTOM_ATTRIBUTES_MAX } from './custom-attributes.ts';
import { type DeviceRegistration, parseRegistrationBody, registration, TAGS_MAX } from './device-schema.ts';
import { isRegistrationAsStored } from './fast-validate.ts';

export interface Understood {
  registration: DeviceRegistration;
  /** The values that were left out, 100 at most; path and message form a sentence. */
  ignored: readonly FaultDetail[];
}

/** An attribute, a tag or a custom attribute that was left out, with its fault. */
export interface LeftOutValue {
  /** `locale`, `tags`, `custom.plan`. */
  attribute: string;
  fault: FaultDetail;
}

/** Without these, nobody knows who would get the pushes, or through which gateway. */
const IDENTITY: ReadonlySet<string> = new Set([
  'platform',
  'push_token',
  'push_token_type',
  'subscription',
  'user_id',
  'user_token',
  'development',
]);

export const NONE: readonly FaultDetail[] = [];

/**
 * A rule may be checked only after others have passed, such as the number of custom attributes; then another round is
 * needed.
 */
const ROUNDS_MAX = 10;

/** Reads the device in the body of a registration. @throws {ApiError} `invalid_request` with every fault */
export function readRegistrationBody(body: unknown): Understood {
  if (isJsonObject(body) && Object.keys(body).length === 1) {
    const { device } = body;
    if (isJsonObject(device)) {
      return isRegistrationAsStored(device)
        ? { registration: device, ignored: NONE }
        : understandDevice(device, 'device');
    }
  }
  return { registration: parseRegistrationBody(body), ignored: NONE };
}

/** @param path of the device, for the faults. @throws {ApiError} `invalid_request` with every fault */
export function understandDevice(sent: Readonly<Record<string, unknown>>, path = ''): Understood {
  const read = leaveOutFaults(sent, { path, refusing: IDENTITY });
  if (read.refused !== undefined) throw invalidRequest(read.refused);
  return {
    registration: read.registration,
    ignored: read.leftOut.slice(0, DETAILS_MAX).map(({ fault }) => fault),
  };
}

type Read =
  | { registration: DeviceRegistration; leftOut: readonly LeftOutValue[]; refused?: never }
  | { refused: readonly FaultDetail[] };

/** @param refusing attributes whose faults are thrown; unknown names are always thrown */
export function leaveOutFaults(
  sent: Readonly<Record<string, unknown>>,
  { path, refusing }: { path: string; refusing: ReadonlySet<string> },
): Read {
  const leftOut: LeftOutValue[] = [];
  let device = sent;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const result = judge(registration, device);
    if (result.success) return { registration: result.data, leftOut };
    const { issues } = result.error;
    const isRefused = issues.some((issue) => issue.path.length === 0 || refusing.has(String(issue.path[0])));
    if (isRefused)
      return { refused: [...faultsOf(result.error, path), ...leftOut.map(({ fault }) => fault)] };
    for (const issue of issues) {
      const attribute = attributeOf(issue);
      leftOut.push(...faultsOf({ issues: [issue] }, path).map((fault) => ({ attribute, fault })));
    }
    device = withoutFaults(device, issues);
  }
  throw new Error('a device without its faulty attributes is valid');
}

function attributeOf({ path: [name, member], code }: z.core.$ZodIssue): string {
  return name === 'custom' && member !== undefined && code !== 'invalid_key'
    ? memberPath('custom', member)
    : String(name);
}

/**
 * If there are too many tags or custom attributes, the first are kept. Nearly linear, because a body may have 100,000
 * faults.
 */
function withoutFaults(
  device: Readonly<Record<string, unknown>>,
  issues: readonly z.core.$ZodIssue[],
): Record<string, unknown> {
  const { tags, custom } = device;
  const badTags = new Set<unknown>();
  const badCustom = new Set<unknown>();
  const kept: Record<string, unknown> = { ...device };
  for (const {
    path: [name, member],
  } of issues) {
    if (name === 'tags' && Array.isArray(tags)) badTags.add(member);
    else if (name === 'custom' && isJsonObject(custom)) badCustom.add(member);
    else Reflect.deleteProperty(kept, String(name));
  }
  if (badTags.size > 0 && Array.isArray(tags)) {
    kept['tags'] = tags.filter((_tag, index) => !badTags.has(index)).slice(0, TAGS_MAX);
  }
  if (badCustom.size > 0 && isJsonObject(custom)) {
    const good = Object.entries(custom).filter(([name]) => !badCustom.has(name));
    kept['custom'] = Object.fromEntries(badCustom.has(undefined) ? firstSet(good) : good);
  }
  return kept;
}

/** Keeps as many as a device may have; removals do not count. */
function firstSet(attributes: readonly [string, unknown][]): [string, unknown][] {
  let count = 0;
  return attributes.filter(([, value]) => value === null || ++count <= CUSTOM_ATTRIBUTES_MAX);
}
