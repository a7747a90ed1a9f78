/**
 * The create call against 5,000 bodies, from valid to absurd: it never fails on our side, and it never stores
 * half of anything. A refusal leaves everything as it was; a 201 leaves one notification more.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableJson } from '../../support/json.ts';
import { useApi } from '../api.ts';
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

const filterName = fc.oneof(
  fc.constantFrom(
    'tags',
    'locale',
    'badge',
    'os_version',
    'created_at',
    'development',
    'location',
    'device_id',
    'user_id',
  ),
  fc.constantFrom(
    'custom.string.a',
    'custom.integer.a',
    'custom.float.a',
    'custom.date.a',
    'custom.boolean.a',
  ),
  fc.constantFrom('events.opened', 'events.Public Api.opened', 'notifications_allowed', 'sdk_location'),
  fc.constantFrom('custom.', 'events.', 'Tags', 'custom.text.a', 'constructor'),
  strangeText,
);

const mathDate = fc
  .array(fc.constantFrom('now', '||', '+1d', '-2M', '/w', '/y', '2026-01-31', '+999999999y', '+', 'd'), {
    maxLength: 5,
  })
  .map((parts) => parts.join(''));

const degrees = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.double({ min: -90, max: 90, noNaN: true }),
  strangeNumber,
);
const place = fc.record({ latitude: degrees, longitude: degrees }, { requiredKeys: ['latitude'] });

const criterion = fc.oneof(
  fc.constantFrom<unknown>('a', 'Enabled', 1, 0.5, true, false, '14.0', '2026-01-01', 'en_GB'),
  fc.dictionary(
    fc.constantFrom('gt', 'lt', 'gte', 'lte', 'from'),
    fc.oneof(fc.integer(), mathDate, strangeNumber),
  ),
  fc.record({
    point: place,
    distance: fc.oneof(fc.integer(), strangeNumber),
    unit: fc.constantFrom('km', 'mi', 'x'),
  }),
  fc.record({ polygon: fc.array(place, { maxLength: 5 }) }),
  anything,
);

const filter = fc.record(
  {
    name: filterName,
    criteria: fc.array(criterion, { maxLength: 3 }),
    not_filter: fc.oneof(fc.boolean(), anything),
  },
  { requiredKeys: ['name', 'criteria'] },
);

const validFilter = fc.oneof(
  fc.record({
    name: fc.constantFrom('tags', 'locale'),
    criteria: fc.array(fc.constantFrom('a', 'b', 'en'), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    name: fc.constant('badge'),
    criteria: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    not_filter: fc.boolean(),
  }),
);

const validPayload = fc.record(
  {
    alert: fc.string(),
    badge: fc.nat(),
    collapse_key: fc.string({ minLength: 1, maxLength: 20 }),
    relevance_score: fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100),
    interruption_level: fc.constantFrom('passive', 'critical'),
    own: readableJson({ maxDepth: 2 }),
  },
  { requiredKeys: ['alert'] },
);

const validBody = fc.record({
  notification: fc.record(
    {
      to: fc.oneof(fc.constant('*'), fc.array(validFilter, { minLength: 1, maxLength: 3 })),
      payload: validPayload,
      time_to_live: fc.integer({ min: 0, max: 2_419_200 }),
      priority: fc.constantFrom('high', 'normal'),
      dry_run: fc.boolean(),
    },
    { requiredKeys: ['to', 'payload'] },
  ),
});

/** One thing in a valid body replaced, added or taken away, anywhere. */
const mutatedBody = fc
  .tuple(validBody, fc.nat(), anything, fc.constantFrom('replace', 'add', 'remove'), strangeText)
  .map(([body, at, value, change, key]) => {
    const copy: unknown = structuredClone(body);
    const spots = spotsOf(copy);
    const spot = spots[at % spots.length];
    if (spot === undefined) return value;
    if (change === 'remove') Reflect.deleteProperty(spot.parent, spot.key);
    else Reflect.set(spot.parent, change === 'add' && !Array.isArray(spot.parent) ? key : spot.key, value);
    return copy;
  });

const nearlyValidBody = fc.record({
  notification: fc.record(
    {
      to: fc.oneof(fc.array(filter, { maxLength: 3 }), anything),
      payload: fc.oneof(
        fc.dictionary(fc.oneof(strangeText, fc.constantFrom('alert', 'badge', 'aps', '_st')), anything),
        validPayload,
      ),
      deliver_at: fc.oneof(fc.date().map(String), mathDate, anything),
      max_recipients: anything,
    },
    { requiredKeys: ['to', 'payload'] },
  ),
});

const bodyText = fc.oneof(
  { weight: 3, arbitrary: validBody.map(withLiterals) },
  { weight: 4, arbitrary: mutatedBody.map(withLiterals) },
  { weight: 4, arbitrary: nearlyValidBody.map(withLiterals) },
  { weight: 1, arbitrary: anything.map(withLiterals) },
  // A piece cut out of a valid text: mostly no JSON at all.
  {
    weight: 2,
    arbitrary: fc
      .tuple(validBody.map(withLiterals), fc.nat(), fc.integer({ min: 1, max: 3 }))
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
