/** A worker that dies with the job in its hands: the push does not wait for the job's lock to expire. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster, workerStarted } from './cluster.ts';
import { allAccepted, onceEach } from './fan-out.ts';
import { PATIENCE } from '../support/patience.ts';

/** So the push cannot have waited for the lock to expire. */
const LOCK_MS = 300_000;
const ENDS_WITHIN_MS = 60_000;

describeWithRedis('a push whose job was taken by a process that died', (redis) => {
  const cluster = useCluster(redis);

  test(
    'the job of a worker that died is found by the next worker, and its push is sent once',
    { timeout: 120_000 },
    async () => {
      const { backend, devices } = await cluster.makeApp(4);
      const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
      const dying = new Worker('direct', null, { connection, prefix: '{carillon}', lockDuration: LOCK_MS });
      const { id } = await backend.notify('*');
      await vi.waitFor(async () => {
        expect(await dying.getNextJob('token', { block: false })).toMatchObject({ name: 'drain' });
      }, PATIENCE);
      await dying.close(true);
      connection.disconnect();

      await workerStarted(cluster.startWorker());
      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(4));
      expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
    },
  );
});
