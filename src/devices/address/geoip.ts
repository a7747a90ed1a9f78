/**
 * Locates IP addresses with a database in MaxMind's format (GeoLite2, GeoIP2, DB-IP and others). Addresses are looked
 * up in memory and never stored.
 */
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Reader } from 'mmdb-lib';
import { z } from 'zod';
import type { Observe } from '../../observe.ts';
import { startPeriodically } from '../../scheduling/periodically.ts';
import type { Place } from '../device.ts';

/** The data on an address in the database. */
export interface AddressLocation {
  /** ISO 3166-1, two letters. */
  country?: string;
  location?: Place;
}

export interface GeoIp {
  /** Returns an empty object for an address that is not in the database, such as a private one. Takes some 10 µs. */
  locate(address: string): AddressLocation;
  /** Reads the file again if it has changed; if that fails, the database in memory stays in use. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** MaxMind publishes a new database twice a week. */
const REFRESH_EVERY_MS = 60_000;

/** The prefix of an IPv4 address on an IPv6 socket. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

/** The parts of a City or Country record that we use; a malformed part is left out. */
const record = z.object({
  country: z
    .object({ iso_code: z.string().regex(/^[A-Z]{2}$/) })
    .optional()
    .catch(undefined),
  location: z
    .object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
    .optional()
    .catch(undefined),
});

interface Opened {
  reader: Reader<never>;
  version: string;
}

/** @throws if the file cannot be read or is not such a database */
export async function openGeoIp(file: string, observe: Observe): Promise<GeoIp> {
  let opened = await open(file, observe);
  let loggedFault = '';

  async function readAgain(): Promise<void> {
    try {
      if ((await versionOf(file)) === opened.version) return;
      opened = await open(file, observe);
      loggedFault = '';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== loggedFault) observe({ kind: 'geoip_unreadable', message });
      loggedFault = message;
    }
  }

  let last = Promise.resolve();
  const refresh = (): Promise<void> => (last = last.then(readAgain)); // one at a time
  const refreshing = startPeriodically(REFRESH_EVERY_MS, refresh);
  return {
    locate: (address) => {
      const plain = address.replace(MAPPED, '');
      // Behind a proxy, the text comes from `X-Forwarded-For`.
      if (isIP(plain) === 0) return {};
      const found = record.safeParse(opened.reader.get(plain));
      if (!found.success) return {};
      const { country, location } = found.data;
      return { ...(country && { country: country.iso_code }), ...(location && { location }) };
    },
    refresh,
    close: async () => refreshing.close(),
  };
}

async function open(file: string, observe: Observe): Promise<Opened> {
  // Taken before the file is read, so that a file that changes meanwhile is read again.
  const version = await versionOf(file);
  const reader = new Reader<never>(await readFile(file));
  const { databaseType, buildEpoch } = reader.metadata;
  if (!locatesAnything(reader)) {
    throw new Error(
      `it has no countries or locations in MaxMind’s format; its type is ${databaseType}, and a City or Country database is needed`,
    );
  }
  observe({ kind: 'geoip_loaded', databaseType, builtAt: buildEpoch.toISOString() });
  return { reader, version };
}

/**
 * After this many records without a country or a location, the database is of another kind: of networks, or in another
 * format.
 */
const RECORDS_MAX = 1_000;
/** Takes some 20 ms. */
const STEPS_MAX = 20_000;

/** Walks through the networks of IPv4. A database without any may still have IPv6 networks. */
function locatesAnything(reader: Reader<never>): boolean {
  let records = 0;
  let address = 0;
  for (let step = 0; step < STEPS_MAX && address < 2 ** 32 && records < RECORDS_MAX; step++) {
    const bytes = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
    const [data, prefixLength] = reader.getWithPrefixLength(bytes.join('.'));
    const found = data === null ? undefined : record.safeParse(data);
    if (found?.data?.country !== undefined || found?.data?.location !== undefined) return true;
    if (found !== undefined) records += 1;
    const size = 2 ** (32 - prefixLength);
    address = (Math.floor(address / size) + 1) * size;
  }
  return records === 0;
}

async function versionOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs}`;
}
