/** A worker that dies with the job in its hands: the push does not wait for the job's lock to expire. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster } from './cluster.ts';
import { allAccepted, onceEach } from './fan-out.ts';

/** Less than the 10 seconds of a lock. */
const ENDS_WITHIN_MS = 8_000;

describeWithRedis('a push whose job was taken by a process that died', (redis) => {
  const cluster = useCluster(redis);

  test('is found by the next worker, and sent once', { timeout: 60_000 }, async () => {
    const { backend, devices } = await cluster.makeApp(4);
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    const dying = new Worker('direct', null, { connection, prefix: '{carillon}' });
    const { id } = await backend.notify('*');
    await vi.waitFor(async () => {
      expect(await dying.getNextJob('token', { block: false })).toMatchObject({ name: 'drain' });
    });
    await dying.close(true);
    connection.disconnect();

    const worker = cluster.startWorker();
    await worker.line(/"kind":"worker_started"/);
    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(4));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
  });
});
