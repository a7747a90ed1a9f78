import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { parsePayload } from '../../src/notifications/payload.ts';

const PATH = 'notification.payload';

function faultPaths(text: string): string[] {
  return (parsePayload(parseJson(text), PATH).faults ?? []).map((fault) => fault.path);
}

test.each([
  '{"alert":"Hi","title":"T","subtitle":"S","sound":"bell.caf","category":"invite","_channel_id":"news"}',
  '{"alert":""}',
  '{"badge":0}',
  '{"badge":2147483647}',
  '{"badge":5.0}',
  '{"content_available":true,"mutable_content":false}',
  `{"collapse_key":"${'k'.repeat(64)}"}`,
  `{"collapse_key":"${'é'.repeat(32)}"}`,
  ...['passive', 'active', 'time-sensitive', 'critical'].map((level) => `{"interruption_level":"${level}"}`),
  ...['0', '1', '0.57', '0.50', '1.0', '5e-1', '57E-2', '-0', '0.570000000000000000000'].map(
    (score) => `{"relevance_score":${score}}`,
  ),
  '{"order":{"id":12345678901234567890,"lines":[1.5,null,true]},"":"","available_soon":1,"Gcm":2,"_st":{"x":1}}',
  '{"_st":"mid"}',
  '{"rawJSON":"1"}',
  '{"constructor":1,"toString":null,"hasOwnProperty":[]}',
])('a payload may be %s', (text) => {
  expect(parsePayload(parseJson(text), PATH).faults).toBeUndefined();
});

describe('refused payloads', () => {
  test.each([
    ['{"alert":5}', 'alert'],
    ['{"alert":null}', 'alert'],
    ['{"alert":{"body":"Hi"}}', 'alert'],
    ['{"title":true}', 'title'],
    ['{"subtitle":[]}', 'subtitle'],
    ['{"sound":1}', 'sound'],
    ['{"category":1}', 'category'],
    ['{"_channel_id":1}', '_channel_id'],
    ['{"badge":-1}', 'badge'],
    ['{"badge":1.5}', 'badge'],
    ['{"badge":"1"}', 'badge'],
    ['{"badge":2147483648}', 'badge'],
    ['{"badge":12345678901234567890}', 'badge'],
    ['{"badge":1e999}', 'badge'],
    ['{"content_available":1}', 'content_available'],
    ['{"mutable_content":"true"}', 'mutable_content'],
    ['{"collapse_key":""}', 'collapse_key'],
    ['{"collapse_key":7}', 'collapse_key'],
    [`{"collapse_key":"${'k'.repeat(65)}"}`, 'collapse_key'],
    [`{"collapse_key":"${'é'.repeat(33)}"}`, 'collapse_key'],
    ['{"interruption_level":"loud"}', 'interruption_level'],
    ...'-0.01 1.01 2 0.575 0.001 0.570000000000000001 0.5700000000000001 1e-3 1e-400'
      .split(' ')
      .map((score) => [`{"relevance_score":${score}}`, 'relevance_score']),
    ['{"relevance_score":"0.5"}', 'relevance_score'],
    ...'available from gcm message_type aps _nid _st_actions google googlex google.ttl gcm.x gcm_x gcmx'
      .split(' ')
      .map((key) => [`{"${key}":1}`, key]),
    ['{"_st":{"mid":null}}', '_st.mid'],
  ])('the payload %s is refused, naming the key', (text, key) => {
    expect(faultPaths(text)).toEqual([`${PATH}.${key}`]);
  });

  test.each(['null', '[]', '"alert"', '5', 'true', '12345678901234567890', '{}'])(
    'a payload may not be %s',
    (text) => {
      expect(faultPaths(text)).toEqual([PATH]);
    },
  );
});

test('every fault of a payload is reported at once, a reserved key by its path', () => {
  const { faults } = parsePayload({ alert: 1, badge: -1, from: 'x', google: 1, _st: { mid: 1 } }, PATH);
  expect(faults).toEqual([
    { path: `${PATH}.alert`, message: 'must be a string' },
    { path: `${PATH}.badge`, message: 'must be a whole number from 0 to 2147483647' },
    { path: `${PATH}.from`, message: 'is a reserved key' },
    { path: `${PATH}.google`, message: 'is a reserved key' },
    { path: `${PATH}._st.mid`, message: 'is a reserved key' },
  ]);
});

test('a missing payload is reported as required', () => {
  expect(parsePayload(undefined, PATH).faults).toEqual([{ path: PATH, message: 'is required' }]);
});

test('a relevance score passes exactly when its decimal is 0 to 1 with at most two places', () => {
  const decimal = fc.tuple(
    fc.constantFrom('0', '1'),
    fc.stringMatching(/^\d{0,22}$/),
    fc.stringMatching(/^0{0,20}$/),
  );
  fc.assert(
    fc.property(decimal, ([whole, digits, zeros]) => {
      const fraction = digits + zeros;
      const text = fraction === '' ? whole : `${whole}.${fraction}`;
      // The oracle compares the decimal text and uses no double.
      const inRange = whole === '0' || /^0*$/.test(fraction);
      const twoPlacesAtMost = /^\d{0,2}0*$/.test(fraction);
      const passes = parsePayload(parseJson(`{"relevance_score":${text}}`), PATH).faults === undefined;
      expect(passes).toBe(inRange && twoPlacesAtMost);
    }),
  );
});

test('every score of two places passes', () => {
  for (let hundredths = 0; hundredths <= 100; hundredths += 1) {
    const text = `{"relevance_score":${(hundredths / 100).toFixed(2)}}`;
    expect(faultPaths(text), text).toEqual([]);
  }
});

test('the parser of payloads never throws, whatever the JSON', () => {
  const anyJson = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom('alert', 'badge', 'relevance_score', 'collapse_key', '_st', 'from', 'x', '__proto__'),
      fc.jsonValue(),
    ),
  );
  fc.assert(
    fc.property(anyJson, (value) => {
      const { value: payload, faults } = parsePayload(JSON.parse(JSON.stringify(value)), PATH);
      expect(payload === undefined).toBe(faults !== undefined && faults.length > 0);
    }),
  );
});

test('custom keys pass through unchanged', () => {
  const key = fc.string({ minLength: 1 }).map((name) => `x${name}`);
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue(), { minKeys: 1 }), (custom) => {
      const sent: unknown = JSON.parse(JSON.stringify(custom));
      expect(stringifyJson(parsePayload(sent, PATH).value)).toBe(stringifyJson(sent));
    }),
  );
  const exact = '{"x":{"id":12345678901234567890,"ratio":0.1000000000000000055511151231257827},"a":[1e400]}';
  expect(stringifyJson(parsePayload(parseJson(exact), PATH).value)).toBe(exact);
});
