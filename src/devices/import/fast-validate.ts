/**
 * Tells at a glance of most devices that they are valid and just what is to be stored. To have one read by the schemas
 * takes Node 17 µs, 9 of them for its custom attributes: a third of what a line of an import costs it. So takes 2. What
 * is not told at a glance is read there, and the rules with their words are there alone.
 */
import { isJsonObject } from '../../parse.ts';
import { CUSTOM_ATTRIBUTES_MAX, type CustomChange, ELEMENTS_MAX } from '../custom-attributes.ts';
import {
  ANDROID_TOKEN,
  type DeviceRegistration,
  INT32_MAX,
  IOS_TOKEN,
  LOCALE,
  TAGS_MAX,
} from '../device-schema.ts';

/** Units, where the schemas count characters: these may be more than they seem, and never fewer. */
const UNITS_MAX = 255;

/** An iOS token is stored in small letters. */
const CAPITALS = /[A-F]/;

/** As it is stored: UTC, with milliseconds. */
const STORED_DATE =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
/** Of these, those that never are, and the 29th of February, which is only in some years. No instant is in the year 0. */
const PERHAPS_NO_DAY = /^(?:0000|\d{4}-(?:02-(?:29|3)|(?:0[469]|11)-31))/;

type Glance = (value: unknown) => boolean;

const attributes: Readonly<
  Record<
    Exclude<
      keyof DeviceRegistration,
      'previous_push_token' | 'id' | 'created_at' | 'registered_at' | 'events'
    >,
    Glance
  >
> = {
  platform: (value) => value === 'iOS' || value === 'Android',
  push_token: (value) => typeof value === 'string', // judged with the platform
  push_token_type: (value) => value === 'token', // fid is for Android alone
  locale: (value) => isText(value) && LOCALE.test(value),
  time_zone: isText,
  badge: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= INT32_MAX,
  os_name: isText,
  os_version: isText,
  app_version: isText,
  sdk_version: isText,
  country: isText,
  marketing_name: isText,
  user_id: isSomeText,
  user_email: isText,
  development: (value) => typeof value === 'boolean',
  notifications_allowed: (value) => value === 'Enabled' || value === 'Disabled' || value === 'Unknown',
  tags: (value) => Array.isArray(value) && value.length <= TAGS_MAX && value.every(isSomeText),
  location: isPlace,
  sdk_location: isPlace,
  custom: isCustomAsStored,
};
const known: ReadonlyMap<string, Glance> = new Map(Object.entries(attributes));

/** False says nothing: it may be valid all the same. */
export function isRegistrationAsStored(value: Record<string, unknown>): value is DeviceRegistration {
  const { platform, push_token: token } = value;
  if (typeof token !== 'string') return false;
  const isToken =
    platform === 'iOS' ? IOS_TOKEN.test(token) && !CAPITALS.test(token) : ANDROID_TOKEN.test(token);
  return isToken && Object.keys(value).every((name) => isAttributeAsStored(name, value[name]));
}

function isAttributeAsStored(name: string, value: unknown): boolean {
  const glance = known.get(name);
  if (glance === undefined) return false;
  return value === null ? name !== 'platform' : glance(value);
}

/** False says nothing here either. */
export function isCustomAsStored(custom: unknown): custom is CustomChange {
  if (!isJsonObject(custom)) return false;
  const names = Object.keys(custom);
  return (
    names.length <= CUSTOM_ATTRIBUTES_MAX &&
    names.every((name) => isSomeText(name) && isCustomAttribute(custom[name]))
  );
}

function isCustomAttribute(attribute: unknown): boolean {
  if (!isJsonObject(attribute)) return false;
  const { type, value } = attribute;
  if (Object.keys(attribute).length > 2) return false;
  switch (type) {
    case 'string':
      return isText(value) || isTexts(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number';
    case 'date':
      return typeof value === 'string' && STORED_DATE.test(value) && !PERHAPS_NO_DAY.test(value);
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= UNITS_MAX;
}

function isSomeText(value: unknown): boolean {
  return isText(value) && value.length >= 1;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= ELEMENTS_MAX && value.every(isText);
}

function isPlace(value: unknown): boolean {
  if (!isJsonObject(value) || Object.keys(value).length > 2) return false;
  return isAngle(value['latitude'], 90) && isAngle(value['longitude'], 180);
}

function isAngle(degrees: unknown, limit: number): boolean {
  return typeof degrees === 'number' && Math.abs(degrees) <= limit;
}
