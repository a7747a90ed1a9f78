/** The jobs that count hours and devices, and the overview that is made of both. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countDueApps, type FailedApps } from '../../src/results/overview/count-devices.ts';
import { countHoursJob, countLatestHours } from '../../src/results/overview/count-hours.ts';
import { overviewQuery, readOverview } from '../../src/results/overview/overview.ts';
import { inWords } from '../../src/status/in-words.ts';
import type { Trouble } from '../../src/status/trouble.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const NOW = new Date('2026-11-21T12:30:00.000Z');
const never = new AbortController().signal;
const clockAt = (at: Date | string) => () => new Date(at);

let database: TestDatabase;
let app: AppWithAudience;

beforeEach(async () => {
  database = await openTestDatabase();
  app = await insertAppWithAudience(database.db);
  await database.db
    .updateTable('apps')
    .set({ created_at: new Date('2026-11-01T00:00:00Z') })
    .execute();
});

afterEach(async () => {
  await database.close();
});

async function insertEnded(end: string, counters: Record<string, number> = {}) {
  const [started_at, ended_at] = [new Date(end), new Date(end)];
  const sent = { state: 'sent' as const, started_at, ended_at, devices: 10, accepted: 10 };
  return insertNotification(database.db, app, { ...sent, ...counters });
}

async function insertOpen(notificationId: string, openedAt: string): Promise<void> {
  const row = { app_id: app.appId, notification_id: notificationId, device_id: randomUUID() };
  await database.db
    .insertInto('opens')
    .values({ ...row, opened_at: new Date(openedAt) })
    .execute();
}

async function read(now: Date | string, query: object = {}, troubles: readonly Trouble[] = []) {
  const [of, asked] = [{ appId: app.appId, troubles }, overviewQuery.parse(query)];
  return (await readOverview({ db: database.db, clock: clockAt(now) }, of, asked)).overview;
}

async function insertDevices(
  rows: readonly { platform: 'iOS' | 'Android'; os?: string; app?: string | null; token?: boolean }[],
): Promise<void> {
  await database.db
    .insertInto('devices')
    .values(
      rows.map(({ platform, os = '18.1', app: version = '1.0', token = true }) => ({
        app_id: app.appId,
        id: randomUUID(),
        platform,
        os_name: platform,
        os_version: os,
        app_version: version,
        push_token: token ? randomUUID() : null,
        created_at: NOW,
        registered_at: NOW,
      })),
    )
    .execute();
}
const count = async (at: Date | string, failed: FailedApps = new Map()): Promise<void> =>
  countDueApps({ db: database.db, clock: clockAt(at), failed }, never);

const countHours = async (at: Date | string = NOW, stop = never): Promise<boolean> =>
  countLatestHours(database.db, clockAt(at), stop);

const codes = async () => (await read(NOW)).attention.map(({ code }) => code);

describe('hours', () => {
  test('each hour is counted once, and again while it may change', async () => {
    const first = await insertEnded('2026-11-21T10:59:59.999Z', { accepted: 7, unregistered: 3 });
    await insertOpen(first, '2026-11-21T12:01:00Z');
    await countHours();
    expect(await read(NOW, { days: '1' })).toMatchObject({
      days_counted_at: NOW.toISOString(),
      days: [{ day: '2026-11-21', notifications: 1, devices: 10, accepted: 7, unregistered: 3, opens: 1 }],
    });
    // The present hour is counted again; one that ended long before is not.
    await insertEnded('2026-11-21T12:29:00Z', { accepted: 5, ambiguous: 5 });
    await insertEnded('2026-11-21T09:00:00Z');
    await countHours('2026-11-21T12:31:00Z');
    expect((await read(NOW, { days: '1' })).days).toMatchObject([
      { notifications: 2, accepted: 12, ambiguous: 5, opens: 1 },
    ]);
  });

  test('an hour is counted until ten minutes after its end', async () => {
    await countHours('2026-11-21T13:01:00Z');
    await insertEnded('2026-11-21T12:59:58Z'); // a clock that is behind, or a slow transaction
    await countHours('2026-11-21T13:02:00Z');
    expect((await read('2026-11-21T13:02:00Z', { days: '1' })).days).toMatchObject([{ notifications: 1 }]);
  });

  test('the count of an hour leaves out dry runs and notifications that have not ended', async () => {
    await insertNotification(database.db, app, { state: 'validated', ended_at: NOW, devices: 10 });
    await insertNotification(database.db, app, { state: 'sending', started_at: NOW, devices: 10 });
    await countHours();
    expect((await read(NOW, { days: '1' })).days).toMatchObject([{ notifications: 0, devices: 0 }]);
  });

  test('the hours of a month before the first run are counted, in steps', async () => {
    await insertEnded('2026-11-02T08:00:00Z');
    await insertEnded('2026-11-20T23:30:00Z');
    await countHours();
    const { days } = await read(NOW, { days: '30' });
    expect(days).toHaveLength(30);
    expect(days.filter(({ notifications }) => notifications > 0).map(({ day }) => day)).toEqual([
      '2026-11-02',
      '2026-11-20',
    ]);
  });

  test('an hour belongs to a day of the asked zone', async () => {
    await insertEnded('2026-11-20T23:30:00Z');
    await countHours();
    expect((await read(NOW, { days: '2' })).days).toMatchObject([{ notifications: 1 }, { notifications: 0 }]);
    expect((await read(NOW, { days: '2', time_zone: 'Europe/Paris' })).days).toMatchObject([
      { day: '2026-11-20', notifications: 0 },
      { day: '2026-11-21', notifications: 1 },
    ]);
    const kiritimati = await read(NOW, { days: '1', time_zone: 'Pacific/Kiritimati' });
    expect(kiritimati.days).toMatchObject([{ day: '2026-11-22', notifications: 0 }]);
  });

  test('hours are not counted again while the pause after a long count lasts', async () => {
    const times = [0, 0, 1, 31, 31, 52, 52, 52].map((seconds) => new Date(NOW.getTime() + seconds * 1_000));
    const job = countHoursJob(database.db, () => times.shift() ?? NOW);
    await job.run(never);
    await insertEnded('2026-11-21T12:30:00Z');
    await job.run(never);
    expect((await read(NOW, { days: '1' })).days).toMatchObject([{ notifications: 0 }]);
    await job.run(never);
    expect((await read(NOW, { days: '1' })).days).toMatchObject([{ notifications: 1 }]);
  });
});

describe('devices', () => {
  test('devices are counted by platform, system and version of the app', async () => {
    expect((await read(NOW)).devices).toBeNull();
    await insertDevices([
      { platform: 'iOS' },
      { platform: 'iOS', app: '1.1' },
      { platform: 'iOS', os: '17.0', token: false },
      { platform: 'Android', os: '16', app: null },
    ]);
    await count(NOW);
    expect((await read(NOW, { days: '1' })).devices).toEqual({
      counted_at: NOW.toISOString(),
      total: 4,
      reachable: 3,
      active: 4,
      by_platform: [
        { platform: 'iOS', devices: 3 },
        { platform: 'Android', devices: 1 },
      ],
      by_system: [
        { platform: 'iOS', os_name: 'iOS', os_version: '18.1', devices: 2 },
        { platform: 'Android', os_name: 'Android', os_version: '16', devices: 1 },
        { platform: 'iOS', os_name: 'iOS', os_version: '17.0', devices: 1 },
      ],
      by_app_version: [
        { platform: 'iOS', app_version: '1.0', devices: 2 },
        { platform: 'iOS', app_version: '1.1', devices: 1 },
        { platform: 'Android', app_version: null, devices: 1 },
      ],
    });
  });

  test('the twenty largest versions of a platform are kept', async () => {
    const versions = Array.from({ length: 30 }, (_, index) => `1.${index}`);
    await insertDevices([
      ...versions.map((version) => ({ platform: 'iOS' as const, app: version })),
      { platform: 'iOS', app: '1.29' },
      { platform: 'Android', app: '9' },
    ]);
    await count(NOW);
    const { by_app_version: found = [] } = (await read(NOW)).devices ?? {};
    expect(found[0]).toMatchObject({ app_version: '1.29', devices: 2 });
    expect(found.filter(({ platform }) => platform === 'iOS')).toHaveLength(20);
    expect(found.filter(({ platform }) => platform === 'Android')).toHaveLength(1);
  });

  test('each day keeps its last count, and only the last day its counts by version', async () => {
    await insertDevices([{ platform: 'iOS' }]);
    await count('2026-11-20T08:00:00Z');
    await insertDevices([{ platform: 'iOS' }]);
    await count('2026-11-20T09:00:00Z');
    await insertDevices([{ platform: 'Android' }]);
    await count(NOW);
    const { days, devices } = await read(NOW, { days: '3' });
    expect(days.map(({ app_devices }) => app_devices)).toEqual([null, 2, 3]);
    expect(devices).toMatchObject({ total: 3 });
    const kept = await database.db.selectFrom('daily_devices').select('groups').orderBy('day').execute();
    expect(kept).toEqual([{ groups: null }, { groups: expect.any(Object) }]);
  });

  test('devices are counted again after some seconds, and after a long count later', async () => {
    const countedAt = async () => (await read(NOW)).devices?.counted_at;
    await count(NOW);
    await count('2026-11-21T12:30:13Z');
    expect(await countedAt()).toBe(NOW.toISOString());
    await count('2026-11-21T12:31:00Z');
    expect(await countedAt()).toBe('2026-11-21T12:31:00.000Z');
    await database.db.updateTable('daily_devices').set({ took_ms: 3_000 }).execute();
    await count('2026-11-21T12:35:00Z');
    expect(await countedAt()).toBe('2026-11-21T12:31:00.000Z');
    await count('2026-11-21T12:36:00Z');
    expect(await countedAt()).toBe('2026-11-21T12:36:00.000Z');
  });

  test('a stopped run counts nothing more', async () => {
    await countDueApps({ db: database.db, clock: clockAt(NOW), failed: new Map() }, AbortSignal.abort());
    await countHours(NOW, AbortSignal.abort());
    expect(await read(NOW)).toMatchObject({ devices: null, days_counted_at: null });
  });

  test('an app that cannot be counted does not keep others from it', async () => {
    const other = await insertAppWithAudience(database.db);
    const failed: FailedApps = new Map();
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin if new.app_id = ${sql.lit(app.appId)} then raise exception 'refused'; end if; return new; end $$`.execute(
      database.db,
    );
    await sql`create trigger refuse before insert on daily_devices for each row execute function refuse()`.execute(
      database.db,
    );
    await expect(count(NOW, failed)).rejects.toThrow('refused');
    expect([...failed.keys()]).toEqual([app.appId]);
    const counted = await database.db.selectFrom('daily_devices').select('app_id').execute();
    expect(counted).toEqual([{ app_id: other.appId }]);
  });
});

describe('what needs attention', () => {
  test('many rejected pushes and dead tokens of the last 24 hours need attention', async () => {
    await insertEnded('2026-11-20T11:00:00Z', { accepted: 0, rejected: 1_000 });
    await insertEnded('2026-11-21T11:00:00Z', { accepted: 91, rejected: 9 });
    await countHours();
    expect(await codes()).toEqual([]);
    await insertEnded('2026-11-21T12:00:00Z', { accepted: 0, rejected: 1, unregistered: 100 });
    await countHours();
    expect(await codes()).toEqual(['tokens_dead']);
    await insertEnded('2026-11-21T12:05:00Z', { accepted: 0, rejected: 1 });
    await insertEnded('2026-11-21T12:06:00Z', { accepted: 0, rejected: 1 });
    await countHours();
    expect((await read(NOW)).attention).toMatchObject([
      { code: 'pushes_rejected', message: 'Within 24 hours, 12 of 203 pushes were rejected.', route: null },
      { code: 'tokens_dead' },
    ]);
  });

  test('the troubles of now need attention first', async () => {
    await insertEnded('2026-11-21T12:00:00Z', { accepted: 0, rejected: 10 });
    await countHours();
    const of = { sinceMs: NOW.getTime(), appId: app.appId, route: 'fcm' } as const;
    const paused = inWords({ code: 'route_paused', ...of, reason: 'so it says' });
    expect((await read(NOW, {}, [paused])).attention).toMatchObject([
      {
        code: 'route_paused',
        message:
          'Sending to Google is paused: so it says. Its devices wait, until the time to live of their pushes is over. ' +
          'Remove the cause, then resume it.',
        route: 'fcm',
        webhook_id: null,
      },
      { code: 'pushes_rejected' },
    ]);
  });
});

test('an error names the faults of the query', () => {
  const faults = overviewQuery.safeParse({ days: '91', time_zone: 'Mars/Olympus' }).error?.issues;
  expect(faults?.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['days', 'must be a whole number from 1 to 90'],
    ['time_zone', 'must be the name of a time zone, such as Europe/Paris'],
  ]);
});
