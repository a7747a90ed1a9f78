/** The disk of the database is full in the middle of a bulk send, and has room again. */
import { expect, test, vi } from 'vitest';
import type { RunningProcess } from '../support/processes.ts';
import { fillDisk } from '../support/full-disk.ts';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster, workerStarted } from './cluster.ts';
import { allAccepted, missedOf, reach, repeatsOf } from './fan-out.ts';

const DEVICES = 20_000;
const PATIENCE = { timeout: 30_000, interval: 1_000 };

describeWithRedis('while the disk of the database is full', (redis) => {
  const cluster = useCluster(redis);

  test(
    'a full disk is logged once by each process and starts no slice; with room again all continue, nothing twice',
    { timeout: 120_000 },
    async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const worker = await workerStarted(cluster.startWorker());
      cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(cluster.simulator, id, 1_000);
      const others: string[] = [];
      const makeRoom = await fillDisk(cluster.db);
      try {
        await worker.line(/"kind":"database_away","condition":"disk_full".*the disk of the database is full/);
        // A call of a phone meanwhile gets `Retry-After`, and the API process notices the full disk.
        const device = { platform: 'Android', push_token: 'android:new' };
        expect(await backend.call('POST', '/v6/devices', { device })).toMatchObject({ status: 503 });
        expect(await backend.call('GET', '/readyz')).toMatchObject({
          status: 503,
          body: { status: 'down', database: 'down', reason: expect.stringContaining('disk') },
        });
        const meanwhile = await backend.notify([{ name: 'tags', criteria: ['vip'] }]);
        // Pushes in flight are answered; while outcomes cannot be saved, no more are sent.
        let last = -1;
        await vi.waitFor(() => {
          const before = last;
          last = cluster.simulator.pushesByToken(id).size;
          expect(last).toBe(before);
        }, PATIENCE);
        expect(last).toBeLessThan(DEVICES);
        expect(await backend.readNotification(meanwhile.id)).toMatchObject({ state: 'scheduled' });
        others.push(meanwhile.id);
      } finally {
        await makeRoom();
      }
      await worker.line(/"kind":"database_back","condition":"disk_full"/);
      cluster.simulator.clearFaults();
      expect(await backend.untilEnded(id, 60_000)).toMatchObject(allAccepted(DEVICES));
      for (const other of others) {
        expect(await backend.untilEnded(other, 60_000)).toMatchObject({ state: 'sent' });
      }
      expect(missedOf(cluster.simulator, id, devices)).toEqual([]);
      expect(repeatsOf(cluster.simulator, id)).toBe(0);
      await vi.waitFor(
        async () => expect(await backend.call('GET', '/readyz')).toMatchObject({ status: 200 }),
        PATIENCE,
      );
      for (const reported of [worker, cluster.api]) {
        expect(kindsOf(reported, /"kind":"(database_(?:away|back))"/)).toEqual([
          'database_away',
          'database_back',
        ]);
      }
    },
  );
});

function kindsOf(reported: RunningProcess, pattern: RegExp): string[] {
  return reported.lines().flatMap((line) => pattern.exec(line)?.[1] ?? []);
}
