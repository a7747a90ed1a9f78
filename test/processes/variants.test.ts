/** An A/B test outlives `kill -9` of its worker: each device gets the payload of its variant, and the numbers are right. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { groupAt, HOLD_OUT, positionOf } from '../../src/notifications/content/assign-variant.ts';
import type { ReceivedPush } from '@carillon/simulator';
import { describeWithOwnRedis } from '../support/redis.ts';
import { useCluster, workerStarted } from './cluster.ts';
import { expectTheSamePushes, IN_FLIGHT_MAX, missedOf, reach, repeatsOf } from './fan-out.ts';
import { killPoints } from './kill-point.ts';

/** Four slices; two devices for each user, nearly always in different slices. */
const DEVICES = 4_000;
const variants = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 2, payload: { alert: 'B' } },
];
const groups = { variants, holdOut: 0.2 };
/** Fewer than the devices that are sent to, so that both kills come in the middle. */
const { seed, points } = killPoints(2, DEVICES * 0.7);

const apple = z.object({ payload: z.object({ aps: z.object({ alert: z.string() }) }) });
const google = z.object({ message: z.object({ data: z.object({ alert: z.string() }) }) });

function alertIn(push: ReceivedPush): string {
  return push.gateway === 'apns'
    ? apple.parse(push).payload.aps.alert
    : google.parse(push).message.data.alert;
}

describeWithOwnRedis('a worker killed twice in the middle of an A/B test', (redis) => {
  const cluster = useCluster(redis);

  test(
    'an A/B test sends each device its variant, the hold-out nothing, once each, although its worker is killed',
    { timeout: 150_000 },
    async () => {
      const { app, backend, devices } = await cluster.makeApp(DEVICES);
      const { db, simulator } = cluster;
      const { rows } = await sql<{ id: string; user: string }>`
      update devices as d set user_id = 'user ' || (numbered.n / 2)
      from (select id, row_number() over (order by push_token) as n from devices where app_id = ${app.id}) as numbered
      where d.app_id = ${app.id} and d.id = numbered.id
      returning d.id, d.user_id as "user"`.execute(db);
      const userOf = new Map(rows.map(({ id, user }) => [id, user]));
      const story = `KILL_SEED=${seed}, pushes ${points.join(' and ')}`;

      let worker = cluster.startWorker();
      const { id } = await backend.notify('*', {
        payload: { alert: 'A' },
        variants,
        hold_out: groups.holdOut,
        receipts: {},
      });
      for (const push of points.toSorted((one, other) => one - other)) {
        await reach(simulator, id, push);
        worker.signal('SIGKILL');
        await worker.exited;
        worker = await workerStarted(cluster.startWorker());
      }
      const record = await backend.untilEnded(id, 90_000);

      const groupOf = (deviceId: string): string =>
        groupAt(positionOf(id, { deviceId, userId: userOf.get(deviceId) ?? null }), groups);
      const byGroup = Map.groupBy(devices, (device) => groupOf(device.id));
      const held = byGroup.get(HOLD_OUT) ?? [];
      const sent = devices.filter((device) => groupOf(device.id) !== HOLD_OUT);
      expect(record, story).toMatchObject({
        state: 'sent',
        devices: DEVICES,
        accepted: sent.length,
        dropped: held.length,
        pending: 0,
      });
      expect(missedOf(simulator, id, sent), story).toEqual([]);
      expect(simulator.pushesByToken(id).size, story).toBe(sent.length);
      const groupOfToken = new Map(devices.map((device) => [device.token, groupOf(device.id)]));
      const wrong = simulator
        .received({ nid: id })
        .filter((push) => alertIn(push) !== groupOfToken.get(push.token));
      expect(wrong, story).toEqual([]);
      expectTheSamePushes(simulator, id);
      expect(repeatsOf(simulator, id), story).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);

      const { body } = await backend.call('GET', `/v6/notifications/${id}/report`);
      expect(body, story).toMatchObject({
        reasons: [{ outcome: 'dropped', reason: 'held_out', devices: held.length }],
        uncounted: 0,
        variants: {
          groups: ['A', 'B', HOLD_OUT].map((name) => ({ name, devices: byGroup.get(name)?.length })),
        },
      });
    },
  );
});
