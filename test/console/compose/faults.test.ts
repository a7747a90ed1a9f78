/** What stands against a draft, in the words of the form; the matrix of its texts; whom it reaches. */
import { describe, expect, test } from 'vitest';
import {
  emptyLanguages,
  withoutEmptyLanguages,
} from '../../../packages/console/src/screens/compose/draft/content-sections.ts';
import { faultsOf, matrixOf, mended } from '../../../packages/console/src/screens/compose/draft/faults.ts';
import type { JsonObject } from '../../../packages/console/src/screens/compose/draft/members.ts';
import { proposedLimit, reachOf } from '../../../packages/console/src/screens/compose/draft/variants.ts';
import { quickMoments } from '../../../packages/console/src/screens/compose/draft/times.ts';
import { parseContent } from '../../../src/notifications/message.ts';
import { warningsOf } from '../../../src/notifications/preview/warnings.ts';

const TEST = {
  to: '*',
  payload: { title: 'Sale' },
  localized: { fr: { title: 'Soldes' }, fr_CA: {} },
  variants: [
    { name: 'A', weight: 1 },
    { name: 'B', weight: 1, payload: { title: 'Half' } },
  ],
  receipts: {},
};

const inPart = (variant?: number, language?: string) => ({ variant, language });

/** The faults of a draft, with the server's own warnings about it. */
const ofDraft = (notification: JsonObject, details: { path: string; message: string }[] = []) =>
  faultsOf(notification, {
    refusal:
      details.length === 0
        ? undefined
        : { status: 422, code: 'invalid_request', error: 'It is refused', details },
    warnings: warningsOf(parseContent(JSON.stringify(withoutEmptyLanguages(notification)))),
  });

describe('faults of a draft', () => {
  test.each([
    ['notification.payload.badge', 'Badge must be less.', 'what', inPart()],
    ['notification.localized.fr.alert', 'Text in French must be less.', 'what', inPart(undefined, 'fr')],
    ['notification.variants[1].payload.title', 'Title in variant B must be less.', 'what', inPart(1)],
    ['notification.variants[0].weight', 'The weight of A must be less.', 'what', undefined],
    ['notification.localized.fr_CA', 'Canadian French must be less.', 'what', inPart(undefined, 'fr-CA')],
    ['notification.time_to_live', 'The time to live must be less.', 'when', undefined],
    ['notification.to[0].criteria', 'The choice of recipients must be less.', 'whom', undefined],
    ['notification.apns.thread_id', 'apns.thread_id must be less.', undefined, undefined],
    ['notification.payload.gcm', 'gcm must be less.', 'what', inPart()],
  ] as const)('a fault at %s is a sentence about a field of a step', (path, sentence, step, section) => {
    const [fault] = ofDraft({ ...TEST, localized: { fr: { title: 'Soldes' } } }, [
      { path, message: 'must be less.' },
    ]);
    expect(fault).toMatchObject({ kind: 'fault', sentence, step, section });
  });

  test('a new draft has no fault, but what is not written yet', () => {
    const details = [
      { path: 'notification.to', message: 'is required' },
      { path: 'notification.payload', message: 'must not be empty' },
    ];
    expect(ofDraft({ payload: {} }, details)).toMatchObject([
      { kind: 'open', sentence: 'Choose the recipients.', step: 'whom' },
      { kind: 'open', sentence: 'Write a title or a text.', step: 'what' },
    ]);
  });

  test('a language without a text stands against sending, and is left out of the preview', () => {
    expect(emptyLanguages(TEST)).toMatchObject([{ path: 'notification.localized.fr_CA', language: 'fr-CA' }]);
    expect(withoutEmptyLanguages(TEST)).toEqual({ ...TEST, localized: { fr: { title: 'Soldes' } } });
    expect(ofDraft(TEST)).toMatchObject([{ kind: 'open', sentence: 'Canadian French has no text yet.' }]);
  });

  test('warnings have a button that makes the edits of the server, until none is left', () => {
    const image = 'https://images.example.com/a.png';
    const same = { name: 'C', weight: 1, payload: { title: 'Half' } };
    let draft: JsonObject = {
      to: '*',
      payload: { title: 'Sale', image, 'a.b': null, a: { b: 1 } },
      variants: [...TEST.variants, same],
    };
    const pressed: string[] = [];
    for (let [fault] = ofDraft(draft); fault?.fix !== undefined; [fault] = ofDraft(draft)) {
      pressed.push(fault.fix.label);
      draft = fault.fix.mend(draft);
    }
    expect(pressed.toSorted()).toEqual([
      'Ask for receipts',
      'Leave it out',
      'Let the app load it',
      'Remove variant C',
    ]);
    expect(draft).toEqual({
      to: '*',
      payload: { title: 'Sale', image, a: { b: 1 }, mutable_content: true },
      variants: TEST.variants,
      receipts: {},
    });
    const [picture] = ofDraft({ to: '*', payload: { alert: 'Hi', image } });
    expect(picture).toMatchObject({ sentence: 'No iPhone shows the picture until the app may load it.' });
  });

  test('two variants that are the same are to differ, or there is no test', () => {
    const twins = {
      ...TEST,
      localized: undefined,
      variants: [
        { name: 'A', weight: 1 },
        { name: 'B', weight: 1 },
      ],
    };
    const [fault] = ofDraft(twins);
    expect(fault).toMatchObject({
      kind: 'warning',
      sentence: 'Both variants are the same: write the second one.',
      section: { variant: 1 },
      fix: { label: 'Send without a test', removes: 'the A/B test' },
    });
    expect(fault?.fix?.mend(twins)).toEqual({ to: '*', payload: { title: 'Sale' }, receipts: {} });
    expect(ofDraft({ ...twins, hold_out: 0.1 })[0]?.fix).toBeUndefined();
  });

  test('an edit of what is not there changes nothing', () => {
    const edits = [{ op: 'remove', path: 'notification.variants[7]' } as const];
    expect(mended(TEST, edits)).toEqual(TEST);
  });
});

/** The rows of the matrix: 'fr written empty fault' */
const states = (notification: JsonObject, faults = ofDraft(notification)) =>
  matrixOf(notification, faults)?.map((cells) =>
    [cells[0]?.section.language ?? 'default', ...cells.map(({ state }) => state)].join(' '),
  );

describe('the matrix of texts', () => {
  test('a content with one language and no variants has no matrix', () => {
    expect(matrixOf({ payload: { title: 'Sale' } }, [])).toBeUndefined();
  });

  test('a cell says whether it is written, and what is wrong with it', () => {
    expect(states(TEST)).toEqual([
      'default written empty written',
      'fr written empty empty',
      'fr-CA empty empty empty',
    ]);
    const details = [{ path: 'notification.variants[1].localized.fr.title', message: 'must be given' }];
    expect(states(TEST, ofDraft(TEST, details))?.[1]).toBe('fr written empty fault');
    const twins = { payload: { title: 'Sale' }, variants: [{ name: 'A' }, { name: 'B' }] };
    const warned = faultsOf(twins, {
      refusal: undefined,
      warnings: [
        { code: 'same_variants', path: 'notification.variants[1]', message: 'is the same', fix: null },
      ],
    });
    expect(states(twins, warned)).toEqual(['default written empty warning']);
  });
});

describe('whom a draft reaches', () => {
  test('devices without a token and those held out are not among those that get it', () => {
    const count = { device_count: 1_002, reachable_count: 938 };
    expect(reachOf({}, count)).toEqual({ devices: 938, isEstimate: false, withoutToken: 64, heldOut: 0 });
    const reach = reachOf({ ...TEST, hold_out: 0.1 }, count);
    expect(reach).toEqual({ devices: 844, isEstimate: true, withoutToken: 64, heldOut: 94 });
  });

  test('the limit that is proposed is a tenth above the count, and at least one', () => {
    expect([1, 40, 12_345].map(proposedLimit)).toEqual([2, 44, 13_580]);
  });

  test('moments that are often wanted are in the future, and no two are the same', () => {
    for (let hour = 0; hour < 7 * 24; hour++) {
      const now = Date.UTC(2026, 10, 23, hour, 30);
      const moments = quickMoments(now).map(({ local }) => new Date(local).getTime());
      expect(moments.every((moment) => moment > now)).toBe(true);
      expect(new Set(moments).size).toBe(moments.length);
    }
  });
});
