import { expect, test } from 'vitest';
import { dependsOnNow } from '../../src/filters/depends-on-now.ts';
import { parsed } from './parsed.ts';

const filter = (name: string, ...criteria: unknown[]) => ({ name, criteria });
const fixed = filter('created_at', { gte: '2026-01-31||+1M', lt: '2026-12-01' });

test.each([
  ['a device attribute is compared with now', [filter('registered_at', { gte: 'now-30d/d' })]],
  ['only the second bound is relative', [filter('created_at', { gte: '2026-01-01', lt: 'now' })]],
  ['only the last of several criteria is relative', [filter('created_at', '2026-01-01', { gt: 'now-1h' })]],
  ['only the last of several filters is relative', [fixed, filter('created_at', { gt: 'now-1h' })]],
  ['the filter is negated', [{ ...filter('registered_at', { gte: 'now-1d' }), not_filter: true }]],
  ['a custom date is compared with now', [filter('custom.date.renewal', { lte: 'now+7d' })]],
  ['the last time of an event is compared with now', [filter('events.purchase', { gte: 'now-7d' })]],
])('filters depend on the time when %s', (_when, filters) => {
  expect(dependsOnNow(parsed(filters))).toBe(true);
});

test.each([
  ['a date does arithmetic on a fixed day', [fixed]],
  ['a text begins with the word', [filter('tags', 'now', 'now-1d'), filter('custom.string.now', 'now/d')]],
  [
    'they look at numbers, versions, flags and geography',
    [
      filter('badge', 1, { gt: 2 }),
      filter('os_version', '14', { gte: '15.1' }),
      filter('development', true),
      filter('location', { point: { latitude: 1, longitude: 2 }, distance: 3, unit: 'km' }),
      filter('events.nowhere', 3),
    ],
  ],
])('filters do not depend on the time when %s', (_when, filters) => {
  expect(dependsOnNow(parsed(filters))).toBe(false);
});
