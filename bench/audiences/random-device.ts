import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/clock.ts';
import { timeZone } from './time-zone.ts';

interface RandomDevice {
  push_token: string;
  custom: Record<string, unknown>;
  [attribute: string]: unknown;
}

/** A registration with 10 custom attributes and 5 tags, like the devices of the generator. */
export function randomDevice(): RandomDevice {
  return {
    platform: 'iOS',
    push_token: randomBytes(32).toString('hex'),
    locale: 'en_US',
    time_zone: timeZone(skewed(80)),
    badge: skewed(60),
    os_name: 'iOS',
    os_version: `18.${skewed(7)}`,
    app_version: `9.${skewed(30)}.1`,
    sdk_version: '6.24.0',
    country: 'US',
    marketing_name: `iPhone ${skewed(300)}`,
    user_id: `user-${skewed(3_000_000)}`,
    notifications_allowed: 'Enabled',
    tags: Array.from({ length: 5 }, () => `tag ${skewed(5_000)}`),
    location: { latitude: 90 * Math.random(), longitude: 180 * Math.random() },
    custom: {
      plan: { type: 'string', value: 'pro' },
      city: { type: 'string', value: `City ${skewed(2_000)}` },
      team: { type: 'string', value: `team-${skewed(60)}` },
      interests: { type: 'string', value: [`interest ${skewed(40)}`] },
      age: { type: 'integer', value: 14 + skewed(70) },
      orders: { type: 'integer', value: skewed(400) },
      points: { type: 'integer', value: skewed(1_000_000) },
      revenue: { type: 'float', value: skewed(500_000) / 100 },
      last_purchase: { type: 'date', value: new Date(systemClock().getTime() - skewed(1e10)).toISOString() },
      newsletter: { type: 'boolean', value: true },
    },
  };
}

/** Smaller numbers are more frequent, as in the generator. */
function skewed(below: number): number {
  return Math.floor(below * Math.random() ** 3);
}
