import { beforeAll, describe, expect, test } from 'vitest';
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

test.each(['scheduled', 'sending'] as const)(
  'a %s notification is canceled and keeps its counters',
  async (state) => {
    const id = await insertNotification(database.db, app, { state, devices: 5, accepted: 2 });
    const record = await cancelNotification(database.db, app.appId, id, { clock, observe: observeNothing });
    expect(record).toMatchObject({
      id,
      state: 'canceled',
      ended_at: '2026-11-21T12:00:00.000Z',
      accepted: 2,
      pending: 3,
    });
    expect(await readNotification(database.db, app.appId, id, clock)).toEqual(record);
  },
);

describe('notifications that have ended', () => {
  test.each(['sent', 'canceled', 'failed', 'validated'] as const)(
    'canceling a notification that is already %s fails and changes nothing',
    async (state) => {
      const id = await insertNotification(database.db, app, { state, ended_at: new Date(0) });
      const before = await readNotification(database.db, app.appId, id, clock);
      await expect(
        cancelNotification(database.db, app.appId, id, { clock, observe: observeNothing }),
      ).rejects.toMatchObject({
        code: 'already_ended',
      });
      expect(await readNotification(database.db, app.appId, id, clock)).toEqual(before);
    },
  );
});

test('exactly one of many concurrent cancels succeeds', async () => {
  const id = await insertNotification(database.db, app);
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, async () =>
      cancelNotification(database.db, app.appId, id, { clock, observe: observeNothing }),
    ),
  );
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
    const cancel = cancelNotification(database.db, app.appId, id, { clock, observe: observeNothing }).then(
      () => 'canceled',
      () => 'sent',
    );
    const closed = (await start).numUpdatedRows === 1n;
    expect(await cancel).toBe(closed ? 'sent' : 'canceled');
    expect((await readNotification(database.db, app.appId, id, clock)).state).toBe(
      closed ? 'sent' : 'canceled',
    );
  }
});
