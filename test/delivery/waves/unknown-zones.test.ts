/** Time zones that Node knows and Postgres does not: their devices count as without a time zone, and stop nobody. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { quietUntil } from '../../../src/delivery/waves/moments.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openWaveApp, type WaveApp } from './wave-app.ts';

const database = useTestDatabase();
const OLD = 'Asia/Calcutta';
const NIGHT = { from: '22:00', to: '07:00' };
let app: WaveApp;

beforeEach(async () => {
  // Tuesday, 02:30 in Kolkata and 22:00 in Berlin.
  app = await openWaveApp(database.db, new Date('2026-12-21T21:00:00Z'));
  await sql`create or replace function zone_is_known(zone text) returns boolean language sql as
    ${sql.lit(`select zone <> '${OLD}'`)}`.execute(database.db);
});

test('quiet hours are null in a zone that Postgres does not know, and right in all others', async () => {
  const at = new Date('2026-12-21T21:30:00Z');
  const hours = { ...NIGHT, days: [1, 2, 3, 4, 5, 6, 7] };
  const zones = ['Mars/Olympus', 'Europe/Berlin', '', null, 'Mars/Olympus'];
  const asked = zones.map((zone) => ({ at, zone, hours }));
  const berlin = new Date('2026-12-22T06:00:00Z');
  expect(await quietUntil(database.db, asked)).toEqual([null, berlin, null, null, null]);
});

test.each([
  ['quiet hours', { quiet_hours: { ...NIGHT, no_time_zone: 'Asia/Tokyo' } }],
  ['a local time', { deliver_at_local: { time: '2026-12-22T09:00:00', no_time_zone: 'Asia/Tokyo' } }],
])(
  'a device in a zone unknown to Postgres has the clock that is named for devices without one: %s',
  async (_what, keys) => {
    const [unknown = ''] = await app.addDevices([OLD, 'Asia/Tokyo', 'Europe/Berlin', null]);
    const id = await app.create(keys);
    await app.workThrough(id);
    expect(await app.read(id)).toMatchObject({ state: 'sent', devices: 4, accepted: 4 });
    const ofTokyo = app.sent.filter(({ at }) => at.getTime() === app.sent[0]?.at.getTime());
    expect(ofTokyo.map(({ deviceId }) => deviceId)).toContain(unknown);
    expect(ofTokyo).toHaveLength(3);
  },
);

test('quiet hours of the device itself cannot be applied without its zone, and stop nobody', async () => {
  const [unknown = '', known = ''] = await app.addDevices([OLD, 'Europe/Berlin']);
  await database.db
    .updateTable('devices')
    .set({ quiet_hours: NIGHT })
    .where('app_id', '=', app.appId)
    .execute();
  for (const keys of [{}, { quiet_hours: { from: '03:00', to: '04:00', no_time_zone: 'ignore' } }]) {
    const id = await app.send(keys);
    expect(await app.read(id)).toMatchObject({ state: 'sending', accepted: 1, held: 1 });
    expect(app.sent.at(-1)?.deviceId).toBe(unknown);
  }
  expect(app.sent.map(({ deviceId }) => deviceId)).not.toContain(known);
});
