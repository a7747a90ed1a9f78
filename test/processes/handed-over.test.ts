/** Bounds the repeats of a killed worker: outcomes known at the end of a turn of the event loop are in Postgres. */
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { insertSlices } from '../../src/delivery/slice-store.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { useTestDatabase } from '../support/database.ts';
import { useCarillon } from '../support/processes.ts';
import { insertDevices } from '../support/simulated-app.ts';
import { PATIENCE } from '../support/patience.ts';

const DEVICES = 200;
const DEAD = 4;
const KILLS = 5;
const PROGRAM = fileURLToPath(new URL('killed-at-turn-end.ts', import.meta.url));

const database = useTestDatabase();
const carillon = useCarillon();

test('outcomes and dead tokens of a turn are saved, even if the process is killed before it sends more', async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const { db } = database;
    const app = await insertAppWithAudience(db);
    const { appId } = app;
    await insertDevices(db, appId, DEVICES);
    const id = await insertNotification(db, app, {
      state: 'sending',
      devices: DEVICES,
      started_at: new Date(),
      slices_left: 1,
    });
    await insertSlices(db, { appId, notificationId: id }, cutIdSpace(1), new Date());

    const killed = await carillon.run([appId, id], { DATABASE_URL: database.url }, PROGRAM);
    expect(killed).toMatchObject({ code: null, signal: 'SIGKILL', stderr: '' });
    await vi.waitFor(async () => {
      expect(await readNotification(db, appId, id, systemClock)).toMatchObject({
        accepted: DEVICES - DEAD,
        unregistered: DEAD,
      });
    }, PATIENCE);
    const { kept } = await db
      .selectFrom('devices')
      .select((build) => build.fn.count<number>('push_token').as('kept'))
      .where('app_id', '=', appId)
      .executeTakeFirstOrThrow();
    expect(kept).toBe(DEVICES - DEAD);
  }
});
