/**
 * `kill -9` at random points of a fan-out to 8,000 devices, each with a restart. That leases run out by themselves is
 * seen in test/processes/kill.test.ts.
 */
import { describe, test } from 'vitest';
import { useAlone } from '../processes/alone.ts';
import { useCluster } from '../processes/cluster.ts';
import { killPoints, killServer, killWorker } from '../processes/kill-point.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { runs } from '../support/runs.ts';

const timeout = 150_000;

describeWithOwnRedis({ name: 'a worker next to an API process', timeout }, (redis) => {
  const cluster = useCluster(redis, { settings: { BULK_THREADS: '2' } });
  const { seed, points } = killPoints(runs(2));
  test.each(points)('a worker killed at push %i loses nothing', async (push) => {
    await killWorker(cluster, { push, seed, endsLeases: true, threads: 2 });
  });
});

describe('a server alone', { timeout }, () => {
  const alone = useAlone();
  const { seed, points } = killPoints(runs(1));
  test.each(points)('a server alone, killed at push %i, loses nothing', async (push) => {
    await killServer(alone, push, seed);
  });
});
