/** The pushes of a device and of a user, as delivery leaves them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { pageCursor } from '../../../src/api/page-cursor.ts';
import { cancelNotification } from '../../../src/notifications/cancel.ts';
import { recordOpen } from '../../../src/results/history/opens.ts';
import { readDevicePushes } from '../../../src/results/history/device-pushes.ts';
import { readUserPushes, type UserKey } from '../../../src/results/history/user-pushes.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openPushApp, type PushApp } from './push-app.ts';

const NOW = '2026-11-21T12:00:00.000Z';
const database = useTestDatabase();

let app: PushApp;
beforeEach(async () => {
  app = await openPushApp(database.db, NOW);
});

const after = (cursor?: string | null) => (cursor ? pageCursor.parse(cursor) : undefined);

async function ofDevice(deviceId: string, cursor?: string | null) {
  return readDevicePushes(database.db, app.appId, deviceId, { after: after(cursor), now: app.clock() });
}

async function ofUser(user: string | UserKey, cursor?: string | null) {
  const key = typeof user === 'string' ? ({ by: 'user_id', value: user } as const) : user;
  return readUserPushes(database.db, app.appId, key, { after: after(cursor), now: app.clock() });
}

/** Ids and states, newest first. */
async function listed(deviceId: string): Promise<[string, string][]> {
  const { pushes } = await ofDevice(deviceId);
  return pushes.map(({ notification_id: id, state }) => [id, state]);
}

type Page = { pushes: { notification_id: string }[]; meta: { cursor: string | null } };

/** The ids on each page. */
async function pagesOf(read: (cursor?: string | null) => Promise<Page>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { pushes, meta } = await read(cursor);
    pages.push(pushes.map(({ notification_id: id }) => id));
    ({ cursor } = meta);
  }
  return pages;
}

let seconds = 0;
/** Notifications of the same moment are listed in the order of their ids, so each has a moment of its own. */
function next(): void {
  app.setTime(new Date(Date.parse(NOW) + ++seconds * 1_000));
}

async function sendNext(...request: Parameters<PushApp['send']>): Promise<string> {
  next();
  return app.send(...request);
}

const filter = (name: string, criteria: readonly unknown[]) => ({ name, criteria });

const plannedAt = (hour: number, words: string) => ({
  state: 'planned',
  at: `2026-11-21T${hour}:00:00.000Z`,
  explanation: expect.stringContaining(words) as unknown,
});

describe('The pushes of a device', () => {
  test('a device lists those to it, to its user, to its address and to audiences that it is in, newest first', async () => {
    const device = await app.addDevice({ user_id: 'ada', user_email: 'ada@example.com', locale: 'fr_FR' });
    await app.addDevice({ user_id: 'ben', locale: 'fr_FR' });
    const sent = [
      await sendNext({ device_id: device }),
      await sendNext({ user_id: 'ada' }),
      await sendNext([filter('user_email', ['ada@example.com', 'ben@example.com'])]),
      await sendNext([filter('user_id', ['ada']), filter('user_email', ['ada@example.com'])]),
      await sendNext('*'),
      await sendNext([filter('locale', ['fr_FR'])]),
    ];
    await sendNext({ user_id: 'ben' });
    await sendNext([filter('user_id', ['ada']), filter('locale', ['de_DE'])]);
    await sendNext('*', { dry_run: true });
    expect(await listed(device)).toEqual(sent.toReversed().map((id) => [id, 'accepted']));
  });

  test('a push to its former user stays with the device, and the pushes of that user since then do not', async () => {
    const device = await app.addDevice({ user_id: 'ada' });
    const before = await sendNext({ user_id: 'ada' });
    await app.update(device, { user_id: 'ben' });
    const another = await app.addDevice({ user_id: 'ada' });
    const since = await sendNext({ user_id: 'ada' });
    await app.create({ user_id: 'ada' }, { deliver_at: '2026-11-21T18:00:00Z' });
    const tobe = await sendNext({ user_id: 'ben' });
    expect(await listed(device)).toEqual([
      [tobe, 'accepted'],
      [before, 'accepted'],
    ]);
    expect((await listed(another)).map(([id]) => id)).toContain(since);
    expect((await listed(another)).map(([id]) => id)).not.toContain(before);
  });

  test('a push that has not ended says whether it is planned, held or being sent, and when', async () => {
    const device = await app.addDevice({ time_zone: 'Australia/Sydney' });
    await app.addDevice({ time_zone: 'Europe/Berlin' });
    const night = { from: '22:00', to: '08:00', no_time_zone: 'ignore' };
    next();
    const waiting = await app.create('*', { quiet_hours: 'ignore_all' });
    await app.plan(waiting);
    next();
    const local = await app.create('*', {
      deliver_at_local: { time: '2026-11-22T09:00:00', no_time_zone: 'skip' },
    });
    next();
    const localAtNight = await app.create('*', {
      deliver_at_local: { time: '2026-11-22T06:00:00', no_time_zone: 'skip' },
      quiet_hours: night,
    });
    next();
    const scheduled = await app.create([filter('time_zone', ['Australia/Sydney'])], {
      deliver_at: '2026-11-21T23:00:00Z',
    });
    await app.create([filter('time_zone', ['Europe/Berlin'])], { deliver_at: '2026-11-21T23:00:00Z' });
    const states = async () => (await ofDevice(device)).pushes;
    const ofThisOne = expect.stringContaining('the quiet hours of this notification (22:00 to 08:00)');
    const atNight = { notification_id: localAtNight, at: '2026-11-21T21:00:00.000Z', explanation: ofThisOne };
    const planned = { notification_id: local, state: 'planned', at: '2026-11-21T22:00:00.000Z' };
    expect(await states()).toMatchObject([
      { notification_id: scheduled, state: 'planned', at: '2026-11-21T23:00:00.000Z' },
      { ...atNight, state: 'planned' },
      planned,
      { notification_id: waiting, state: 'waiting', at: null },
    ]);
    app.setTime('2026-11-21T19:00:00Z'); // nine o'clock in Kiritimati
    for (const id of [local, localAtNight]) await app.plan(id);
    expect((await states()).slice(1, 3)).toMatchObject([{ ...atNight, state: 'held' }, planned]);
  });

  test('a scheduled push says whose quiet hours will hold it, or that they will drop it', async () => {
    const hours = { from: '20:00', to: '07:00' };
    const device = await app.addDevice({ time_zone: 'Australia/Sydney', quiet_hours: hours });
    const inZone = { from: '22:00', to: '08:00', no_time_zone: 'Australia/Sydney' } as const;
    const without = await app.addDevice();
    const keys = { deliver_at: '2026-11-21T18:00:00Z' };
    await app.create('*', keys, inZone);
    next();
    await app.create('*', keys, { ...inZone, action: 'drop' });
    const leaves = plannedAt(18, 'its rules will leave the device out');
    const own = plannedAt(20, 'the user chose on the device (20:00 to 07:00) end');
    expect((await ofDevice(device)).pushes).toMatchObject([leaves, own]);
    const ofApp = plannedAt(21, 'the quiet hours of the app (22:00 to 08:00) end');
    expect((await ofDevice(without)).pushes).toMatchObject([leaves, ofApp]);
  });

  test('a notification with waves has one entry for a device that has its outcome already', async () => {
    const device = await app.addDevice({ time_zone: 'Europe/Berlin' });
    await app.addDevice({ time_zone: 'Australia/Sydney' });
    const id = await sendNext('*', {}, { from: '22:00', to: '08:00', no_time_zone: 'ignore' });
    expect(await listed(device)).toEqual([[id, 'accepted']]);
  });

  test('what was canceled or failed before the device had an outcome is listed as such', async () => {
    const device = await app.addDevice();
    next();
    const canceled = await app.create({ device_id: device }, { deliver_at: '2026-11-21T18:00:00Z' });
    await cancelNotification(database.db, app.appId, canceled, { clock: app.clock, observe: observeNothing });
    const failed = await sendNext('*', { max_recipients: 1 });
    await app.addDevice();
    const tooMany = await sendNext('*', { max_recipients: 1 });
    next();
    const younger = await app.addDevice();
    expect(await listed(device)).toEqual([
      [tooMany, 'failed'],
      [failed, 'accepted'],
      [canceled, 'canceled'],
    ]);
    expect(await listed(younger)).toEqual([]);
  });

  test('pages neither skip nor repeat, and those to others between them cost no page', async () => {
    const device = await app.addDevice({ user_id: 'ada' });
    await app.addDevice({ locale: 'de_DE' });
    const sent: string[] = [];
    for (let count = 0; count < 45; count++) {
      sent.push(await sendNext(count % 2 === 0 ? { user_id: 'ada' } : { device_id: device }));
      if (count % 3 === 0) await sendNext([filter('locale', ['de_DE'])]);
    }
    const pages = await pagesOf((cursor) => ofDevice(device, cursor));
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5]);
    expect(pages.flat()).toEqual(sent.toReversed());
  });

  test('a push from months ago is found behind thousands of newer ones to others and to other audiences', async () => {
    const device = await app.addDevice();
    app.setTime('2026-09-01T12:00:00Z');
    const id = await app.send({ device_id: device });
    await sql`
      with stored as (
        insert into notifications (app_id, id, filters, body, state, created_at, due_at, started_at, ended_at, request_id)
        select ${app.appId}, gen_random_uuid(), '[]', '{"payload":{}}', 'sent', at, at, at, at, 'r'
        from generate_series(1, 3000) as n, lateral (select ${NOW}::timestamptz - n * interval '10 minutes' as at) as times
        returning id, created_at
      )
      insert into notifications_by_recipient (recipient_day, created_at, notification_id)
      select recipient_day(recipient_number(${app.appId}::uuid, case when ascii(id::text) % 2 = 0 then 'many' else 'user ' || id end),
        day_number(created_at)), created_at, id
      from stored`.execute(database.db);
    app.setTime(NOW);
    const { pushes, meta } = await ofDevice(device);
    expect(pushes).toMatchObject([
      { notification_id: id, state: 'accepted', title: 'Order 4711', alert: 'On its way' },
    ]);
    expect(meta).toEqual({ cursor: null, missing_before: null });
  });

  test('an opened push says when', async () => {
    const device = await app.addDevice();
    const id = await sendNext({ device_id: device });
    next();
    await recordOpen(database.db, app.appId, id, device, app.clock);
    expect((await ofDevice(device)).pushes[0]?.opened_at).toBe(app.clock().toISOString());
  });

  test('an unknown device is not found, and one of another app has no pushes of this one', async () => {
    await expect(ofDevice(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await sendNext('*');
    app = await openPushApp(database.db, NOW);
    const device = await app.addDevice();
    expect((await ofDevice(device)).pushes).toEqual([]);
  });
});

describe('The pushes of a user', () => {
  test('a user has those that name the user or an address of the user’s devices, with the state on each device', async () => {
    const [phone, tablet] = [
      await app.addDevice({ user_id: 'ada', user_email: 'ada@example.com' }),
      await app.addDevice({ user_id: 'ada', push_token: null }),
    ];
    const byId = await sendNext({ user_id: 'ada' });
    const byEmail = await sendNext([filter('user_email', ['ada@example.com'])]);
    await sendNext('*');
    const { pushes } = await ofUser('ada');
    expect(pushes.map(({ notification_id: id, state }) => [id, state])).toEqual([
      [byEmail, 'sent'],
      [byId, 'sent'],
    ]);
    const statesOf = (index: number) =>
      Object.fromEntries((pushes[index]?.devices ?? []).map(({ device_id: id, state }) => [id, state]));
    expect(statesOf(0)).toEqual({ [phone]: 'accepted' });
    expect(statesOf(1)).toEqual({ [phone]: 'accepted', [tablet]: 'no_token' });
    expect(await ofUser({ by: 'user_email', value: 'ada@example.com' })).toEqual({
      pushes,
      meta: { cursor: null, missing_before: null },
    });
  });

  test('of a push to several users, the outcomes of the others are not shown', async () => {
    const device = await app.addDevice({ user_id: 'ada' });
    await app.addDevice({ user_id: 'ben' });
    await sendNext([filter('user_id', ['ada', 'ben', 'eve'])]);
    expect((await ofUser('ada')).pushes[0]?.devices.map(({ device_id: id }) => id)).toEqual([device]);
    expect((await ofUser('eve')).pushes).toMatchObject([{ state: 'nobody', devices: [] }]);
  });

  test('a push that is planned, canceled or for nobody yet is listed without a device', async () => {
    next();
    const planned = await app.create({ user_id: 'ghost' }, { deliver_at: '2026-11-21T18:00:00Z' });
    next();
    const canceled = await app.create({ user_id: 'ghost' }, { deliver_at: '2026-11-21T18:00:00Z' });
    await cancelNotification(database.db, app.appId, canceled, { clock: app.clock, observe: observeNothing });
    const nobody = await sendNext({ user_id: 'ghost' });
    next();
    await app.addDevice({ user_id: 'ghost' });
    const { pushes } = await ofUser('ghost');
    expect(pushes.map(({ notification_id: id, state, at }) => ({ id, state, at }))).toMatchObject([
      { id: nobody, state: 'nobody' },
      { id: canceled, state: 'canceled' },
      { id: planned, state: 'planned', at: '2026-11-21T18:00:00.000Z' },
    ]);
    expect(pushes[0]?.explanation).toContain('The first one came later.');
    expect(pushes[2]?.devices).toMatchObject([{ state: 'planned' }]);
  });

  test('the device that got a push is named, also when it has another user now', async () => {
    const device = await app.addDevice({ user_id: 'ada' });
    app.answer({ kind: 'unregistered', reason: 'UNREGISTERED', deadSince: null });
    await sendNext({ user_id: 'ada' });
    await app.update(device, { user_id: 'ben' });
    expect((await ofUser('ada')).pushes).toMatchObject([
      { state: 'sent', devices: [{ device_id: device, state: 'unregistered' }] },
    ]);
  });

  test('the pushes of a user come in pages that neither skip nor repeat, and the one after the last is empty', async () => {
    const sent: string[] = [];
    for (let count = 0; count < 40; count++) sent.push(await sendNext({ user_id: 'ada' }));
    const pages = await pagesOf((cursor) => ofUser('ada', cursor));
    expect(pages.flat()).toEqual(sent.toReversed());
  });

  test('a user id that nothing has is not found, and an address that nothing has is empty', async () => {
    for (const id of ['nobody', 'a\u0000b']) {
      await expect(ofUser(id)).rejects.toMatchObject({ code: 'not_found' });
    }
    await app.addDevice({ user_id: 'ada' });
    const empty = { pushes: [], meta: { cursor: null, missing_before: null } };
    expect(await ofUser('ada')).toEqual(empty);
    expect(await ofUser({ by: 'user_email', value: 'nobody@example.com' })).toEqual(empty);
  });

  test('while earlier pushes are added after an upgrade, the lists say before when some may be missing', async () => {
    const device = await app.addDevice();
    await sql`insert into recipients_missing (app_id, before) values (${app.appId}, ${NOW})`.execute(
      database.db,
    );
    expect(await ofDevice(device)).toEqual({ pushes: [], meta: { cursor: null, missing_before: NOW } });
    expect(await ofUser('ghost')).toEqual({ pushes: [], meta: { cursor: null, missing_before: NOW } });
  });
});
