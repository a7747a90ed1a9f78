/**
 * What a registration takes from the address that it comes from: the country and the location that its app has not told.
 * What was told, by whomever, stays; what an address has said follows the device.
 */
import { type RawBuilder, sql } from 'kysely';
import type { AddressLocation, GeoIp } from './geoip.ts';

/** What the address of a registration adds to it: what it does not tell itself, be it that there is none (null). */
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

/** The columns of a device that is new. */
export function columnsOfNewDevice({ country, location }: AddressLocation) {
  return {
    ...(country !== undefined && { country, country_from_address: true }),
    ...(location !== undefined && { ...location, location_from_address: true }),
  };
}

/** The columns of a device that is known, `devices` being the row as it is. */
export function columnsOfKnownDevice({ country, location }: AddressLocation) {
  return {
    ...(country !== undefined && {
      country: unlessTold(country, 'country', 'country_from_address'),
      country_from_address: isNotTold('country', 'country_from_address'),
    }),
    ...(location !== undefined && {
      latitude: unlessTold(location.latitude, 'latitude', 'location_from_address'),
      longitude: unlessTold(location.longitude, 'longitude', 'location_from_address'),
      location_from_address: isNotTold('latitude', 'location_from_address'),
    }),
  };
}

function unlessTold<Value>(found: Value, column: string, mark: string): RawBuilder<Value> {
  return sql<Value>`case when ${isNotTold(column, mark)} then ${found} else ${sql.ref(`devices.${column}`)} end`;
}

function isNotTold(column: string, mark: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`devices.${column}`)} is null or ${sql.ref(`devices.${mark}`)})`;
}
