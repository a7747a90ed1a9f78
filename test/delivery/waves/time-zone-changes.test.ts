import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { prune } from '../../../src/delivery/upkeep/prune.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openWaveApp, type WaveApp } from './wave-app.ts';

const database = useTestDatabase();
let app: WaveApp;

beforeEach(async () => {
  app = await openWaveApp(database.db, new Date('2026-12-23T19:00:00Z'));
  await sql`delete from device_moment_changes`.execute(database.db);
});

const LOCAL = { time: '2026-12-24T09:00:00', no_time_zone: 'skip' };

test('a change of time zone that is written before planning and committed after it does not count', async () => {
  const [device = ''] = await app.addDevices(['America/New_York', 'Asia/Tokyo']);
  const id = await app.create({ deliver_at_local: LOCAL });
  await database.db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('devices')
      .set({ time_zone: 'Asia/Tokyo' })
      .where('id', '=', device)
      .execute();
    await app.work(id);
  });
  await app.workThrough(id);
  expect(app.sent.filter(({ deviceId }) => deviceId === device)).toEqual([
    { deviceId: device, at: new Date('2026-12-24T14:00:00Z') },
  ]);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 2 });
});

test('a change of time zone that is committed before planning counts', async () => {
  const [device = ''] = await app.addDevices(['America/New_York']);
  await app.move(device, 'Asia/Tokyo');
  const id = await app.create({ deliver_at_local: LOCAL });
  await app.workThrough(id);
  expect(app.sent).toEqual([{ deviceId: device, at: new Date('2026-12-24T00:00:00Z') }]);
});

test('an update that does not change the time zone keeps nothing', async () => {
  const [device = ''] = await app.addDevices(['Asia/Tokyo']);
  await app.move(device, 'Asia/Tokyo');
  expect(await changes()).toBe(0);
  await app.move(device, null);
  expect(await changes()).toBe(1);
});

test('changes of time zones are pruned when no unfinished notification needs them', async () => {
  const [device = ''] = await app.addDevices(['Asia/Tokyo', 'America/New_York']);
  await app.move(device, 'Europe/Berlin');
  const id = await app.send({ deliver_at_local: LOCAL });
  await app.move(device, 'Asia/Tokyo');
  await sql`update device_moment_changes set changed_at = now() - interval '2 hours'`.execute(database.db);
  await app.move(device, 'Europe/Berlin'); // less than an hour ago
  expect(await changes()).toBe(3);
  await runPrune();
  expect(await changes()).toBe(2);
  await app.workThrough(id);
  await sql`update device_moment_changes set changed_at = now() - interval '2 hours'`.execute(database.db);
  await runPrune();
  expect(await changes()).toBe(0);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 2 });
});

async function runPrune(): Promise<void> {
  await prune({ db: database.db, clock: app.clock, keepDays: 90 }, new AbortController().signal);
}

async function changes(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from device_moment_changes`.execute(
    database.db,
  );
  return rows[0]?.count ?? -1;
}
