/** A wave whose start the database refuses: tried again after growing pauses, and in nobody's way. */
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { TRIES_MAX } from '../../../src/delivery/troubles/tries.ts';
import { startDueWaves } from '../../../src/delivery/waves/start-waves.ts';
import { SearchStart } from '../../../src/scheduling/search-start.ts';
import { readFacts } from '../../../src/status/facts-store.ts';
import { collectObservations, useTestDatabase } from '../../support/database.ts';
import { refuse as refuseIn } from '../refusals.ts';
import { openWaveApp } from './wave-app.ts';

const database = useTestDatabase();
const START = new Date('2026-12-21T12:00:00Z');
/** In Berlin, until an hour after the start. */
const HELD = { quiet_hours: { from: '12:00', to: '14:00', no_time_zone: 'ignore' } };
const DUE = new Date('2026-12-21T13:00:00Z');

afterEach(async () => {
  await sql`drop trigger if exists refuse on delivery_slices`.execute(database.db);
});

const refuse = async (when: string, code = '22023'): Promise<void> =>
  refuseIn(database.db, { on: 'insert on delivery_slices', when, code });

test('a failing wave is tried again after pauses that grow to a minute, with jitter, and starts once it can', async () => {
  const app = await openWaveApp(database.db, START);
  await app.addDevices(['Europe/Berlin']);
  const id = await app.create(HELD);
  await app.plan(id);
  const { seen, observe } = collectObservations();
  const run = async (): Promise<void> =>
    startDueWaves({ db: database.db, clock: app.clock, observe, random: () => 0 });
  await refuse(`new.app_id = '${app.appId}'`, '57014');
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
  const troubled = async () =>
    (await readFacts(database.db, { start: new SearchStart(), now: app.clock() })).found.filter(
      ({ appId }) => appId === app.appId,
    );
  expect(await troubled()).toMatchObject([
    {
      code: 'notifications_troubled',
      count: 1,
      reason: 'Postgres 57014: no (function refuse)',
      notificationId: id,
    },
  ]);
  await refuse('false');
  // A clock that is set back ends the pause.
  app.setTime(new Date(DUE.getTime() + 1));
  await run();
  expect(seen.at(-1)).toMatchObject({ kind: 'wave_started', notificationId: id });
  expect(await troubled()).toEqual([]);
});

test('a wave that can never start is given up with the cause, its devices are rejected, and the others are sent to', async () => {
  const app = await openWaveApp(database.db, START);
  const [asleep = '', awake = ''] = await app.addDevices(['Europe/Berlin', 'America/New_York']);
  const id = await app.send(HELD);
  expect(app.sent.map(({ deviceId }) => deviceId)).toEqual([awake]);
  await refuse(`new.app_id = '${app.appId}'`, '22023');
  for (let attempt = 0; attempt < TRIES_MAX.lasting; attempt++) {
    expect(await app.read(id)).toMatchObject({ state: 'sending', accepted: 1, pending: 1 });
    await app.workAt(new Date(DUE.getTime() + attempt * 61_000), id);
  }
  expect(await app.read(id)).toMatchObject({
    state: 'failed',
    accepted: 1,
    rejected: 1,
    pending: 0,
    reason:
      'a part was given up, because it could not be started in 6 attempts: Postgres 22023: data exception (function refuse)',
  });
  expect(app.sent.map(({ deviceId }) => deviceId)).not.toContain(asleep);
});

test('failures of a slice of the same notification do not count for a wave', async () => {
  const app = await openWaveApp(database.db, START);
  await app.addDevices(['Europe/Berlin']);
  const id = await app.create(HELD);
  await app.plan(id);
  // A slice of an earlier wave has failed as often as one may.
  await sql`insert into notification_troubles (app_id, notification_id, failures, since, failed_at, message)
    values (${app.appId}, ${id}, ${TRIES_MAX.lasting}, ${START}, ${START}, 'Postgres 22023')`.execute(
    database.db,
  );
  await refuse(`new.app_id = '${app.appId}'`, '22023');
  await app.workAt(DUE, id);
  expect(await app.read(id)).toMatchObject({ state: 'sending', pending: 1 });
  await refuse('false');
  await app.workAt(new Date(DUE.getTime() + 61_000), id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1 });
});

test('a hundred failing waves, all due earlier, do not hold up another notification, and count as one attempt', async () => {
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
  await refuse(`new.notification_id = '${failing}'`, '22023');
  app.setTime(DUE);
  const { seen, observe } = collectObservations();
  await startDueWaves({ db: database.db, clock: app.clock, observe, random: () => 0 });
  expect(seen).toContainEqual(expect.objectContaining({ kind: 'wave_started', notificationId: fine }));
  expect(seen.filter(({ kind }) => kind === 'database_error')).toHaveLength(1);
});
