/**
 * The audiences to count: every attribute and every kind of criterion, alone and in groups of three, with and without
 * `not_filter`, selecting from one device in a hundred thousand to nine in ten.
 */
import { createHash } from 'node:crypto';

interface BenchFilter {
  name: string;
  criteria: readonly unknown[];
  not_filter?: boolean;
}

export interface BenchAudience {
  name: string;
  filters: readonly BenchFilter[];
}

interface Point {
  latitude: number;
  longitude: number;
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** An id that no device has. */
function deviceId(seed: number, i: number): string {
  const digits = createHash('md5').update(`${seed} ${i}`).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A ring with a number of corners, as jagged as a coast. */
function ring(corners: number, center: Point, degrees: number): Point[] {
  return range(corners).map((corner) => {
    const angle = (2 * Math.PI * corner) / corners;
    const reach = degrees * (corner % 2 === 0 ? 1 : 0.97);
    return {
      latitude: center.latitude + reach * Math.sin(angle),
      longitude: center.longitude + reach * Math.cos(angle),
    };
  });
}

function is(name: string, ...criteria: readonly unknown[]): BenchFilter {
  return { name, criteria };
}

function not(name: string, ...criteria: readonly unknown[]): BenchFilter {
  return { name, criteria, not_filter: true };
}

/** @param devices the number of devices of this seed */
export function benchAudiences(seed: number, devices: number): BenchAudience[] {
  const someIds = range(Math.ceil(devices / 10_000)).map((index) => deviceId(seed, 1 + index * 9_973));
  const someUsers = range(400).map((index) => `user-${index * 7_000}`);
  const someMails = range(200).map((index) => `person.${1 + index * 5_000}@example.com`);
  const town = { latitude: -31.8, longitude: 26.6 };
  const europe = { latitude: 20, longitude: 10 };
  const diamond = ring(4, { latitude: 30, longitude: 30 }, 20);
  const coast = ring(1_000, { latitude: 10, longitude: -40 }, 35);
  const byName: Record<string, BenchFilter[]> = {
    device_id: [is('device_id', ...someIds)],
    user_id: [is('user_id', ...someUsers)],
    'user_email, not user_id, os_name': [
      is('user_email', ...someMails),
      not('user_id', ...someUsers),
      is('os_name', 'iOS'),
    ],
    'tags: two rare ones': [is('tags', 'tag 3000', 'tag 4000')],
    'tags: a common one': [is('tags', 'tag 0')],
    locale: [is('locale', 'fr_GR', 'nl_NL')],
    'not country': [not('country', 'FR', 'GB')],
    'time_zone, marketing_name, locale': [
      is('time_zone', 'Zone/City_3', 'Zone/City_4', 'Zone/City_5'),
      is('marketing_name', 'iPhone 1', 'iPhone 2', 'Galaxy 1'),
      is('locale', 'en_US', 'en_DE', 'de_US'),
    ],
    'os_version range, notifications_allowed, country': [
      is('os_version', { gte: '14', lt: 18.4 }),
      is('notifications_allowed', 'Enabled'),
      is('country', 'US', 'DE', 'FR', 'GB', 'BR'),
    ],
    'app_version as text': [is('app_version', '5.3.1', '5.3.2')],
    'app_version range, sdk_version number': [
      is('app_version', { gt: '9.10', lte: '9.20.2' }),
      is('sdk_version', 6.2, 6.4),
    ],
    'created_at: two hours': [is('created_at', { gte: 'now-2h' })],
    'registered_at: ten seconds': [is('registered_at', { gt: 'now-10s' })],
    'registered_at, created_at days, badge': [
      is('registered_at', { gte: 'now-90d/d' }),
      is('created_at', '2026-11-14', '2026-11-15', { lt: 'now-1y' }),
      is('badge', 0, { gte: 10, lt: 40 }),
    ],
    development: [is('development', true)],
    'location: 60 km': [is('location', { point: town, distance: 60, unit: 'km' })],
    'location: 5,000 miles, not sdk_location: 4 corners': [
      is('location', { point: europe, distance: 5_000, unit: 'miles' }),
      not('sdk_location', { polygon: diamond }),
    ],
    'location: 1,000 corners': [is('location', { polygon: coast })],
    'custom integer: one in fourteen': [is('custom.integer.age', { gte: 30, lt: 36 })],
    'custom integer: one in a thousand': [is('custom.integer.points', { gte: 500_000, lt: 501_500 }, 7)],
    'custom string, boolean, float': [
      is('custom.string.plan', 'pro', 'team', 'basic'),
      is('custom.boolean.newsletter', true),
      is('custom.float.revenue', { gte: 10.5 }),
    ],
    'custom date, not custom string, custom list': [
      is('custom.date.last_purchase', { gte: 'now-30d' }),
      not('custom.string.city', 'City 0', 'City 1'),
      is('custom.string.interests', 'interest 30', 'interest 31'),
    ],
    'event happened, tags, custom integer': [
      is('events.Public Api.event 0', true),
      is('tags', 'tag 0', 'tag 1'),
      is('custom.integer.orders', { lt: 100 }),
    ],
    'event count, event date, not event': [
      is('events.event 1', { gte: 30 }, 7),
      is('events.event 2', { gte: 'now-60d' }),
      not('events.Public Api.event 3', true),
    ],
  };
  return Object.entries(byName).map(([name, filters]) => ({ name, filters }));
}
