/** The columns that a registration, an update or a line of an import may set, and their values. */
import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { DevicesTable } from '../db/tables.ts';
import type { Place } from './device.ts';
import type { DeviceRegistration, DeviceUpdate } from './device-schema.ts';
import { joinedLocale } from '../locale/stored-locale.ts';
import { tokenTypeOf } from './push-token.ts';
import type { DeviceChange } from './store.ts';

/**
 * Turns the attributes of a request into columns: undefined leaves a column unchanged, null resets it to its default.
 * @param pushToken in its stored form; null clears it
 * @param isUserVerified whether somebody vouches for the user whom the request names
 * @param now the time of this update, also stored as the token's registration time if there is a token
 */
export function toColumns(
  sent: DeviceRegistration | DeviceUpdate,
  pushToken: string | null | undefined,
  now: Date,
  isUserVerified = false,
): DeviceChange {
  return {
    columns: {
      registered_at: now,
      push_token: pushToken,
      push_token_type:
        typeof pushToken === 'string' ? (sent.push_token_type ?? tokenTypeOf(pushToken)) : undefined,
      subscription_keys: 'subscription_keys' in sent ? sent.subscription_keys : undefined,
      token_registered_at: typeof pushToken === 'string' ? now : pushToken,
      locale: localeOf(sent),
      time_zone: sent.time_zone,
      quiet_hours: sent.quiet_hours,
      badge: sent.badge,
      // The app's value replaces what pushes have added.
      kept_badge: sent.badge === undefined ? undefined : null,
      os_name: sent.os_name,
      os_version: sent.os_version,
      app_version: sent.app_version,
      sdk_version: sent.sdk_version,
      country: sent.country,
      country_from_address: sent.country === undefined ? undefined : false,
      marketing_name: sent.marketing_name,
      user_id: sent.user_id,
      user_email: sent.user_email,
      encryption_key: sent.encryption_key,
      user_verified_at: isUserVerified ? now : undefined,
      development: sent.development === null ? false : sent.development,
      notifications_allowed: sent.notifications_allowed === null ? 'Unknown' : sent.notifications_allowed,
      tags: sent.tags === undefined ? undefined : [...new Set(sent.tags)],
      latitude: coordinateOf(sent.location, 'latitude'),
      longitude: coordinateOf(sent.location, 'longitude'),
      location_from_address: sent.location === undefined ? undefined : false,
      sdk_latitude: coordinateOf(sent.sdk_location, 'latitude'),
      sdk_longitude: coordinateOf(sent.sdk_location, 'longitude'),
    },
    custom: sent.custom,
  };
}

/** Whether a request says which user the device has. */
export function namesUser({ user_id: userId, user_email: email }: Partial<DeviceUpdate>): boolean {
  return typeof userId === 'string' || typeof email === 'string';
}

function localeOf({ locale, script }: DeviceRegistration | DeviceUpdate): string | null | undefined {
  return typeof locale === 'string' && typeof script === 'string' ? joinedLocale(locale, script) : locale;
}

function coordinateOf(place: Place | null | undefined, name: keyof Place): number | null | undefined {
  return typeof place === 'object' && place !== null ? place[name] : place;
}

/** Quiet hours are not included: the few registrations that change them use a statement of their own. */
type AttributeColumn = Exclude<
  keyof Updateable<DevicesTable>,
  | 'app_id'
  | 'id'
  | 'push_token'
  | 'token_registered_at'
  | 'created_at'
  | 'registered_at'
  | 'custom'
  | 'quiet_hours'
>;

/** The columns with their Postgres types. */
const ATTRIBUTE_TYPES: Readonly<Record<AttributeColumn, string>> = {
  platform: 'text',
  push_token_type: 'text',
  subscription_keys: 'text',
  locale: 'text',
  time_zone: 'text',
  badge: 'integer',
  kept_badge: 'integer',
  os_name: 'text',
  os_version: 'text',
  app_version: 'text',
  sdk_version: 'text',
  country: 'text',
  marketing_name: 'text',
  user_id: 'text',
  user_email: 'text',
  user_verified_at: 'timestamptz',
  encryption_key: 'text',
  development: 'boolean',
  notifications_allowed: 'text',
  tags: 'text[]',
  latitude: 'double precision',
  longitude: 'double precision',
  sdk_latitude: 'double precision',
  sdk_longitude: 'double precision',
  country_from_address: 'boolean',
  location_from_address: 'boolean',
};

export const attributeColumns: readonly AttributeColumn[] = Object.keys(ATTRIBUTE_TYPES).filter(isAttribute);

/** Joins one piece of SQL per column, such as `device.locale, device.time_zone`. */
export function eachAttribute(piece: (column: string, type: string) => string): RawBuilder<unknown> {
  return sql.raw(
    Object.entries(ATTRIBUTE_TYPES)
      .map(([column, type]) => piece(column, type))
      .join(', '),
  );
}

/** The columns with their types, for the result of a function that returns records. */
export const declaredAttributes = eachAttribute((column, type) => `${column} ${type}`);

function isAttribute(name: string): name is AttributeColumn {
  return Object.hasOwn(ATTRIBUTE_TYPES, name);
}
