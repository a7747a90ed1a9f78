/** Calls that are stored together: each gets its own answer, as if it had been stored alone. */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { ApiError } from '../../src/api/errors.ts';
import { type Intake, openIntake } from '../../src/notifications/intake/intake.ts';
import type { CreatedNotification } from '../../src/notifications/look-up/notification-reply.ts';
import { observeNothing } from '../../src/observe.ts';
import { drainJob, type Job } from '../../src/queue/job.ts';
import { useTestDatabase } from '../support/database.ts';
import { countStatements, untilWaiting } from '../support/statements.ts';
import {
  type AppWithAudience,
  countRows,
  create,
  insertAppWithAudience,
  insertNotification,
} from './rows.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T10:00:00.123Z');
const DAY_MS = 24 * 3_600_000;
let app: AppWithAudience;
let jobs: Job[];

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
  jobs = [];
});

const queue = { add: async (added: readonly Job[]) => void jobs.push(...added) };

function open(db: Kysely<Database> = database.db): Intake {
  return openIntake({ db, queue, clock: () => NOW, observe: observeNothing });
}

interface CallOptions {
  key?: string;
  alert?: string;
  now?: Date;
  appId?: string;
  deliverAt?: string;
}

async function call(
  intake: Intake,
  to: unknown,
  { key, alert = 'Hi', now = NOW, appId = app.appId, deliverAt }: CallOptions = {},
): Promise<CreatedNotification> {
  const notification = { to, payload: { alert }, ...(deliverAt !== undefined && { deliver_at: deliverAt }) };
  const request = { appId, body: { notification }, idempotencyKey: key, requestId: `request "${alert}"` };
  return create(database.db, request, { clock: () => now, queue, intake });
}

function callUsers(intake: Intake, users: number): Promise<CreatedNotification>[] {
  return Array.from({ length: users }, async (_, index) => call(intake, { user_id: `user-${index}` }));
}

const filter = (name: string, criterion: string) => [{ name, criteria: [criterion], not_filter: false }];
const tagged = (tag: string) => [{ name: 'tags', criteria: [tag] }];

/**
 * Makes the calls while no notification can be inserted: the first is stored by a statement of its own, and the others are
 * collected. @returns all results
 */
async function together<T>(intake: Intake, calls: () => Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  let results: Promise<PromiseSettledResult<T>[]> | undefined;
  let first: Promise<unknown> | undefined;
  await database.db.transaction().execute(async (transaction) => {
    await sql`lock table notifications in share mode`.execute(transaction);
    first = call(intake, { user_id: 'first' });
    await untilWaiting(database.db, 1);
    results = Promise.allSettled(calls());
    // The calls have reached the intake before the first statement can end.
    await nextTurn();
  });
  await first;
  return (await results) ?? [];
}

const codesOf = (results: PromiseSettledResult<CreatedNotification>[]): string[] =>
  results.map((result) => {
    if (result.status === 'fulfilled') return 'stored';
    return result.reason instanceof ApiError ? result.reason.code : String(result.reason);
  });

const idsOf = (results: PromiseSettledResult<CreatedNotification>[]): (string | undefined)[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value.id : undefined));

const stored = async (table: 'notifications' | 'audiences') => countRows(database.db, table, app.appId);

describe('calls that arrive while a statement is running', () => {
  test('calls that arrive during a statement are stored by one statement, and wake a worker once', async () => {
    const counted = countStatements(database.db);
    const intake = open(counted.db);
    const results = await together(intake, () => callUsers(intake, 15));
    expect(codesOf(results)).toEqual(Array.from({ length: 15 }, () => 'stored'));
    expect(counted.count()).toBe(2);
    expect(jobs).toEqual([drainJob, drainJob]);
    expect(await stored('notifications')).toBe(16);
  });

  test('many calls are stored by a second statement at the same time, and by a third when one has ended', async () => {
    const counted = countStatements(database.db);
    const intake = open(counted.db);
    const results = await together(intake, () => callUsers(intake, 40));
    expect(codesOf(results)).toEqual(Array.from({ length: 40 }, () => 'stored'));
    expect(counted.count()).toBe(3); // with the first 16 of them, and with all others
    expect(await stored('notifications')).toBe(41);
  });

  test('calls stored together keep their own content, times, and target', async () => {
    const other = await insertAppWithAudience(database.db);
    const intake = open();
    const results = await together(intake, () => [
      call(intake, '*', { alert: 'one\n"line" \\ and another, {é}' }),
      call(intake, { user_id: 'user "17", {\\}\n' }, { alert: 'two', now: new Date(NOW.getTime() + 1) }),
      call(intake, tagged('a'), { alert: 'three', key: 'key "3"'.replaceAll(' ', '_') }),
      call(intake, app.audienceId.toUpperCase(), { alert: 'four', deliverAt: '2026-11-22T10:00:00Z' }),
      call(intake, other.audienceId, { alert: 'five', appId: other.appId }),
      call(intake, { device_id: 'no UUID' }, { alert: 'six' }),
    ]);
    expect(codesOf(results)).toEqual(Array.from({ length: 6 }, () => 'stored'));
    const rows = await database.db
      .selectFrom('notifications as n')
      .leftJoin('audiences as a', (join) =>
        join.onRef('a.app_id', '=', 'n.app_id').onRef('a.id', '=', 'n.audience_id'),
      )
      .select([
        'n.id',
        'n.app_id',
        'n.body',
        'n.created_at',
        'n.due_at',
        'n.idempotency_key',
        'n.request_id',
        'n.filters',
      ])
      .select(['a.id as audience_id', 'a.filters as audience_filters', 'a.kind'])
      .where('n.app_id', 'in', [app.appId, other.appId])
      .execute();
    const row = (index: number) => rows.find(({ id }) => id === idsOf(results)[index]);
    expect(row(0)).toMatchObject({
      body: JSON.stringify({ to: '*', payload: { alert: 'one\n"line" \\ and another, {é}' } }),
      request_id: 'request "one\n"line" \\ and another, {é}"',
      kind: 'everyone',
      audience_filters: [],
      filters: null,
      idempotency_key: null,
    });
    expect(row(1)).toMatchObject({
      audience_id: null,
      filters: filter('user_id', 'user "17", {\\}\n'),
      created_at: new Date(NOW.getTime() + 1),
    });
    expect(row(2)).toMatchObject({ audience_filters: filter('tags', 'a'), idempotency_key: 'key_"3"' });
    expect(row(3)).toMatchObject({
      audience_id: app.audienceId,
      created_at: NOW,
      due_at: new Date('2026-11-22T10:00:00Z'),
    });
    expect(row(4)).toMatchObject({ app_id: other.appId, audience_id: other.audienceId });
    expect(row(5)).toMatchObject({ audience_id: null, filters: filter('device_id', 'no UUID') });
  });

  test('calls stored together share audiences with equal filters, which are made once', async () => {
    const intake = open();
    const results = await together(intake, () =>
      Array.from({ length: 40 }, async (_, index) => call(intake, tagged(`tag ${index % 4}`))),
    );
    const ids = results.map((result) => (result.status === 'fulfilled' ? result.value.to.id : undefined));
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id, index) => id === ids[index % 4])).toBe(true);
    expect(await stored('audiences')).toBe(5); // with that of the test
  });

  test('calls stored together are refused one by one', async () => {
    const intake = open();
    const first = await call(intake, tagged('used'), { key: 'used', alert: 'first' });
    const results = await together(intake, () => [
      call(intake, tagged('used'), { key: 'used', alert: 'first' }),
      call(intake, tagged('never stored'), { key: 'used', alert: 'other' }),
      call(intake, randomUUID()),
      call(intake, 'no audience id'),
      call(intake, tagged('stored')),
      call(intake, { user_id: 'new' }, { key: 'new' }),
      call(intake, { user_id: 'new' }, { key: 'new' }),
      call(intake, tagged('never stored'), { key: 'new' }),
    ]);
    expect(codesOf(results)).toEqual([
      'stored',
      'idempotency_key_reused',
      'not_found',
      'not_found',
      'stored',
      'stored',
      'stored',
      'idempotency_key_reused',
    ]);
    const [repeated, , , , , once, twice] = idsOf(results);
    expect(repeated).toBe(first.id);
    expect(twice).toBe(once);
    expect(await stored('notifications')).toBe(4);
    expect(await stored('audiences')).toBe(3); // that of the test, "used" and "stored"
  });

  test('calls do not fail because of a neighbour, and leave nothing of a neighbour that fails', async () => {
    await sql`
      create function refuse_body() returns trigger language plpgsql as
      $$ begin if new.body like '%poison%' then raise 'poisoned'; end if; return new; end $$`.execute(
      database.db,
    );
    await sql`
      create trigger refuse_body before insert on notifications for each row execute function refuse_body()`.execute(
      database.db,
    );
    onTestFinished(async () => {
      await sql`drop trigger refuse_body on notifications`.execute(database.db);
    });
    const intake = open();
    const results = await together(intake, () => [
      call(intake, tagged('good')),
      call(intake, tagged('bad'), { alert: 'poison' }),
      call(intake, { user_id: 'user-17' }, { key: 'key' }),
    ]);
    expect(codesOf(results)).toEqual(['stored', 'error: poisoned', 'stored']);
    expect(await stored('notifications')).toBe(3);
    expect(await stored('audiences')).toBe(2); // that of the test, and "good"
  });

  test.each([
    ['commits', 'order-1'],
    ['rolls back', undefined],
  ])('calls wait for another process with the same key, which %s', async (_end, first) => {
    const intake = open();
    const rollBack = new Error('rolled back');
    let results: Promise<PromiseSettledResult<CreatedNotification>[]> | undefined;
    const id = randomUUID();
    const running = database.db.transaction().execute(async (transaction) => {
      // A body hash that no body has: the key is used with another body.
      const key = { idempotency_key: 'order-1', body_hash: Buffer.alloc(32), created_at: NOW };
      await insertNotification(transaction, app, { id, ...key });
      results = Promise.allSettled([
        call(intake, { user_id: 'a' }, { key: 'order-1' }),
        call(intake, { user_id: 'b' }, { key: 'order-1' }),
      ]);
      await untilWaiting(database.db);
      if (first === undefined) throw rollBack;
    });
    await running.catch((error: unknown) => expect(error).toBe(rollBack));
    const ends =
      first === undefined ? ['stored', 'idempotency_key_reused'] : Array(2).fill('idempotency_key_reused');
    expect(codesOf((await results) ?? [])).toEqual(ends);
  });

  test('calls record the use of each audience, to the day', async () => {
    const intake = open();
    const tags = ['a', 'b', 'c'];
    await Promise.all(tags.map(async (tag) => call(intake, tagged(tag))));
    const later = new Date(NOW.getTime() + 2 * DAY_MS);
    await together(intake, () => [
      call(intake, tagged('a'), { now: later }),
      call(intake, tagged('b'), { now: later }),
      call(intake, app.audienceId, { now: later }),
    ]);
    const rows = await database.db
      .selectFrom('audiences')
      .select(['filters', 'last_used_at'])
      .where('app_id', '=', app.appId)
      .where('last_used_at', '=', later)
      .execute();
    const used = rows.map(({ filters }) => JSON.stringify(filters)).sort();
    expect(used).toHaveLength(2); // the test's own audience was made today
    expect(used[0]).toContain('"a"');
    expect(used[1]).toContain('"b"');
  });

  test('calls wake nobody if none of them is due', async () => {
    const intake = open();
    await together(intake, () => [call(intake, '*', { deliverAt: '2026-11-22T10:00:00Z' })]);
    expect(jobs).toEqual([drainJob]); // of the first call
  });
});

test('two processes that make the same audiences and use the same keys have one of each', async () => {
  const processes = [open(), open()];
  const results: Promise<CreatedNotification>[] = [];
  for (let index = 0; index < 200; index++) {
    for (const intake of processes) {
      const number = (index * 7) % 50;
      results.push(call(intake, tagged(`tag ${number}`), { key: `key ${number}`.replace(' ', '-') }));
      results.push(call(intake, tagged(`tag ${(index * 13) % 50}`)));
    }
  }
  const created = await Promise.all(results);
  expect(new Set(created.map(({ id }) => id)).size).toBe(50 + 400);
  expect(await stored('notifications')).toBe(50 + 400);
  expect(await stored('audiences')).toBe(50 + 1);
});

test('all calls fail alike, and soon, while the database is away', async () => {
  const away = connectDatabase({ connectionString: 'postgres://127.0.0.1:9/none', observe: observeNothing });
  onTestFinished(async () => away.destroy());
  const intake = open(away);
  const results = await Promise.allSettled(
    Array.from({ length: 500 }, async (_, index) => call(intake, { user_id: `user-${index}` })),
  );
  const codes = results.map((result) => result.status === 'rejected' && Reflect.get(result.reason, 'code'));
  expect(new Set(codes)).toEqual(new Set(['ECONNREFUSED']));
});
