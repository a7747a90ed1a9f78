import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import {
  groupAt,
  HOLD_OUT,
  positionOf,
  sharesOf,
} from '../../../src/notifications/content/assign-variant.ts';
import { perDeviceOf } from '../../../src/notifications/content/per-device.ts';
import { versionsOf } from '../../../src/notifications/content/payload-versions.ts';
import { parseContent } from '../../../src/notifications/message.ts';
import { parseRequest } from '../../../src/notifications/request.ts';

const ID = '6f3f1c52-0a1f-4a43-9d56-0d1c2b3a4f50';
const NOW = new Date('2026-11-21T09:30:00Z');
const payload = { title: 'Sale', alert: 'Everything must go', url: 'app://sale' };
const variants = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 1, payload: { title: 'Half price', url: null } },
];

function contentOf(notification: object) {
  return parseContent(JSON.stringify({ to: '*', payload, ...notification }));
}

/** @returns the paths and messages of the faults; empty if the request is valid */
function faultsOf(notification: object): string[] {
  try {
    parseRequest({ notification: { to: '*', payload, ...notification } }, NOW);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return (error.details ?? []).map(({ path, message }) => `${path} ${message}`);
  }
}

describe('the position of a subject', () => {
  // Anyone can compute these again: the first 6 bytes of SHA-256, as a share of 2^48. They must never change.
  test.each([
    ['user user-17', { deviceId: randomUUID(), userId: 'user-17' }, 0.9074],
    ['a device', { deviceId: '2a86153d-e332-49e6-83fd-646951a710e4', userId: null }, 0.7367],
  ])('the position of %s never changes', (_, subject, position) => {
    expect(positionOf(ID, subject)).toBeCloseTo(position, 4);
  });

  test('the position of a device depends on the experiment, and not on the notification', () => {
    const subject = { deviceId: randomUUID(), userId: 'user-17' };
    expect(positionOf('spring', subject)).not.toBe(positionOf('autumn', subject));
    const ofExperiment = (id: string) =>
      perDeviceOf(contentOf({ variants, experiment: 'spring' }), id)?.groupOf?.(subject.deviceId, [
        'user-17',
      ]);
    expect(ofExperiment(randomUUID())).toBe(ofExperiment(randomUUID()));
  });
});

describe('groups', () => {
  test('all devices of a user are in one group, a device without a user in its own, always in the same', () => {
    const groupOf = perDeviceOf(contentOf({ variants, hold_out: 0.2 }), ID)?.groupOf;
    const devices = Array.from({ length: 50 }, () => randomUUID());
    expect(new Set(devices.map((id) => groupOf?.(id, ['user-17']))).size).toBe(1);
    const alone = devices.map((id) => groupOf?.(id, [null]));
    expect(new Set(alone)).toEqual(new Set(['A', 'B', HOLD_OUT]));
    expect(devices.map((id) => groupOf?.(id, [null]))).toEqual(alone);
    expect(devices.map((id) => groupOf?.(id, ['']))).toEqual(alone);
  });

  test.each([
    [[1, 1], 0],
    [[1, 1], 0.1],
    [[9, 1], 0.5],
    [[1, 2, 3, 4, 5, 6, 7, 8], 0.05],
    [[1000, 1], 0],
  ])('the weights %j and a hold-out of %d are honoured', (weights, holdOut) => {
    const groups = { variants: weights.map((weight, index) => ({ name: `v${index}`, weight })), holdOut };
    const devices = 40_000;
    const numbers = new Map<string, number>();
    for (let number = 0; number < devices; number++) {
      const group = groupAt(positionOf(ID, { deviceId: '', userId: `user-${number}` }), groups);
      numbers.set(group, (numbers.get(group) ?? 0) + 1);
    }
    // The subjects are fixed, so this has one result. The bound is the 99.99th percentile of chi-square with 8 degrees.
    const chiSquare = sharesOf(groups).reduce((sum, { name, share }) => {
      const expected = share * devices;
      return sum + ((numbers.get(name) ?? 0) - expected) ** 2 / expected;
    }, 0);
    expect(chiSquare).toBeLessThan(31.8);
  });

  test('every position has a group, in the order of the groups, and shares add up', () => {
    const groups = fc.record({
      variants: fc
        .array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 8 })
        .map((weights) => weights.map((weight, index) => ({ name: `v${index}`, weight }))),
      holdOut: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(groups, position, position, (given, one, other) => {
        const order = [HOLD_OUT, ...given.variants.map(({ name }) => name)];
        const [low, high] = [Math.min(one, other), Math.max(one, other)].map((at) =>
          order.indexOf(groupAt(at, given)),
        );
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeGreaterThanOrEqual(low ?? 0);
        expect(sharesOf(given).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
      }),
      { seed: 30 },
    );
  });
});

function payloadOf(notification: object, group: string, locale?: string): object | undefined {
  return perDeviceOf(contentOf(notification), ID)?.choose([null, locale ?? null], group).version.payload;
}

describe('what a variant changes', () => {
  test('a key of a variant replaces that of the payload, null removes it, and the others stay', () => {
    expect(payloadOf({ variants }, 'A')).toEqual(payload);
    expect(payloadOf({ variants }, 'B')).toEqual({ title: 'Half price', alert: 'Everything must go' });
  });

  test('an object in a variant replaces that of the payload as a whole, and is not merged', () => {
    const changed = [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, payload: { order: { id: 2 } } },
    ];
    const order = { id: 1, lines: 3 };
    const notification = { payload: { ...payload, order }, variants: changed };
    expect(payloadOf(notification, 'B')).toEqual({ ...payload, order: { id: 2 } });
  });

  test('translations come before the payload, those of the variant before those of the notification', () => {
    const notification = {
      localized: { fr: { title: 'Soldes', alert: 'Tout doit disparaître' } },
      variants: [
        { name: 'A', weight: 1 },
        {
          name: 'B',
          weight: 1,
          payload: { title: 'Half price' },
          localized: { FR: { title: 'Moitié prix' }, de: { title: 'Halber Preis' } },
        },
      ],
    };
    expect(faultsOf(notification)).toEqual([]);
    expect(payloadOf(notification, 'A', 'fr_CA')).toMatchObject({
      title: 'Soldes',
      alert: 'Tout doit disparaître',
    });
    expect(payloadOf(notification, 'B', 'fr_CA')).toMatchObject({
      title: 'Moitié prix',
      alert: 'Tout doit disparaître',
    });
    expect(payloadOf(notification, 'B', 'de')).toMatchObject({ title: 'Halber Preis' });
    expect(payloadOf(notification, 'A', 'de')).toMatchObject({ title: 'Sale' });
    expect(payloadOf(notification, 'B', 'en')).toMatchObject({ title: 'Half price' });
  });

  test('templates fill in the texts of each variant', () => {
    const notification = {
      template: { on_missing: 'skip' },
      variants: [
        { name: 'A', weight: 1 },
        { name: 'B', weight: 1, payload: { title: 'For {{ custom.first_name }}' } },
      ],
    };
    const perDevice = perDeviceOf(contentOf(notification), ID);
    const values = (name: string | null) =>
      perDevice?.facts.map((fact) => ('custom' in fact && fact.custom === 'first_name' ? name : null));
    expect(perDevice?.choose(values('Ada'), 'B').own).toMatchObject({ title: 'For Ada' });
    expect(perDevice?.choose(values('Ada'), 'A').own).toMatchObject({ title: 'Sale' });
    expect(perDevice?.choose(values(null), 'B').dropped).toBe('missing_attribute');
    expect(perDevice?.choose(values(null), 'A').dropped).toBeUndefined();
  });

  test('a device gets one of the versions that creation has checked, whatever its variant changes', () => {
    const key = fc.constantFrom('title', 'alert', 'url', 'x');
    const value = fc.oneof(fc.constant(null), fc.string({ maxLength: 5 }));
    const changes = fc.dictionary(key, value, { minKeys: 1 });
    const variant = fc.record({
      payload: changes,
      localized: fc.dictionary(fc.constantFrom('fr', 'de'), changes, { minKeys: 1 }),
    });
    fc.assert(
      fc.property(
        variant,
        fc.dictionary(fc.constantFrom('fr', 'DE'), changes, { minKeys: 1 }),
        fc.uuid(),
        (b, localized, id) => {
          const content = contentOf({
            localized,
            variants: [
              { name: 'A', weight: 1 },
              { name: 'B', weight: 2, ...b },
            ],
          });
          const perDevice = perDeviceOf(content, ID);
          const checked = versionsOf(content);
          for (const locale of ['fr_FR', 'de_AT', 'en', null]) {
            const group = perDevice?.groupOf?.(id, [null, locale]);
            const { version } = perDevice?.choose([null, locale], group) ?? {};
            expect(checked).toContainEqual(version);
            expect(version?.variant).toBe(group);
          }
        },
      ),
      { seed: 30 },
    );
  });
});

const other = { name: 'B', weight: 1 };
const list = 'variants must be a list of 2 to 8 variants';
const nameRule =
  'must be 1 to 32 letters, digits, hyphens or underscores, and begin with a letter or a digit';
const weightRule = 'weight must be a whole number from 1 to 1000';
const fr = { title: 'x' };

test.each<[keys: object, fault: string]>([
  [{ name: undefined }, `name ${nameRule}`],
  [{ name: 'a b' }, `name ${nameRule}`],
  [{ name: 'Hold_Out' }, 'name must not be hold_out, which names the hold-out'],
  [{ name: 'b' }, 'name is the name of an earlier variant'],
  [{ weight: undefined }, weightRule],
  [{ weight: 0 }, weightRule],
  [{ weight: 0.5 }, weightRule],
  [{ title: 'x' }, 'title is not a known key'],
  [{ payload: 'x' }, 'payload must be an object'],
  [{ payload: { badge: -1 } }, 'payload.badge'],
  [{ payload: { _nid: 'x' } }, 'payload._nid'],
  [{ payload: { _nid: null } }, 'payload._nid is a reserved key'],
  [{ payload: { title: null, alert: null, url: null } }, 'payload must have at least one key'],
  [
    { localized: { english: fr } },
    'localized.english has a name that is not a language tag such as fr, fr-CA or zh-Hant',
  ],
  [{ localized: { fr, FR: { title: 'y' } } }, 'localized.FR is the same locale as fr'],
])('creation refuses a second variant with %j', (keys, fault) => {
  expectFault({ variants: [other, { name: 'A', weight: 1, ...keys }] }, `variants[1].${fault}`);
});

const both = { variants: [other, { name: 'A', weight: 1 }] };
const holdOutRule = 'hold_out must be a number above 0 and below 1';

test.each<[string, object, string]>([
  ['no list of variants', { variants: {} }, list],
  ['one variant', { variants: [other] }, list],
  [
    'nine variants',
    { variants: Array.from({ length: 9 }, (_, at) => ({ name: `v${at}`, weight: 1 })) },
    list,
  ],
  [
    'the key of receipts in a variant',
    { receipts: {}, variants: [other, { name: 'A', weight: 1, payload: { _rcpt: 1 } }] },
    'variants[1].payload._rcpt is a reserved key if receipts is set',
  ],
  [
    'a wrong template in a variant',
    { template: true, variants: [other, { name: 'A', weight: 1, payload: { title: '{{ nonsense' } }] },
    'variants[1].payload.title',
  ],
  [
    'an untranslated change in a variant',
    { localized: { fr }, variants: [other, { name: 'A', weight: 1, payload: { title: 'x' } }] },
    'variants[1].localized.fr.title must be given, because the variant changes title and notification.localized translates it',
  ],
  ['a hold-out of 0', { ...both, hold_out: 0 }, holdOutRule],
  ['a hold-out of 1', { ...both, hold_out: 1 }, holdOutRule],
  ['a hold-out alone', { hold_out: 0.5 }, 'hold_out needs variants'],
  ['an experiment alone', { experiment: 'spring' }, 'experiment needs variants'],
  [
    'too many payloads',
    {
      variants: Array.from({ length: 8 }, (_, at) => ({ name: `v${at}`, weight: 1 })),
      localized: Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`fr-${String(at).padStart(3, '0')}`, { x: 1 }]),
      ),
    },
    'variants make 248 payloads with their translations; at most 200 are allowed',
  ],
])('creation refuses %s', (_, notification, fault) => expectFault(notification, fault));

function expectFault(notification: object, fault: string): void {
  const faults = faultsOf(notification);
  expect(
    faults.some((each) => each.startsWith(`notification.${fault}`)),
    JSON.stringify(faults),
  ).toBe(true);
}
