/**
 * Derives a device's country and location from the IP address of its registration. Each registration updates them, but
 * values that the app or the back end has set are kept.
 */
import type { Selectable } from 'kysely';
import type { DevicesTable } from '../../db/tables.ts';
import type { AddressLocation, GeoIp } from './geoip.ts';

export interface LocationChange extends AddressLocation {
  /**
   * The country of an address without a known location: a stored location from an address in another country is
   * removed.
   */
  onlyIn?: string;
}

/** Looks up the country and location if the registration leaves them out; null counts as given. */
export function locationFromAddress(
  geoip: GeoIp,
  address: string,
  { country, location }: { country?: unknown; location?: unknown },
): LocationChange {
  if (country !== undefined && location !== undefined) return {};
  const found = geoip.locate(address);
  const hasNoPlace = location === undefined && found.location === undefined;
  return {
    ...(country === undefined && found.country !== undefined && { country: found.country }),
    ...(location === undefined && found.location !== undefined && { location: found.location }),
    ...(hasNoPlace && found.country !== undefined && { onlyIn: found.country }),
  };
}

export function columnsOfNewDevice({ country, location }: LocationChange = {}) {
  return {
    ...(country !== undefined && { country, country_from_address: true }),
    ...(location !== undefined && { ...location, location_from_address: true }),
  };
}

/** The columns of a known device that change. */
export function columnsFromAddress(
  row: Pick<
    Selectable<DevicesTable>,
    'country' | 'country_from_address' | 'latitude' | 'location_from_address'
  >,
  { country, location, onlyIn }: LocationChange = {},
) {
  const hasOwnCountry = row.country !== null && !row.country_from_address;
  const hasOwnLocation = row.latitude !== null && !row.location_from_address;
  const isElsewhere = onlyIn !== undefined && row.country !== onlyIn && row.location_from_address;
  return {
    ...columnsOfNewDevice({
      ...(country !== undefined && !hasOwnCountry && { country }),
      ...(location !== undefined && !hasOwnLocation && { location }),
    }),
    ...(isElsewhere && { latitude: null, longitude: null }),
  };
}
