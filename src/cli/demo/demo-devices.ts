import { createHash } from 'node:crypto';

const LOCALES = ['fr_FR', 'de_DE', 'en_US', 'en_GB', 'es_ES', 'pl_PL', 'ja_JP'];
const APP_VERSIONS = ['1.9', '2.0', '2.1', '2.10'];
const PLACES = [
  { latitude: 48.8566, longitude: 2.3522 },
  { latitude: 52.52, longitude: 13.405 },
  { latitude: 40.7128, longitude: -74.006 },
];

/**
 * Makes sample devices for `POST /v6/devices`. Every call returns the same ones, so a second demo updates the devices of
 * the first.
 */
export function sampleDevices(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => sampleDevice(index));
}

function sampleDevice(index: number): Record<string, unknown> {
  const isIos = index % 2 === 0;
  const token = createHash('sha256').update(`demo device ${index}`).digest('hex');
  return {
    platform: isIos ? 'iOS' : 'Android',
    push_token: isIos ? token : `demo:${token}`,
    locale: pick(LOCALES, index),
    app_version: pick(APP_VERSIONS, Math.floor(index / LOCALES.length)),
    os_name: isIos ? 'iOS' : 'Android',
    os_version: isIos ? '26.1' : '16',
    marketing_name: isIos ? 'iPhone 17' : 'Pixel 10',
    notifications_allowed: 'Enabled',
    location: pick(PLACES, index),
    user_id: `user-${index}`,
    tags: index % 5 === 0 ? ['beta'] : [],
    custom: { plan: { type: 'string', value: index % 10 === 0 ? 'gold' : 'free' } },
  };
}

function pick<T>(values: readonly T[], index: number): T | undefined {
  return values[index % values.length];
}
