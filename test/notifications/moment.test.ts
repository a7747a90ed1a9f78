import { expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { durationMs } from '../../src/time/duration.ts';
import { parseRequest } from '../../src/notifications/request.ts';

const NOW = new Date('2026-11-24T12:00:00Z');

function parse(keys: object) {
  return parseRequest({ notification: { to: '*', payload: { alert: 'Hi' }, ...keys } }, NOW);
}

function faultsOf(keys: object): unknown {
  try {
    parse(keys);
  } catch (error) {
    if (error instanceof ApiError) return error.details;
    throw error;
  }
  return undefined;
}

const local = { time: '2026-12-01T09:00:00', no_time_zone: 'Europe/Berlin' };

test('a local time is planned when the first clocks show it', () => {
  expect(parse({ deliver_at_local: { ...local, time: '2026-12-01T09:00' } })).toMatchObject({
    deliverAt: new Date('2026-11-30T19:00:00Z'),
    moment: {
      local: { time: '2026-12-01T09:00:00', noTimeZone: 'Europe/Berlin', ifPast: 'now' },
      spreadMs: 0,
    },
  });
});

test('a notification without a local time or spread_over has no moment', () => {
  expect(parse({ deliver_at: '2026-12-01T09:00:00Z' }).moment).toBeNull();
});

test('spread_over keeps the moment of deliver_at', () => {
  expect(parse({ deliver_at: '2026-12-01T09:00:00Z', spread_over: 'PT30M' }).moment).toEqual({
    dueAt: '2026-12-01T09:00:00.000Z',
    spreadMs: 1_800_000,
  });
});

test.each([
  [{ time: '2026-12-01T09:00:00Z' }, 'time', 'without an offset'],
  [{ time: '2026-02-30T09:00:00' }, 'time', 'local time'],
  [{ time: '2027-01-01T09:00:00' }, 'time', '30 days'],
  [{ time: '2026-11-23T23:59:59' }, 'time', 'over in every'],
  [{ no_time_zone: undefined }, 'no_time_zone', 'or "skip"'],
  [{ no_time_zone: 'GMT+3' }, 'no_time_zone', 'Etc/GMT-3'],
  [{ if_past: 'later' }, 'if_past', 'next_day'],
])('a local time with %j is refused at its key %s: %s', (keys, path, message) => {
  expect(faultsOf({ deliver_at_local: { ...local, ...keys } })).toEqual([
    { path: `notification.deliver_at_local.${path}`, message: expect.stringContaining(message) },
  ]);
});

test.each([
  [
    { deliver_at: '2026-12-01T09:00:00Z', deliver_at_local: local },
    'deliver_at_local',
    'together with deliver_at',
  ],
  [{ spread_over: 30 }, 'spread_over', 'PT30M'],
  [{ spread_over: 'PT' }, 'spread_over', 'PT30M'],
  [{ spread_over: 'P2D' }, 'spread_over', 'P1D'],
])('a moment of %j is refused at %s: %s', (keys, path, message) => {
  expect(faultsOf(keys)).toEqual([
    { path: `notification.${path}`, message: expect.stringContaining(message) },
  ]);
});

test.each([
  ['PT30M', 1_800_000],
  ['P1DT12H', 129_600_000],
  ['PT1H30S', 3_630_000],
  ['P', undefined],
  ['PT', undefined],
  ['P1DT', undefined],
  ['P1M', undefined],
  ['30', undefined],
])('the duration %s is parsed or refused', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
