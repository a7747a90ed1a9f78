/** The document and the server agree on valid bodies, as far as a schema can express the rules. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { METRES_PER_UNIT } from '../../../src/filters/filter.ts';
import { parseFilters } from '../../../src/filters/filter-schema.ts';
import { filterLists } from '../../targeting/arbitraries.ts';
import { areFiltersDocumented, documentedFaults, refusalOf } from './judged.ts';

const point = { latitude: 1, longitude: 2 };
const circle = { point, distance: 3, unit: 'km' };
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const filter = (name: string, ...criteria: unknown[]): unknown[] => [{ name, criteria }];

describe('Filters', () => {
  test('filters that the server accepts match the document', () => {
    fc.assert(
      fc.property(filterLists, (filters) => {
        expect(parseFilters(filters, 'to').ok).toBe(true);
        expect(areFiltersDocumented(filters)).toBe(true);
      }),
    );
  });

  test.each<[string, unknown]>([
    ['50 filters', times(50, { name: 'tags', criteria: ['a'] })],
    ['1,000 criteria', filter('tags', ...times(1_000, 'a'))],
    ['3 points', filter('location', { polygon: times(3, point) })],
    ['1,000 points', filter('location', { polygon: times(1_000, point) })],
    ['every bound', filter('badge', { gt: 1, gte: 1, lt: 9, lte: 9 })],
    ['a version as a bound', filter('os_version', { gte: '14.1' })],
    ['the edges of the world', filter('location', { ...circle, point: { latitude: -90, longitude: 180 } })],
    ...Object.keys(METRES_PER_UNIT).map((unit): [string, unknown] => [
      unit,
      filter('location', { ...circle, unit }),
    ]),
  ])('filters with %s are accepted by document and server', (_what, filters) => {
    expect(parseFilters(filters, 'to').ok).toBe(true);
    expect(areFiltersDocumented(filters)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['no filter', []],
    ['51 filters', times(51, { name: 'tags', criteria: ['a'] })],
    ['a filter alone', { name: 'tags', criteria: ['a'] }],
    ['no name', [{ criteria: ['a'] }]],
    ['no criteria', [{ name: 'tags' }]],
    ['an empty list of criteria', filter('tags')],
    ['1,001 criteria', filter('tags', ...times(1_001, 'a'))],
    ['a criterion that is null', filter('tags', null)],
    ['a criterion that is a list', filter('tags', ['a'])],
    ['an unknown key', [{ name: 'tags', criteria: ['a'], not: true }]],
    ['not_filter as text', [{ name: 'tags', criteria: ['a'], not_filter: 'true' }]],
    ['a range without a bound', filter('badge', {})],
    ['a range with an unknown bound', filter('badge', { above: 1 })],
    ['a bound that is true', filter('badge', { gt: true })],
    ['2 points', filter('location', { polygon: times(2, point) })],
    ['1,001 points', filter('location', { polygon: times(1_001, point) })],
    ['a place off the world', filter('location', { ...circle, point: { latitude: 91, longitude: 0 } })],
    ['a distance of 0', filter('location', { ...circle, distance: 0 })],
    ['an unknown unit', filter('location', { ...circle, unit: 'parsecs' })],
    ['no unit', filter('location', { point, distance: 3 })],
  ])('filters with %s are refused by document and server', (_what, filters) => {
    expect(parseFilters(filters, 'to').ok).toBe(false);
    expect(areFiltersDocumented(filters)).toBe(false);
  });
});

describe('The body of a notification', () => {
  const alert = { alert: 'hello' };

  test.each<[string, object]>([
    ['everyone for a target', { to: '*', payload: alert }],
    ['an id for a target', { to: 'b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11', payload: alert }],
    ['a stored audience', { to: { audience: 'b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11' }, payload: alert }],
    ['filters', { to: filter('tags', 'a'), payload: alert }],
    ['keys of the app', { to: '*', payload: { order: { from: 'Lyon' }, Gcm: null, Google: [1] } }],
    ['a long collapse key', { to: '*', payload: { collapse_key: 'x'.repeat(64) } }],
    ['limits kept', { to: '*', payload: { badge: 0, relevance_score: 1 }, time_to_live: 2_419_200 }],
    ['a date', { to: '*', payload: alert, deliver_at: '2026-01-01' }],
    ['every option', { to: '*', payload: alert, priority: 'normal', dry_run: true, max_recipients: 1 }],
  ])('a notification with %s is accepted by document and server', (_what, notification) => {
    expect(refusalOf(notification)).toBeUndefined();
    expect(documentedFaults(notification)).toEqual([]);
  });

  test.each<[string, object]>([
    ['no target', { payload: alert }],
    ['null for a target', { to: null, payload: alert }],
    ['no filters', { to: [], payload: alert }],
    ['a target of another name', { to: { audiences: 'x' }, payload: alert }],
    ['no payload', { to: '*' }],
    ['an empty payload', { to: '*', payload: {} }],
    ...['available', 'from', 'gcm', 'message_type', 'aps', '_nid', '_st_actions', 'google.a', 'gcm.a'].map(
      (key): [string, object] => [`the key ${key}`, { to: '*', payload: { ...alert, [key]: 1 } }],
    ),
    ['a number to show', { to: '*', payload: { alert: 1 } }],
    ['a badge below 0', { to: '*', payload: { badge: -1 } }],
    ['a badge too large', { to: '*', payload: { badge: 2 ** 31 } }],
    ['an empty collapse key', { to: '*', payload: { collapse_key: '' } }],
    ['a collapse key too long', { to: '*', payload: { collapse_key: 'x'.repeat(65) } }],
    ['a score over 1', { to: '*', payload: { relevance_score: 1.01 } }],
    ['an unknown level', { to: '*', payload: { interruption_level: 'loud' } }],
    ['null for a known key', { to: '*', payload: { alert: null } }],
    ['an unknown key', { to: '*', payload: alert, ttl: 1 }],
    ['too long a life', { to: '*', payload: alert, time_to_live: 2_419_201 }],
    ['an unknown priority', { to: '*', payload: alert, priority: 'urgent' }],
    ['no recipients', { to: '*', payload: alert, max_recipients: 0 }],
    ['a number for a date', { to: '*', payload: alert, deliver_at: 1 }],
  ])('a notification with %s is refused by document and server', (_what, notification) => {
    expect(refusalOf(notification)).toMatchObject({ code: 'invalid_request' });
    expect(documentedFaults(notification)).not.toEqual([]);
  });
});
