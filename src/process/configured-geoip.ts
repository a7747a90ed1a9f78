/** Opens the database of addresses that the settings name. */
import { type GeoIp, openGeoIp } from '../devices/address/geoip.ts';
import type { Observe } from '../observe.ts';
import { type Config, ConfigError } from './config.ts';

/** @throws {ConfigError} if the file cannot be read as a database of addresses */
export async function openConfiguredGeoIp(
  { geoipDatabase: file }: Config,
  observe: Observe,
  opened: AsyncDisposableStack,
): Promise<GeoIp | undefined> {
  if (file === undefined) return undefined;
  const geoip = await openGeoIp(file, observe).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`GEOIP_DATABASE cannot be read (${file}: ${reason})`]);
  });
  opened.defer(async () => geoip.close());
  return geoip;
}
