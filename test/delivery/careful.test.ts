/** Slices during which processes have died: what the dead were doing is left out, and all else is sent. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { leaseNextSlice, releaseSlices, WHOLE_SLICE } from '../../src/delivery/slice-store.ts';
import { useTestDatabase } from '../support/database.ts';
import { refuse, refuseThrice } from './refusals.ts';
import { openWaveApp, type WaveApp } from './waves/wave-app.ts';

const database = useTestDatabase();
const TEMPLATE = { payload: { alert: 'Hi {{ custom.name | default: "you" }}' }, template: true };
let app: WaveApp;
let devices: string[];

beforeEach(async () => {
  app = await openWaveApp(database.db, new Date('2026-12-21T12:00:00Z'));
  devices = await app.addDevices([null, null, null, null]);
});

/** A notification that is planned, with one slice. */
async function planned(keys: object = {}): Promise<string> {
  const id = await app.create({
    ...keys,
    quiet_hours: { from: '03:00', to: '04:00', no_time_zone: 'ignore' },
  });
  await app.plan(id);
  return id;
}

/** A process leases the slice and dies while it does what it has noted. */
async function die(id: string, trying: string | null): Promise<void> {
  const key = app.keyOf(id);
  expect(await leaseNextSlice(database.db, key, app.clock(), { holder: randomUUID() })).toBeDefined();
  await sql`update delivery_slices set trying = ${trying}
    where notification_id = ${id} and state = 'leased'`.execute(database.db);
  app.setTime(new Date(app.clock().getTime() + 11_000));
}

test.each([{}, TEMPLATE])(
  'a slice whose process is killed from outside nine times in a row still reaches all devices (%#)',
  async (keys) => {
    const id = await planned(keys);
    for (let death = 0; death < 9; death++) await die(id, null);
    await app.work(id);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 4, reason: null });
    expect(app.sent.map(({ deviceId }) => deviceId).toSorted()).toEqual(devices.toSorted());
  },
);

test.each([{}, TEMPLATE])(
  'the device that a dead process had noted is left out, and its outcome says why (%#)',
  async (keys) => {
    const id = await planned(keys);
    const [poison = ''] = devices;
    await die(id, null);
    await die(id, poison);
    await die(id, null);
    await app.work(id);
    const reason = `the push to the device ${poison} stopped the process twice`;
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 3, ambiguous: 1, reason });
    expect(await app.outcomeOf(id, poison)).toMatchObject({
      outcome: 'ambiguous',
      reason: 'a process died twice while it sent to the device, or read why the push was refused',
    });
  },
);

test.each([
  ['two deaths, the second during work on the whole slice', 2, 'twice'],
  ['ten deaths of which nothing was noted', 10, '10 times'],
])('a notification fails, and nothing is read or sent, after %s', async (_what, deaths, times) => {
  const id = await planned();
  for (let death = 1; death <= deaths; death++) {
    await die(id, death === 2 && deaths === 2 ? WHOLE_SLICE : null);
  }
  await app.work(id);
  const reason = `a part was given up, because sending it stopped the process ${times}`;
  expect(await app.read(id)).toMatchObject({ state: 'failed', devices: 4, rejected: 4, reason });
  expect(app.sent).toEqual([]);
});

test.each([
  ['reaches all devices, after a note for all of them was found once', 1, { state: 'sent', accepted: 4 }],
  ['fails, after such a note was found twice', 2, { state: 'failed', accepted: 0, rejected: 4 }],
])('a notification with several slices %s', async (_what, notes, record) => {
  const id = await planned();
  await cutInTwo(id);
  for (let note = 0; note < notes; note++) await die(id, WHOLE_SLICE);
  await app.work(id);
  expect(await app.read(id)).toMatchObject(record);
  expect(app.sent).toHaveLength(record.accepted);
});

test('a start on the embedded database counts the deaths of its predecessor', async () => {
  const id = await planned();
  const [poison = ''] = devices;
  for (const trying of [null, poison]) {
    await die(id, trying);
    await releaseSlices(database.db, app.clock());
  }
  await app.work(id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 3, ambiguous: 1 });
});

test('a process that finds its own lease expired does not count as dead', async () => {
  const id = await planned();
  const key = app.keyOf(id);
  const holder = randomUUID();
  for (let lease = 0; lease < 3; lease++) {
    const slice = await leaseNextSlice(database.db, key, app.clock(), { holder });
    expect(slice).toMatchObject({ deaths: 0, poison: [] });
    app.setTime(new Date(app.clock().getTime() + 11_000));
  }
});

const NO_CONNECTION = new Error('timeout exceeded when trying to connect');

test('a process that gets no connection gives its slice back, and does not count as dead', async () => {
  const id = await planned();
  app.failBy(NO_CONNECTION);
  await expect(app.deliverSlice(id)).rejects.toThrow(NO_CONNECTION);
  const slice = await leaseNextSlice(database.db, app.keyOf(id), app.clock());
  expect(slice).toMatchObject({ attempt: 2, deaths: 0 });
});

test('a process without a connection gives its slice back as soon as it has one again', async () => {
  const id = await planned();
  const allow = await refuseThrice(
    database.db,
    `update on delivery_slices for each row when (new.notification_id = '${id}' and new.state = 'waiting')`,
  );
  app.failBy(NO_CONNECTION);
  await expect(app.deliverSlice(id)).rejects.toThrow(NO_CONNECTION);
  const slice = await leaseNextSlice(database.db, app.keyOf(id), app.clock());
  await allow();
  expect(slice).toMatchObject({ attempt: 2, deaths: 0 });
});

test('a process without a connection that is asked to stop leaves its slice to others', async () => {
  const id = await planned();
  const stop = new AbortController();
  app.failBy(NO_CONNECTION);
  stop.abort();
  await expect(app.deliverSlice(id, stop.signal)).rejects.toThrow(NO_CONNECTION);
  const key = app.keyOf(id);
  expect(await leaseNextSlice(database.db, key, app.clock())).toBeUndefined();
});

/** What is noted now. */
async function noteOn(id: string): Promise<string | null> {
  const { rows } = await sql<{ trying: string | null }>`
    select trying from delivery_slices where notification_id = ${id}`.execute(database.db);
  return rows[0]?.trying ?? null;
}

interface Notes {
  /** Steps for all devices. */
  forAll: number;
  /** Ids of devices, in the order of the notes. */
  tried: string[];
  /** How often the note of a device was erased, and not replaced. */
  erased: number;
}

/** Runs a notification, or what is given of it, and records what is noted. */
async function notesOf(id: string, run = async (): Promise<unknown> => app.work(id)): Promise<Notes> {
  await sql
    .raw(
      `create table noted (tried uuid);
      create function note() returns trigger language plpgsql as $$ begin
        if new.trying is distinct from old.trying and (new.trying is not null or old.trying <> '${WHOLE_SLICE}') then
          insert into noted values (new.trying);
        end if;
        return new;
      end $$;
      create trigger note before update on delivery_slices for each row
        when (new.notification_id = '${id}') execute function note()`,
    )
    .execute(database.db);
  await run();
  const { rows } = await sql<{ tried: string | null }>`select * from noted`.execute(database.db);
  await sql`drop function note cascade; drop table noted`.execute(database.db);
  return {
    forAll: rows.filter(({ tried }) => tried === WHOLE_SLICE).length,
    tried: rows.flatMap(({ tried }) => (tried === null || tried === WHOLE_SLICE ? [] : tried)),
    erased: rows.filter(({ tried }) => tried === null).length,
  };
}

test.each([
  ['that is the same for few devices', 4, {}, true],
  ['made of values of each device', 25, TEMPLATE, true],
  ['that is the same for many devices', 25, {}, false],
])(
  'after a death, a message %s is sent to %i of them, and a refusal is noted',
  async (_what, size, keys, isNoted) => {
    if (size > 4) devices.push(...(await app.addDevices(Array.from({ length: size - 4 }, () => null))));
    const refused = devices.slice(0, 2);
    app.refuse(refused);
    const id = await planned(keys);
    await die(id, null);
    // No answer comes before the last note is erased. The first push goes alone, until the gateway has accepted the credentials.
    const erasedNote = async (): Promise<void> =>
      vi.waitFor(async () => expect(await noteOn(id)).toBeNull(), { interval: 1 });
    let ofOthers: Promise<void> | undefined;
    app.onSent(async () => (app.sent.length === 1 ? erasedNote() : (ofOthers ??= erasedNote())));
    const { tried, erased } = await notesOf(id);
    expect(tried.toSorted()).toEqual([...(isNoted ? devices : []), ...refused].toSorted());
    // A note replaces the one before.
    expect(erased).toBeLessThanOrEqual(4);
    expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: size - 2, rejected: 2 });
  },
);

test('after a death, a refusal that cannot be noted is read all the same', async () => {
  devices.push(...(await app.addDevices(Array.from({ length: 26 }, () => null))));
  app.refuse(devices);
  const id = await planned();
  await die(id, null);
  const when = `new.notification_id = '${id}' and new.trying <> '${WHOLE_SLICE}'`;
  await refuse(database.db, { on: 'update of trying on delivery_slices', when });
  await app.work(id);
  await sql`drop function refuse cascade`.execute(database.db);
  expect(await app.read(id)).toMatchObject({ rejected: 30 });
  expect(app.sent).toHaveLength(30);
});

test('after a death, a process that is asked to stop notes no more pushes', async () => {
  const id = await planned(TEMPLATE);
  await die(id, null);
  const stop = new AbortController();
  app.onSent(() => {
    if (app.sent.length === 2) stop.abort();
  });
  const { tried } = await notesOf(id, async () => app.deliverSlice(id, stop.signal));
  expect(tried).toEqual(app.sent.map(({ deviceId }) => deviceId));
  expect(tried).toHaveLength(2);
});

test('the probe of a paused route is refused while its push is still noted', async () => {
  app.refuse(devices.toSorted().slice(0, 1));
  const id = await planned(TEMPLATE);
  await die(id, null);
  app.pauseRoute();
  await app.work(id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 3, rejected: 1 });
});

/** The slice becomes two: the upper half of its devices is a slice that no process has had. */
async function cutInTwo(id: string): Promise<void> {
  await sql`with upper_half as (
      insert into delivery_slices (app_id, notification_id, number, first_id, last_id, not_before)
      select app_id, notification_id, 1, '80000000-0000-0000-0000-000000000000', last_id, not_before
      from delivery_slices where notification_id = ${id}
    ), lower_half as (
      update delivery_slices set last_id = '7fffffff-ffff-ffff-ffff-ffffffffffff' where notification_id = ${id}
    )
    update notifications set slices_left = 2 where id = ${id}`.execute(database.db);
}

test('while another process tries what concerns all devices, a slice is given back, and counts no death', async () => {
  const id = await planned();
  await cutInTwo(id);
  const key = app.keyOf(id);
  await leaseNextSlice(database.db, key, app.clock(), {
    numbers: { first: 1, last: 1 },
    holder: randomUUID(),
  });
  await sql`update delivery_slices set deaths = 1, trying = ${WHOLE_SLICE}
    where notification_id = ${id} and number = 1`.execute(database.db);
  await app.deliverSlice(id);
  expect(app.sent).toEqual([]);
  const soon = new Date(app.clock().getTime() + 1_000);
  const slice = await leaseNextSlice(database.db, key, soon, { holder: randomUUID() });
  expect(slice).toMatchObject({ number: 0, attempt: 2, deaths: 0 });
});

test('a process notes what concerns all devices once, if a notification has several slices', async () => {
  const id = await planned();
  await cutInTwo(id);
  const { forAll, tried } = await notesOf(id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 4 });
  // The notification is read, and its message is compiled for one route, by the first slice that has a device.
  expect(forAll).toBe(2);
  expect(tried).toEqual([]);
});

test('nothing is noted for a notification with one slice of which no process has died', async () => {
  expect(await notesOf(await planned())).toEqual({ forAll: 0, tried: [], erased: 0 });
});

test('next to a slice whose process has died, another notes what concerns all devices, and no device', async () => {
  const id = await planned();
  await cutInTwo(id);
  const key = app.keyOf(id);
  await leaseNextSlice(database.db, key, app.clock(), {
    holder: randomUUID(),
    numbers: { first: 1, last: 1 },
  });
  app.setTime(new Date(app.clock().getTime() + 11_000));
  const { forAll, tried } = await notesOf(id);
  expect(await app.read(id)).toMatchObject({ state: 'sent', accepted: 4 });
  // The notification is read, and its message is compiled for one route, by the first slice that has a device.
  expect(forAll).toBe(2);
  expect(new Set(tried)).toEqual(new Set(devices.filter((device) => device >= '8')));
});
