/** No template, and no value of a device, makes much work or a long text. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../src/gateways/payload.ts';
import { contentFaults } from '../../../src/notifications/content/payload-versions.ts';
import {
  applyFilter,
  filterNames,
  VALUE_UNITS_MAX,
} from '../../../src/notifications/content/template/filters.ts';
import { compileTemplate } from '../../../src/notifications/content/template/template.ts';
import { PAYLOAD_WORK_MAX, Work } from '../../../src/notifications/content/template/work.ts';
import { runs } from '../../support/runs.ts';

/** Whatever a device has, its value is no longer than these. */
const LONG = {
  text: 'я'.repeat(255),
  wide: '🔔'.repeat(255),
  date: '2026-12-24T18:30:00.000Z',
  list: Array.from({ length: 100 }, () => 'ß'.repeat(255)),
  number: 1.7976931348623157e308,
  format: '%300000000d',
  widths: '%99d'.repeat(63),
  huge: 999_999_999,
  zone: 'Asia/Kathmandu',
};
const KINDS = [LONG.text, LONG.wide, LONG.date, LONG.list, LONG.number, true, undefined, ''] as const;

function faultsOf(payload: Payload, others: object = {}): string[] {
  return contentFaults({ payload, template: true, ...others }).map(
    ({ path, message }) => `${path} ${message}`,
  );
}

function chain(filter: string, times: number): string {
  return `{{ custom.x${` | ${filter}`.repeat(times)} }}`;
}

const doubling = '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" | split: "" | join: "bbbbbbbbb"';
const TOO_LONG =
  'filters that take too long with the longest values; use fewer filters, or begin with truncate';
const WIDTH = 'a date format pads to at most 99 characters';

describe('refused templates', () => {
  test.each([
    ['split and join in turn', `{{ ${doubling}${' | split: "" | join: "bbbbbbbbb"'.repeat(7)} }}`, TOO_LONG],
    ['the same, often', `{{ ${doubling}${' | split: "" | join: "b"'.repeat(100)} }}`, TOO_LONG],
    ['a wide date', '{{ custom.x | default: "2026-01-01" | date: "%300000000d" }}', WIDTH],
    ['a wider one', '{{ custom.x | date: "%500000000d" }}', WIDTH],
    ['a width of three digits', '{{ custom.x | date: "%100d" }}', WIDTH],
    ['a width after flags', '{{ custom.x | date: "%-_0^#:999Y" }}', WIDTH],
    ['a width after zeros', '{{ custom.x | date: "%000000999Y" }}', WIDTH],
    ['nanoseconds with many digits', '{{ custom.x | date: "%999999999N" }}', WIDTH],
    ['a width at the end of a format', '{{ custom.x | date: "on %d of %1234m" }}', WIDTH],
    ['a long date format', `{{ custom.x | date: "${'%A'.repeat(51)}" }}`, 'has at most 100 characters'],
    ['a date format of escapes', `{{ custom.x | date: "${'%%'.repeat(1_000)}" }}`, 'at most 100 characters'],
    ['many names of days', chain('date: "%A%B%A%B"', 12), TOO_LONG],
    ['many time zones', chain('date: "%H", device.time_zone', 40), TOO_LONG],
    [
      'truncate with a huge number',
      '{{ custom.x | truncate: 999999999 }}',
      'truncate takes a number up to 2000',
    ],
    ['truncate a little too long', '{{ custom.x | truncate: 2001 }}', 'truncate takes a number up to 2000'],
    [
      'truncate with more digits than a number has',
      `{{ custom.x | truncate: ${'9'.repeat(400)} }}`,
      'up to 2000',
    ],
    [
      'many long truncates',
      '{{ custom.x | truncate: 2000 }}'.repeat(3),
      'outputs with up to 6000 characters together',
    ],
    ['many outputs', '{{custom.x}}'.repeat(60), 'outputs with up to 6000 characters together'],
    ['strip with many characters', chain('strip: custom.y', 50), TOO_LONG],
    ['plus, often', chain('plus: 999999999999', 250), 'has at most 4096 characters'],
    ['a long literal, often', `{{ "${'a'.repeat(1_900)}" ${'| upcase '.repeat(10)} }}`, TOO_LONG],
    ['append, often', chain('append: custom.y', 20), TOO_LONG],
    ['prepend, often', chain('prepend: custom.x', 20), TOO_LONG],
    ['url_encode, often', chain('url_encode', 10), TOO_LONG],
    ['upcase, often', chain('upcase', 200), TOO_LONG],
    ['downcase, often', chain('downcase', 200), TOO_LONG],
    ['capitalize, often', chain('capitalize', 200), TOO_LONG],
    ['lstrip with characters', chain('lstrip: "abcdefgh"', 80), TOO_LONG],
    ['rstrip with characters', chain('rstrip: "abcdefgh"', 80), TOO_LONG],
    ['squish, often', chain('squish', 200), TOO_LONG],
    ['remove, often', chain('remove: ""', 200), TOO_LONG],
    ['remove_first, often', chain('remove_first: ""', 200), TOO_LONG],
    ['split, often', chain('split: ""', 200), TOO_LONG],
    ['join of a list, often', chain('join: custom.x', 30), TOO_LONG],
    ['default, often', chain('default:1', 300), TOO_LONG],
    ['a long literal', `{{ "${'a'.repeat(2_001)}" }}`, 'a text in quotes has at most 2000 characters'],
    ['a text over 4,096 characters', `{{ "${'a'.repeat(4_096)}" }}`, 'has at most 4096 characters'],
    ['a tag', '{% for i in (1..999999999) %}x{% endfor %}', 'tags, {% … %}, are not allowed'],
    ['a range', '{{ (1..999999999) | join }}', 'a value is device.<attribute>'],
    ['a filter that repeats', '{{ custom.x | replace: "", "aaaaaaaaa" }}', 'there is no filter replace'],
    ['a filter that evaluates', '{{ custom.x | map: "a" }}', 'there is no filter map'],
    [
      'a filter with a long name',
      `{{ custom.x | ${'a'.repeat(3_000)} }}`,
      `no filter ${'a'.repeat(49)}…; there are`,
    ],
    ['an expression', `{{ 1${' and 1'.repeat(600)} }}`, 'an output is one value with filters'],
    [
      'a bracket in a bracket',
      `{{ custom${'[custom'.repeat(300)}${']'.repeat(300)} }}`,
      'brackets contain a text or a number',
    ],
    ['an output without an end', '{{ "'.repeat(1_000), 'not closed'],
  ])('creation refuses a template with too much work: %s', (_what, alert, message) => {
    const faults = faultsOf({ alert });
    expect(faults).toEqual([expect.stringContaining(message)]);
    expect(faults.join().length).toBeLessThan(600);
  });

  test.each([
    [
      'texts that are long together',
      { payload: { own: Array.from({ length: 9 }, () => `{{ 1 }}${'a'.repeat(4_000)}`) } },
      'of 36063 characters together; at most 32768',
    ],
    [
      'texts of translations that are long together',
      {
        payload: { alert: 'Hi' },
        localized: Object.fromEntries(
          ['de', 'fr', 'it', 'nl', 'es', 'pt', 'sv', 'da', 'fi'].map((locale) => [
            locale,
            { alert: `{{ 1 }}${'a'.repeat(4_000)}` },
          ]),
        ),
      },
      'of 36063 characters together',
    ],
    [
      'many outputs',
      { payload: { own: Array.from({ length: 21 }, () => '{{1}}'.repeat(100)) } },
      '2100 outputs',
    ],
    [
      'many attributes',
      { payload: { own: Array.from({ length: 65 }, (_, index) => `{{ custom.a${index} | truncate: 1 }}`) } },
      '65 attributes of the device; at most 64',
    ],
    [
      'translations that together take long',
      {
        payload: { own: `{{ custom.x${' | upcase'.repeat(60)} }}` },
        localized: Object.fromEntries(
          Array.from({ length: 90 }, (_, index) => [
            `de-${String.fromCodePoint(65 + (index % 26), 65 + Math.floor(index / 26))}`,
            { alert: 'Hi' },
          ]),
        ),
      },
      'take too long in all payloads together',
    ],
  ])(
    'creation refuses templates that are too much together: %s',
    (_what, { payload, ...others }, message) => {
      expect(faultsOf(payload, others)).toEqual([expect.stringMatching(/^notification\.template /)]);
      expect(faultsOf(payload, others).join()).toContain(message);
    },
  );

  test.each([
    [
      'a payload',
      { payload: { own: 'a'.repeat(9_000) }, localized: { de: { title: 'A' } } },
      'notification.payload',
    ],
    [
      'a translation',
      { payload: { alert: 'a' }, localized: { de: { own: 'a'.repeat(9_000) } } },
      'notification.localized.de',
    ],
    [
      'a variant',
      {
        payload: { alert: 'a' },
        variants: [
          { name: 'a', weight: 1, payload: { own: 'a'.repeat(9_000) } },
          { name: 'b', weight: 1 },
        ],
      },
      'notification.variants[0].payload',
    ],
    [
      'a merged payload',
      { payload: { alert: 'a'.repeat(5_000) }, localized: { de: { own: 'a'.repeat(5_000) } } },
      'notification.localized.de',
    ],
  ])('creation refuses %s that is far too large, before it is compiled', (_what, content, path) => {
    expect(contentFaults(content).map((fault) => fault.path)).toEqual([path]);
  });

  test('creation refuses nothing of what is usual', () => {
    const alert =
      '{{ custom.first_name | default: "there" | capitalize | truncate: 20 }}, {{ custom.n | plus: 1 }}';
    const address =
      'https://example.com/?q={{ custom.x | url_encode | truncate: 80 }}&u={{ device.user_id }}';
    const date = '{{ custom.d | date: "%A, %d %B %Y", device.time_zone }} {{ custom.d | date: "%H:%M" }}';
    const payload = {
      title: alert,
      alert,
      image: address,
      own: { date, list: '{{ custom.l | join: ", " }}' },
    };
    const localized = Object.fromEntries(
      Array.from({ length: 26 * 3 }, (_, index) => [
        `de-${String.fromCodePoint(65 + (index % 26), 65 + Math.floor(index / 26))}`,
        { title: `${index} ${alert}`, alert: `${index} ${alert}` },
      ]),
    );
    expect(faultsOf(payload, { localized })).toEqual([]);
  });
});

test.each([
  ['many short outputs', '{{custom.x|truncate:1}}'.repeat(100)],
  ['slice with huge numbers', chain('slice: 0, 999999999', 10)],
  ['slice from far behind', chain('slice: -999999999, 999999999', 10)],
  ['size, often', chain('size', 580)],
  ['times, often', chain('times:9', 390)],
  ['round with a huge number', chain('round: 999999999', 100)],
  ['abs, often', chain('abs', 580)],
  ['a long separator', `{{ custom.x | join: "${'b'.repeat(1_900)}" }}`],
  ['many arguments', `{{ custom.x | slice: ${'1,'.repeat(1_900)} 1 }}`],
  ['a long path', `{{ custom.x${'.first'.repeat(600)} }}`],
  ['a number with many digits', `{{ ${'9'.repeat(3_900)} | plus: ${'9'.repeat(100)} }}`],
])('creation accepts %s, and what a device gets is within the limits', (_what, alert) => {
  expect(faultsOf({ alert })).toEqual([]);
  const { template } = compileTemplate({ alert }, 'payload');
  for (const value of [...KINDS, LONG.huge, '9'.repeat(255)]) {
    expect(template.render(() => value).payload.alert?.length).toBeLessThanOrEqual(200);
  }
});

describe('a device has a bounded text where only its values are hostile', () => {
  test.each([
    ['a wide date format', '{{ custom.date | date: custom.format }}', ''],
    ['a zone that is none', '{{ custom.date | date: "%H", custom.text }}', ''],
    ['a list as a date', '{{ custom.list | date: "%Y" }}', /^(?:ß){99}…$/],
    ['a huge truncate', '{{ custom.text | truncate: custom.huge }}', /^я{99}…$/],
    ['a huge slice', '{{ custom.text | slice: 0, custom.huge }}', /^я{99}…$/],
    ['a slice from far behind', '{{ custom.text | slice: -999999999, 5 }}', ''],
    ['a huge round', '{{ custom.number | round: custom.huge }}', '1.7976931348623157e+308'],
    ['a huge product', '{{ custom.number | times: custom.number }}', ''],
    ['a division by nothing', '{{ custom.number | divided_by: 0 }}', ''],
    ['a list with a long separator', '{{ custom.list | join: custom.text }}', /^ß{99}…$/],
    ['a list as a text', '{{ custom.list | upcase }}', /^S{99}…$/],
    ['a list as an argument', '{{ custom.text | append: custom.list }}', /^я{99}…$/],
    ['a separator that is everywhere', '{{ custom.text | split: "я" | join: custom.text }}', ''],
    ['wide widths', '{{ custom.date | date: custom.widths }}', ''],
  ])('a device with hostile values gets a bounded text: %s', (_what, alert, expected) => {
    const { template, faults } = compileTemplate({ alert }, 'payload');
    expect(faults).toEqual([]);
    const { payload } = template.render((fact) => ('custom' in fact ? Reflect.get(LONG, fact.custom) : null));
    if (typeof expected === 'string') expect(payload.alert).toBe(expected);
    else expect(payload.alert).toMatch(expected);
  });

  test('outputs after the allowed work of a template is used up are missing', () => {
    const own = Array.from({ length: 40 }, () => `{{ custom.x${' | upcase'.repeat(3)} | truncate: 9 }}`);
    const { template } = compileTemplate({ own }, 'payload');
    expect(template.render(() => 'abc')).toMatchObject({
      isComplete: true,
      payload: { own: own.fill('ABC') },
    });
    const { payload, isComplete } = template.render(() => LONG.list);
    expect(isComplete).toBe(false);
    expect(payload['own']).toEqual(expect.arrayContaining(['SSSSSSSS…', '']));
    expect(template.render(() => LONG.list).payload).toEqual(payload);
  });

  test('a text that an earlier release accepted, and this one refuses, is missing', () => {
    const { template } = compileTemplate(
      { title: 'A', alert: '{{ custom.x | date: "%300000000d" }}' },
      'payload',
    );
    expect(template.render(() => LONG.date)).toEqual({
      payload: { title: 'A', alert: '' },
      isComplete: false,
    });
  });
});

const name = fc.constantFrom(...filterNames);
const hostile = fc.oneof(
  fc.constantFrom(
    ...KINDS,
    ...Object.values(LONG),
    'now',
    '%c%x%X%Z%+',
    '\ud800',
    -1,
    1e308,
    -1e308,
    0.5,
    Infinity,
  ),
  fc.string({ maxLength: 20, unit: 'binary' }),
  fc.array(fc.string({ maxLength: 255 }), { maxLength: 100 }),
  fc.double(),
  fc.integer(),
);
const steps = fc.array(fc.record({ name, operands: fc.array(hostile, { maxLength: 3 }) }), { maxLength: 40 });

function unitsOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, element) => sum + unitsOf(element), 0);
  return typeof value === 'string' ? value.length : 0;
}

test('no filter makes a value longer than a device or another filter has, nor more work than there is', () => {
  const listUnitsMax = 100 * 2 * 255;
  fc.assert(
    fc.property(hostile, steps, (first, pipeline) => {
      const work = new Work();
      let value: unknown = first;
      for (const step of pipeline) {
        const before = work.spent;
        try {
          value = applyFilter(step.name, value, step.operands, work);
        } catch {
          return; // the text is empty then
        }
        expect(work.spent).toBeGreaterThan(before);
        expect(work.spent).toBeLessThanOrEqual(PAYLOAD_WORK_MAX);
        const isList = Array.isArray(value);
        expect(unitsOf(value)).toBeLessThanOrEqual(isList ? listUnitsMax : VALUE_UNITS_MAX);
        if (isList) expect(value).not.toContainEqual(expect.any(Array));
        if (Array.isArray(value)) expect(value.length).toBeLessThanOrEqual(VALUE_UNITS_MAX);
      }
    }),
    { numRuns: runs(200) },
  );
});

test('any pipeline that is written is refused, or makes a text within its length of any value', () => {
  const literal = fc.constantFrom(
    '""',
    '"a"',
    '"%99d"',
    '"%A %B %Z"',
    '0',
    '-3',
    '7',
    '2000',
    'custom.y',
    'device.time_zone',
  );
  const filter = fc
    .tuple(name, fc.array(literal, { maxLength: 2 }))
    .map(([called, operands]) => (operands.length === 0 ? called : `${called}: ${operands.join(', ')}`));
  const texts = fc
    .array(filter, { maxLength: 12 })
    .map((filters) => ['{{ custom.x', ...filters].join(' | ') + ' }}');
  fc.assert(
    fc.property(texts, hostile, hostile, (alert, x, y) => {
      if (faultsOf({ alert }).length > 0) return;
      const { template } = compileTemplate({ alert }, 'payload');
      const { payload } = template.render((fact) => ('custom' in fact && fact.custom === 'x' ? x : y));
      const most = template.outputs[0]?.charactersMax ?? 0;
      expect(Array.from(payload.alert ?? '').length).toBeLessThanOrEqual(most);
      expect(payload.alert?.isWellFormed()).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

describe('nothing is cut inside a character', () => {
  const cyrillic = 'Привет, мир! Как дела?';
  test.each([
    ['url_encode', 'q={{ custom.x | url_encode }}', cyrillic],
    ['url_encode and more', 'q={{ custom.x | url_encode | append: "&a=1" }}', cyrillic],
    ['url_encode, then truncate', 'q={{ custom.x | url_encode | truncate: 35 }}', cyrillic],
    ['url_encode, then truncate without a number', 'q={{ custom.x | url_encode | truncate }}', cyrillic],
    ['url_encode, then slice', 'q={{ custom.x | url_encode | slice: 4, 27 }}', cyrillic],
    [
      'url_encode, then a list',
      'q={{ custom.x | url_encode | append: custom.x | url_encode }}',
      '€'.repeat(255),
    ],
    ['url_encode of emoji', 'q={{ custom.x | url_encode }}', '🔔'.repeat(255)],
    ['truncate, then url_encode', 'q={{ custom.x | truncate: 10 | url_encode }}', cyrillic],
    [
      'an address of the device',
      '{{ custom.x }}',
      `https://example.com/?q=${encodeURIComponent('ü'.repeat(60))}`,
    ],
  ])('a text is not cut inside an encoded character: %s', (_what, alert, x) => {
    const { payload } = compileTemplate({ alert }, 'payload').template.render(() => x);
    const text = payload.alert ?? '';
    expect(text.length).toBeGreaterThan(20);
    expect(() => decodeURIComponent(text)).not.toThrow();
    // An ellipsis would make it an address that iOS does not open.
    if (alert.includes('url_encode')) expect(text).not.toContain('…');
  });

  test.each([
    ['{{ custom.x | split: "" | first }}', '🔔'],
    ['{{ custom.x | split: "" | last }}', '🎄'],
    ['{{ custom.x | first }}', '🔔'],
    ['{{ custom.x | last }}', '🎄'],
    ['{{ custom.x | slice: 0 }}', '🔔'],
    ['{{ custom.x | slice: -1 }}', '🎄'],
    ['{{ custom.x | slice: 1, 1 }}', 'a'],
    ['{{ custom.x | split: "" | join: "-" }}', '🔔-a-🎄'],
    ['{{ custom.x | remove: "\\ud83d" }}', '🔔a🎄'],
    ['{{ custom.x | capitalize }}', '🔔a🎄'],
    ['{{ custom.x | truncate: 2 }}', '🔔…'],
    ['{{ custom.x | truncate: 2, "🎁" }}', '🔔🎁'],
    ['{{ custom.x | truncate: 2.9 }}', '🔔…'],
  ])('the text %s cuts no emoji in two', (alert, expected) => {
    const { payload } = compileTemplate({ alert }, 'payload').template.render(() => '🔔a🎄');
    expect(payload.alert).toBe(expected);
  });
});
