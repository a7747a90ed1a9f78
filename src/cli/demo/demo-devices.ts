import { createHash } from 'node:crypto';
import { deriveSubscription } from '@carillon/simulator';

const REGIONS = [
  { locale: 'fr_FR', timeZone: 'Europe/Paris' },
  { locale: 'de_DE', timeZone: 'Europe/Berlin' },
  { locale: 'en_US', timeZone: 'America/New_York' },
  { locale: 'en_GB', timeZone: 'Europe/London' },
  { locale: 'es_ES', timeZone: 'Europe/Madrid' },
  { locale: 'pl_PL', timeZone: 'Europe/Warsaw' },
  { locale: 'ja_JP', timeZone: 'Asia/Tokyo' },
] as const;
const APP_VERSIONS = ['1.9', '2.0', '2.1', '2.10'];
/** One of eight devices is a browser. */
const BROWSERS = [
  { marketing_name: 'Chrome', os_name: 'Windows', service: 'google' },
  { marketing_name: 'Safari', os_name: 'Mac OS X', service: 'apple' },
  { marketing_name: 'Firefox', os_name: 'Linux', service: 'mozilla' },
  { marketing_name: 'Edge', os_name: 'Windows', service: 'windows' },
] as const;
/** An Android phone and an iPhone in French, to which the console can send a test before everybody gets it. */
const DEVELOPMENT: ReadonlySet<number> = new Set([7, 14]);
const PLACES = [
  { latitude: 48.8566, longitude: 2.3522 },
  { latitude: 52.52, longitude: 13.405 },
  { latitude: 40.7128, longitude: -74.006 },
];

/**
 * Makes sample devices for `POST /v6/devices`. Every call returns the same devices, so a second demo updates the
 * phones of the first.
 * @param pushService the origin of the simulated push services of browsers
 */
export function sampleDevices(count: number, pushService: string): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    ...sampleDevice(index),
    ...(index % 8 === 5 ? browserOf(index, pushService) : phoneOf(index)),
  }));
}

function browserOf(index: number, pushService: string): Record<string, unknown> {
  const { service, ...names } = pick(BROWSERS, Math.floor(index / 8)) ?? BROWSERS[0];
  const subscription = deriveSubscription(pushService, index, service);
  return { platform: 'Web', subscription, ...names };
}

function phoneOf(index: number): Record<string, unknown> {
  const isIos = index % 2 === 0;
  const token = createHash('sha256').update(`demo device ${index}`).digest('hex');
  return {
    platform: isIos ? 'iOS' : 'Android',
    push_token: isIos ? token : `demo:${token}`,
    os_name: isIos ? 'iOS' : 'Android',
    os_version: isIos ? '26.1' : '16',
    marketing_name: isIos ? 'iPhone 17' : 'Pixel 10',
  };
}

function sampleDevice(index: number): Record<string, unknown> {
  const { locale, timeZone } = pick(REGIONS, index) ?? REGIONS[0];
  return {
    locale,
    time_zone: timeZone,
    app_version: pick(APP_VERSIONS, Math.floor(index / REGIONS.length)),
    notifications_allowed: 'Enabled',
    location: pick(PLACES, index),
    user_id: `user-${index}`,
    development: DEVELOPMENT.has(index),
    tags: index % 5 === 0 ? ['beta'] : [],
    custom: { plan: { type: 'string', value: index % 10 === 0 ? 'gold' : 'free' } },
  };
}

function pick<T>(values: readonly T[], index: number): T | undefined {
  return values[index % values.length];
}
