import { systemClock } from '../../src/clock.ts';
import { openProviderToken } from '../../src/gateways/apns/provider-token.ts';
import type { BenchCredentials } from './credentials.ts';

/** A provider token for Apple, valid for the length of a run. */
export function providerTokenFor({ apns }: BenchCredentials): string {
  return openProviderToken(apns, systemClock).current();
}
