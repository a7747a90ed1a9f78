import { describe, expect, test } from 'vitest';
import { type Circumstances, limitOf, type Surroundings } from '../../src/results/report/speed-limit.ts';
import type { Route } from '../../src/route.ts';

const now = new Date('2026-11-21T10:00:00Z');
const later = new Date('2026-11-21T10:01:00Z');
const around: Surroundings = {
  now,
  fcmPushesPerMinute: 600_000,
  troubles: [],
  routes: ['apns_production', 'apns_sandbox', 'fcm'],
};
const sending: Circumstances = {
  state: 'sending',
  due_at: now,
  perSecond: 5_000,
  nextWaveAt: null,
  slices: { leased: 6, careful: 0, due: 44, waitsFor: [], nextAtMs: null },
  pausedRoutes: [],
  allowance: null,
  refilledAt: null,
  pausedUntil: null,
};
const noSlices = { leased: 0, careful: 0, due: 0, waitsFor: [], nextAtMs: null };
const fullBucket = { allowance: 9_750, refilledAt: now };
const emptyBucket = { ...fullBucket, allowance: -300 };
const full = {
  code: 'disk_full',
  what: 'The disk of the database is full.',
  effect: 'Nothing is sent.',
  route: null,
} as const;
const silent = {
  code: 'gateway_silent',
  what: 'Google takes pushes and answers none of them.',
  effect: 'Its devices wait.',
  route: 'fcm',
} as const;
const noWorker = { ...full, code: 'no_worker', what: 'No worker is running.' } as const;
const paused = [{ route: 'apns_production' as const, reason: 'credentials are refused (Forbidden)' }];

function codeOf(of: Partial<Circumstances>, surroundings: Partial<Surroundings> = {}): string | undefined {
  return limitOf({ ...sending, ...of }, { ...around, ...surroundings })?.code;
}

describe('the limit of a notification', () => {
  test.each<[string, Partial<Circumstances>, string]>([
    ['is its time, before it is due', { state: 'scheduled', due_at: later, slices: null }, 'scheduled'],
    ['is a worker, when it is due', { state: 'scheduled', slices: null }, 'waiting_for_worker'],
    ['is the answers, while slices are sent', {}, 'gateway_answers'],
    ['is the answers, while the bucket is nearly full', fullBucket, 'gateway_answers'],
    ['is the answers, without slices', { slices: null, perSecond: null }, 'gateway_answers'],
    [
      'is a worker, if none has a slice',
      { slices: { ...noSlices, due: 2 }, perSecond: 0 },
      'waiting_for_worker',
    ],
    [
      'is no worker between two slices',
      { slices: { ...noSlices, due: 2 }, perSecond: 400 },
      'gateway_answers',
    ],
    [
      'is the next attempt',
      { slices: { ...noSlices, nextAtMs: later.getTime() }, perSecond: null },
      'retrying',
    ],
    ['is the quota, while the bucket is empty', emptyBucket, 'google_quota'],
    [
      'is not a quota that was used up a second ago',
      { ...emptyBucket, refilledAt: new Date(now.getTime() - 1_000) },
      'gateway_answers',
    ],
    ['is Google’s pause', { ...fullBucket, pausedUntil: later }, 'gateway_paused'],
    ['is not a pause that is over', { ...fullBucket, pausedUntil: now }, 'gateway_answers'],
    [
      'is a paused route that slices wait for',
      { pausedRoutes: paused, slices: { ...noSlices, waitsFor: ['apns_production'] } },
      'route_paused',
    ],
    [
      'is the care after a death, if all slices in progress had a process that died',
      { slices: { ...noSlices, leased: 2, careful: 2 }, perSecond: 40 },
      'sent_carefully',
    ],
    [
      'is not the care after a death, while other slices are sent too',
      { slices: { ...noSlices, leased: 2, careful: 1 }, perSecond: 400 },
      'gateway_answers',
    ],
    ['is not a paused route that no slice waits for', { pausedRoutes: paused }, 'gateway_answers'],
  ])('the limit of a notification %s', (_name, of, code) => {
    expect(codeOf(of)).toBe(code);
  });

  test.each(['sent', 'canceled', 'failed', 'validated'] as const)(
    'a notification that is %s has no limit',
    (state) => {
      expect(codeOf({ state })).toBeUndefined();
    },
  );

  test('a full disk is the limit before all else', () => {
    expect(codeOf({ ...fullBucket, pausedUntil: later }, { troubles: [full] })).toBe('disk_full');
  });

  test('the limit says the quota in numbers, and until when a pause holds', () => {
    expect(limitOf({ ...sending, ...emptyBucket }, around)).toEqual({
      code: 'google_quota',
      sentence:
        'Google’s quota: 10,000 pushes per second (600,000 per minute) for all apps of this Firebase project.',
      until: null,
    });
    expect(limitOf({ ...sending, ...fullBucket, pausedUntil: later }, around)?.until).toEqual(
      later.toISOString(),
    );
  });

  test('the limit says why a route is paused, and whether the others go on', () => {
    const slices = { ...noSlices, waitsFor: ['apns_production' as const] };
    const sentence = 'Apple is paused: credentials are refused (Forbidden).';
    const of = { ...sending, pausedRoutes: paused };
    expect(limitOf({ ...of, slices }, around)?.sentence).toBe(sentence);
    expect(limitOf({ ...of, slices: { ...slices, leased: 1 } }, around)?.sentence).toBe(
      `${sentence} The other devices are sent to meanwhile.`,
    );
  });

  test('no device is sent to meanwhile if every route of the app is paused', () => {
    const of = {
      ...sending,
      pausedRoutes: [...paused, { route: 'fcm' as const, reason: 'tokens are refused' }],
      slices: { ...noSlices, due: 1, leased: 1, waitsFor: ['apns_production', 'fcm'] as const },
    };
    const sentences =
      'Apple is paused: credentials are refused (Forbidden). Google is paused: tokens are refused.';
    expect(limitOf(of, { ...around, routes: ['apns_production', 'fcm'] })?.sentence).toBe(sentences);
  });

  test.each<[string, Partial<Circumstances>]>([
    ['nothing moves', { perSecond: 0 }],
    ['nothing has been measured', { perSecond: null }],
  ])('a gateway in trouble is the limit while %s', (_name, of) => {
    expect(limitOf({ ...sending, ...of }, { ...around, troubles: [silent] })).toMatchObject({
      code: 'gateway_trouble',
      sentence: silent.what,
    });
  });

  test('a notification waits for a worker while none runs, whatever its state', () => {
    const without = { ...around, troubles: [noWorker] };
    for (const its of [{ state: 'scheduled', slices: null }, { perSecond: 0 }] as const) {
      expect(limitOf({ ...sending, ...its }, without)).toMatchObject({
        code: 'waiting_for_worker',
        sentence: 'No worker is running.',
      });
    }
  });

  test('the limit does not say that no pause holds it back while a route is paused, or a gateway is in trouble', () => {
    expect(limitOf({ ...sending, pausedRoutes: paused }, around)?.sentence).toBe(
      'The answers of Apple and Google and the speed of this server. Apple is paused: credentials are refused (Forbidden).',
    );
    expect(limitOf(sending, { ...around, troubles: [silent] })?.sentence).toBe(
      `The answers of Apple and Google and the speed of this server. ${silent.what}`,
    );
  });

  test.each<[readonly Route[] | undefined, RegExp]>([
    [['apns_production', 'apns_sandbox'], /^Apple’s answers and/],
    [['fcm'], /^Google’s answers and/],
    [['apns_production', 'fcm'], /^The answers of Apple and Google and/],
    [undefined, /^The answers of Apple and Google and/],
    [[], /^The gateway’s answers and/],
  ])('the limit names the gateways of the routes %j', (routes, sentence) => {
    expect(limitOf(sending, { ...around, routes })?.sentence).toMatch(sentence);
  });
});
