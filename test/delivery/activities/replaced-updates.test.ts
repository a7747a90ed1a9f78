/** Updates of a Live Activity that wait are replaced by newer ones, and nothing waits for ever. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { prune } from '../../../src/delivery/upkeep/prune.ts';
import { end, update, useActivityApp } from './activity-app.ts';

vi.setConfig({ testTimeout: 30_000 });
const it = useActivityApp();

/** Apple answers every push with this, and asks to wait for five minutes. */
function breakApple(): void {
  it.simulator.orderFault({
    kind: 'answer',
    status: 503,
    reason: 'ServiceUnavailable',
    headers: { 'retry-after': '300' },
  });
}

/** Resolves when the push of the notification was refused and its slice waits. */
async function whenWaiting(id: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`
        select from delivery_slices where notification_id = ${id} and state = 'waiting' and attempt > 0`.execute(
        it.db,
      );
      expect(rows).toHaveLength(1);
    },
    { timeout: 30_000 },
  );
}

const states = (token: string): unknown[] =>
  it.pushes(token).map(({ body }) => JSON.parse(body).aps['content-state']);

test('the newest of the updates that wait because Apple fails is sent, and the others end at once', async () => {
  const { id: deviceId } = await it.register();
  const token = await it.token(deviceId, 'live_activity', 'order-4711');
  breakApple();
  const older = [];
  for (const stops of [5, 4, 3]) {
    const id = await it.send(update({ stops }));
    older.push(id);
    if (stops > 3) await whenWaiting(id);
  }
  await whenWaiting(older[2] ?? '');
  it.simulator.clearFaults();
  const newest = await it.send(update({ stops: 2 }));
  expect(await it.ended(newest)).toMatchObject({ devices: 1, accepted: 1 });
  for (const id of older) {
    expect(await it.ended(id)).toMatchObject({ devices: 1, accepted: 0, dropped: 1, pending: 0 });
    expect(await it.outcome(id, deviceId)).toMatchObject({
      outcome: 'dropped',
      reason: 'a newer update of the Live Activity was sent instead',
    });
  }
  expect(states(token)).toEqual([{ stops: 2 }]);
});

test('the newest of the updates that wait for a paused route is sent when it is resumed', async () => {
  const { id: deviceId } = await it.register();
  const token = await it.token(deviceId, 'live_activity', 'order-4711');
  await it.ended(await it.send(update({ stops: 6 })));
  it.simulator.orderFault({ kind: 'answer', status: 403, reason: 'InvalidProviderToken' });
  const older = await it.send(update({ stops: 5 }));
  await whenWaiting(older);
  const newer = await it.send(update({ stops: 4 }));
  expect(await it.ended(older)).toMatchObject({ accepted: 0, dropped: 1 });
  await whenWaiting(newer);
  it.simulator.clearFaults();
  await it.call('POST /v6/routes/apns_production/resume', {});
  expect(await it.ended(newer)).toMatchObject({ accepted: 1 });
  expect(states(token)).toEqual([{ stops: 6 }, { stops: 4 }]);
});

test('an update for one device replaces older ones on that device alone', async () => {
  const [first, second] = [await it.register(), await it.register()];
  const token = await it.token(first.id, 'live_activity', 'order-4711');
  const other = await it.token(second.id, 'live_activity', 'order-4711');
  breakApple();
  const forAll = await it.send(update({ stops: 5 }));
  await whenWaiting(forAll);
  it.simulator.clearFaults();
  const forOne = await it.send({ ...update({ stops: 4 }), to: { device_id: first.id } });
  await it.ended(forOne);
  expect(await it.ended(forAll)).toMatchObject({ devices: 2, accepted: 1, dropped: 1 });
  expect(await it.outcome(forAll, first.id)).toMatchObject({ outcome: 'dropped' });
  expect([states(token), states(other)]).toEqual([[{ stops: 4 }], [{ stops: 5 }]]);
});

test('an update of another activity replaces nothing', async () => {
  const { id: deviceId } = await it.register();
  await it.token(deviceId, 'live_activity', 'order-4711');
  await it.token(deviceId, 'live_activity', 'order-4712');
  breakApple();
  const waiting = await it.send(update({ stops: 5 }));
  await whenWaiting(waiting);
  it.simulator.clearFaults();
  await it.ended(await it.send(update({ stops: 1 }, { activity_id: 'order-4712' })));
  await whenWaiting(waiting);
});

describe('An end', () => {
  test('an end of an activity replaces updates that wait, and is not replaced by a later update', async () => {
    const { id: deviceId } = await it.register();
    const token = await it.token(deviceId, 'live_activity', 'order-4711');
    breakApple();
    const before = await it.send(update({ stops: 1 }));
    await whenWaiting(before);
    const ending = await it.send(end({ stops: 0 }));
    await whenWaiting(ending);
    expect(await it.ended(before)).toMatchObject({ dropped: 1 });
    const after = await it.send(update({ stops: 9 }));
    expect(await it.ended(after)).toMatchObject({ dropped: 1 });
    expect(await it.outcome(after, deviceId)).toMatchObject({ reason: 'the Live Activity had been ended' });
    it.simulator.clearFaults();
    await sql`update delivery_slices set not_before = now() where state = 'waiting'`.execute(it.db);
    expect(await it.ended(ending)).toMatchObject({ accepted: 1 });
    expect(states(token)).toEqual([{ stops: 0 }]);
  });

  test('an end of an earlier activity does not hold back a new one with the same id', async () => {
    const { id: deviceId } = await it.register();
    await it.token(deviceId, 'live_activity', 'order-4711');
    await it.ended(await it.send(end()));
    const token = await it.token(deviceId, 'live_activity', 'order-4711');
    expect(await it.ended(await it.send(update({ stops: 8 })))).toMatchObject({ accepted: 1 });
    expect(states(token)).toEqual([{ stops: 8 }]);
  });
});

test('a newer update replaces older ones if it was sent, and none if it was canceled', async () => {
  const { db } = it;
  const newer = await it.send(update({ stops: 4 }));
  await it.ended(newer);
  await sql`update activity_pushes set created_at = now() + interval '1 hour' where notification_id = ${newer}`.execute(
    db,
  );
  const { id: deviceId } = await it.register();
  const token = await it.token(deviceId, 'live_activity', 'order-4711');
  expect(await it.ended(await it.send(update({ stops: 5 })))).toMatchObject({ dropped: 1 });
  await sql`update notifications set state = 'canceled' where id = ${newer}`.execute(db);
  expect(await it.ended(await it.send(update({ stops: 6 })))).toMatchObject({ accepted: 1 });
  expect(states(token)).toEqual([{ stops: 6 }]);
});

test('the rows of an ended activity are deleted after two days', async () => {
  const { db } = it;
  const { id: deviceId } = await it.register();
  await it.token(deviceId, 'live_activity', 'order-4711');
  await it.token(deviceId, 'live_activity_start', 'Order');
  await it.ended(await it.send(update({ stops: 1 })));
  const pruneAt = async (hours: number): Promise<number[]> => {
    const clock = (): Date => new Date(Date.now() + hours * 3_600_000);
    await prune({ db, clock, keepDays: 90 }, new AbortController().signal);
    const tokens = await db.selectFrom('named_tokens').selectAll().where('app_id', '=', it.app.id).execute();
    const pushes = await db
      .selectFrom('activity_pushes')
      .selectAll()
      .where('app_id', '=', it.app.id)
      .execute();
    return [tokens.length, pushes.length];
  };
  expect(await pruneAt(47)).toEqual([2, 1]);
  expect(await pruneAt(49)).toEqual([1, 0]);
});
