/** A bell that was taken is nowhere but with who took it: what becomes of the push where that one dies. */
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster } from './cluster.ts';
import { allAccepted, onceEach } from './fan-out.ts';

const ENDS_WITHIN_MS = 30_000;

describeWithRedis('a push whose bell was taken by a process that died', (redis) => {
  const cluster = useCluster(redis);

  test('is found by the next worker, and sent once', { timeout: 60_000 }, async () => {
    const { backend, devices } = await cluster.makeApp(4);
    const { id } = await backend.notify('*');
    const dying = new Redis(redis.url);
    const taken = await dying.bzpopmin('{carillon}:bells:direct', 10).finally(() => dying.disconnect());
    expect(taken?.[1]).toContain(id);

    cluster.startWorker();
    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(4));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
  });
});
