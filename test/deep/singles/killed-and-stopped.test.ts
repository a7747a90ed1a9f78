/** Processes that die or stop in the middle of many single pushes, and cancels that race with them. */
import { describe, expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../support/redis.ts';
import { useAlone } from '../../processes/alone.ts';
import { useCluster, workerStarted } from '../../processes/cluster.ts';
import { killPoints } from '../../processes/kill-point.ts';
import { killServerAmongSingles, killWorkerAmongSingles } from '../../processes/singles/kill.ts';
import { expectOneOutcomeEach, sendSingles, untilPushed } from '../../processes/singles/singles.ts';
import { expectToStop } from '../../support/processes.ts';
import { byRun } from '../../support/runs.ts';

const DEVICES = byRun({ change: 600, night: 1_000 });
const timeout = 120_000;
const { seed, points } = killPoints(2, DEVICES);
const [pushOfServer = 1, pushOfWorker = 1] = points;

describe('a server alone, killed at any of many single pushes', () => {
  const alone = useAlone();
  test(
    'a killed server loses no answered push, and repeats only pushes without a saved outcome',
    { timeout },
    async () => {
      await killServerAmongSingles(alone, { devices: DEVICES, push: pushOfServer, seed });
    },
  );
});

describeWithOwnRedis('many single pushes to one API process', (redis) => {
  const cluster = useCluster(redis);

  test(
    'single pushes are taken over by the second worker when the first is killed',
    { timeout },
    async () => {
      await killWorkerAmongSingles(cluster, { devices: DEVICES, push: pushOfWorker, seed });
    },
  );

  test(
    'single pushes are each sent once while one worker after another is asked to stop',
    { timeout },
    async () => {
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
    },
  );
});
