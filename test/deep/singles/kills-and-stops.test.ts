/** Processes that die at random points of many single pushes, or stop in their middle. */
import { describe, expect, test } from 'vitest';
import { useAlone } from '../../processes/alone.ts';
import { useCluster, workerStarted } from '../../processes/cluster.ts';
import { killPoints } from '../../processes/kill-point.ts';
import { killServerAmongSingles, killWorkerAmongSingles } from '../../processes/singles/kill.ts';
import { expectOneOutcomeEach, sendSingles, untilPushed } from '../../processes/singles/singles.ts';
import { expectToStop } from '../../support/processes.ts';
import { describeWithOwnRedis } from '../../support/redis.ts';
import { byRun, runs } from '../../support/runs.ts';

const DEVICES = byRun({ change: 600, night: 3_000 });
const timeout = 150_000;

describe('a server alone, among single pushes', { timeout }, () => {
  const alone = useAlone();
  const { seed, points } = killPoints(runs(1), DEVICES);
  test.each(points)('a server alone, killed at single push %i, loses nothing', async (push) => {
    await killServerAmongSingles(alone, { devices: DEVICES, push, seed });
  });
});

describeWithOwnRedis({ name: 'a worker next to an API process, among single pushes', timeout }, (redis) => {
  const cluster = useCluster(redis);
  const { seed, points } = killPoints(runs(1), DEVICES);
  test.each(points)('a worker killed at single push %i loses nothing', async (push) => {
    await killWorkerAmongSingles(cluster, { devices: DEVICES, push, seed });
  });

  test('single pushes are each sent once while one worker after another is asked to stop', async () => {
    const { backend, devices } = await cluster.makeApp(DEVICES);
    const first = await workerStarted(cluster.startWorker());
    const singles = sendSingles(devices, async () => backend);
    await untilPushed(cluster.simulator, DEVICES / 4);
    const second = await workerStarted(cluster.startWorker());
    await expectToStop(first);
    await singles.answered();
    const { simulator } = cluster;
    expect(await expectOneOutcomeEach({ backend, simulator, devices, created: singles.created })).toBe(0);
    await expectToStop(second);
  });
});
