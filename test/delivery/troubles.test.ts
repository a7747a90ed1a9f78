/** Errors of the database in planning and in sending: tried again after growing pauses, and ended with a reason. */
import { sql } from 'kysely';
import { DatabaseError } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { failureInWords, failureOf } from '../../src/db/database-error.ts';
import { beginPlanning, endAllPlanning } from '../../src/delivery/troubles/trouble-store.ts';
import { TRIES_MAX } from '../../src/delivery/troubles/tries.ts';
import { ApiError } from '../../src/api/errors.ts';
import { useTestDatabase } from '../support/database.ts';
import { refuse as refuseIn, refuseThrice } from './refusals.ts';
import { openWaveApp, type WaveApp } from './waves/wave-app.ts';

const database = useTestDatabase();
/** Without waves, a push to one device would not be planned. */
const PLANNED = { quiet_hours: { from: '03:00', to: '04:00', no_time_zone: 'ignore' } };
let app: WaveApp;

beforeEach(async () => {
  await sql`drop trigger if exists refuse on delivery_slices`.execute(database.db);
  app = await openWaveApp(database.db, new Date('2026-12-21T12:00:00Z'));
});

/** Lets every statement of a kind on slices of this app fail with an SQLSTATE. */
async function refuse(on: 'insert' | 'update', code: string, condition = 'true'): Promise<void> {
  const when = `new.app_id = '${app.appId}' and (${condition})`;
  const message = 'value "secret" is refused';
  await refuseIn(database.db, { on: `${on} on delivery_slices`, when, code, message });
}

/** Works at moments that are further apart than the longest pause. */
async function workTimes(id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    app.setTime(new Date(app.clock().getTime() + 61_000));
    await app.work(id).catch(() => undefined);
  }
}

async function troubleOf(id: string) {
  return database.db
    .selectFrom('notification_troubles')
    .selectAll()
    .where('notification_id', '=', id)
    .executeTakeFirst();
}

async function dieInPlanning(id: string, planner: string): Promise<void> {
  const key = { appId: app.appId, notificationId: id };
  await beginPlanning(database.db, key, { planner, now: app.clock() });
}

/** Lets planning have failed before, so often that it is given up after two more failures. */
async function failedBefore(id: string, tries: number): Promise<void> {
  await refuse('insert', '40001');
  await workTimes(id, 1);
  await database.db
    .updateTable('notification_troubles')
    .set({ failures: tries - 2 })
    .where('notification_id', '=', id)
    .execute();
}

/** Lets the next failure be the last. */
async function useUpTries(id: string): Promise<void> {
  const failures = TRIES_MAX.lasting - 1;
  await sql`update delivery_slices set failures = ${failures} where notification_id = ${id}`.execute(
    database.db,
  );
}

/** Lets updates of a notification fail. @param condition on the new row */
async function refuseUpdateOf(id: string, condition: string): Promise<void> {
  const when = `new.id = '${id}' and ${condition}`;
  await refuseIn(database.db, { on: 'update on notifications', when, name: 'refuse_update' });
}

describe('an error in planning', () => {
  test.each([
    ['22023', 'lasting'],
    ['22021', 'lasting'],
    ['22P05', 'lasting'],
    ['23505', 'lasting'],
    ['23514', 'lasting'],
    ['54001', 'lasting'],
    ['55P03', 'passing'],
    ['57014', 'passing'],
    ['40001', 'passing'],
    ['40P01', 'passing'],
    ['42501', 'passing'],
    ['42P01', 'passing'],
    ['42883', 'passing'],
    ['XX000', 'passing'],
  ] as const)(
    'an error %s in planning is %s: it ends the notification after a number of attempts',
    async (code, failure) => {
      await app.addDevices([null]);
      const id = await app.create(PLANNED);
      // One of the lasting and one of the passing go all the way.
      const isLong = code === '22023' || code === '55P03';
      if (!isLong) await failedBefore(id, TRIES_MAX[failure]);
      await refuse('insert', code);
      const [other = ''] = await app.addDevices([null]);
      const single = await app.create({ to: { device_id: other } });
      await workTimes(id, isLong ? TRIES_MAX[failure] - 1 : 1);
      expect(await app.read(id)).toMatchObject({ state: 'scheduled' });
      expect(await troubleOf(id)).toMatchObject({ failures: TRIES_MAX[failure] - 1, planner: null });
      expect((await troubleOf(id))?.message).toContain(`Postgres ${code}`);
      expect(await app.read(single)).toMatchObject({ state: 'sent', accepted: 1 });
      await workTimes(id, 1);
      const { state, reason, devices } = await app.read(id);
      expect({ state, devices }).toEqual({ state: 'failed', devices: 0 });
      expect(reason).toContain(`in ${TRIES_MAX[failure]} attempts: Postgres ${code}`);
      if (code.startsWith('22')) expect(reason).not.toContain('secret');
    },
  );

  test.each(['53100', '53200', '53300', '25006', '57P01', '57P03', '08006'])(
    'an error %s in planning is not the fault of the notification, which waits as long as that lasts',
    async (code) => {
      await app.addDevices([null]);
      const id = await app.create(PLANNED);
      const isLong = code === '53100';
      if (!isLong) await failedBefore(id, TRIES_MAX.lasting);
      await refuse('insert', code);
      await workTimes(id, isLong ? TRIES_MAX.passing + 5 : 5);
      expect(await app.read(id)).toMatchObject({ state: 'scheduled', reason: null });
      await refuse('insert', code, 'false');
      await workTimes(id, 1);
      expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1 });
      expect(await troubleOf(id)).toBeUndefined();
    },
  );

  test('an error in planning is followed by pauses that grow to a minute, with jitter', async () => {
    await app.addDevices([null]);
    await refuse('insert', '40001');
    const id = await app.create(PLANNED);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      await app.work(id);
      await app.work(id); // too early: nothing is tried
      const trouble = await troubleOf(id);
      expect(trouble?.failures).toBe(attempt + 1);
      pauses.push(Number(trouble?.not_before) - app.clock().getTime());
      app.setTime(trouble?.not_before ?? app.clock());
    }
    // The test's chance is always 0, which halves them.
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('an error in planning that goes away leaves nothing behind', async () => {
    await app.addDevices([null]);
    await refuse('insert', '55P03');
    const id = await app.create(PLANNED);
    await workTimes(id, 3);
    await refuse('insert', '55P03', 'false');
    await workTimes(id, 1);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1, reason: null });
    expect(await troubleOf(id)).toBeUndefined();
  });
});

describe('processes that die while they plan a notification', () => {
  const dead = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

  test('a notification whose planning killed one process is planned by another', async () => {
    await app.addDevices([null]);
    const id = await app.create(PLANNED);
    await dieInPlanning(id, dead[0] ?? '');
    await app.work(id);
    expect(await app.read(id)).toMatchObject({ state: 'scheduled' }); // it may still live
    await workTimes(id, 1);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1 });
    expect(await troubleOf(id)).toBeUndefined();
  });

  test('a process that plans is not taken for dead while the database may have been away', async () => {
    const key = { appId: app.appId, notificationId: await app.create(PLANNED) };
    await dieInPlanning(key.notificationId, dead[0] ?? '');
    const later = { planner: dead[1] ?? '', now: new Date(app.clock().getTime() + 61_000) };
    expect(await beginPlanning(database.db, key, { ...later, takesOver: false })).toBeUndefined();
    expect(await beginPlanning(database.db, key, { ...later, takesOver: true })).toEqual({ deaths: 1 });
  });

  test('a process that loses its connection while it plans is not taken for dead, as soon as it has one again', async () => {
    await app.addDevices([null]);
    const id = await app.create(PLANNED);
    await refuse('insert', '57P01');
    const allow = await refuseThrice(
      database.db,
      `delete on notification_troubles for each row when (old.notification_id = '${id}')`,
    );
    await app.work(id).catch(() => undefined);
    const trouble = await troubleOf(id);
    await allow();
    expect(trouble).toBeUndefined();
    expect(await app.read(id)).toMatchObject({ state: 'scheduled' });
  });

  test('a notification whose planning killed two processes ends as failed with a reason, and others go on', async () => {
    await app.addDevices([null]);
    const id = await app.create(PLANNED);
    const other = await app.create(PLANNED);
    for (const planner of dead) {
      await dieInPlanning(id, planner);
      await endAllPlanning(database.db);
    }
    await workTimes(id, 1);
    expect(await app.read(id)).toMatchObject({
      state: 'failed',
      reason: 'planning it stopped the process twice',
    });
    await app.work(other);
    expect(await app.read(other)).toMatchObject({ state: 'sent' });
  });
});

describe('an error in sending', () => {
  const GIVEN_UP = 'a part was given up after several attempts: ';
  const NOT_SAVED = 'a part was given up: outcomes could not be saved: ';

  test('an error when outcomes are saved makes the pushes ambiguous, and they are not sent again', async () => {
    const [device = ''] = await app.addDevices([null, null]);
    const id = await app.create(PLANNED);
    await refuse('update', '22P05', `new.state = 'done' and new.gave_up is null`);
    await workTimes(id, 1);
    expect(await app.read(id)).toMatchObject({ state: 'sending', pending: 2 });
    expect(await troubleOf(id)).toMatchObject({ failures: 1 });
    await workTimes(id, 3);
    expect(app.sent).toHaveLength(2);
    const { state, reason, devices, ambiguous } = await app.read(id);
    expect({ state, devices, ambiguous }).toEqual({ state: 'failed', devices: 2, ambiguous: 2 });
    expect(reason).toBe(`${NOT_SAVED}Postgres 22P05: data exception (function refuse)`);
    expect(await app.outcomeOf(id, device)).toMatchObject({
      outcome: 'ambiguous',
      reason: 'the push may have been sent, but its outcome could not be saved',
    });
  });

  test('a slice of which no outcome can be saved at all ends nevertheless, and nothing is sent again', async () => {
    await app.addDevices([null, null]);
    const id = await app.create(PLANNED);
    // Only the statement that ends a slice unread leaves the tally of nothing.
    await refuse('update', '23514', `new.state = 'done' and new.tally <> '{}'`);
    await workTimes(id, 4);
    expect(app.sent).toHaveLength(2);
    expect(await app.read(id)).toMatchObject({ state: 'failed', devices: 2, pending: 0 });
  });

  test('an error when single pushes end together fails its cause, which is not sent again, and the others end', async () => {
    const devices = await app.addDevices([null, null, null]);
    const ids = await Promise.all(devices.map(async (id) => app.create({ to: { device_id: id } })));
    const [bad = '', ...good] = ids;
    await refuseUpdateOf(bad, 'new.outcomes is not null'); // as long as it is no slice
    await workTimes(bad, 3);
    for (const id of good) expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 1 });
    expect(app.sent).toHaveLength(3);
    expect(await app.read(bad)).toMatchObject({
      state: 'failed',
      ambiguous: 1,
      reason: `${NOT_SAVED}Postgres 23514: no (function refuse_update)`,
    });
  });

  test('an error when devices are read keeps what was accepted, and rejects the others with a reason', async () => {
    const [awake = '', asleep = ''] = await app.addDevices(['Europe/Berlin', 'Europe/Berlin']);
    const hours = { from: '10:00', to: '15:00' };
    await database.db.updateTable('devices').set({ quiet_hours: hours }).where('id', '=', asleep).execute();
    const id = await app.send({});
    expect(await app.read(id)).toMatchObject({ state: 'sending', accepted: 1, held: 1 });
    const { rows } = await sql<{ source: string }>`
      select pg_get_functiondef('quiet_hours_key(text, jsonb)'::regprocedure) as source`.execute(database.db);
    await sql`create or replace function quiet_hours_key(time_zone text, quiet_hours jsonb) returns text
      language plpgsql immutable as $$ begin return 'not a number'::int::text; end $$`.execute(database.db);
    app.setTime('2026-12-21T14:00:00Z');
    await workTimes(id, 1);
    expect(await troubleOf(id)).toMatchObject({ failures: 1 });
    await useUpTries(id);
    await workTimes(id, 2);
    await sql.raw(rows[0]?.source ?? '').execute(database.db);
    const { state, reason, devices, accepted, rejected } = await app.read(id);
    expect({ state, devices, accepted, rejected }).toEqual({
      state: 'failed',
      devices: 2,
      accepted: 1,
      rejected: 1,
    });
    expect(reason).toContain(`${GIVEN_UP}Postgres 22P02: invalid input syntax for type integer: "…"`);
    expect(await app.outcomeOf(id, awake)).toMatchObject({ outcome: 'accepted' });
    expect(await app.outcomeOf(id, asleep)).toMatchObject({ outcome: 'rejected', reason });
  });

  test('an error when single pushes are claimed together ends its cause, and the others are sent', async () => {
    const [one = '', two = ''] = await app.addDevices([null, null]);
    const [bad, good] = [
      await app.create({ to: { device_id: one } }),
      await app.create({ to: { device_id: two } }),
    ];
    await refuseUpdateOf(bad, `new.state = 'sending'`);
    await workTimes(good, TRIES_MAX.lasting);
    expect(await app.read(good)).toMatchObject({ state: 'sent', accepted: 1 });
    expect(await app.read(bad)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('Postgres 23514: no'),
    });
  });
});

const errorOf = (message: string, fields: Partial<DatabaseError>): DatabaseError =>
  Object.assign(new DatabaseError(message, 1, 'error'), fields);

test.each([
  [
    errorOf('time zone "Asia/Calcutta" not recognized', {
      code: '22023',
      where: 'PL/pgSQL function quiet_until(timestamp with time zone,text) line 3 at assignment',
    }),
    'Postgres 22023: time zone "…" not recognized (function quiet_until)',
  ],
  [
    errorOf('invalid byte sequence for encoding "UTF8": 0x00 0xff', { code: '22021' }),
    'Postgres 22021: invalid byte sequence for encoding "…"',
  ],
  [
    errorOf('value "a"b" is out of range for type integer', { code: '22003' }),
    'Postgres 22003: value "…" is out of range for type integer',
  ],
  [
    errorOf('duplicate key value violates unique constraint "devices_token"', {
      code: '23505',
      table: 'devices',
      constraint: 'devices_token',
      detail: 'Key (push_token)=(secret) already exists.',
    }),
    'Postgres 23505: duplicate key value violates unique constraint "devices_token" (table devices, constraint devices_token)',
  ],
  [errorOf('no form that is known: person@example.com', { code: '22000' }), 'Postgres 22000: data exception'],
  [
    new SyntaxError('Unexpected token in "secret payload"'),
    'an internal error (SyntaxError); the log of the worker has it',
  ],
])('an error of the database is put in words without values: %s', (error, words) => {
  expect(failureInWords(error)).toBe(words);
});

test('an error of the API shows the failure of its cause', () => {
  const cause = errorOf('canceling statement', { code: '57014' });
  expect(failureOf(new ApiError('unavailable', { cause }))).toBe('passing');
  expect(failureOf(new TypeError('ours'))).toBe('lasting');
});
