/** What docs/filters.md, docs/payload.md, docs/errors.md and docs/api.md show, held against the code that they speak of. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { reportReply } from '../../src/results/report/report.ts';
import { canonicalFilters } from '../../src/filters/canonical.ts';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { METRES_PER_UNIT } from '../../src/filters/filter.ts';
import { evaluateMathDate, parseMathDate } from '../../src/filters/math-date.ts';
import { compileApns } from '../../src/gateways/apns/compile-apns.ts';
import { compileFcm } from '../../src/gateways/fcm/compile-fcm.ts';
import { messageFrom } from '../../src/notifications/message.ts';
import { parseRequest } from '../../src/notifications/request.ts';
import { fencesOf, readPage, tableAfter } from './markdown.ts';

function samplesOf(file: string): unknown[] {
  return fencesOf(readPage(file))
    .filter(({ info }) => info === 'json')
    .map(({ text }): unknown => JSON.parse(text));
}

const FILTERS = readPage('docs/filters.md');
/** A criterion of each kind that the table of attributes links to. */
const CRITERIA: Readonly<Record<string, readonly unknown[]>> = {
  text: ['Enabled'],
  versions: ['14.0', 14, { gte: '3.9' }],
  dates: ['2026-11-21', { gte: 'now-7d/d' }],
  numbers: [0, { gte: 10, lt: 20 }],
  booleans: [true],
  places: [{ point: { latitude: 48, longitude: 2 }, distance: 1, unit: 'km' }],
};

function accepts(name: string, criterion: unknown): boolean {
  return parseFilters([{ name, criteria: [criterion] }], 'to').ok;
}

it.each(samplesOf('docs/filters.md').map((sample) => [JSON.stringify(sample), sample]))(
  'docs/filters.md shows filters that are accepted: %s',
  (_text, sample) => {
    expect(parseFilters(sample, 'to')).toMatchObject({ ok: true });
  },
);

const attributes = tableAfter(FILTERS, '## Attributes').map(([name = '', , criteria = '']) => ({
  name: name.replaceAll('`', ''),
  kind: /\(#(\w+)\)/.exec(criteria)?.[1] ?? '',
}));

it('docs/filters.md has the nineteen attributes', () => {
  expect(new Set(attributes.map(({ name }) => name)).size).toBe(19);
});

it.each(attributes)('docs/filters.md says of $name which criteria it takes: $kind', ({ name, kind }) => {
  const criteria = CRITERIA[kind] ?? [];
  expect(criteria).not.toEqual([]);
  expect(criteria.filter((criterion) => !accepts(name, criterion))).toEqual([]);
  const foreign = kind === 'booleans' ? 'a text' : true;
  expect(accepts(name, foreign)).toBe(false);
});

it('docs/filters.md has every unit of a distance', () => {
  const units = /\*\*Units\*\*:([^*]+)/.exec(FILTERS.text)?.[1] ?? '';
  const named = [...units.matchAll(/`(\w+)`/g)].map(([, unit]) => unit);
  expect(named).toHaveLength(new Set(named).size);
  expect(new Set(named)).toEqual(new Set(Object.keys(METRES_PER_UNIT)));
});

it.each([
  ['now', '2026-11-21T10:20:30.456Z'],
  ['now-7d', '2026-11-14T10:20:30.456Z'],
  ['now+1h+1m', '2026-11-21T11:21:30.456Z'],
  ['now-1d/d', '2026-11-20T00:00:00.000Z'],
  ['2026-01-31||+1M', '2026-02-28T00:00:00.000Z'],
  ['2026-01-31T12:00:00Z||-2w/w', '2026-01-12T00:00:00.000Z'],
  ['2024-02-29||+1y', '2025-02-28T00:00:00.000Z'],
])('docs/filters.md shows the math-date %s, which is %s', (text, expected) => {
  expect(FILTERS.text).toContain(text);
  const date = parseMathDate(text);
  expect(date && new Date(evaluateMathDate(date, new Date('2026-11-21T10:20:30.456Z')))).toEqual(
    new Date(expected),
  );
});

it('two audiences stay apart whose filters only mean the same', () => {
  const [narrow, both] = [[{ gt: 1 }], [{ gt: 1 }, { gt: 2 }]].map((criteria) => {
    const parsed = parseFilters([{ name: 'badge', criteria }], 'to');
    return parsed.ok && canonicalFilters(parsed.filters);
  });
  expect(narrow).not.toEqual(both);
});

/** The notification; Apple's headers and body; Google's body; a notification with sensitive texts. */
const examplesSchema = z.tuple([
  z.looseObject({ deliver_at: z.string() }),
  z.record(z.string(), z.string()),
  z.looseObject({ _nid: z.string() }),
  z.looseObject({ message: z.looseObject({ token: z.string() }) }),
  z.looseObject({ sensitive: z.array(z.string()) }),
]);

it('docs/payload.md shows what Apple and Google receive for its example', () => {
  const [notification, headers, body, google, sensitive] = examplesSchema.parse(samplesOf('docs/payload.md'));
  const now = new Date('2026-11-21T00:00:00Z');
  expect(() => parseRequest({ notification: sensitive }, now)).not.toThrow();
  const { content } = parseRequest({ notification }, now);
  const message = messageFrom({ id: body['_nid'], due_at: new Date(notification.deliver_at) }, content);

  const apns = compileApns(message, 'com.example.app');
  const pairs = Array.from({ length: apns.headers.length / 2 }, (_, pair) =>
    apns.headers.slice(pair * 2, pair * 2 + 2),
  );
  expect(Object.fromEntries(pairs)).toEqual(headers);
  expect(JSON.parse(apns.body.toString())).toEqual(body);

  const fcm = compileFcm(message);
  expect(
    JSON.parse(
      fcm.beforeToken.token +
        JSON.stringify(google.message.token) +
        fcm.afterToken(message.timeToLiveSeconds),
    ),
  ).toEqual(google);
});

it('docs/payload.md names the keys that are reserved', () => {
  const section = /## Reserved keys([^#]+)/.exec(readPage('docs/payload.md').text)?.[1] ?? '';
  const [listed = ''] = section.split('Keys nested deeper');
  const keys = [...listed.matchAll(/`([\w.]+)`/g)].map(([, key = '']) => key);
  expect(keys).toContain('gcm');
  const taken = keys
    .filter((key) => key !== '_st')
    .filter((key) => isAccepted(key === 'mid' ? { _st: { mid: 1 } } : { [key]: 1 }));
  expect(taken).toEqual([]);
  expect(isAccepted({ order: { from: 'Lyon' } })).toBe(true);
});

function isAccepted(payload: object): boolean {
  try {
    parseRequest({ notification: { to: '*', payload } }, new Date());
    return true;
  } catch {
    return false;
  }
}

it('docs/api.md shows the report of a bulk notification as it is replied', () => {
  const shown = fencesOf(readPage('docs/api.md')).filter(({ info }) => info === 'json bulk');
  expect(shown.map(({ text }) => reportReply.parse(JSON.parse(text)).reasons.length)).toEqual([1]);
});

const errorSchema = z.strictObject({ error: z.string(), code: z.string(), details: z.array(z.unknown()) });

it('docs/errors.md shows an error as it is replied', () => {
  const { error: message, code, details } = errorSchema.parse(samplesOf('docs/errors.md')[0]);
  const body = { notification: { to: [{ name: 'locale', criteria: [] }], payload: { badge: -1 } } };
  expect(() => parseRequest(body, new Date())).toThrow(expect.objectContaining({ message, code, details }));
});
