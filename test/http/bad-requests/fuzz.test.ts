/**
 * The create call against 5,000 bodies, from valid to absurd: it never fails on our side, and it never stores
 * half of anything. A refusal leaves everything as it was; a 201 leaves one notification more.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { useApi } from '../api.ts';
import { anyNotification } from '../openapi/request-bodies.ts';
import { countStored } from '../stored.ts';
import { runs } from '../../support/runs.ts';

const RUNS = runs(50);
/** Sent at once. */
const BODIES_PER_RUN = 20;

const strangeText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\0',
    '\ud800',
    'a\udfffb',
    '\u202e\u200b',
    '🇬🇧👨‍👩‍👧',
    'é'.repeat(70),
    'x'.repeat(5_000),
    '__proto__',
    "';--",
    '*',
    '',
  ),
);

/** Literals that JSON allows and programs stumble over; they get into a body by their text (see `withLiterals`). */
const strangeNumber = fc
  .oneof(
    fc.constantFrom(
      '1e400',
      '-1e400',
      '1e-400',
      '-0',
      '9'.repeat(400),
      '9223372036854775808',
      '-9223372036854775809',
    ),
    fc.constantFrom(
      '0.57',
      '0.570000000000000001',
      '1e2',
      '1E+2',
      '2419200',
      '2147483648',
      `0.${'0'.repeat(300)}1`,
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  )
  .map((literal) => ({ literal }));

/** Up to 100 levels a body is read at all. */
const levels = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 100, max: 2_000 }));
const deep = fc
  .tuple(fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}']), levels)
  .map(([[open, close], depth]) => ({ literal: `${open.repeat(depth)}0${close.repeat(depth)}` }));

const anything = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: strangeText },
  { weight: 2, arbitrary: strangeNumber },
  { weight: 1, arbitrary: deep },
);

/** About half of them are valid. */
const sentBody = anyNotification.map((notification) => ({ notification }));

/** One thing in such a body replaced, added or taken away, anywhere. */
const mutatedBody = fc
  .tuple(sentBody, fc.nat(), anything, fc.constantFrom('replace', 'add', 'remove'), strangeText)
  .map(([body, at, value, change, key]) => {
    const copy: unknown = JSON.parse(JSON.stringify(body)); // numbers that are kept raw cannot be cloned
    const spots = spotsOf(copy);
    const spot = spots[at % spots.length];
    if (spot === undefined) return value;
    if (change === 'remove') Reflect.deleteProperty(spot.parent, spot.key);
    else Reflect.set(spot.parent, change === 'add' && !Array.isArray(spot.parent) ? key : spot.key, value);
    return copy;
  });

const bodyText = fc.oneof(
  { weight: 5, arbitrary: sentBody.map(withLiterals) },
  { weight: 6, arbitrary: mutatedBody.map(withLiterals) },
  { weight: 1, arbitrary: anything.map(withLiterals) },
  // A piece cut out of a valid text: mostly no JSON at all.
  {
    weight: 2,
    arbitrary: fc
      .tuple(sentBody.map(withLiterals), fc.nat(), fc.integer({ min: 1, max: 3 }))
      .map(([text, at, length]) => text.slice(0, at % text.length) + text.slice((at % text.length) + length)),
  },
);

const api = useApi();

test(
  'create answers any body with 201 or a refusal, and stores all or nothing',
  { timeout: 120_000 },
  async () => {
    const answers = new Map<number, number>();
    let stored = await countStored(api.db);
    await fc.assert(
      fc.asyncProperty(
        fc.array(bodyText, { minLength: BODIES_PER_RUN, maxLength: BODIES_PER_RUN }),
        async (bodies) => {
          const replies = await Promise.all(
            bodies.map(async (raw) => api.call('POST /v6/notifications', { raw })),
          );
          for (const { status } of replies) {
            expect(status).toBeOneOf([201, 400, 404, 413, 422]);
            answers.set(status, (answers.get(status) ?? 0) + 1);
          }
          const before = stored;
          stored = await countStored(api.db);
          const created = replies.filter(({ status }) => status === 201).length;
          expect(stored.notifications).toBe(before.notifications + created);
          expect(stored.audiences).toBeGreaterThanOrEqual(before.audiences);
          expect(stored.audiences).toBeLessThanOrEqual(before.audiences + created);
        },
      ),
      { numRuns: RUNS },
    );
    // The bodies are as varied as they are meant to be.
    for (const status of [201, 400, 422])
      expect(answers.get(status)).toBeGreaterThan((RUNS * BODIES_PER_RUN) / 50);
  },
);

/** Every key of every object and list inside a value. */
function spotsOf(value: unknown): { parent: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.keys(value).map((key) => ({ parent: value, key }));
  return own.concat(Object.values(value).flatMap(spotsOf));
}

/** The JSON text of a body, with every `{literal}` in it as it is. */
function withLiterals(body: unknown): string {
  const literals: string[] = [];
  const mark = '\u{e000}literal ';
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('literal' in value)) return value;
    literals.push(String(value.literal));
    return `${mark}${literals.length - 1}`;
  });
  return text.replaceAll(
    new RegExp(`"${mark}(\\d+)"`, 'g'),
    (_match, index: string) => literals[Number(index)] ?? '0',
  );
}
