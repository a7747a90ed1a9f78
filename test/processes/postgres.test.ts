/** Postgres restarts under a fan-out by two workers. */
import { expect, test, vi } from 'vitest';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster } from './cluster.ts';
import { allAccepted, expectTheSamePushes, reach, repeatsOf } from './fan-out.ts';

const DEVICES = 12_000;
const MIDDLE = 2_000;
const ENDS_WITHIN_MS = 90_000;
const timeout = 150_000;

describeWithRedis('Postgres restarts in the middle of a fan-out', (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres });

  test.each(['fast', 'immediate'] as const)(
    '%s: nothing is lost, and every process lives on',
    { timeout },
    async (mode) => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const workers = [cluster.startWorker(), cluster.startWorker()];
      await Promise.all(workers.map(async (worker) => worker.line(/"kind":"worker_started"/)));
      cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(cluster.simulator, id, MIDDLE);
      await postgres.restart(mode);
      expect(await vi.waitFor(() => backend.readNotification(id), 10_000)).toMatchObject({
        state: 'sending',
      });
      cluster.simulator.clearFaults();

      const record = await backend.untilEnded(id, ENDS_WITHIN_MS);
      const repeats = repeatsOf(cluster.simulator, id);
      process.stdout.write(`  Postgres restarted (${mode}): ${repeats} repeats\n`);
      expect(record).toMatchObject(allAccepted(DEVICES));
      expectTheSamePushes(cluster.simulator, id, devices);
      // Whoever pushed was alive all the time, and waits for the database to come back with what it knows.
      expect(repeats).toBe(0);
      for (const worker of workers) worker.signal('SIGTERM');
      for (const worker of workers) expect(await worker.exited).toMatchObject({ code: 0, signal: null });
    },
  );
});
