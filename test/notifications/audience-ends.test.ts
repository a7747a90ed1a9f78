/** Audiences that are deleted or expire, and the notifications that were made for them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listAudiences, readAudience } from '../../src/audiences/audience-store.ts';
import { deleteAudience, deleteIn } from '../../src/audiences/delete.ts';
import { expireAudiences } from '../../src/audiences/expire.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { readDelivery } from '../../src/results/history/device-outcome.ts';
import { ApiError } from '../../src/api/errors.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { notificationStats } from '../../src/notifications/look-up/stats.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { untilWaiting } from '../support/statements.ts';
import { create } from './rows.ts';

let database: TestDatabase;
const NOW = new Date('2026-11-21T10:00:00.123Z');
const DAY_MS = 24 * 60 * 60_000;
const TO = [{ name: 'tags', criteria: ['a'] }];

let appId: string;
let now: Date;
const clock = (): Date => now;
const daysLater = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

beforeEach(async () => {
  database = await openTestDatabase();
  ({ id: appId } = await insertApp(database.db));
  now = NOW;
});
afterEach(async () => {
  await database.close();
});

async function send(to: unknown = TO, db = database.db): Promise<{ id: string; audienceId: string }> {
  const body = { notification: { to, payload: { alert: 'Hi' } } };
  const created = await create(db, { appId, body }, { clock });
  return { id: created.id, audienceId: created.to.id };
}

async function end(id: string, state: 'sent' | 'canceled' | 'sending' = 'sent'): Promise<void> {
  const change = state === 'sending' ? { started_at: clock() } : { ended_at: clock() };
  await database.db
    .updateTable('notifications')
    .set({ state, ...change })
    .where('id', '=', id)
    .execute();
}

async function sendAndEnd(to: unknown = TO): Promise<{ id: string; audienceId: string }> {
  const sent = await send(to);
  await end(sent.id);
  return sent;
}

const remove = async (id: string): Promise<void> => deleteAudience(database.db, appId, id, clock);
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
const isThere = async (id: string): Promise<boolean> =>
  (await readAudience(database.db, appId, id, clock)) !== undefined;
const listed = async (): Promise<string[]> =>
  (await listAudiences(database.db, { appId, perPage: 100 })).audiences.map(({ id }) => id);

describe('a deleted audience', () => {
  test('a deleted audience cannot be read, listed, targeted or deleted again', async () => {
    const { audienceId } = await sendAndEnd();
    expect(await codeOf(remove(audienceId))).toBe('done');
    expect(await isThere(audienceId)).toBe(false);
    expect(await listed()).toEqual([]);
    expect(await codeOf(send(audienceId))).toBe('not_found');
    expect(await codeOf(send({ audience: audienceId }))).toBe('not_found');
    expect(await codeOf(remove(audienceId))).toBe('not_found');
  });

  test('a deleted audience leaves its notifications unchanged', async () => {
    const { id, audienceId } = await send();
    await end(id, 'canceled');
    const device = { appId, notificationId: id, deviceId: randomUUID(), now };
    const all = async (): Promise<unknown[]> =>
      Promise.all([
        readNotification(database.db, appId, id, clock),
        notificationStats(database.db, appId, id),
        readDelivery(database.db, device),
      ]);
    const before = await all();
    await remove(audienceId);
    expect(await all()).toEqual(before);
    expect(before[1]).toMatchObject({ audience_id: audienceId });
  });

  test('a deleted audience is not found by its specification, which creates a new one', async () => {
    const { audienceId } = await sendAndEnd();
    await remove(audienceId);
    const { audienceId: next } = await send();
    expect(next).not.toBe(audienceId);
    expect((await send()).audienceId).toBe(next);
    expect(await listed()).toEqual([next]);
  });

  test('a deleted audience is not found by the statement of the release before either', async () => {
    const { audienceId } = await sendAndEnd();
    const before = await database.db
      .selectFrom('audiences')
      .selectAll()
      .where('id', '=', audienceId)
      .executeTakeFirstOrThrow();
    await remove(audienceId);
    const id = randomUUID();
    const { rows } = await sql<{ id: string }>`
      with made as (
        insert into audiences (app_id, id, kind, name, filters, fingerprint, created_at, updated_at)
        values (${appId}, ${id}, 'on_the_fly', 'api_audience_1', ${JSON.stringify(before.filters)},
          ${before.fingerprint}, ${now}, ${now})
        on conflict (app_id, fingerprint) where kind <> 'named' do nothing
        returning id
      )
      select id from made
      union all
      select id from audiences
      where app_id = ${appId} and fingerprint = ${before.fingerprint} and kind <> 'named'`.execute(
      database.db,
    );
    expect(rows).toEqual([{ id }]);
  });
});

describe('audiences that are not deleted', () => {
  test('an audience is not deleted while a notification to it is scheduled or being sent', async () => {
    const { id, audienceId } = await send();
    expect(await codeOf(remove(audienceId))).toBe('audience_in_use');
    await end(id, 'sending');
    expect(await codeOf(remove(audienceId))).toBe('audience_in_use');
    expect(await isThere(audienceId)).toBe(true);
    expect((await sendAndEnd()).audienceId).toBe(audienceId);
    await end(id, 'canceled');
    expect(await codeOf(remove(audienceId))).toBe('done');
  });

  test.each(['', 'x', "' or true --", randomUUID()])('no audience is deleted by the id %j', async (id) => {
    expect(await codeOf(remove(id))).toBe('not_found');
  });
});

describe('a notification to an audience that is being deleted', () => {
  test('a notification to a specification that is being deleted gets a new audience afterwards', async () => {
    const { audienceId } = await sendAndEnd();
    let sending: Promise<{ audienceId: string }> | undefined;
    await database.db.transaction().execute(async (transaction) => {
      await deleteIn(transaction, appId, audienceId, clock);
      sending = send();
      await untilWaiting(database.db);
    });
    const next = (await sending)?.audienceId;
    expect(next).not.toBe(audienceId);
    expect(await listed()).toEqual([next]);
  });

  test('a notification to the id of an audience that is being deleted fails with not_found', async () => {
    const { audienceId } = await sendAndEnd();
    let sending: Promise<string> | undefined;
    await database.db.transaction().execute(async (transaction) => {
      await deleteIn(transaction, appId, audienceId, clock);
      sending = codeOf(send(audienceId));
      await untilWaiting(database.db);
    });
    expect(await sending).toBe('not_found');
  });

  test('a notification is never scheduled for a deleted audience, and never duplicates an audience', async () => {
    let { audienceId } = await sendAndEnd();
    for (let round = 0; round < 10; round++) {
      const sends = Array.from({ length: 6 }, async () => send());
      const [sent] = await Promise.all([
        Promise.all(sends),
        codeOf(remove(audienceId)),
        codeOf(remove(audienceId)),
      ]);
      const { rows } = await sql`
        select from notifications as n join audiences as a on a.app_id = n.app_id and a.id = n.audience_id
        where n.app_id = ${appId} and n.state = 'scheduled' and a.deleted_at is not null`.execute(
        database.db,
      );
      expect(rows).toEqual([]);
      expect(new Set(sent.map((one) => one.audienceId)).size).toBe(1);
      expect(await listed()).toHaveLength(1);
      await Promise.all(sent.map(async ({ id }) => end(id)));
      [audienceId = ''] = await listed();
    }
  });
});

const expire = async (limits = { limit: 2, pauseMs: 0 }): Promise<number> =>
  expireAudiences({ db: database.db, clock, expireDays: 30 }, new AbortController().signal, limits);

describe('an audience that was made on the fly', () => {
  test('an on-the-fly audience expires when it was not used for the configured days, and no sooner', async () => {
    const { audienceId } = await sendAndEnd();
    now = daysLater(30);
    expect(await expire()).toBe(0);
    now = new Date(daysLater(30).getTime() + 1);
    expect(await expire()).toBe(1);
    expect(await isThere(audienceId)).toBe(false);
    expect(await expire()).toBe(0);
  });

  test.each([
    ['targeted by its filters', async () => sendAndEnd()],
    ['targeted by its id', async (id: string) => sendAndEnd(id)],
    ['read', async (id: string) => isThere(id)],
  ])('an on-the-fly audience stays while it is %s', async (_how, use) => {
    const { audienceId } = await sendAndEnd();
    now = daysLater(20);
    await use(audienceId);
    now = daysLater(40);
    expect(await expire()).toBe(0);
    expect(await listed()).toEqual([audienceId]);
  });

  test('an on-the-fly audience has its last use recorded once a day, and not per push', async () => {
    const { audienceId } = await sendAndEnd();
    const version = async (): Promise<unknown> =>
      (
        await sql<{ at: Date }>`select last_used_at as at from audiences where id = ${audienceId}`.execute(
          database.db,
        )
      ).rows[0]?.at;
    now = daysLater(1);
    await sendAndEnd();
    await isThere(audienceId);
    expect(await version()).toEqual(NOW);
    now = new Date(daysLater(1).getTime() + 1);
    const uses = Array.from({ length: 8 }, async () => sendAndEnd());
    await Promise.all(uses);
    expect(await version()).toEqual(now);
    const noted = now;
    now = daysLater(2);
    await isThere(audienceId);
    expect(await version()).toEqual(noted);
  });

  test('an audience has its last use recorded by its key, however many were added since the statement was planned', async () => {
    const db = connectDatabase({
      connectionString: database.url,
      observe: observeNothing,
      connectionsMax: 1, // plans are kept by the connection
    });
    onTestFinished(async () => db.destroy());
    // Statistics of so small a table, made while the test runs, would be planned with: reading it whole is right then.
    await sql`alter table audiences set (autovacuum_enabled = false)`.execute(db);
    const rowsRead = async (): Promise<number> => {
      await sql`select pg_stat_force_next_flush()`.execute(db);
      const { rows } = await sql<{ read: number }>`
        select (select seq_tup_read from pg_stat_user_tables where relname = 'audiences')
          + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'audiences') as read`.execute(
        db,
      );
      return Number(rows[0]?.read);
    };
    for (let index = 0; index < 200; index++) await send([{ name: 'tags', criteria: [`tag ${index}`] }], db);
    const before = await rowsRead();
    for (let index = 0; index < 50; index++) await send([{ name: 'tags', criteria: [`tag ${index}`] }], db);
    expect((await rowsRead()) - before).toBeLessThan(50 * 10);
  });

  test('an on-the-fly audience stays while a notification to it is scheduled, however late', async () => {
    const { id, audienceId } = await send();
    now = daysLater(100);
    expect(await expire()).toBe(0);
    await end(id);
    expect(await expire()).toBe(1);
    expect(await isThere(audienceId)).toBe(false);
  });

  test('an on-the-fly audience expires, while named audiences and that of all devices stay', async () => {
    await sendAndEnd('*');
    await database.db
      .updateTable('audiences')
      .set({ kind: 'named' })
      .where('id', '=', (await sendAndEnd()).audienceId)
      .execute();
    now = daysLater(1_000);
    expect(await expire()).toBe(0);
    expect(await listed()).toHaveLength(2);
  });

  test('many audiences expire in several steps, with several processes at once', async () => {
    for (let index = 0; index < 9; index++) await sendAndEnd([{ name: 'tags', criteria: [`tag ${index}`] }]);
    now = daysLater(31);
    const [one, two] = await Promise.all([expire(), expire()]);
    expect(one + two + (await expire())).toBe(9);
    expect(await listed()).toEqual([]);
  });

  test('an on-the-fly audience stays if it is used at the moment of its expiry', async () => {
    const { audienceId } = await sendAndEnd();
    now = daysLater(31);
    await database.db.transaction().execute(async (transaction) => {
      await sql`select from audiences where id = ${audienceId} for key share`.execute(transaction);
      expect(await expire()).toBe(0);
    });
    expect(await expire()).toBe(1);
  });
});
