/** The days of the calendar, and the log in words. */
import { expect, test } from 'vitest';
import { runsOf, wordsOf } from '../src/screens/audit/words.ts';
import { byDay, clockOf, dayAfter, monthAfter, weeksOf } from '../src/screens/notifications/calendar/days.ts';

const entry = {
  notification_id: 'n',
  kind: 'notification',
  until: '2026-12-24T08:00:00.000Z',
  time_zones: [],
  title: null,
  alert: null,
  audience: { id: 'a', name: 'All devices' },
  devices: null,
} as const;

function change(id: string, action: string, by: string) {
  const none = {
    object_id: null,
    object_name: null,
    before: null,
    after: null,
    address: null,
    request_id: null,
  };
  return { id, at: entry.until, by: { kind: 'user', id: by, name: by } as const, action, ...none };
}

test.each([
  ['2027-02', 4, '2027-02-01', '2027-02-28'],
  ['2026-12', 5, '2026-11-30', '2027-01-03'],
  ['2026-08', 6, '2026-07-27', '2026-09-06'],
])('the weeks of %s are %i, from a Monday to a Sunday', (month, count, first, last) => {
  const weeks = weeksOf(month);
  expect(weeks).toHaveLength(count);
  expect([weeks[0]?.[0], weeks.at(-1)?.[6]]).toEqual([first, last]);
  expect(new Set(weeks.flat()).size).toBe(7 * count); // also where a day has 23 or 25 hours
});

test('a step over the end of a month or a year leads to the next', () => {
  expect(dayAfter('2026-12-31', 1)).toBe('2027-01-01');
  expect(dayAfter('2026-03-01', -1)).toBe('2026-02-28');
  expect([monthAfter('2026-12', 1), monthAfter('2027-01', -1)]).toEqual(['2027-01', '2026-12']);
});

test('what is sent at a local time is due on that day, and what began before the month on its first', () => {
  const local = { ...entry, at: '2026-12-23T19:00:00.000Z', local_time: '2026-12-24T09:00:00' };
  const early = { ...entry, at: '2026-11-29T10:00:00.000Z', local_time: null };
  const days = byDay([local, early], '2026-11-30');
  expect([...days]).toEqual([
    ['2026-12-24', [local]],
    ['2026-11-30', [early]],
  ]);
  expect(clockOf(local)).toBe('09:00 local');
});

test.each([
  ['device.registered', 1, 'registered a device'],
  ['device.registered', 12, 'registered 12 devices'],
  ['key.created', 3, 'created 3 API keys'],
  ['console_user.role_changed', 4, 'changed the role of 4 console users'],
  ['device.open_reported', 5, 'reported the open of 5 pushes'],
  ['credentials.set', 3, 'stored credentials 3 times'],
  ['something.new', 1, 'something.new'],
])('a change in the log has words: %s, %i times, is "%s"', (action, count, words) => {
  expect(wordsOf(action, count)).toBe(words);
});

test('a run of the log ends with another action or another author', () => {
  const entries = [
    change('1', 'device.registered', 'jo'),
    change('2', 'device.registered', 'jo'),
    change('3', 'device.registered', 'max'),
    change('4', 'device.erased', 'max'),
  ];
  expect(runsOf(entries).map((run) => run.map(({ id }) => id))).toEqual([['1', '2'], ['3'], ['4']]);
});
