/** Decides, from the device that has the token, what a registration writes. No database here. */
import { isDeepStrictEqual } from 'node:util';
import { attributeColumns } from '../to-columns.ts';
import { attributesSet, CUSTOM_ATTRIBUTES_MAX } from '../custom-attributes.ts';
import { isJsonObject } from '../../api/parse.ts';
import {
  columnsFromAddress,
  columnsOfNewDevice,
  type LocationChange,
} from '../address/location-from-address.ts';
import type { DeviceChange, DeviceRow } from '../store.ts';

/**
 * `alone`: the registration is not one of the plain cases, and needs a transaction (`../register-device.ts`).
 * `refresh` writes the times, and at most columns that no filter on targeting rows looks at; `update` writes
 * anything.
 */
export type Plan =
  | { kind: 'alone' }
  | { kind: 'unchanged'; row: DeviceRow }
  | { kind: 'insert'; row: DeviceRow }
  | { kind: 'refresh' | 'update'; row: DeviceRow; changesCustom: boolean };

export interface PlannedRegistration {
  appId: string;
  platform: DeviceRow['platform'];
  hintedId: string | undefined;
  /** Whether `previous_push_token` was sent. */
  hasPrevious: boolean;
  change: DeviceChange;
  /** From the caller's IP address; does not replace values that were set. */
  addressLocation: LocationChange | undefined;
  /** For a device that is created. */
  newId: string;
  now: Date;
}

/** `registered_at` shows to the day who uses an app, so it is written again when it is this old. */
const UNCHANGED_FOR_MS = 24 * 60 * 60_000;

/** Attributes that targeting rows do not have: a change of these alone leaves them as they are. */
const NOT_TARGETED: ReadonlySet<string> = new Set([
  'push_token_type',
  'subscription_keys',
  'kept_badge',
  'user_id',
  'user_email',
  'user_verified_at',
  'encryption_key',
  'country_from_address',
  'location_from_address',
]);

/** @param row the device that has the push token; undefined if none has it */
export function planOf(registration: PlannedRegistration, row: DeviceRow | undefined): Plan {
  const { hintedId, hasPrevious, platform, change, addressLocation, now } = registration;
  if (row === undefined) {
    if (hintedId !== undefined || hasPrevious) return { kind: 'alone' };
    if (!hasSameHours(null, change)) return { kind: 'alone' };
    return { kind: 'insert', row: rowOfNew(registration) };
  }
  if (!hasSameHours(row.quiet_hours, change)) return { kind: 'alone' };
  if (hintedId !== undefined && hintedId !== row.id) return { kind: 'alone' };
  if (platform !== row.platform) return { kind: 'alone' };
  const custom = customAfter(row.custom, change.custom);
  if (custom.isChanged && Object.keys(custom.value).length > CUSTOM_ATTRIBUTES_MAX) return { kind: 'alone' };
  const next = withColumns(row, { ...change.columns, ...columnsFromAddress(row, addressLocation) });
  const hasSameUser = row.user_id === next.user_id && row.user_email === next.user_email;
  if (hasSameUser && row.user_verified_at !== null) next.user_verified_at = row.user_verified_at;
  const changed = attributeColumns.filter((column) => !isSame(row[column], next[column]));
  if (changed.length === 0 && !custom.isChanged && isRecent(row, now)) return { kind: 'unchanged', row };
  const isTargeted = custom.isChanged || changed.some((column) => !NOT_TARGETED.has(column));
  return {
    kind: isTargeted ? 'update' : 'refresh',
    row: { ...next, custom: custom.value },
    changesCustom: custom.isChanged,
  };
}

/** Shared statements do not write quiet hours, so that registrations without them cost no more. */
function hasSameHours(
  stored: DeviceRow['quiet_hours'],
  { columns: { quiet_hours: sent } }: DeviceChange,
): boolean {
  return sent === undefined || isSame(stored, sent);
}

function isRecent({ registered_at, token_registered_at }: DeviceRow, now: Date): boolean {
  return (
    isWithinDay(registered_at, now) && token_registered_at !== null && isWithinDay(token_registered_at, now)
  );
}

/** A time ahead of `now` by more than a day comes from a wrong clock and is corrected. */
function isWithinDay(time: Date, now: Date): boolean {
  return Math.abs(now.getTime() - time.getTime()) < UNCHANGED_FOR_MS;
}

function rowOfNew({ appId, newId, platform, change, addressLocation, now }: PlannedRegistration): DeviceRow {
  const row: DeviceRow = {
    app_id: appId,
    id: newId,
    platform,
    push_token: null,
    push_token_type: 'token',
    subscription_keys: null,
    token_registered_at: now,
    created_at: now,
    registered_at: now,
    locale: null,
    time_zone: null,
    quiet_hours: null,
    badge: null,
    kept_badge: null,
    os_name: null,
    os_version: null,
    app_version: null,
    sdk_version: null,
    country: null,
    marketing_name: null,
    user_id: null,
    user_email: null,
    user_verified_at: null,
    encryption_key: null,
    development: false,
    notifications_allowed: 'Unknown',
    tags: [],
    latitude: null,
    longitude: null,
    sdk_latitude: null,
    sdk_longitude: null,
    country_from_address: false,
    location_from_address: false,
    custom: attributesSet(change.custom),
  };
  return withColumns(row, { ...change.columns, ...columnsOfNewDevice(addressLocation) });
}

/** Columns that are undefined stay. */
function withColumns(row: DeviceRow, columns: object): DeviceRow {
  const given: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(columns)) {
    if (value !== undefined) given[column] = value;
  }
  return { ...row, ...given };
}

/** The custom attributes of a device after a change, and whether they changed. */
function customAfter(
  stored: unknown,
  change: DeviceChange['custom'],
): { value: Record<string, unknown>; isChanged: boolean } {
  const before = isJsonObject(stored) ? stored : {};
  if (change === undefined) return { value: before, isChanged: false };
  if (change === null) return { value: {}, isChanged: Object.keys(before).length > 0 };
  const isChanged = Object.entries(change).some(([name, value]) =>
    value === null
      ? Object.hasOwn(before, name)
      : !Object.hasOwn(before, name) || !isSame(before[name], value),
  );
  if (!isChanged) return { value: before, isChanged };
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return { value: Object.fromEntries(merged), isChanged };
}

/** Whether two values are the same as JSON; numbers that a double cannot hold are objects with their text. */
function isSame(left: unknown, right: unknown): boolean {
  return left === right || isDeepStrictEqual(left, right);
}
