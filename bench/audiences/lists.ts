/**
 * The audiences to count: every attribute and every kind of criterion, alone and in groups of three, with and without
 * `not_filter`, selecting from one device in a hundred thousand to nine in ten. Each is written twice: as filters, and
 * by hand as SQL for the columns of `columnar.ts`.
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
  columnar: string;
}

interface Point {
  latitude: number;
  longitude: number;
}

const NOW = `timestamp '2026-11-21 10:00:00'`;
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const list = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/** The id of device `i`, as `bench_id` computes it. */
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

/** Casts a ray to the east. In fifties, since DuckDB limits the nesting of a sum. */
function withinRing(points: readonly Point[], latitude: string, longitude: string): string {
  const crossings = points.map((from, index) => {
    const to = points[(index + 1) % points.length] ?? from;
    const slope = (to.longitude - from.longitude) / (to.latitude - from.latitude);
    return `((${from.latitude} > ${latitude}) <> (${to.latitude} > ${latitude})
      and ${longitude} < ${slope} * (${latitude} - ${from.latitude}) + ${from.longitude})::int`;
  });
  const sums = range(Math.ceil(crossings.length / 50)).map(
    (part) => `(${crossings.slice(part * 50, part * 50 + 50).join(' + ')})`,
  );
  const box = `${latitude} between ${Math.min(...points.map((point) => point.latitude))}
    and ${Math.max(...points.map((point) => point.latitude))}`;
  return `${box} and (${sums.join(' + ')}) % 2 = 1`;
}

function withinCircle({ latitude, longitude }: Point, metres: number): string {
  return `2 * 6371008.8 * asin(sqrt(power(sin(radians(latitude - ${latitude}) / 2), 2)
    + cos(radians(latitude)) * cos(radians(${latitude}))
    * power(sin(radians(longitude - ${longitude}) / 2), 2))) <= ${metres}`;
}

const had = (name: string, condition: string): string =>
  `id in (select device_id from events where name = '${name}' and ${condition})`;

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
      columnar: `id in (${list(someIds)})`,
    },
    {
      name: 'user_id',
      filters: [{ name: 'user_id', criteria: someUsers }],
      columnar: `user_id in (${list(someUsers)})`,
    },
    {
      name: 'user_email, not user_id, os_name',
      filters: [
        { name: 'user_email', criteria: someMails },
        { name: 'user_id', criteria: someUsers, not_filter: true },
        { name: 'os_name', criteria: ['iOS'] },
      ],
      columnar: `user_email in (${list(someMails)}) and (user_id in (${list(someUsers)})) is not true
        and os_name = 'iOS'`,
    },
    {
      name: 'tags: two rare ones',
      filters: [{ name: 'tags', criteria: ['tag 3000', 'tag 4000'] }],
      columnar: `list_has_any(tags, ['tag 3000', 'tag 4000'])`,
    },
    {
      name: 'tags: a common one',
      filters: [{ name: 'tags', criteria: ['tag 0'] }],
      columnar: `list_has_any(tags, ['tag 0'])`,
    },
    {
      name: 'locale',
      filters: [{ name: 'locale', criteria: ['fr_GR', 'nl_NL'] }],
      columnar: `locale in ('fr_GR', 'nl_NL')`,
    },
    {
      name: 'not country',
      filters: [{ name: 'country', criteria: ['FR', 'GB'], not_filter: true }],
      columnar: `(country in ('FR', 'GB')) is not true`,
    },
    {
      name: 'time_zone, marketing_name, locale',
      filters: [
        { name: 'time_zone', criteria: ['Zone/City_3', 'Zone/City_4', 'Zone/City_5'] },
        { name: 'marketing_name', criteria: ['iPhone 1', 'iPhone 2', 'Galaxy 1'] },
        { name: 'locale', criteria: ['en_US', 'en_DE', 'de_US'] },
      ],
      columnar: `time_zone in ('Zone/City_3', 'Zone/City_4', 'Zone/City_5')
        and marketing_name in ('iPhone 1', 'iPhone 2', 'Galaxy 1') and locale in ('en_US', 'en_DE', 'de_US')`,
    },
    {
      name: 'os_version range, notifications_allowed, country',
      filters: [
        { name: 'os_version', criteria: [{ gte: '14', lt: 18.4 }] },
        { name: 'notifications_allowed', criteria: ['Enabled'] },
        { name: 'country', criteria: ['US', 'DE', 'FR', 'GB', 'BR'] },
      ],
      columnar: `os_version_key >= 14000000 and os_version_key < 18004000 and notifications_allowed = 'Enabled'
        and country in ('US', 'DE', 'FR', 'GB', 'BR')`,
    },
    {
      name: 'app_version as text',
      filters: [{ name: 'app_version', criteria: ['5.3.1', '5.3.2'] }],
      columnar: `app_version in ('5.3.1', '5.3.2')`,
    },
    {
      name: 'app_version range, sdk_version number',
      filters: [
        { name: 'app_version', criteria: [{ gt: '9.10', lte: '9.20.2' }] },
        { name: 'sdk_version', criteria: [6.2, 6.4] },
      ],
      columnar: `app_version_key > 9010000 and app_version_key <= 9020002
        and sdk_version_key in (6002000, 6004000)`,
    },
    {
      name: 'created_at: two hours',
      filters: [{ name: 'created_at', criteria: [{ gte: 'now-2h' }] }],
      columnar: `created_at >= ${NOW} - interval 2 hour`,
    },
    {
      name: 'registered_at: ten seconds',
      filters: [{ name: 'registered_at', criteria: [{ gt: 'now-10s' }] }],
      columnar: `registered_at > ${NOW} - interval 10 second`,
    },
    {
      name: 'registered_at, created_at days, badge',
      filters: [
        { name: 'registered_at', criteria: [{ gte: 'now-90d/d' }] },
        { name: 'created_at', criteria: ['2026-11-14', '2026-11-15', { lt: 'now-1y' }] },
        { name: 'badge', criteria: [0, { gte: 10, lt: 40 }] },
      ],
      columnar: `registered_at >= timestamp '2026-08-23'
        and (created_at between timestamp '2026-11-14' and timestamp '2026-11-15 23:59:59.999'
          or created_at < ${NOW} - interval 1 year)
        and (badge = 0 or badge between 10 and 39)`,
    },
    {
      name: 'development',
      filters: [{ name: 'development', criteria: [true] }],
      columnar: `development`,
    },
    {
      name: 'location: 60 km',
      filters: [{ name: 'location', criteria: [{ point: town, distance: 60, unit: 'km' }] }],
      columnar: withinCircle(town, 60_000),
    },
    {
      name: 'location: 5,000 miles, not sdk_location: 4 corners',
      filters: [
        { name: 'location', criteria: [{ point: europe, distance: 5_000, unit: 'miles' }] },
        { name: 'sdk_location', criteria: [{ polygon: diamond }], not_filter: true },
      ],
      columnar: `${withinCircle(europe, 5_000 * 1_609.344)}
        and (${withinRing(diamond, 'sdk_latitude', 'sdk_longitude')}) is not true`,
    },
    {
      name: 'location: 1,000 corners',
      filters: [{ name: 'location', criteria: [{ polygon: coast }] }],
      columnar: withinRing(coast, 'latitude', 'longitude'),
    },
    {
      name: 'custom integer: one in fourteen',
      filters: [{ name: 'custom.integer.age', criteria: [{ gte: 30, lt: 36 }] }],
      columnar: `age between 30 and 35`,
    },
    {
      name: 'custom integer: one in a thousand',
      filters: [{ name: 'custom.integer.points', criteria: [{ gte: 500_000, lt: 501_500 }, 7] }],
      columnar: `points between 500000 and 501499 or points = 7`,
    },
    {
      name: 'custom string, boolean, float',
      filters: [
        { name: 'custom.string.plan', criteria: ['pro', 'team', 'basic'] },
        { name: 'custom.boolean.newsletter', criteria: [true] },
        { name: 'custom.float.revenue', criteria: [{ gte: 10.5 }] },
      ],
      columnar: `plan in ('pro', 'team', 'basic') and newsletter and revenue >= 10.5`,
    },
    {
      name: 'custom date, not custom string, custom list',
      filters: [
        { name: 'custom.date.last_purchase', criteria: [{ gte: 'now-30d' }] },
        { name: 'custom.string.city', criteria: ['City 0', 'City 1'], not_filter: true },
        { name: 'custom.string.interests', criteria: ['interest 30', 'interest 31'] },
      ],
      columnar: `last_purchase >= ${NOW} - interval 30 day and (city in ('City 0', 'City 1')) is not true
        and list_has_any(interests, ['interest 30', 'interest 31'])`,
    },
    {
      name: 'event happened, tags, custom integer',
      filters: [
        { name: 'events.Public Api.event 0', criteria: [true] },
        { name: 'tags', criteria: ['tag 0', 'tag 1'] },
        { name: 'custom.integer.orders', criteria: [{ lt: 100 }] },
      ],
      columnar: `${had('Public Api.event 0', 'true')} and list_has_any(tags, ['tag 0', 'tag 1']) and orders < 100`,
    },
    {
      name: 'event count, event date, not event',
      filters: [
        { name: 'events.event 1', criteria: [{ gte: 30 }, 7] },
        { name: 'events.event 2', criteria: [{ gte: 'now-60d' }] },
        { name: 'events.Public Api.event 3', criteria: [true], not_filter: true },
      ],
      columnar: `${had('event 1', '(count >= 30 or count = 7)')}
        and ${had('event 2', `last_happened_at >= ${NOW} - interval 60 day`)}
        and not ${had('Public Api.event 3', 'true')}`,
    },
  ];
}
