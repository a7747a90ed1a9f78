import type { Place } from './device.ts';
import { type DeviceRegistration, type DeviceUpdate, tokenTypeOf } from './device-schema.ts';
import type { DeviceChange } from './store.ts';

/**
 * What a caller said, as columns: undefined stays as it is, null becomes what a device that never told has.
 * @param pushToken as it is stored; null clears it
 * @param now the moment of this update, and of the presentation of the token where there is one
 */
export function toColumns(
  said: DeviceRegistration | DeviceUpdate,
  pushToken: string | null | undefined,
  now: Date,
): DeviceChange {
  return {
    columns: {
      registered_at: now,
      push_token: pushToken,
      push_token_type:
        typeof pushToken === 'string' ? (said.push_token_type ?? tokenTypeOf(pushToken)) : undefined,
      token_registered_at: typeof pushToken === 'string' ? now : pushToken,
      locale: said.locale,
      time_zone: said.time_zone,
      badge: said.badge,
      os_name: said.os_name,
      os_version: said.os_version,
      app_version: said.app_version,
      sdk_version: said.sdk_version,
      country: said.country,
      country_from_address: said.country === undefined ? undefined : false,
      marketing_name: said.marketing_name,
      user_id: said.user_id,
      user_email: said.user_email,
      development: said.development === null ? false : said.development,
      notifications_allowed: said.notifications_allowed === null ? 'Unknown' : said.notifications_allowed,
      tags: said.tags === undefined ? undefined : [...new Set(said.tags)],
      latitude: partOf(said.location, 'latitude'),
      longitude: partOf(said.location, 'longitude'),
      location_from_address: said.location === undefined ? undefined : false,
      sdk_latitude: partOf(said.sdk_location, 'latitude'),
      sdk_longitude: partOf(said.sdk_location, 'longitude'),
    },
    custom: said.custom,
  };
}

function partOf(place: Place | null | undefined, part: keyof Place): number | null | undefined {
  return typeof place === 'object' && place !== null ? place[part] : place;
}
