import { readNotification } from '../../src/notifications/look-up/read.ts';
import { randomUUID } from 'node:crypto';
import type { Insertable, Kysely, Updateable } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { putFcmCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import type { Database, NotificationsTable } from '../../src/db/tables.ts';
import { type LiveView, type LiveViews, openLiveViews, type Viewer } from '../../src/results/report/live.ts';
import { type Progress, progressReply } from '../../src/results/report/progress-reply.ts';
import { databaseInWords } from '../../src/status/in-words.ts';
import type { Trouble } from '../../src/status/trouble.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from '../notifications/rows.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { countStatements } from '../support/statements.ts';
import { PATIENCE } from '../support/patience.ts';

const database = useTestDatabase();
const START = Date.UTC(2026, 10, 20, 12);

let app: AppWithAudience;
let now: Date;
let live: LiveViews;
let statements: () => number;
let troubles: Trouble[];
let views: LiveView[];

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
  now = new Date(START);
  views = [];
  troubles = [];
  const counted = countStatements(database.db);
  statements = counted.count;
  live = open(counted.db);
});

afterEach(async () => {
  for (const view of views) view.close();
  await live.close();
});

function open(db: Kysely<Database>, everyMs = 5): LiveViews {
  return openLiveViews({
    db,
    secret: testSecret,
    clock: () => now,
    fcmPushesPerMinute: 600_000,
    status: { fresh: async () => undefined, ofApp: () => troubles, reading: async (read) => read() },
    everyMs,
  });
}

interface Seen extends Viewer {
  shown: Progress[];
  ended: Progress[];
  stops: number;
}

function newViewer(): Seen {
  const seen: Seen = {
    shown: [],
    ended: [],
    stops: 0,
    progress: (data) => seen.shown.push(progressReply.parse(JSON.parse(data))),
    end: (data) => seen.ended.push(progressReply.parse(JSON.parse(data))),
    stop: () => (seen.stops += 1),
  };
  return seen;
}

async function watch(id: string, appId = app.appId): Promise<{ view: LiveView; seen: Seen }> {
  const view = await live.open({ appId, notificationId: id });
  views.push(view);
  const seen = newViewer();
  view.start(seen);
  return { view, seen };
}

async function insertSending(values: Partial<Insertable<NotificationsTable>> = {}): Promise<string> {
  const started = { state: 'sending' as const, started_at: new Date(START), devices: 10_000 };
  return insertNotification(database.db, app, { ...started, ...values });
}

async function update(id: string, values: Updateable<NotificationsTable>): Promise<void> {
  await database.db.updateTable('notifications').set(values).where('id', '=', id).execute();
}

test('a live view shows the counters at once, every change, and the end', async () => {
  const id = await insertSending({ accepted: 100, slices_left: 1 });
  const { seen } = await watch(id.toUpperCase());
  expect(seen.shown).toHaveLength(1);
  expect(seen.shown[0]).toMatchObject({ state: 'sending', accepted: 100, pending: 9_900, per_second: null });
  now = new Date(START + 1_000);
  await update(id, { accepted: 2_100, rejected: 500 });
  await vi.waitFor(
    () =>
      expect(seen.shown.at(-1)).toMatchObject({
        at: now.toISOString(),
        accepted: 2_100,
        pending: 7_400,
        per_second: 2_500,
        estimated_seconds_left: null, // a second says little
      }),
    PATIENCE,
  );
  await update(id, { state: 'sent', accepted: 9_500, ended_at: now });
  await vi.waitFor(() => expect(seen.ended).toHaveLength(1), PATIENCE);
  expect(seen.ended[0]).toMatchObject({ state: 'sent', pending: 0, limit: null, per_second: null });
});

test('a live view measures the rate over five seconds, and sees it fall to zero', async () => {
  const id = await insertSending();
  const { seen } = await watch(id);
  let accepted = 0;
  const second = async (added: number): Promise<void> => {
    now = new Date(now.getTime() + 1_000);
    accepted += added;
    // A read that began before the clock moved would show the new number at the old time.
    const before = statements();
    await vi.waitFor(() => expect(statements()).toBeGreaterThan(before + 1), PATIENCE);
    await update(id, { accepted });
    const at = now.toISOString();
    await vi.waitFor(() => expect(seen.shown.at(-1)).toMatchObject({ at, accepted }), PATIENCE);
  };
  for (const added of [100, 100, 100, 100, 100, 600]) await second(added);
  expect(seen.shown.at(-1)?.per_second).toBe(200);
  for (const _ of [1, 2, 3, 4, 5]) await second(1);
  expect(seen.shown.at(-1)).toMatchObject({ per_second: 1, estimated_seconds_left: 8_895 });
  now = new Date(now.getTime() + 6_000);
  const still = { per_second: 0, estimated_seconds_left: null };
  await vi.waitFor(() => expect(seen.shown.at(-1)).toMatchObject(still), PATIENCE);
});

test('a live view whose database stands still says so, and estimates no end', async () => {
  const id = await insertSending({ accepted: 100, slices_left: 1 });
  const { seen } = await watch(id);
  const refused = vi.spyOn(database.db, 'getExecutor').mockImplementation(() => {
    throw new Error('the database did not answer');
  });
  troubles = [databaseInWords({ condition: 'unreachable', sinceMs: START, message: null })];
  await vi.waitFor(
    () =>
      expect(seen.shown.at(-1)).toMatchObject({
        accepted: 100,
        estimated_seconds_left: null,
        limit: {
          code: 'database_trouble',
          sentence: expect.stringMatching(/^The database does not answer\./),
        },
      }),
    PATIENCE,
  );
  refused.mockRestore();
});

test('a live view is silent while nothing changes', async () => {
  const id = await insertNotification(database.db, app, { due_at: new Date(START + 60_000) });
  const { seen } = await watch(id);
  const before = statements();
  await vi.waitFor(() => expect(statements()).toBeGreaterThan(before + 3), PATIENCE);
  expect(seen.shown).toHaveLength(1);
  expect(seen.shown[0]?.limit).toMatchObject({ code: 'scheduled', until: '2026-11-20T12:01:00.000Z' });
});

test('all viewers share one statement, and none is made once they have left', async () => {
  const ids = await Promise.all([insertSending(), insertSending()]);
  await live.close();
  const counted = countStatements(database.db);
  live = open(counted.db, 60_000);
  for (const id of [...ids, ...ids, ...ids]) await watch(id);
  expect(counted.count()).toBe(2 * ids.length); // the credentials and the counters, once for each
  for (const view of views) view.close();
  await live.close();
  const reading = countStatements(database.db);
  live = open(reading.db);
  views = [];
  for (const id of [...ids, ...ids]) await watch(id);
  await vi.waitFor(() => expect(reading.count()).toBeGreaterThan(6), PATIENCE);
  for (const view of views) view.close();
  await live.close();
  const after = reading.count();
  live = open(reading.db);
  expect(reading.count()).toBe(after);
});

test('viewers that come together share the first statement', async () => {
  const id = await insertSending();
  const [first, second] = await Promise.all([watch(id), watch(id)]);
  expect(statements()).toBe(2);
  expect(second.seen.shown).toEqual(first.seen.shown);
});

test('a notification that has ended is shown once', async () => {
  const id = await insertNotification(database.db, app, {
    state: 'canceled',
    started_at: now,
    ended_at: now,
    devices: 5,
    accepted: 2,
  });
  const { seen } = await watch(id);
  expect(seen.shown).toEqual([]);
  expect(seen.ended).toEqual([expect.objectContaining({ state: 'canceled', accepted: 2, pending: 3 })]);
  const again = await watch(id);
  expect(again.seen.ended).toHaveLength(1);
});

test('a viewer that has left gets nothing more, and the others do', async () => {
  const id = await insertSending();
  const [first, second] = [await watch(id), await watch(id)];
  first.view.close();
  first.view.close();
  now = new Date(START + 1_000);
  await update(id, { accepted: 5 });
  await vi.waitFor(() => expect(second.seen.shown.at(-1)?.accepted).toBe(5), PATIENCE);
  expect(first.seen.shown).toHaveLength(1);
});

test('at most 100 views of an app are open, and 200 in all', async () => {
  const id = await insertSending();
  for (let opened = 0; opened < 100; opened += 1) await watch(id);
  await expect(watch(id)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
  const other = await insertAppWithAudience(database.db);
  const otherId = await insertNotification(database.db, other, { state: 'sending', started_at: now });
  for (let opened = 0; opened < 100; opened += 1) await watch(otherId, other.appId);
  const third = await insertAppWithAudience(database.db);
  const thirdId = await insertNotification(database.db, third);
  await expect(watch(thirdId, third.appId)).rejects.toMatchObject({ code: 'unavailable' });
  views.pop()?.close();
  await watch(thirdId, third.appId);
});

test('views that are refused do not count for the limit', async () => {
  const { id: otherApp } = await insertApp(database.db);
  const id = await insertSending();
  for (let tries = 0; tries < 101; tries += 1) {
    await expect(watch(randomUUID(), otherApp)).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(watch(id, otherApp)).rejects.toMatchObject({ code: 'not_found' });
  await expect(watch('x', otherApp)).rejects.toMatchObject({ code: 'not_found' });
  const own = await insertNotification(database.db, { ...app, appId: app.appId });
  await watch(own);
});

test('a close stops all views, and refuses new ones', async () => {
  const id = await insertSending();
  const { seen } = await watch(id);
  await live.close();
  expect(seen.stops).toBe(1);
  await expect(watch(id)).rejects.toMatchObject({ code: 'unavailable' });
});

async function insertSlices(id: string, rows: object[]): Promise<void> {
  const key = { app_id: app.appId, notification_id: id };
  const range = { first_id: randomUUID(), last_id: randomUUID(), not_before: now };
  for (const [number, row] of rows.entries()) {
    const slice = { ...key, number, ...range, ...row };
    await database.db.insertInto('delivery_slices').values(slice).execute();
  }
}

async function pauseFcm(): Promise<void> {
  const pause = { pause: 'tokens', pause_reason: 'most push tokens are refused', paused_at: now } as const;
  const route = { app_id: app.appId, route: 'fcm', version: randomUUID() } as const;
  await database.db
    .insertInto('route_states')
    .values({ ...route, ...pause })
    .execute();
}

async function limitCode(id: string): Promise<string | undefined> {
  const { seen } = await watch(id);
  return seen.shown[0]?.limit?.code;
}

describe('what limits it', () => {
  test.each<[string, object[], string]>([
    ['a leased slice', [{ state: 'leased', lease_until: new Date(START + 1) }, {}], 'gateway_answers'],
    [
      'a leased slice whose process died before',
      [{ state: 'leased', lease_until: new Date(START + 1), deaths: 1 }, {}],
      'sent_carefully',
    ],
    ['no leased slice', [{}, { state: 'done' }], 'waiting_for_worker'],
    ['a lease that ran out', [{ state: 'leased', lease_until: new Date(START - 1) }], 'waiting_for_worker'],
    ['only slices that are tried again later', [{ not_before: new Date(START + 9_000) }], 'retrying'],
    ['only slices that wait for a paused route', [{ waits_for: ['fcm'] }], 'route_paused'],
  ])('the limit in a live view is read from %s', async (_name, slices, code) => {
    const id = await insertSending({ slices_left: slices.length });
    await insertSlices(id, slices);
    await pauseFcm();
    expect(await limitCode(id)).toBe(code);
  });

  test('no end is estimated while a slice of the notification waits for a paused route', async () => {
    const id = await insertSending({ slices_left: 2, accepted: 100 });
    await insertSlices(id, [{}, { waits_for: ['fcm'] }]);
    await pauseFcm();
    const { seen } = await watch(id);
    now = new Date(START + 4_000);
    await update(id, { accepted: 2_100 });
    const moving = { per_second: 500, estimated_seconds_left: null };
    await vi.waitFor(() => expect(seen.shown.at(-1)).toMatchObject(moving), PATIENCE);
    const read = async () => readNotification(database.db, app.appId, id, () => now);
    expect(await read()).toMatchObject({ accepted: 2_100, estimated_seconds_left: null });
    // The pause ends.
    await database.db.updateTable('route_states').set({ pause: null }).execute();
    expect(await read()).toMatchObject({ estimated_seconds_left: 16 });
  });

  test('the limit in a live view is read from the pace of the app’s own project', async () => {
    const projectId = `project-${randomUUID().slice(0, 8)}`;
    await putFcmCredentials(database.db, testSecret, { appId: app.appId, projectId }, systemClock);
    await database.db
      .insertInto('gateway_paces')
      .values({ project: `fcm:${projectId}`, allowance: -200, refilled_at: now, paused_until: null })
      .execute();
    expect(await limitCode(await insertSending())).toBe('google_quota');
  });
});
