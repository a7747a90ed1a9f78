/** The codes of warnings, and the edits that mend them. */
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../src/api/parse.ts';
import { parseContent } from '../../../src/notifications/message.ts';
import type { Warning } from '../../../src/notifications/preview/warning.ts';
import { warningsOf } from '../../../src/notifications/preview/warnings.ts';
import { parseRequest } from '../../../src/notifications/request.ts';

type Json = Record<string, unknown>;
const image = 'https://example.com/a.png';
const variants = (...all: Json[]): Json[] =>
  all.map((keys, index) => Object.assign({ name: 'abcdefgh'.charAt(index), weight: 1 }, keys));

const made = (keys: Json): Json => ({ to: '*', payload: { alert: 'Hi' }, ...keys });
const warningsFor = (notification: Json): Warning[] => warningsOf(parseContent(JSON.stringify(notification)));

/** Makes the edits of a fix, as a client would. */
function fixed(notification: Json, fix: Warning['fix']): Json {
  const body = structuredClone({ notification });
  for (const { op, path, value } of fix ?? []) {
    const steps = [...path.matchAll(/[^.[\]]+/g)].map(([step]) => step);
    const last = steps.pop() ?? '';
    let parent: unknown = body;
    for (const step of steps) {
      if (Array.isArray(parent)) parent = parent[Number(step)];
      else parent = isJsonObject(parent) ? parent[step] : undefined;
    }
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (isJsonObject(parent) && op === 'set') parent[last] = value;
    else if (isJsonObject(parent)) delete parent[last];
  }
  return body.notification;
}

test.each<[string, Warning['code'], Json]>([
  ['a picture without mutable_content', 'picture_not_shown', { payload: { alert: 'Hi', image } }],
  ['a picture with false', 'picture_not_shown', { payload: { alert: 'Hi', image, mutable_content: false } }],
  ['a picture of a translation', 'picture_not_shown', { localized: { fr: { image } } }],
  [
    'a picture of a variant with a false of its own',
    'picture_not_shown',
    { variants: variants({ payload: { image, mutable_content: false } }, {}) },
  ],
  ['a null', 'null_value', { payload: { alert: 'Hi', mine: null } }],
  ['an option that draws nothing', 'no_effect', { payload: { x: 1 }, android: { visibility: 'public' } }],
  ['two empty variants', 'same_variants', { variants: variants({}, {}) }],
  ['two empty variants of an experiment', 'same_variants', { variants: variants({}, {}), experiment: 'e' }],
  [
    'two of three variants that are the same',
    'same_variants',
    { variants: variants({ payload: { alert: 'A' } }, {}, { payload: { alert: 'A' } }) },
  ],
])('the fix of %s leaves a notification that is valid and without a warning', (_what, code, keys) => {
  const notification = made(keys);
  const [warning, ...others] = warningsFor(notification);
  expect([warning?.code, others]).toEqual([code, []]);
  const mended = fixed(notification, warning?.fix ?? null);
  expect(mended).not.toEqual(notification);
  expect(warningsFor(mended)).toEqual([]);
  expect(() => parseRequest({ notification: mended }, new Date())).not.toThrow();
});

test.each<[string, Json[]]>([
  [
    'the same keys in another order',
    variants(
      { payload: { title: 'T', mine: { a: 1, b: 2 } } },
      { payload: { mine: { b: 2, a: 1 }, title: 'T' } },
    ),
  ],
  ['what the payload says anyway', variants({}, { payload: { alert: 'Hi' } })],
  [
    'a language written otherwise',
    variants({ localized: { 'pt-BR': { alert: 'Oi' } } }, { localized: { pt_br: { alert: 'Oi' } } }),
  ],
])('variants with %s are the same', (_which, all) => {
  expect(warningsFor(made({ variants: all })).map(({ code, path }) => [code, path])).toEqual([
    ['same_variants', 'notification.variants[1]'],
  ]);
});

test.each<[string, Json[]]>([
  ['a text', variants({}, { payload: { alert: 'Ho' } })],
  ['a translation', variants({ localized: { fr: { alert: 'Salut' } } }, {})],
  ['a custom key', variants({}, { payload: { screen: 'b' } })],
  [
    'a number that a double cannot hold',
    variants({ payload: { n: JSON.rawJSON('9007199254740993') } }, { payload: { n: 9007199254740992 } }),
  ],
])('variants that differ in %s are no reason for a warning', (_what, all) => {
  expect(warningsFor(made({ variants: all }))).toEqual([]);
});

test('two equal variants next to a hold-out are a warning that only a person can mend, and creation accepts them', () => {
  const notification = made({ variants: variants({}, {}), hold_out: 0.1 });
  expect(warningsFor(notification)).toMatchObject([{ code: 'same_variants', fix: null }]);
  expect(() => parseRequest({ notification }, new Date())).not.toThrow();
});

test('a foreign key is named by its code, and only a person can mend it', () => {
  expect(warningsFor(made({ payload: { alert: 'Hi', thread_id: 'a' } }))).toMatchObject([
    { code: 'foreign_key', fix: null },
  ]);
});
