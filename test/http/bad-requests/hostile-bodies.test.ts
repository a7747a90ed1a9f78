/**
 * Bodies that would keep the event loop from other calls. What is asserted is what bounds the time: a refusal before the values are
 * looked at, and how many are looked at where the body is taken.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { VALUES_MAX } from '../../../src/json/size.ts';
import { useApi } from '../api.ts';
import { NO_ID } from './call.ts';

const api = useApi();

/** Every call that takes JSON from a key without `admin`, and the keys around what it checks itself. */
const CALLS: readonly [address: string, ...wrappers: string[]][] = [
  ['POST /v6/notifications', 'notification'],
  ['POST /v6/notifications/preview', 'notification'],
  ['POST /v6/notifications/waves', 'notification'],
  ['POST /v6/notifications/count', 'to'],
  ['POST /v6/notifications/locales', 'translations'],
  [`POST /v6/notifications/${NO_ID}/opens`, 'device_id'],
  ['POST /v6/audiences', 'audience', 'filters'],
  ['POST /v6/audiences/count', 'filters'],
  ['POST /v6/audiences/count/filters', 'filters'],
  ['POST /v6/audiences/sample', 'filters'],
  ['POST /v6/audiences/explain', 'filters'],
  ['POST /v6/devices', 'device', 'custom'],
  [`PUT /v6/devices/${NO_ID}`, 'device', 'custom'],
  [`POST /v6/devices/${NO_ID}/events`, 'events'],
  [`PUT /v6/devices/${NO_ID}/tokens/activity_update/match`, 'push_token'],
  ['POST /v6/devices/lookup', 'query'],
  ['PUT /v6/users/anna', 'user', 'custom'],
  ['POST /v6/users/anna/events', 'events'],
  ['POST /v6/webhooks', 'webhook'],
  [`POST /v6/channels/${NO_ID}/broadcasts`, 'broadcast'],
];

const many = (make: (index: number) => string, count = VALUES_MAX): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(',');
const TOO_MANY = 'must have at most 20000 values';
/** Before there was a limit, each took a megabyte of them 100 ms of processor time or more. */
const SHAPES: readonly [what: string, value: string, fault: string][] = [
  ['unknown keys', `{${many((index) => `"k${index}":0`)}}`, 'must have at most 2000 keys in one object'],
  [
    'integers that no double can hold, each with its key',
    `{${many((index) => `"${index}" : 9007199254740993`, 2_001)}}`,
    'must have at most 2000 keys in one object',
  ],
  ['lists without values', `[${many(() => '[]')}]`, TOO_MANY],
  ['objects, each with a key of its own', `[${many((index) => `{"k${index}":0}`)}]`, TOO_MANY],
  ['integers that no double can hold', `[${many(() => '9007199254740993')}]`, TOO_MANY],
  ['zeros after such an integer', `[9007199254740993,${many(() => '0')}]`, TOO_MANY],
];

const wrapped = (value: string, wrappers: readonly string[]): string =>
  wrappers.reduceRight((inner, key) => `{"${key}":${inner}}`, value);

const errorReply = z.object({
  error: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

describe.each(CALLS)('%s', (address, ...wrappers) => {
  test.each(SHAPES)('very many %s in one body are refused at once', async (_what, value, fault) => {
    const { status, body } = await api.call(address, { raw: wrapped(value, wrappers) });
    expect(status).toBe(422);
    expect(body).toEqual({
      error: `The body ${fault}`,
      code: 'invalid_request',
      details: [{ path: '', message: fault }],
    });
  });
});

const filters = (name: string, ...criteria: readonly unknown[]): object => ({
  filters: [{ name, criteria }],
});
const after = (text: string): object => filters('created_at', { gt: text });
const note = (fields: object, payload: object = { alert: 'a' }): object => ({
  notification: { to: '*', dry_run: true, payload, ...fields },
});
const named = <Value>(count: number, name: (index: number) => string, value: Value): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value]));
const keys = (count: number, value: unknown = 0, prefix = 'k') =>
  named(count, (index) => `${prefix}${index}`, value);

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const inMany = (languages: number): object => ({
  localized: named(languages, (index) => `fr-x-${index}`, { alert: 'a' }),
});
const STEPS = '-1M+1M'.repeat(160_000);
const LONG_TAG = `fr${'-abcde'.repeat(170_000)}`;
const tooManySteps = 'filters[0].criteria[0].gt must be a math-date such as now-1d/d, with at most 14 steps';

const COUNT = 'POST /v6/audiences/count';
const CREATE = 'POST /v6/notifications';
const LOCALES = 'POST /v6/notifications/locales';
/** `says` is what a refusal says; undefined: the body is taken. */
const rows: readonly [what: string, address: string, body: object | string, says?: string][] = [
  ['a math-date of 320,000 months', COUNT, after(`now${STEPS}`), tooManySteps],
  ['a fixed date and 320,000 months', COUNT, after(`2026-01-31||${STEPS}`), tooManySteps],
  ['a math-date of 15 steps', COUNT, after(`now${'-1M'.repeat(15)}`), tooManySteps],
  ['a math-date of 14 steps', COUNT, after(`now${'-1M'.repeat(14)}/M`)],
  ['a step of 400,000 digits', COUNT, after(`now-${'9'.repeat(400_000)}d`)],
  [
    'a number of 400,000 digits',
    COUNT,
    `{"filters":[{"name":"badge","criteria":[${'9'.repeat(400_000)}]}]}`,
    'filters[0].criteria[0] must be a number that a double can hold',
  ],
  [
    'a range of 2,000 unknown keys',
    COUNT,
    filters('badge', keys(2_000)),
    'is not a key of a range; the keys are gt, gte, lt and lte (and 1999 more; see details)',
  ],
  [
    'faults in 19 filters of 1,000 criteria',
    COUNT,
    { filters: times(19, () => ({ name: 'tags', criteria: times(1_000, () => 0) })) },
    'filters[0].criteria[0] must be a string (and 18999 more; see details)',
  ],
  [
    '19 filters of 1,000 criteria',
    COUNT,
    { filters: times(19, () => ({ name: 'tags', criteria: times(1_000, (index) => `tag ${index}`) })) },
  ],
  ['a name of a megabyte', COUNT, filters('lokale'.repeat(170_000), 'a'), 'filters[0].name must be one of'],
  [
    'translations into 2,000 languages',
    CREATE,
    note(inMany(2_000)),
    'notification.localized must have at most 100 locales',
  ],
  [
    'a language tag of a megabyte',
    CREATE,
    note({ localized: { [LONG_TAG]: { alert: 'a' } } }),
    'has a name that is not a language tag such as fr, fr-CA or zh-Hant',
  ],
  [
    'translations of a variant into 2,000 languages',
    CREATE,
    note({
      variants: [
        { name: 'a', weight: 1, ...inMany(2_000) },
        { name: 'b', weight: 1 },
      ],
    }),
    'notification.variants[0].localized must have at most 100 locales',
  ],
  [
    'a list of 19,000 tags',
    LOCALES,
    { to: '*', translations: times(19_000, (index) => `fr-x-${index}`) },
    'translations must have at most 100 tags',
  ],
  [
    'a tag that is none',
    LOCALES,
    { to: '*', translations: ['fr', LONG_TAG] },
    'translations[1] must be a language tag such as fr, fr-CA or zh-Hant',
  ],
  [
    'a payload of 1,000 texts in 100 languages',
    CREATE,
    note(inMany(100), keys(1_000, '')),
    'notification.payload has 9891 bytes as JSON; at most 8192 are allowed',
  ],
  [
    '2,000 reserved keys',
    CREATE,
    note({}, keys(2_000, 0, 'gcm')),
    'notification.payload.gcm0 is a reserved key (and 1999 more; see details)',
  ],
  [
    'events of which 9,000 are none',
    `POST /v6/devices/${NO_ID}/events`,
    { events: times(9_000, () => 0) },
    'events must hold at most 1000 events',
  ],
];

test.each(rows)('the server answers %s at %s', async (_what, address, sent, says) => {
  const reply = await api.call(address, { raw: typeof sent === 'string' ? sent : JSON.stringify(sent) });
  expect(reply.status).toBe(says === undefined ? 200 : 422);
  if (says === undefined) return;
  const { error, details } = errorReply.parse(reply.body);
  expect(error).toContain(says);
  expect(details.length).toBeLessThanOrEqual(100);
});

test('a body with too many languages has one fault, not one per language', async () => {
  const localized = named(101, (index) => `no language ${index}`, { alert: 'a' });
  const { body } = await api.call(CREATE, { body: note({ localized }) });
  expect(errorReply.parse(body).details).toEqual([
    { path: 'notification.localized', message: 'must have at most 100 locales' },
  ]);
});

describe.each([
  ['POST /v6/notifications/batch', 'notification'],
  ['POST /v6/receipts', 'notification'],
])('an item of %s', (address, key) => {
  test.each(SHAPES)('an item with very many %s is refused alone', async (_what, value, fault) => {
    const raw = `[${wrapped(value, [key])},{}]`;
    const { status, body } = await api.call(address, { raw });
    expect(status).toBeLessThan(300);
    const text = JSON.stringify(body);
    expect(text).toContain('"line":1');
    expect(text).toContain(fault);
    expect(text).toContain('"line":2');
  });
});
