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

/** @param devices the number of devices of this seed */
export function benchAudiences(seed: number, devices: number): BenchAudience[] {
  const someIds = range(Math.ceil(devices / 10_000)).map((index) => deviceId(seed, 1 + index * 9_973));
  const someUsers = range(400).map((index) => `user-${index * 7_000}`);
  const someMails = range(200).map((index) => `person.${1 + index * 5_000}@example.com`);
  const town = { latitude: -31.8, longitude: 26.6 };
  const europe = { latitude: 20, longitude: 10 };
  const diamond = ring(4, { latitude: 30, longitude: 30 }, 20);
  const coast = ring(1_000, { latitude: 10, longitude: -40 }, 35);
  return [
    {
      name: 'device_id',
      filters: [{ name: 'device_id', criteria: someIds }],
    },
    {
      name: 'user_id',
      filters: [{ name: 'user_id', criteria: someUsers }],
    },
    {
      name: 'user_email, not user_id, os_name',
      filters: [
        { name: 'user_email', criteria: someMails },
        { name: 'user_id', criteria: someUsers, not_filter: true },
        { name: 'os_name', criteria: ['iOS'] },
      ],
    },
    {
      name: 'tags: two rare ones',
      filters: [{ name: 'tags', criteria: ['tag 3000', 'tag 4000'] }],
    },
    {
      name: 'tags: a common one',
      filters: [{ name: 'tags', criteria: ['tag 0'] }],
    },
    {
      name: 'locale',
      filters: [{ name: 'locale', criteria: ['fr_GR', 'nl_NL'] }],
    },
    {
      name: 'not country',
      filters: [{ name: 'country', criteria: ['FR', 'GB'], not_filter: true }],
    },
    {
      name: 'time_zone, marketing_name, locale',
      filters: [
        { name: 'time_zone', criteria: ['Zone/City_3', 'Zone/City_4', 'Zone/City_5'] },
        { name: 'marketing_name', criteria: ['iPhone 1', 'iPhone 2', 'Galaxy 1'] },
        { name: 'locale', criteria: ['en_US', 'en_DE', 'de_US'] },
      ],
    },
    {
      name: 'os_version range, notifications_allowed, country',
      filters: [
        { name: 'os_version', criteria: [{ gte: '14', lt: 18.4 }] },
        { name: 'notifications_allowed', criteria: ['Enabled'] },
        { name: 'country', criteria: ['US', 'DE', 'FR', 'GB', 'BR'] },
      ],
    },
    {
      name: 'app_version as text',
      filters: [{ name: 'app_version', criteria: ['5.3.1', '5.3.2'] }],
    },
    {
      name: 'app_version range, sdk_version number',
      filters: [
        { name: 'app_version', criteria: [{ gt: '9.10', lte: '9.20.2' }] },
        { name: 'sdk_version', criteria: [6.2, 6.4] },
      ],
    },
    {
      name: 'created_at: two hours',
      filters: [{ name: 'created_at', criteria: [{ gte: 'now-2h' }] }],
    },
    {
      name: 'registered_at: ten seconds',
      filters: [{ name: 'registered_at', criteria: [{ gt: 'now-10s' }] }],
    },
    {
      name: 'registered_at, created_at days, badge',
      filters: [
        { name: 'registered_at', criteria: [{ gte: 'now-90d/d' }] },
        { name: 'created_at', criteria: ['2026-11-14', '2026-11-15', { lt: 'now-1y' }] },
        { name: 'badge', criteria: [0, { gte: 10, lt: 40 }] },
      ],
    },
    {
      name: 'development',
      filters: [{ name: 'development', criteria: [true] }],
    },
    {
      name: 'location: 60 km',
      filters: [{ name: 'location', criteria: [{ point: town, distance: 60, unit: 'km' }] }],
    },
    {
      name: 'location: 5,000 miles, not sdk_location: 4 corners',
      filters: [
        { name: 'location', criteria: [{ point: europe, distance: 5_000, unit: 'miles' }] },
        { name: 'sdk_location', criteria: [{ polygon: diamond }], not_filter: true },
      ],
    },
    {
      name: 'location: 1,000 corners',
      filters: [{ name: 'location', criteria: [{ polygon: coast }] }],
    },
    {
      name: 'custom integer: one in fourteen',
      filters: [{ name: 'custom.integer.age', criteria: [{ gte: 30, lt: 36 }] }],
    },
    {
      name: 'custom integer: one in a thousand',
      filters: [{ name: 'custom.integer.points', criteria: [{ gte: 500_000, lt: 501_500 }, 7] }],
    },
    {
      name: 'custom string, boolean, float',
      filters: [
        { name: 'custom.string.plan', criteria: ['pro', 'team', 'basic'] },
        { name: 'custom.boolean.newsletter', criteria: [true] },
        { name: 'custom.float.revenue', criteria: [{ gte: 10.5 }] },
      ],
    },
    {
      name: 'custom date, not custom string, custom list',
      filters: [
        { name: 'custom.date.last_purchase', criteria: [{ gte: 'now-30d' }] },
        { name: 'custom.string.city', criteria: ['City 0', 'City 1'], not_filter: true },
        { name: 'custom.string.interests', criteria: ['interest 30', 'interest 31'] },
      ],
    },
    {
      name: 'event happened, tags, custom integer',
      filters: [
        { name: 'events.Public Api.event 0', criteria: [true] },
        { name: 'tags', criteria: ['tag 0', 'tag 1'] },
        { name: 'custom.integer.orders', criteria: [{ lt: 100 }] },
      ],
    },
    {
      name: 'event count, event date, not event',
      filters: [
        { name: 'events.event 1', criteria: [{ gte: 30 }, 7] },
        { name: 'events.event 2', criteria: [{ gte: 'now-60d' }] },
        { name: 'events.Public Api.event 3', criteria: [true], not_filter: true },
      ],
    },
  ];
}
