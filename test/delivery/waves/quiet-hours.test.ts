import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { quietUntil } from '../../../src/delivery/waves/moments.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openWaveApp, type WaveApp } from './wave-app.ts';
import { agreedZones, offsetMs } from './zone-transitions.ts';
import { runs } from '../../support/runs.ts';

const database = useTestDatabase();
let app: WaveApp;

beforeEach(async () => {
  // 13:00 in Berlin, 21:00 in Tokyo, 23:00 in Sydney, 07:00 in New York.
  app = await openWaveApp(database.db, new Date('2026-12-21T12:00:00Z'));
});

const NIGHT = { from: '22:00', to: '08:00', no_time_zone: 'Europe/Berlin' };

test('a notification holds a device in its quiet hours until they end, and sends to the others at once', async () => {
  const ids = await app.addDevices(['Europe/Berlin', 'Australia/Sydney', 'America/New_York', null]);
  const id = await app.send({ quiet_hours: NIGHT });
  expect(app.sent.map(({ deviceId }) => ids.indexOf(deviceId)).toSorted((one, other) => one - other)).toEqual(
    [0, 3],
  );
  expect(await app.read(id)).toMatchObject({ state: 'sending', accepted: 2, pending: 2, held: 2 });
  await app.workThrough(id);
  expect(app.sentTo(ids).slice(2)).toEqual([
    [2, '2026-12-21T13:00:00.000Z'],
    [1, '2026-12-21T21:00:00.000Z'],
  ]);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 4, held: 0 });
});

test('a notification drops a device in its quiet hours if the rule says so', async () => {
  const [, night] = await app.addDevices(['Europe/Berlin', 'Australia/Sydney']);
  const id = await app.send({ quiet_hours: { ...NIGHT, action: 'drop' } });
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1, dropped: 1 });
  expect(await app.outcomeOf(id, night)).toMatchObject({ outcome: 'dropped', reason: 'quiet_hours' });
});

test('a device that would be held for longer than the time to live is recorded as expired', async () => {
  await app.addDevices(['Europe/Berlin', 'Australia/Sydney', 'America/New_York']);
  const id = await app.create({ quiet_hours: NIGHT, time_to_live: 3_600 });
  await app.workThrough(id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 2, expired: 1 });
});

test('a device without a time zone has no quiet hours with "ignore"', async () => {
  app.setTime('2026-12-21T23:00:00Z');
  await app.addDevices([null, 'GMT+3', 'Europe/Berlin']);
  const id = await app.send({ quiet_hours: { ...NIGHT, no_time_zone: 'ignore' } });
  expect(await app.read(id)).toMatchObject({ accepted: 2, held: 1 });
});

test('the quiet hours of the app apply, unless the notification has its own or ignores them', async () => {
  const [device] = await app.addDevices(['Australia/Sydney']);
  const to = { device_id: device };
  const held = await app.create({ to }, NIGHT);
  const ignoring = await app.create({ to, quiet_hours: 'ignore' }, NIGHT);
  const own = await app.create({ to, quiet_hours: { ...NIGHT, from: '01:00' } }, NIGHT);
  for (const id of [held, ignoring, own]) await app.work(id);
  expect(await app.read(held)).toMatchObject({ state: 'sending', held: 1 });
  expect(await app.read(ignoring)).toMatchObject({ state: 'sent', accepted: 1 });
  expect(await app.read(own)).toMatchObject({ state: 'sent', accepted: 1 });
});

test('devices that were held are sent to evenly within release_over', async () => {
  await app.addDevices(Array.from({ length: 30 }, () => 'Australia/Sydney'));
  const id = await app.send({ quiet_hours: { ...NIGHT, release_over: 'PT15M' } });
  await app.workAt('2026-12-21T21:00:00Z', id);
  expect(app.sent.length).toBeLessThan(10);
  await app.workAt('2026-12-21T21:07:30Z', id);
  expect(app.sent.length).toBeGreaterThan(5);
  expect(app.sent.length).toBeLessThan(25);
  await app.workAt('2026-12-21T21:15:00Z', id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 30 });
});

test('a local time in the quiet hours is held as well', async () => {
  await app.addDevices(['Europe/Berlin']);
  const id = await app.create({
    deliver_at_local: { time: '2026-12-24T06:00:00', no_time_zone: 'skip' },
    quiet_hours: NIGHT,
  });
  await app.workThrough(id, '2026-12-23T16:00:00Z');
  expect(app.sent).toMatchObject([{ at: new Date('2026-12-24T07:00:00Z') }]);
});

test.each([
  ['in the evening', '2026-12-21T22:30:00', '2026-12-22T08:00:00'],
  ['at the beginning', '2026-12-21T22:00:00', '2026-12-22T08:00:00'],
  ['after midnight', '2026-12-22T00:30:00', '2026-12-22T08:00:00'],
  ['just before the end', '2026-12-22T07:59:59', '2026-12-22T08:00:00'],
  ['at the end', '2026-12-22T08:00:00', null],
  ['in the afternoon', '2026-12-21T15:00:00', null],
  ['in the night to Saturday, which is not among the days', '2026-12-26T03:00:00', null],
])('quiet hours hold a push at the right moments: %s', async (_when, at, until) => {
  const hours = { from: '22:00', to: '08:00', days: [1, 2, 3, 4] };
  const asked = [{ at: new Date(`${at}Z`), zone: 'UTC', hours }];
  expect(await quietUntil(database.db, asked)).toEqual([until === null ? null : new Date(`${until}Z`)]);
});

test('no push leaves in any quiet hours of any zone at any moment, and none is held past their end', async () => {
  const zones = await agreedZones(database.db);
  const minutes = fc.integer({ min: 0, max: 24 * 60 - 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(2025, 0, 1) / 60_000, max: Date.UTC(2030, 11, 31) / 60_000 }),
      minutes,
      minutes,
      async (zone, minute, from, to) => {
        fc.pre(from !== to);
        const at = new Date(minute * 60_000);
        const hours = { from: clockText(from), to: clockText(to), days: [1, 2, 3, 4, 5, 6, 7] };
        const [until] = await quietUntil(database.db, [{ at, zone, hours }]);
        const isQuiet = (moment: Date): boolean => isWithin(minuteOf(zone, moment), from, to);
        expect(until !== null).toBe(isQuiet(at));
        if (until === null || until === undefined) return;
        expect(until > at).toBe(true);
        expect(until.getTime() - at.getTime()).toBeLessThanOrEqual(26 * 3_600_000);
        // At a change of the clock the end may come twice, or not at all.
        const hasChange = offsetMs(zone, at.getTime()) !== offsetMs(zone, until.getTime());
        if (!hasChange) expect(isQuiet(until)).toBe(false);
        if (!hasChange) expect(isQuiet(new Date(until.getTime() - 60_000))).toBe(true);
      },
    ),
    { numRuns: runs(100) },
  );
}, 60_000);

function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function minuteOf(zone: string, at: Date): number {
  return (((at.getTime() + offsetMs(zone, at.getTime())) / 60_000) % 1_440) | 0;
}

function isWithin(minute: number, from: number, to: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
