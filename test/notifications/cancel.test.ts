import { beforeAll, expect, test } from 'vitest';
import { cancelNotification } from '../../src/notifications/cancel.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { observeNothing } from '../../src/observe.ts';
import { useTestDatabase } from '../support/database.ts';
import { type AppWithAudience, insertAppWithAudience, insertNotification } from './rows.ts';

const database = useTestDatabase();
const clock = (): Date => new Date('2026-11-21T12:00:00Z');
let app: AppWithAudience;

beforeAll(async () => {
  app = await insertAppWithAudience(database.db);
});

const cancel = async (id: string) =>
  cancelNotification(database.db, app.appId, id, { clock, observe: observeNothing });
const read = async (id: string) => readNotification(database.db, app.appId, id, clock);

test.each(['scheduled', 'sending'] as const)(
  'a %s notification is canceled and keeps its counters',
  async (state) => {
    const id = await insertNotification(database.db, app, { state, devices: 5, accepted: 2 });
    const record = await cancel(id);
    expect(record).toMatchObject({
      id,
      state: 'canceled',
      ended_at: '2026-11-21T12:00:00.000Z',
      accepted: 2,
      pending: 3,
    });
    expect(await read(id)).toEqual(record);
  },
);

test.each(['sent', 'canceled', 'failed', 'validated'] as const)(
  'canceling a notification that is already %s fails and changes nothing',
  async (state) => {
    const id = await insertNotification(database.db, app, { state, ended_at: new Date(0) });
    const before = await read(id);
    await expect(cancel(id)).rejects.toMatchObject({
      code: 'already_ended',
    });
    expect(await read(id)).toEqual(before);
  },
);

test('exactly one of many concurrent cancels succeeds', async () => {
  const id = await insertNotification(database.db, app);
  const results = await Promise.allSettled(Array.from({ length: 10 }, async () => cancel(id)));
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
});

test('an update conditional on the state never succeeds together with a cancel', async () => {
  for (let round = 0; round < 20; round += 1) {
    const id = await insertNotification(database.db, app);
    const start = database.db
      .updateTable('notifications')
      .set({ state: 'sent' })
      .where('app_id', '=', app.appId)
      .where('id', '=', id)
      .where('state', '=', 'scheduled')
      .executeTakeFirst();
    const canceling = cancel(id).then(
      () => 'canceled',
      () => 'sent',
    );
    const closed = (await start).numUpdatedRows === 1n;
    expect(await canceling).toBe(closed ? 'sent' : 'canceled');
    expect((await read(id)).state).toBe(closed ? 'sent' : 'canceled');
  }
});
