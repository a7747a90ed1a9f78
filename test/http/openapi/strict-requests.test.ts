/**
 * The document is as strict as the server, and never stricter: bodies that vary are accepted by both or refused by both.
 * What JSON Schema cannot express is listed below, and is not among these bodies.
 */
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import { parseFilters } from '../../../src/filters/filter-schema.ts';
import { parseJson } from '../../../src/json/lossless.ts';
import { areFiltersDocumented, countAccepted, documentedFaults, refusalOf, RUNS } from './judged.ts';
import { anyFilters, anyNotification } from './request-bodies.ts';

describe('The document and the server judge alike', () => {
  test('the document and the server judge any filters alike', () => {
    const accepted = countAccepted(anyFilters, areFiltersAccepted, (filters) =>
      areFiltersDocumented(filters) ? [] : ['refused'],
    );
    expect(accepted).toBeGreaterThan(RUNS / 10);
  });

  test('the document and the server judge any notification alike', () => {
    const expressible = anyNotification.filter((body) => !isBeyondSchema(body));
    const accepted = countAccepted(expressible, isAccepted, documentedFaults);
    expect(accepted).toBeGreaterThan(RUNS / 10);
  });
});

/** Rules between a payload and what a translation or a variant changes in it; each is in the list below. */
const BEYOND_SCHEMA =
  /^notification\.(?:localized|variants)\S* (?:must have at least one key|needs \w+|must be given, because|is the name of|is the same locale)/;

/** Whether the server refuses the body only by rules that JSON Schema cannot express. */
function isBeyondSchema(body: unknown): boolean {
  const refusal = refusalOf(body);
  if (!(refusal instanceof ApiError) || refusal.details.length === 0) return false;
  return refusal.details.every(({ path, message }) => BEYOND_SCHEMA.test(`${path} ${message}`));
}

const alert = { alert: 'a' };
const filtersWith = (criterion: unknown, name = 'custom.date.a'): unknown[] => [
  { name, criteria: [criterion] },
];
const silent = { content_available: true };
const update = { live_activity: { event: 'update', activity_id: 'a', content_state: {} } };
const start = { event: 'start', attributes_type: 'A', attributes: {}, content_state: {} };
const all = (options: object): object => ({ to: '*', payload: alert, ...options });
const twoVariants = [
  { name: 'a', weight: 1 },
  { name: 'b', weight: 1 },
];

test.each<[why: string, notification: object]>([
  // Dates: a pattern is text, and RE2, which many validators use, has no look-ahead for the year 0.
  ['the years 1 to 9999', { to: filtersWith('0000-06-01'), payload: alert }],
  ['the years 1 to 9999 after an offset', { to: filtersWith('9999-12-31T23:59:59-01:00'), payload: alert }],
  ['the years 1 to 9999 after steps', { to: filtersWith({ gt: '9999-01-01||+1y' }), payload: alert }],
  ['at most 30 days ahead', all({ deliver_at: '2027-11-24' })],
  [
    'a local time that is not past',
    all({ deliver_at_local: { time: '2026-01-01T09:00', no_time_zone: 'skip' } }),
  ],
  // The names depend on the version of Node.
  [
    'a time zone that exists',
    all({ deliver_at_local: { time: '2026-12-01T09:00', no_time_zone: 'Mars/X' } }),
  ],
  ['the length of a duration', all({ spread_over: 'P2D' })],
  ['two values that differ', all({ quiet_hours: { from: '22:00', to: '22:00', no_time_zone: 'ignore' } })],
  // Sizes in bytes, digits and decimals. `multipleOf: 0.01` would be stricter than the server: see below.
  ['bytes of UTF-8', all({ payload: { collapse_key: 'é'.repeat(33) } })],
  ['digits of a number', { to: filtersWith(1e300, 'os_version'), payload: alert }],
  ['two decimals', all({ payload: { relevance_score: 0.123 } })],
  // Rules between keys of different objects, and templates, which have a syntax of their own.
  ['variants of different names', all({ variants: [twoVariants[0], twoVariants[0]] })],
  ['locales that are the same', all({ localized: { fr_CA: alert, 'fr-ca': alert } })],
  ['subtags of a language', all({ localized: { 'fr-x': alert } })],
  ['a payload without keys after its changes', all({ localized: { fr: { alert: null } } })],
  ['arguments without their key after changes', all({ localized: { fr: { loc_args: ['a'] } } })],
  ['translations of what a variant changes', all({ localized: { fr: alert }, variants: changing('alert') })],
  ['a key that is reserved with receipts', all({ receipts: {}, payload: { ...alert, _rcpt: 1 } })],
  ['a template', all({ template: true, payload: { alert: '{{ ' } })],
  ['the topic of a push type', all({ apns: { push_type: 'voip', topic_suffix: '.push-type.voip' } })],
  ['the payload of a background push', all({ apns: { push_type: 'background' } })],
  [
    'the priority of a background push',
    all({ payload: silent, apns: { headers: { 'apns-priority': '10' } } }),
  ],
  ['a name for a token that has none', all({ apns: { token_name: 'a' } })],
  ['widgets with a payload', all({ apns: { push_type: 'widgets' } })],
  ['keys without a meaning for a push type', all({ apns: { push_type: 'voip' }, receipts: {} })],
  ['keys without a meaning for a Live Activity', all({ ...update, receipts: {} })],
  ['keys of a payload without a meaning for a Live Activity', all({ ...update, payload: { badge: 1 } })],
  ['the audience of an update', { ...update, to: 'an audience' }],
  ['a start without an alert', { to: '*', live_activity: start }],
  ['the time to live of a Live Activity', all({ ...update, time_to_live: 43_201 })],
  [
    'a channel and a token',
    all({ live_activity: { ...start, input_push_channel: 'a', input_push_token: true } }),
  ],
])('JSON Schema cannot express, or not usefully: %s', (_why, notification) => {
  expect(refusalOf(notification)).toMatchObject({ code: 'invalid_request' });
  expect(documentedFaults(notification)).toEqual([]);
});

test.each<[string, object]>([
  ['a translation', all({ localized: { fr: {} } })],
  [
    'a translation of a variant',
    all({ variants: [{ ...twoVariants[0], localized: { fr: {} } }, twoVariants[1]] }),
  ],
])('%s without keys is refused by document and server', (_what, notification) => {
  expect(refusalOf(notification)).toMatchObject({ code: 'invalid_request' });
  expect(documentedFaults(notification)).not.toEqual([]);
});

test('`multipleOf: 0.01` would refuse scores that the server accepts, because validators divide doubles', () => {
  const scores = Array.from({ length: 101 }, (_, hundredths) => hundredths / 100);
  expect(scores.filter((score) => !isAccepted(all({ payload: { relevance_score: score } })))).toEqual([]);
  expect(scores.filter((score) => !Number.isInteger(score / 0.01))).toContain(0.29);
});

function changing(key: string): object[] {
  return twoVariants.map(({ name, weight }) => ({ name, weight, payload: { [key]: name } }));
}

function areFiltersAccepted(filters: unknown): boolean {
  return parseFilters(parseJson(JSON.stringify(filters)), 'filters').ok;
}

function isAccepted(notification: unknown): boolean {
  return refusalOf(notification) === undefined;
}
