/** `kill -9` at random points of thousands of single pushes, each with a restart. */
import { describe, test } from 'vitest';
import { useAlone } from '../../processes/alone.ts';
import { useCluster } from '../../processes/cluster.ts';
import { killPoints } from '../../processes/kill-point.ts';
import { killServerAmongSingles, killWorkerAmongSingles } from '../../processes/singles/kill.ts';
import { describeWithOwnRedis } from '../../support/redis.ts';
import { byRun, runs } from '../../support/runs.ts';

const DEVICES = byRun({ change: 600, night: 3_000 });
const timeout = 150_000;

describe('a server alone, among single pushes', () => {
  const alone = useAlone();
  const { seed, points } = killPoints(runs(1), DEVICES);
  test.each(points)('a server alone, killed at single push %i, loses nothing', { timeout }, async (push) => {
    await killServerAmongSingles(alone, { devices: DEVICES, push, seed });
  });
});

describeWithOwnRedis('a worker next to an API process, among single pushes', (redis) => {
  const cluster = useCluster(redis);
  const { seed, points } = killPoints(runs(1), DEVICES);
  test.each(points)('a worker killed at single push %i loses nothing', { timeout }, async (push) => {
    await killWorkerAmongSingles(cluster, { devices: DEVICES, push, seed });
  });
});
