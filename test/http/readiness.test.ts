/** What `/readyz` says while the database answers and yet something is wrong with it. */
import { expect, test } from 'vitest';
import type { DatabaseTrouble } from '../../src/db/watch-database.ts';
import { buildMetricsServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

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
  ['disk_full', 503, 'The disk of the database is full; nothing is stored or sent until there is space.'],
  ['locked', 503, 'Statements wait for a lock in the database: so it says.'],
  ['read_only', 503, 'The database accepts no writes; nothing is stored or sent until it accepts them.'],
  ['wrong_schema', 200, 'The database has a problem: so it says.'],
  ['permission_denied', 200, 'The database has a problem: so it says.'],
  ['no_free_connection', 200, 'The database has a problem: so it says.'],
] as const)(
  'the reply of /readyz to a database in the condition %s is %i',
  async (condition, statusCode, reason) => {
    expect(await readiness({ condition, message: 'so it says' })).toMatchObject({ statusCode, reason });
  },
);

test('notifications that cannot be planned or sent are counted, and the last cause is named', async () => {
  const { id: appId } = await insertApp(database.db);
  const at = new Date('2026-12-21T12:00:00Z');
  const id = '01a21d92-95ec-72ab-b85d-dafd6d8e7183';
  const row = { app_id: appId, id, filters: '[]', body: '{}', request_id: 'r', created_at: at, due_at: at };
  await database.db
    .insertInto('notifications')
    .values({ ...row, state: 'scheduled' })
    .execute();
  await database.db
    .insertInto('notification_troubles')
    .values({ app_id: appId, notification_id: id, failures: 2, failed_at: at, message: 'Postgres 22023: no' })
    .execute();
  expect(await readiness()).toMatchObject({
    statusCode: 200,
    reason: 'A notification cannot be planned or sent, and is tried again: Postgres 22023: no.',
  });
  await database.db.updateTable('notifications').set({ state: 'failed' }).where('id', '=', id).execute();
  expect(await readiness()).toEqual({ statusCode: 200, status: 'up', database: 'up', queue: 'up' });
});
