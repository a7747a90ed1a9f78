/** Quiet hours that users chose on their devices: whatever the app and the notification say, nothing reaches them then. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { waveOfDevice } from '../../../src/delivery/waves/wave-of-device.ts';
import type { DeviceQuietHours } from '../../../src/db/feature-tables/wave-tables.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openWaveApp, type WaveApp } from './wave-app.ts';

const database = useTestDatabase();
let app: WaveApp;

beforeEach(async () => {
  // Monday, 22:30 in Berlin and 16:30 in New York.
  app = await openWaveApp(database.db, new Date('2026-12-21T21:30:00Z'));
});

const NIGHT = { from: '22:00', to: '07:00' };
const BERLIN_7 = '2026-12-22T06:00:00.000Z';

async function addDevice(hours: DeviceQuietHours | null, zone: string | null = 'Europe/Berlin') {
  const [id = ''] = await app.addDevices([zone]);
  await setHours(id, hours);
  return id;
}

async function setHours(id: string, hours: DeviceQuietHours | null): Promise<void> {
  await database.db.updateTable('devices').set({ quiet_hours: hours }).where('id', '=', id).execute();
}

async function setLocale(id: string, locale: string): Promise<void> {
  await database.db.updateTable('devices').set({ locale }).where('id', '=', id).execute();
}

/** When each of the devices got a push, in the order of the pushes. */
const sentTo = (...ids: string[]) => app.sentTo(ids);

test('a notification without options of its moment is held for a device in its own quiet hours', async () => {
  const quiet = await addDevice(NIGHT);
  const awake = await addDevice(null);
  const elsewhere = await addDevice(NIGHT, 'America/New_York');
  const id = await app.send({});
  expect(await app.read(id)).toMatchObject({
    state: 'sending',
    devices: 3,
    accepted: 2,
    pending: 1,
    held: 1,
  });
  const waiting = await waveOfDevice(database.db, { appId: app.appId, notificationId: id }, quiet);
  expect(waiting?.dueAt).toEqual(new Date(BERLIN_7));
  await app.workThrough(id);
  expect(sentTo(quiet, awake, elsewhere).at(-1)).toEqual([0, BERLIN_7]);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 3, held: 0 });
});

test('a notification has no waves without a device in its own quiet hours', async () => {
  await addDevice({ from: '01:00', to: '02:00' });
  await addDevice(null);
  const id = await app.send({});
  const found = await app.read(id);
  expect(found).toMatchObject({ state: 'sent', accepted: 2 });
  expect(found.waves).toBeUndefined();
});

test.each(['device_id', 'user_id'] as const)(
  'a push to one %s is held as well in the quiet hours of the device',
  async (kind) => {
    const device = await addDevice(NIGHT);
    await database.db.updateTable('devices').set({ user_id: 'ada' }).where('id', '=', device).execute();
    const id = await app.send({ to: { [kind]: kind === 'device_id' ? device : 'ada' } });
    expect(await app.read(id)).toMatchObject({ state: 'sending', held: 1 });
    await app.workThrough(id);
    expect(sentTo(device)).toEqual([[0, BERLIN_7]]);
  },
);

test('the quiet hours of a device replace those of the app and of the notification', async () => {
  const own = await addDevice({ from: '23:00', to: '05:00' });
  const usual = await addDevice(null);
  const hours = { from: '21:00', to: '09:00', no_time_zone: 'ignore' };
  for (const id of [await app.create({}, hours), await app.create({ quiet_hours: hours })]) {
    await app.work(id);
    expect((await app.outcomeOf(id, own))?.outcome).toBe('accepted');
    expect(await app.read(id)).toMatchObject({ accepted: 1, held: 1 });
    expect((await app.outcomeOf(id, usual))?.outcome).toBe('pending');
  }
});

test('"ignore" skips the quiet hours of the app, and "ignore_all" those of devices, too', async () => {
  const device = await addDevice(NIGHT);
  const hours = { ...NIGHT, no_time_zone: 'ignore' };
  for (const to of ['*', { device_id: device }]) {
    const ignoring = await app.create({ to, quiet_hours: 'ignore' }, hours);
    const urgent = await app.create({ to, quiet_hours: 'ignore_all' }, hours);
    for (const id of [ignoring, urgent]) await app.work(id);
    expect(await app.read(ignoring)).toMatchObject({ state: 'sending', held: 1 });
    expect(await app.read(urgent)).toMatchObject({ state: 'sent', accepted: 1 });
  }
});

test('the rule of the notification says whether a device is dropped, and how a release is spread', async () => {
  const device = await addDevice(NIGHT);
  const hours = { from: '03:00', to: '04:00', no_time_zone: 'ignore' };
  const dropping = await app.create({ quiet_hours: { ...hours, action: 'drop' } });
  const spread = await app.create({ quiet_hours: { ...hours, release_over: 'PT15M' } });
  for (const id of [dropping, spread]) await app.work(id);
  expect(await app.outcomeOf(dropping, device)).toMatchObject({ outcome: 'dropped', reason: 'quiet_hours' });
  expect((await app.read(spread)).waves).toMatchObject([{ due_at: BERLIN_7, spread_seconds: 900 }]);
});

test('a hold in quiet hours that is longer than the time to live ends as expired', async () => {
  const device = await addDevice(NIGHT);
  const id = await app.send({ time_to_live: 3_600 });
  expect(await app.read(id)).toMatchObject({ state: 'sent', expired: 1 });
  expect(await app.outcomeOf(id, device)).toMatchObject({ outcome: 'expired', reason: 'held_too_long' });
});

test('a local time in the quiet hours of a device is held, and its time to live counts from their end', async () => {
  const device = await addDevice(NIGHT);
  const other = await addDevice(null);
  const id = await app.create({
    deliver_at_local: { time: '2026-12-24T06:00:00', no_time_zone: 'skip' },
    time_to_live: 7_200,
  });
  await app.workThrough(id, '2026-12-23T16:00:00Z');
  expect(sentTo(device, other)).toEqual([
    [1, '2026-12-24T05:00:00.000Z'],
    [0, '2026-12-24T06:00:00.000Z'],
  ]);
});

test.each([
  ['the clock goes back in the night', '2026-10-24T21:30:00Z', '2026-10-25T06:00:00.000Z'],
  ['the clock goes forward', '2027-03-27T22:30:00Z', '2027-03-28T05:00:00.000Z'],
])('the quiet hours of a device end at the right moment when %s', async (_what, at, end) => {
  app.setTime(at);
  const device = await addDevice(NIGHT);
  const id = await app.create({});
  await app.workThrough(id);
  expect(sentTo(device)).toEqual([[0, end]]);
});

test('only the chosen days of quiet hours count, by the day on which the hours begin', async () => {
  const monday = await addDevice({ ...NIGHT, days: ['monday'] });
  const tuesday = await addDevice({ ...NIGHT, days: ['tuesday'] });
  const id = await app.create({});
  await app.workThrough(id);
  expect(sentTo(monday, tuesday)).toEqual([
    [1, '2026-12-21T21:30:00.000Z'],
    [0, BERLIN_7],
  ]);
});

test('a device without a known time zone has the clock that the rules name, else its hours do not apply', async () => {
  const nowhere = await addDevice(NIGHT, null);
  const posix = await addDevice(NIGHT, 'GMT+3');
  const plain = await app.send({});
  expect(await app.read(plain)).toMatchObject({ state: 'sent', accepted: 2 });
  const named = await app.send({
    quiet_hours: { from: '03:00', to: '04:00', no_time_zone: 'Europe/Berlin' },
  });
  expect(await app.read(named)).toMatchObject({ state: 'sending', held: 2 });
  await app.workThrough(named);
  expect(
    sentTo(nowhere, posix)
      .slice(2)
      .map(([, at]) => at),
  ).toEqual([BERLIN_7, BERLIN_7]);
});

test('quiet hours that end at odd minutes make one wave per quarter of an hour', async () => {
  for (const to of ['06:46', '06:59', '07:00', '07:01']) await addDevice({ from: '22:00', to });
  const id = await app.send({});
  expect((await app.read(id)).waves).toMatchObject([
    { due_at: BERLIN_7, devices: 3, by_own_quiet_hours: 3, time_zones: ['Europe/Berlin'] },
    { due_at: '2026-12-22T06:15:00.000Z', devices: 1, by_own_quiet_hours: 1 },
  ]);
});

test('a dry run counts the devices in their quiet hours, and sends nothing', async () => {
  await addDevice(NIGHT);
  await addDevice(null);
  const id = await app.send({ dry_run: true });
  const found = await app.read(id);
  expect(found).toMatchObject({ state: 'validated', devices: 2, waves: [{ devices: 1 }, { devices: 1 }] });
  expect(found.waves?.map((wave) => [wave.state, wave.by_own_quiet_hours])).toEqual([
    ['planned', 0],
    ['planned', 1],
  ]);
  expect(app.sent).toEqual([]);
});

test('a device is sent to as planned, whatever it changes while the notification waits', async () => {
  const [removes, sets, changes, moves, both] = [
    await addDevice(NIGHT),
    await addDevice(null),
    await addDevice(NIGHT),
    await addDevice(NIGHT),
    await addDevice(NIGHT, 'America/New_York'),
  ];
  const local = { time: '2026-12-24T06:00:00', no_time_zone: 'skip' };
  const id = await app.create({ deliver_at_local: local });
  await app.workAt('2026-12-23T16:00:00Z', id);
  await setHours(removes, null);
  await setHours(sets, { from: '05:00', to: '11:00' });
  await setHours(changes, { from: '05:00', to: '12:00' });
  await app.move(moves, 'Asia/Tokyo');
  await app.move(both, 'Asia/Tokyo');
  await setHours(both, null);
  await setHours(both, { from: '05:00', to: '20:00' });
  await app.workThrough(id);
  expect(new Map(sentTo(removes, sets, changes, moves, both))).toEqual(
    new Map([
      [1, '2026-12-24T05:00:00.000Z'],
      [0, '2026-12-24T06:00:00.000Z'],
      [2, '2026-12-24T06:00:00.000Z'],
      [3, '2026-12-24T06:00:00.000Z'],
      [4, '2026-12-24T12:00:00.000Z'],
    ]),
  );
  expect(app.sent).toHaveLength(5);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 5 });
});

test('a change of quiet hours that is written before planning and committed after it does not count', async () => {
  const device = await addDevice(NIGHT);
  const id = await app.create({});
  await database.db.transaction().execute(async (transaction) => {
    await transaction.updateTable('devices').set({ quiet_hours: null }).where('id', '=', device).execute();
    await app.work(id);
  });
  await app.workThrough(id);
  expect(sentTo(device)).toEqual([[0, BERLIN_7]]);
});

test('a device that is erased while it is held gets nothing, and its changes are deleted with it', async () => {
  const device = await addDevice(NIGHT);
  const other = await addDevice(null);
  const id = await app.send({});
  await setHours(device, null);
  await database.db.deleteFrom('devices').where('id', '=', device).execute();
  await app.workThrough(id);
  expect(sentTo(device, other)).toEqual([[1, '2026-12-21T21:30:00.000Z']]);
  expect((await app.read(id)).state).toBe('sent');
  const { rows } = await sql`select from device_moment_changes where device_id = ${device}`.execute(
    database.db,
  );
  expect(rows).toEqual([]);
});

test('an audience with filters finds devices in their quiet hours, too', async () => {
  const german = await addDevice(NIGHT);
  const awake = await addDevice(null);
  const other = await addDevice(NIGHT);
  for (const id of [german, awake]) await setLocale(id, 'de_DE');
  await setLocale(other, 'fr_FR');
  const id = await app.send({ to: [{ name: 'locale', criteria: ['de_DE'] }] });
  expect(await app.read(id)).toMatchObject({ devices: 2, accepted: 1, held: 1 });
  await app.workThrough(id);
  expect(sentTo(german, awake)).toEqual([
    [1, '2026-12-21T21:30:00.000Z'],
    [0, BERLIN_7],
  ]);
});
