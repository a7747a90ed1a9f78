/** What `/readyz` says while the database answers and yet something is wrong with it. */
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { DatabaseTrouble } from '../../src/db/watch-database.ts';
import { buildMetricsServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';

const database = useTestDatabase();
const AT = new Date('2026-12-21T12:00:00Z');

async function readiness(trouble?: DatabaseTrouble) {
  const watch = { isFull: trouble?.condition === 'disk_full', trouble };
  const queue = openInProcessQueue({ observe: observeNothing });
  const metrics = { contentType: 'text/plain', write: async () => '' };
  const server = buildMetricsServer({ db: database.db, queue, observe: observeNothing, metrics, watch });
  try {
    const { statusCode, body } = await server.inject('/readyz');
    return { statusCode, ...JSON.parse(body) };
  } finally {
    await server.close();
    await queue.close();
  }
}

test.each([
  ['disk_full', 503, 'disk_full', 'The disk of the database is full.'],
  ['locked', 503, 'database_locked', 'Statements wait for a lock in the database: so it says.'],
  ['read_only', 503, 'database_read_only', 'The database accepts no writes: so it says.'],
  [
    'wrong_schema',
    200,
    'database_unusable',
    'The schema of the database is not that of this release: so it says.',
  ],
  ['permission_denied', 200, 'database_unusable', 'The database refuses statements: so it says.'],
  [
    'no_free_connection',
    200,
    'database_busy',
    'All connections of a process to the database are in use: so it says.',
  ],
] as const)(
  'the reply of /readyz to a database in the condition %s is %i, and names it',
  async (condition, statusCode, code, what) => {
    const reply = await readiness({ condition, message: 'so it says', since: AT });
    expect(reply).toMatchObject({ statusCode, reason: expect.stringContaining(what) });
    expect(reply.troubles).toContainEqual({
      code,
      since: AT.toISOString(),
      what,
      effect: expect.stringMatching(/\.$/),
      remedy: expect.stringMatching(/^[A-Z]/),
    });
  },
);

test('/readyz is 503 while statements wait for a lock that this process has not met, and names its table', async () => {
  let waiting: Promise<unknown> | undefined;
  await database.db.transaction().execute(async (transaction) => {
    await sql`lock table devices in access exclusive mode`.execute(transaction);
    waiting = sql`select from devices limit 1`.execute(database.db);
    await vi.waitFor(async () => {
      expect(await readiness()).toMatchObject({
        statusCode: 503,
        status: 'down',
        reason: expect.stringContaining('the table devices is locked'),
      });
    }, PATIENCE);
  });
  await waiting;
  expect(await readiness()).toMatchObject({ statusCode: 200, status: 'up' });
});

test('notifications that cannot be planned or sent are counted, and the last cause is named', async () => {
  const { id: appId } = await insertApp(database.db);
  const id = '01a21d92-95ec-72ab-b85d-dafd6d8e7183';
  const row = { app_id: appId, id, filters: '[]', body: '{}', request_id: 'r', created_at: AT, due_at: AT };
  await database.db
    .insertInto('notifications')
    .values({ ...row, state: 'scheduled' })
    .execute();
  await database.db
    .insertInto('notification_troubles')
    .values({ app_id: appId, notification_id: id, failures: 2, failed_at: AT, message: 'Postgres 22023: no' })
    .execute();
  expect(await readiness()).toMatchObject({
    statusCode: 200,
    reason: expect.stringContaining(
      'A notification cannot be planned or sent, and is tried again: Postgres 22023: no.',
    ),
    // Those of apps are not served to everybody.
    troubles: [{ code: 'no_worker' }],
  });
  await database.db.updateTable('notifications').set({ state: 'failed' }).where('id', '=', id).execute();
  expect(await readiness()).toMatchObject({
    reason: 'No worker is running. Calls are accepted, and nothing is sent.',
  });
});
