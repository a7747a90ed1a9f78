/**
 * Derives a device's country and location from the IP address of its registration. Each registration updates them, but
 * values that the app or the back end has set are kept.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { DevicesTable } from '../../db/tables.ts';
import type { AddressLocation, GeoIp } from './geoip.ts';

/** Looks up the country and location if the registration leaves them out; null counts as given. */
export function locationFromAddress(
  geoip: GeoIp,
  address: string,
  { country, location }: { country?: unknown; location?: unknown },
): AddressLocation {
  if (country !== undefined && location !== undefined) return {};
  const found = geoip.locate(address);
  return {
    ...(country === undefined && found.country !== undefined && { country: found.country }),
    ...(location === undefined && found.location !== undefined && { location: found.location }),
  };
}

/** The columns of a new device. */
export function columnsOfNewDevice({ country, location }: AddressLocation) {
  return {
    ...(country !== undefined && { country, country_from_address: true }),
    ...(location !== undefined && { ...location, location_from_address: true }),
  };
}

/** The columns of a known device; `devices` is its row before the update. */
export function columnsOfKnownDevice({ country, location }: AddressLocation) {
  return {
    ...(country !== undefined && {
      country: unlessSet(country, 'country', 'country_from_address'),
      country_from_address: isNotSet('country', 'country_from_address'),
    }),
    ...(location !== undefined && {
      latitude: unlessSet(location.latitude, 'latitude', 'location_from_address'),
      longitude: unlessSet(location.longitude, 'longitude', 'location_from_address'),
      location_from_address: isNotSet('latitude', 'location_from_address'),
    }),
  };
}

/** The same for a row that is at hand: the columns that change, with their values. */
export function columnsFromAddress(
  row: Pick<
    Selectable<DevicesTable>,
    'country' | 'country_from_address' | 'latitude' | 'location_from_address'
  >,
  { country, location }: AddressLocation,
) {
  const hasOwnCountry = row.country !== null && !row.country_from_address;
  const hasOwnLocation = row.latitude !== null && !row.location_from_address;
  return columnsOfNewDevice({
    ...(country !== undefined && !hasOwnCountry && { country }),
    ...(location !== undefined && !hasOwnLocation && { location }),
  });
}

function unlessSet<Value>(found: Value, column: string, mark: string): RawBuilder<Value> {
  return sql<Value>`case when ${isNotSet(column, mark)} then ${found} else ${sql.ref(`devices.${column}`)} end`;
}

function isNotSet(column: string, mark: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`devices.${column}`)} is null or ${sql.ref(`devices.${mark}`)})`;
}
