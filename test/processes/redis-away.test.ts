/** Redis dies and stays away: every worker still delivers, to each device once. */
import { expect, test, vi } from 'vitest';
import type { RunningProcess } from '../support/processes.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { useCluster } from './cluster.ts';
import { allAccepted, onceEach, reach } from './fan-out.ts';

const DEVICES = 4_000;
const ENDS_WITHIN_MS = 40_000;

describeWithOwnRedis('while Redis is away', (redis) => {
  const cluster = useCluster(redis);

  test(
    'notifications are still sent while Redis is away, and each process logs the outage once',
    { timeout: 120_000 },
    async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const workers = await cluster.startWorkers(2);
      const processes = [cluster.api, ...workers];
      // Gateways as far away as the real ones, so that Redis dies in the middle of the bulk send.
      cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const before = await backend.notify('*');
      await reach(cluster.simulator, before.id, 200);
      await redis.kill();
      try {
        const single = await backend.notify([{ name: 'device_id', criteria: [devices[0]?.id] }]);
        const toAll = await backend.notify('*');
        expect(await backend.untilEnded(single.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(1));
        for (const { id } of [before, toAll]) {
          expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
          expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
        }
        expect(await backend.call('GET', '/readyz')).toMatchObject({
          status: 200,
          body: { status: 'up', queue: 'down' },
        });
      } finally {
        await redis.restart();
      }
      await vi.waitFor(() => expect(processes.map(backs)).toEqual([1, 1, 1]), 20_000);
      const after = await backend.notify('*');
      expect(await backend.untilEnded(after.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
      expect(cluster.simulator.pushesByToken(after.id)).toEqual(onceEach(devices));
      expect(processes.map(queueLines)).toEqual(processes.map(() => ['queue_away', 'queue_back']));
    },
  );
});

function queueLines(of: RunningProcess): string[] {
  return of.lines().flatMap((line) => /"kind":"(queue_\w+)"/.exec(line)?.[1] ?? []);
}

function backs(of: RunningProcess): number {
  return queueLines(of).filter((kind) => kind === 'queue_back').length;
}
