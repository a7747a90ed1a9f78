import { expect, test, vi } from 'vitest';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster } from './cluster.ts';
import { allAccepted, reach } from './fan-out.ts';

const DEVICES = 20_000;
const timeout = 90_000;

describeWithRedis('a cancel in the middle of a fan-out by two workers', (redis) => {
  const cluster = useCluster(redis);

  async function slices(id: string): Promise<{ begun: number[]; leased: number }> {
    const rows = await cluster.db
      .selectFrom('delivery_slices')
      .select(['number', 'state', 'attempt'])
      .where('notification_id', '=', id)
      .orderBy('number')
      .execute();
    const begun = rows.filter(({ attempt }) => attempt > 0).map(({ number }) => number);
    return { begun, leased: rows.filter(({ state }) => state === 'leased').length };
  }

  test(
    'a cancel starts no further slice and counts exactly the pushes that were sent',
    { timeout },
    async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      await cluster.startWorkers(2);
      cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(cluster.simulator, id, 2_000);

      expect(await backend.call('POST', `/v6/notifications/${id}/cancel`)).toMatchObject({ status: 200 });
      const atCancel = await slices(id);
      await vi.waitFor(async () => expect((await slices(id)).leased).toBe(0), { timeout: 30_000 });
      expect((await slices(id)).begun).toEqual(atCancel.begun);
      expect(atCancel.begun.length).toBeLessThan(DEVICES / 1_000);

      const sent = cluster.simulator.pushesByToken(id);
      expect([...sent.values()].filter((pushes) => pushes > 1)).toEqual([]);
      expect(await backend.readNotification(id)).toMatchObject({
        state: 'canceled',
        devices: DEVICES,
        accepted: sent.size,
        pending: DEVICES - sent.size,
      });
      // A second cancel is too late, and the workers are free for the next notification.
      expect(await backend.call('POST', `/v6/notifications/${id}/cancel`)).toMatchObject({ status: 409 });
      cluster.simulator.clearFaults();
      const next = await backend.notify([{ name: 'tags', criteria: ['vip'] }]);
      const vips = devices.filter(({ tags }) => tags.includes('vip')).length;
      expect(await backend.untilEnded(next.id, 30_000)).toMatchObject(allAccepted(vips));
      expect(cluster.simulator.pushesByToken(id).size).toBe(sent.size);
    },
  );
});
