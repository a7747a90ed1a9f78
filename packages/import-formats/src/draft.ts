/**
 * Builds the device of a record. Fields of the record are taken one by one, and `mapped` lists the others, so that no field
 * is lost silently.
 */
import type { Device, Fields, Mapping, NotMapped } from './service.ts';
import { fieldPath, isObject, numberText } from './values.ts';

const NO_COUNTERPART = 'devices have no such attribute';
const NAME_TAKEN = 'another field has this name';
const KIND_UNKNOWN = 'only texts, numbers, true or false, dates, and lists of texts or numbers can be kept';

interface CustomAttribute {
  type: 'string' | 'float' | 'date' | 'boolean';
  value: unknown;
}

/** Takes fields of one object, and knows which are left. */
export interface Taker {
  /** Any value, and undefined if there is none. */
  any: (name: string) => unknown;
  /** A text that is not empty. A value of another kind is not taken. */
  text: (name: string) => string | undefined;
  /** An object whose fields are also taken one by one. */
  object: (name: string) => Taker;
  /** The remaining names, and their values. */
  rest: () => [name: string, value: unknown][];
  /** The full paths of the remaining names, including those in objects. */
  paths: () => string[];
}

export function takerOf(fields: Fields, path = ''): Taker {
  const taken = new Set<string>();
  const objects: Taker[] = [];
  const any = (name: string): unknown => {
    if (!Object.hasOwn(fields, name)) return undefined;
    taken.add(name);
    return fields[name] ?? undefined;
  };
  const rest = (): [string, unknown][] =>
    Object.entries(fields).filter(([name, value]) => !taken.has(name) && !isEmpty(value));
  return {
    any,
    text: (name) => {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return typeof value === 'string' && value !== '' ? String(any(name)) : undefined;
    },
    object: (name) => {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const object = takerOf(isObject(value) ? value : {}, fieldPath(path, name));
      if (isObject(value)) {
        any(name);
        objects.push(object);
      }
      return object;
    },
    rest,
    paths: () => [
      ...rest().map(([name]) => fieldPath(path, name)),
      ...objects.flatMap((object) => object.paths()),
    ],
  };
}

export interface Draft {
  platform: 'iOS' | 'Android';
  attributes: Device;
  tags: unknown[];
  custom: Map<string, CustomAttribute>;
  notMapped: NotMapped[];
}

/** A registration token or an installation id of Firebase, by which some apps reach iPhones as well. */
const FIREBASE_TOKEN = /^(?:[\w-]+:[\w-]{60,}|[cdef][\w-]{21})$/;

/** @param byFirebase whether the push token is one of Firebase; on iOS, it is recognised by its form as well */
export function draftOf(platform: Draft['platform'], pushToken: string, byFirebase = false): Draft {
  const isThroughFirebase = platform === 'iOS' && (byFirebase || FIREBASE_TOKEN.test(pushToken));
  const attributes = {
    platform,
    // Tokens of APNs are hexadecimal in either case, and stored in lower case.
    push_token: platform === 'iOS' && !isThroughFirebase ? pushToken.toLowerCase() : pushToken,
    push_token_type: isThroughFirebase ? 'fcm' : undefined,
    os_name: platform,
  };
  return { platform, attributes, tags: [], custom: new Map(), notMapped: [] };
}

/**
 * Sets a custom attribute to a value of the service, if we have an attribute type for it. @param path the path of the
 * field, for the report
 */
export function setCustom(draft: Draft, name: string, value: unknown, path: string): void {
  if (isEmpty(value)) return;
  const attribute = customOf(value);
  if (attribute === undefined) draft.notMapped.push({ field: path, reason: KIND_UNKNOWN });
  else if (draft.custom.has(name)) draft.notMapped.push({ field: path, reason: NAME_TAKEN });
  else draft.custom.set(name, attribute);
}

/** @param takers the takers of all objects of the record, whose remaining fields are listed */
export function mapped({ attributes, tags, custom, notMapped }: Draft, ...takers: readonly Taker[]): Mapping {
  const device: Device = Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  );
  if (tags.length > 0) device['tags'] = tags;
  if (custom.size > 0) device['custom'] = Object.fromEntries(custom);
  const left = takers.flatMap((taker) => taker.paths()).map((field) => ({ field, reason: NO_COUNTERPART }));
  return { device, notMapped: [...notMapped, ...left] };
}

/** `en` and `US` as `en_US`. */
export function localeOf(language: string | undefined, country: string | undefined): string | undefined {
  return language === undefined || country === undefined ? language : `${language}_${country}`;
}

/** A date that is to be kept as a date, and not as text. */
export class DateText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Numbers are kept as `float`, whether whole or not: an attribute has one type for all devices of an app. */
function customOf(value: unknown): CustomAttribute | undefined {
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'boolean') return { type: 'boolean', value };
  if (value instanceof DateText) return { type: 'date', value: value.text };
  if (numberText(value) !== undefined) return { type: 'float', value };
  if (!Array.isArray(value)) return undefined;
  if (value.every((element) => typeof element === 'string')) return { type: 'string', value };
  if (value.every((element) => numberText(element) !== undefined)) return { type: 'float', value };
  return undefined;
}

/** Fields without a value are not reported: no value is lost. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && !(value instanceof DateText) && Object.keys(value).length === 0;
}
