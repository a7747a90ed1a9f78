import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { timeZones } from '../../../src/time/time-zones.ts';
import { readLagMs } from '../../../src/delivery/upkeep/lag.ts';
import { cancelNotification } from '../../../src/notifications/cancel.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openWaveApp, type WaveApp } from './wave-app.ts';
import { agreedZones, momentByNode } from './zone-transitions.ts';
import { runs } from '../../support/runs.ts';

const database = useTestDatabase();
let app: WaveApp;

beforeEach(async () => {
  app = await openWaveApp(database.db, new Date('2026-12-20T12:00:00Z'));
});

const LOCAL = { time: '2026-12-24T09:00:00', no_time_zone: 'Europe/Berlin' };
const ZONES = ['Pacific/Kiritimati', 'Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Etc/GMT+12'];

describe('deliver_at_local', () => {
  test('deliver_at_local sends to each device when its clock shows the time', async () => {
    const ids = await app.addDevices(ZONES);
    const id = await app.create({ deliver_at_local: LOCAL });
    expect(await app.read(id)).toMatchObject({ state: 'scheduled', due_at: '2026-12-23T19:00:00.000Z' });
    await app.workThrough(id, '2026-12-23T19:00:00Z');
    expect(app.sentTo(ids)).toEqual([
      [0, '2026-12-23T19:00:00.000Z'],
      [1, '2026-12-24T00:00:00.000Z'],
      [2, '2026-12-24T08:00:00.000Z'],
      [3, '2026-12-24T14:00:00.000Z'],
      [4, '2026-12-24T21:00:00.000Z'],
    ]);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 5, held: 0 });
  });

  test('deliver_at_local shows its waves, and counts the devices that wait', async () => {
    await app.addDevices([...ZONES, null, 'GMT+3', 'Europe/Paris']);
    const id = await app.create({ deliver_at_local: LOCAL });
    expect((await app.read(id)).waves).toBeUndefined();
    await app.workAt('2026-12-23T19:00:00Z', id);
    await app.workAt('2026-12-24T00:00:01Z', id);
    const read = await app.read(id);
    expect(read).toMatchObject({ state: 'sending', devices: 8, accepted: 2, pending: 6, held: 6 });
    expect(read.waves).toMatchObject([
      { due_at: '2026-12-23T19:00:00.000Z', time_zones: ['Pacific/Kiritimati'], state: 'done' },
      { due_at: '2026-12-24T00:00:00.000Z', time_zones: ['Asia/Tokyo'], state: 'done' },
      {
        due_at: '2026-12-24T08:00:00.000Z',
        time_zones: ['Europe/Berlin', 'Europe/Paris'],
        devices: 4,
        without_time_zone: 2,
        state: 'waiting',
      },
      { due_at: '2026-12-24T14:00:00.000Z', devices: 1, state: 'waiting' },
      { due_at: '2026-12-24T21:00:00.000Z', devices: 1, state: 'waiting' },
    ]);
  });

  test('a device that changes its time zone meanwhile is sent to exactly once, in the wave of its old one', async () => {
    const [east, west, unknown] = await app.addDevices(['Asia/Tokyo', 'America/New_York', null]);
    const id = await app.create({ deliver_at_local: LOCAL });
    await app.workAt('2026-12-23T19:00:00Z', id);
    // From a wave that is yet to come into one that has been, and the other way round.
    await app.move(east ?? '', 'America/New_York');
    await app.move(west ?? '', 'Pacific/Kiritimati');
    await app.move(unknown ?? '', 'Asia/Tokyo');
    await app.workAt('2026-12-24T00:00:00Z', id);
    await app.move(east ?? '', null);
    await app.move(east ?? '', 'Asia/Tokyo');
    await app.workThrough(id);
    expect(app.sentTo([east, west, unknown])).toEqual([
      [0, '2026-12-24T00:00:00.000Z'],
      [2, '2026-12-24T08:00:00.000Z'],
      [1, '2026-12-24T14:00:00.000Z'],
    ]);
    expect(await app.read(id)).toMatchObject({ state: 'sent', devices: 3, accepted: 3 });
  });

  test.each([
    ['now', ['2026-12-24T12:00:00.000Z', '2026-12-24T14:00:00.000Z'], 0],
    ['skip', ['2026-12-24T14:00:00.000Z'], 1],
    ['next_day', ['2026-12-24T14:00:00.000Z', '2026-12-25T00:00:00.000Z'], 0],
  ])(
    'deliver_at_local with if_past %s sends to the right devices at the right time',
    async (if_past, times, dropped) => {
      await app.addDevices(['Asia/Tokyo', 'America/New_York']);
      app.setTime('2026-12-24T12:00:00Z');
      const id = await app.create({ deliver_at_local: { ...LOCAL, if_past } });
      await app.workThrough(id);
      expect(app.sent.map(({ at }) => at.toISOString())).toEqual(times);
      expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 2 - dropped, dropped });
    },
  );

  test('a local time is past if it was past when the notification was created, however late planning is', async () => {
    await app.addDevices(['Asia/Tokyo']);
    const id = await app.create({ deliver_at_local: { ...LOCAL, if_past: 'skip' } });
    await app.workAt('2026-12-24T05:00:00Z', id); // no worker was running
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1, dropped: 0 });
  });

  test('devices without a known time zone are left out with "skip", and their outcome says so', async () => {
    const [known, none, old] = await app.addDevices(['Asia/Tokyo', null, 'GMT+3']);
    const id = await app.create({ deliver_at_local: { ...LOCAL, no_time_zone: 'skip' } });
    await app.workThrough(id, '2026-12-23T19:00:00Z');
    expect(app.sent.map(({ deviceId }) => deviceId)).toEqual([known]);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1, dropped: 2 });
    for (const deviceId of [none, old]) {
      expect(await app.outcomeOf(id, deviceId)).toMatchObject({
        outcome: 'dropped',
        reason: 'no_time_zone',
      });
      const { causes } = await app.explain(id, deviceId);
      expect(causes[0]).toMatchObject({ code: 'left_out', sentence: expect.stringContaining('time_zone') });
    }
  });

  test('a cancel between two waves stops the waves that are left', async () => {
    const [first, , last] = await app.addDevices(['Pacific/Kiritimati', 'Asia/Tokyo', 'America/New_York']);
    const id = await app.create({ deliver_at_local: LOCAL });
    await app.workAt('2026-12-23T19:00:00Z', id);
    await cancelNotification(database.db, app.appId, id, { clock: app.clock, observe: observeNothing });
    await app.workThrough(id);
    expect(app.sent.map(({ deviceId }) => deviceId)).toEqual([first]);
    const read = await app.read(id);
    expect(read).toMatchObject({ state: 'canceled', accepted: 1, pending: 2, held: 0 });
    expect(read.waves?.map(({ state }) => state)).toEqual(['done', 'canceled', 'canceled']);
    expect(await app.outcomeOf(id, last)).toMatchObject({ outcome: 'pending' });
    await app.workAt('2026-12-26T00:00:00Z', id);
    const states = await database.db.selectFrom('notification_waves').select('state').execute();
    expect(states.filter(({ state }) => state === 'waiting')).toEqual([]);
  });

  test('the time to live counts from the moment of the wave', async () => {
    await app.addDevices(['Asia/Tokyo', 'America/New_York']);
    const id = await app.create({ deliver_at_local: LOCAL, time_to_live: 600 });
    await app.workAt('2026-12-23T19:00:00Z', id);
    await app.workAt('2026-12-24T00:09:00Z', id);
    await app.workAt('2026-12-24T14:11:00Z', id); // no worker was running in time
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1, rejected: 1 });
  });

  test('a wave that waits does not count as lag, and one that is due and has not started does', async () => {
    await database.db.deleteFrom('notifications').execute();
    await app.addDevices(['Asia/Tokyo']);
    const id = await app.create({ deliver_at_local: LOCAL });
    await app.workAt('2026-12-23T19:00:00Z', id);
    expect(await readLagMs(database.db, app.clock())).toBe(0);
    app.setTime('2026-12-24T00:01:00Z');
    expect(await readLagMs(database.db, app.clock())).toBe(60_000);
    await app.work(id);
    expect(await readLagMs(database.db, app.clock())).toBe(0);
  });

  test('a dry run stores its waves and sends nothing', async () => {
    await app.addDevices([...ZONES, null]);
    const id = await app.send({ deliver_at_local: LOCAL, dry_run: true });
    const read = await app.read(id);
    expect(read).toMatchObject({ state: 'validated', devices: 6, held: 0 });
    expect(read.waves).toHaveLength(5);
    expect(new Set(read.waves?.map(({ state }) => state))).toEqual(new Set(['planned']));
    await app.workAt('2026-12-26T00:00:00Z', id);
    expect(app.sent).toEqual([]);
  });

  test('max_recipients counts the devices of all waves', async () => {
    await app.addDevices(['Asia/Tokyo', 'America/New_York']);
    const id = await app.create({ deliver_at_local: LOCAL, max_recipients: 1 });
    await app.workAt('2026-12-24T00:00:00Z', id);
    expect(await app.read(id)).toMatchObject({ state: 'failed', rejected: 2 });
    expect(app.sent).toEqual([]);
  });

  test('the explanation says when the wave of a device is due', async () => {
    const [, west] = await app.addDevices(['Pacific/Kiritimati', 'America/New_York']);
    const id = await app.create({ deliver_at_local: LOCAL });
    await app.workAt('2026-12-23T19:00:00Z', id);
    await app.move(west ?? '', 'Pacific/Kiritimati');
    expect(await app.outcomeOf(id, west)).toMatchObject({ outcome: 'pending' });
    const { causes } = await app.explain(id, west);
    expect(causes[0]).toMatchObject({ code: 'waits_for_wave', at: '2026-12-24T14:00:00.000Z' });
  });

  test('an audience of one user has waves as well', async () => {
    const [one] = await app.addDevices(['Asia/Tokyo', 'Asia/Tokyo']);
    const id = await app.create({ to: { device_id: one }, deliver_at_local: LOCAL });
    await app.workAt('2026-12-23T19:00:00Z', id);
    expect(app.sent).toEqual([]);
    await app.workAt('2026-12-24T00:00:00Z', id);
    expect(app.sent).toMatchObject([{ deviceId: one }]);
  });
});

test('any devices in any zones, whatever changes meanwhile, are each sent to once, at the right moment', async () => {
  const zone = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...(await agreedZones(database.db))) },
    { weight: 1, arbitrary: fc.constantFrom(null, 'GMT+3', '') },
  );
  const wallTimes = fc.integer({ min: 0, max: 6 * 365 * 24 * 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(zone, { minLength: 1, maxLength: 30 }),
      wallTimes,
      fc.array(fc.tuple(fc.nat(29), zone), { maxLength: 20 }),
      async (zones, quarter, moves) => {
        const wall = Date.UTC(2025, 0, 2) + quarter * 15 * 60_000;
        app = await openWaveApp(database.db, new Date(wall - 20 * 3_600_000));
        const ids = await app.addDevices(zones);
        const time = new Date(wall).toISOString().slice(0, 19);
        const id = await app.create({ deliver_at_local: { time, no_time_zone: 'Asia/Kathmandu' } });
        await app.workAt(new Date(wall - 14 * 3_600_000), id);
        const { waves = [] } = await app.read(id);
        const left = [...moves];
        for (const { due_at: dueAt } of waves) {
          const [index, next] = left.shift() ?? [];
          const moving = index === undefined ? undefined : ids[index];
          if (moving !== undefined) await app.move(moving, next ?? null);
          await app.workAt(dueAt, id);
        }
        const expected = zones.map((name, index) => ({
          deviceId: ids[index] ?? '',
          at: momentByNode(name !== null && timeZones.has(name) ? name : 'Asia/Kathmandu', wall),
        }));
        expect(app.sent.toSorted(byId)).toEqual(expected.toSorted(byId));
        expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: zones.length, held: 0 });
      },
    ),
    { numRuns: runs(4) },
  );
}, 120_000);

function byId(one: { deviceId: string }, other: { deviceId: string }): number {
  return one.deviceId < other.deviceId ? -1 : 1;
}

describe('spread_over', () => {
  test('spread_over sends to the devices evenly within the time', async () => {
    await app.addDevices(Array.from({ length: 60 }, () => null));
    const id = await app.create({ deliver_at: '2026-12-24T09:00:00Z', spread_over: 'PT10M' });
    await app.workAt('2026-12-24T09:00:00Z', id);
    const atOnce = app.sent.length;
    expect(atOnce).toBeLessThan(10);
    await app.workAt('2026-12-24T09:05:00Z', id);
    expect(app.sent.length).toBeGreaterThan(15);
    expect(app.sent.length).toBeLessThan(45);
    await app.workAt('2026-12-24T09:10:00Z', id);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 60 });
  });

  test.each([
    ['PT2S', 2],
    ['PT10S', 10],
    ['PT20S', 20],
  ])('spread_over sends every second, also within a time as short as %s', async (spread_over, seconds) => {
    const devices = 400;
    await app.addDevices(Array.from({ length: devices }, () => null));
    const begin = Date.parse('2026-12-24T09:00:00Z');
    const id = await app.create({ deliver_at: new Date(begin).toISOString(), spread_over });
    for (let second = 0; second < seconds; second++) {
      await app.workAt(new Date(begin + second * 1_000), id);
      const share = (second + 1) / seconds;
      // Ids are random: this is seven standard deviations at most.
      expect(Math.abs(app.sent.length - share * devices), `second ${second}`).toBeLessThanOrEqual(70);
      if (second < seconds - 1) expect(app.sent.length).toBeLessThan(devices);
    }
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: devices });
  });

  test('the time to live counts from the moment of each device', async () => {
    await app.addDevices(Array.from({ length: 20 }, () => null));
    const id = await app.create({ spread_over: 'PT10M', time_to_live: 60 });
    for (let second = 0; second <= 600; second += 30) {
      await app.workAt(new Date(Date.parse('2026-12-20T12:00:00Z') + second * 1_000), id);
    }
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 20 });
  });

  test('spread_over spreads each wave of a local time', async () => {
    await app.addDevices([...Array.from({ length: 30 }, () => 'Asia/Tokyo'), 'Europe/Berlin']);
    const id = await app.create({ deliver_at_local: LOCAL, spread_over: 'PT1H' });
    await app.workAt('2026-12-23T19:00:00Z', id);
    await app.workAt('2026-12-24T00:30:00Z', id);
    expect(app.sent.length).toBeGreaterThan(5);
    expect(app.sent.length).toBeLessThan(25);
    await app.workAt('2026-12-24T01:00:00Z', id);
    expect(app.sent).toHaveLength(30);
  });
});
