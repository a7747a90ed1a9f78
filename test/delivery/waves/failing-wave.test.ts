/** A wave whose start the database refuses: tried again after growing pauses, and in nobody's way. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { startDueWaves } from '../../../src/delivery/waves/start-waves.ts';
import { WaveTries } from '../../../src/delivery/waves/wave-tries.ts';
import { collectObservations, useTestDatabase } from '../../support/database.ts';
import { openWaveApp } from './wave-app.ts';

const database = useTestDatabase();
const START = new Date('2026-12-21T12:00:00Z');
/** In Berlin, until an hour after the start. */
const HELD = { quiet_hours: { from: '12:00', to: '14:00', no_time_zone: 'ignore' } };
const DUE = new Date('2026-12-21T13:00:00Z');

afterEach(async () => {
  await sql`drop trigger if exists refuse on delivery_slices`.execute(database.db);
});

async function refuse(condition: string): Promise<void> {
  await sql
    .raw(
      `create or replace function refuse() returns trigger language plpgsql as $$ begin
        if ${condition} then raise exception using errcode = '22023', message = 'no'; end if;
        return new;
      end $$;
      create or replace trigger refuse before insert on delivery_slices for each row execute function refuse()`,
    )
    .execute(database.db);
}

test('is tried again after pauses that grow to a minute, with jitter, and starts once it can', async () => {
  const app = await openWaveApp(database.db, START);
  await app.addDevices(['Europe/Berlin']);
  const id = await app.create(HELD);
  await app.plan(id);
  const { seen, observe } = collectObservations();
  const tries = new WaveTries(() => 0);
  const run = async (): Promise<void> => startDueWaves({ db: database.db, clock: app.clock, observe, tries });
  await refuse(`new.app_id = '${app.appId}'`);
  app.setTime(DUE);
  const triedAt: number[] = [];
  for (let quarter = 0; quarter < 480; quarter++) {
    const before = seen.length;
    await run();
    if (seen.length > before) triedAt.push(quarter / 4);
    app.setTime(new Date(app.clock().getTime() + 250));
  }
  // The test's chance is 0, which halves the pauses of 1, 2, 4, … 60 s.
  expect(triedAt).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5]);
  await refuse('false');
  app.setTime(new Date(app.clock().getTime() + 60_000));
  await run();
  expect(seen.at(-1)).toMatchObject({ kind: 'wave_started', notificationId: id });
});

test('a hundred of them, all due earlier, do not hold up another', async () => {
  const app = await openWaveApp(database.db, START);
  await app.addDevices(['Europe/Berlin']);
  const failing = await app.create(HELD);
  await app.plan(failing);
  await sql`insert into notification_waves
    select (jsonb_populate_record(w, jsonb_build_object('wave', 1000 + n, 'due_at', ${START}::timestamptz))).*
    from notification_waves as w, generate_series(1, 100) as n
    where w.notification_id = ${failing} and w.state = 'waiting'`.execute(database.db);
  const fine = await app.create(HELD);
  await app.plan(fine);
  await refuse(`new.notification_id = '${failing}'`);
  app.setTime(DUE);
  const { seen, observe } = collectObservations();
  const tries = new WaveTries(() => 0);
  await startDueWaves({ db: database.db, clock: app.clock, observe, tries });
  expect(seen).toContainEqual(expect.objectContaining({ kind: 'wave_started', notificationId: fine }));
  expect(seen.filter(({ kind }) => kind === 'database_error')).toHaveLength(101);
});

test('pauses end where the clock is set back, and are forgotten once nobody tries the wave', () => {
  const tries = new WaveTries(() => 0);
  const key = { appId: randomUUID(), notificationId: randomUUID(), wave: 3 };
  for (let failure = 0; failure < 10; failure++) tries.failed(key, START);
  expect(tries.pausing(START)).toEqual([key]);
  expect(tries.pausing(new Date(START.getTime() - 3_600_000))).toEqual([]);
  tries.pausing(new Date(START.getTime() + 3_600_000));
  tries.failed(key, START);
  expect(tries.pausing(new Date(START.getTime() + 499))).toEqual([key]);
  expect(tries.pausing(new Date(START.getTime() + 500))).toEqual([]);
});
