/** Shared by the tests of registrations. */
import type { Kysely } from 'kysely';
import type { Database } from '../../../src/db/tables.ts';
import { parseRegistration } from '../../../src/devices/device-schema.ts';
import type { AddressLocation } from '../../../src/devices/address/geoip.ts';
import type { Registered } from '../../../src/devices/register-device.ts';
import { openRegistrations } from '../../../src/devices/registrations/open-registrations.ts';
import { tokenKeys } from '../../support/token-keys.ts';
import { noon } from '../devices-of-app.ts';

export interface Registering {
  /** The time of the clock, which tests change. */
  now: Date;
  register(appId: string, device: object, addressLocation?: AddressLocation): Promise<Registered>;
}

/** The registrations of a process, with a clock that stands still. */
export function openRegistering(db: Kysely<Database>): Registering {
  const registrations = openRegistrations({ db, tokenKeys, clock: () => registering.now });
  const registering: Registering = {
    now: noon,
    register: async (appId, device, addressLocation) =>
      registrations.register(appId, parseRegistration({ platform: 'iOS', ...device }), { addressLocation }),
  };
  return registering;
}

/** @param hours negative for a time before noon */
export function hoursAfterNoon(hours: number): Date {
  return new Date(noon.getTime() + hours * 60 * 60_000);
}
