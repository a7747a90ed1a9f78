/**
 * Lines of an import, the same for the same seed: devices with 10 custom attributes (one of them a list) and 5 tags each. Values are
 * distributed as in real apps: a few common ones and a long tail.
 */
import { timeZones } from '../../src/time/time-zones.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const zones = [...timeZones];

const COUNTRIES =
  'US DE FR GB BR ES IT JP NL PL TR MX CA AU SE CH AT PT GR NO DK FI IE CZ HU RO IS LU MT LI'.split(' ');
const LANGUAGES = 'en de fr es pt it ja nl pl tr'.split(' ');
const PLANS = ['free', 'basic', 'pro', 'team'];
const PERMISSIONS = ['Enabled', 'Disabled', 'Unknown'];
/** A device has 10 of the 12 attributes. */
const CUSTOM_SHARE = 10 / 12;

/** Device `number` of a seed, in the format of `POST /v6/devices`. */
export function lineDevice(seed: number, number: number): { push_token: string } & Record<string, unknown> {
  const random = randomOf(seed, number);
  const below = (size: number, skew: number): number => Math.floor(size * random() ** skew);
  const oneOf = (values: readonly string[], skew: number): string => values[below(values.length, skew)] ?? '';
  const hex = (digits: number): string =>
    Array.from({ length: digits / 8 }, () =>
      below(2 ** 32, 1)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
  const place = (): { latitude: number; longitude: number } => {
    const city = randomOf(-1, below(400, 3));
    return {
      latitude: -45 + 105 * city() + random() - 0.5,
      longitude: -175 + 350 * city() + random() - 0.5,
    };
  };

  const onIos = random() < 0.45;
  const country = oneOf(COUNTRIES, 3);
  const custom = {
    plan: { type: 'string', value: oneOf(PLANS, 2) },
    city: { type: 'string', value: `City ${below(2_000, 3)}` },
    team: { type: 'string', value: `team-${below(60, 2)}` },
    interests: { type: 'string', value: [`interest ${below(40, 2)}`, `interest ${below(40, 2)}`] },
    age: { type: 'integer', value: 14 + below(70, 1.5) },
    orders: { type: 'integer', value: below(400, 5) },
    points: { type: 'integer', value: below(1_000_000, 2) },
    revenue: { type: 'float', value: below(500_000, 4) / 100 },
    rating: { type: 'float', value: below(50, 1) / 10 },
    last_purchase: {
      type: 'date',
      value: new Date(NOW.getTime() - below(700 * 86_400_000, 2)).toISOString(),
    },
    premium: { type: 'boolean', value: random() < 0.08 },
    newsletter: { type: 'boolean', value: random() < 0.55 },
  };
  return {
    platform: onIos ? 'iOS' : 'Android',
    // The suffix makes devices distinct that are equal by chance.
    push_token: (onIos ? hex(56) : `${hex(32)}:APA91b${hex(88)}`) + number.toString(16).padStart(8, '0'),
    locale: `${oneOf(LANGUAGES, 2)}_${country}`,
    time_zone: zones[below(80, 3) * 5] ?? 'UTC',
    ...(random() < 0.8 && { badge: below(60, 8) }),
    os_name: onIos ? 'iOS' : 'Android',
    os_version: onIos ? `${18 - below(7, 3)}.${below(7, 1)}` : String(16 - below(10, 2)),
    app_version: `${9 - below(5, 3)}.${below(30, 1)}.${below(4, 3)}`,
    sdk_version: `6.${24 - below(25, 3)}.0`,
    country,
    marketing_name: `${onIos ? 'iPhone' : 'Galaxy'} ${below(300, 3)}`,
    ...(random() < 0.6 && { user_id: `user-${below(3_000_000, 1)}` }),
    ...(random() < 0.3 && { user_email: `person.${number}@example.com` }),
    ...(random() < 0.003 && { development: true }),
    notifications_allowed: oneOf(PERMISSIONS, 2.5),
    tags: [...new Set(Array.from({ length: 6 }, () => `tag ${below(5_000, 5)}`))],
    ...(random() < 0.9 && { location: place() }),
    ...(random() < 0.35 && { sdk_location: place() }),
    custom: Object.fromEntries(Object.entries(custom).filter(() => random() < CUSTOM_SHARE)),
  };
}

/** Random numbers from 0 to 1 by mulberry32: fast, and uniform enough for a benchmark. */
function randomOf(seed: number, number: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
