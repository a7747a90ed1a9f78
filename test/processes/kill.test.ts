import { describe, test } from 'vitest';
import { describeWithOwnRedis } from '../support/redis.ts';
import { useAlone } from './alone.ts';
import { useCluster } from './cluster.ts';
import { killPoints, killServer, killWorker } from './kill-point.ts';

const timeout = 150_000;
const { seed, points } = killPoints(2);
const [pushOfWorker = 1, pushOfServer = 1] = points;

describeWithOwnRedis('a worker killed at any push of a fan-out', (redis) => {
  const cluster = useCluster(redis);
  test(
    'a killed worker loses no device; its successor repeats only pushes without a saved outcome, as the same pushes',
    { timeout },
    async () => {
      await killWorker(cluster, { push: pushOfWorker, seed, endsLeases: false, threads: 1 });
    },
  );
});

describe('a server alone, killed at any push of a fan-out', () => {
  const alone = useAlone();
  test(
    'a killed server loses no device, and continues as soon as it is started again',
    { timeout },
    async () => {
      await killServer(alone, pushOfServer, seed);
    },
  );
});
