/** The API process, Redis and Postgres go away in the middle of thousands of single pushes, and come back: none is lost. */
import { Redis } from 'ioredis';
import { beforeEach, expect, test } from 'vitest';
import { type ClusterApp, useCluster } from '../../processes/cluster.ts';
import { IN_FLIGHT_MAX } from '../../processes/fan-out.ts';
import {
  expectOneOutcomeEach,
  type Singles,
  sendSingles,
  untilLasted,
  untilPushed,
} from '../../processes/singles/singles.ts';
import { useOwnPostgres } from '../../support/own-postgres.ts';
import { expectToStop, type RunningProcess } from '../../support/processes.ts';
import { describeWithOwnRedis, describeWithRedis } from '../../support/redis.ts';
import { byRun } from '../../support/runs.ts';
import { openBackend } from '../../support/simulated-app.ts';

const DEVICES = byRun({ change: 900, night: 3_000 });
const MIDDLE = DEVICES / 5;
const OUTAGE_MS = 5_000;
const timeout = 150_000;

describeWithOwnRedis('single pushes, by two workers, while', (redis) => {
  const cluster = useCluster(redis);
  let app: ClusterApp;
  let workers: RunningProcess[];

  beforeEach(async () => {
    app = await cluster.makeApp(DEVICES);
    workers = await cluster.startWorkers(2);
  });

  async function repeatsOf({ created }: Singles): Promise<number> {
    const { backend, devices } = app;
    const repeats = await expectOneOutcomeEach({ backend, simulator: cluster.simulator, devices, created });
    await expectToStop(...workers);
    return repeats;
  }

  test(
    'each single push counts once when the API process is killed and callers repeat their calls',
    { timeout },
    async () => {
      const first = await cluster.startApi();
      let backend = openBackend(first.url, app.app.key);
      const singles = sendSingles(app.devices, async () => backend);
      await untilPushed(cluster.simulator, MIDDLE);
      first.api.signal('SIGKILL');
      await first.api.exited;
      const second = await cluster.startApi();
      backend = openBackend(second.url, app.app.key);
      await singles.answered();
      expect(await repeatsOf(singles)).toBe(0);
    },
  );

  test(
    'the pushes that an API process has answered are sent after it is asked to stop',
    { timeout },
    async () => {
      const first = await cluster.startApi();
      let backend = openBackend(first.url, app.app.key);
      const singles = sendSingles(app.devices, async () => backend);
      await untilPushed(cluster.simulator, MIDDLE);
      first.api.signal('SIGTERM');
      ({ backend } = app);
      expect(await first.api.exited).toMatchObject({ code: 0, signal: null });
      await singles.answered();
      expect(await repeatsOf(singles)).toBe(0);
    },
  );

  test(
    'single pushes are sent once each though Redis loses its keys every few hundred pushes',
    { timeout },
    async () => {
      const singles = sendSingles(app.devices, async () => app.backend);
      const client = new Redis(redis.url);
      for (let pushed = 300; pushed < DEVICES; pushed += 300) {
        await untilPushed(cluster.simulator, pushed);
        await client.flushall();
      }
      client.disconnect();
      await singles.answered();
      expect(await repeatsOf(singles)).toBe(0);
    },
  );

  test.each([
    {
      outage: 'dies, and is back empty',
      begin: async () => redis.kill(),
      end: async () => redis.restart(),
    },
    {
      outage: 'falls silent, and is back',
      begin: async () => redis.freeze(),
      end: async () => redis.thaw(),
    },
  ])(
    'single pushes are taken and sent while Redis $outage 5 s later',
    { timeout },
    async ({ begin, end }) => {
      const singles = sendSingles(app.devices, async () => app.backend);
      await untilPushed(cluster.simulator, MIDDLE);
      await begin();
      try {
        await untilLasted(performance.now(), OUTAGE_MS);
      } finally {
        await end();
      }
      await singles.answered();
      expect(await repeatsOf(singles)).toBe(0);
    },
  );
});

interface Outage {
  mode: 'fast' | 'immediate';
  outageMs: number;
}

describeWithRedis('among single pushes, Postgres', (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres });

  const short: Outage[] = [
    { mode: 'immediate', outageMs: 0 },
    { mode: 'fast', outageMs: 5_000 },
  ];
  const long: Outage[] = [
    { mode: 'fast', outageMs: 0 },
    { mode: 'immediate', outageMs: 12_000 },
  ];
  const all = byRun({ change: short, night: [...short, ...long] });
  test.each(all)(
    'no single push is lost while Postgres stops ($mode) for $outageMs ms',
    { timeout },
    async ({ mode, outageMs }) => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const workers = await cluster.startWorkers(2);
      const singles = sendSingles(devices, async () => backend);
      await untilPushed(cluster.simulator, MIDDLE);
      await postgres.stop(mode);
      await untilLasted(performance.now(), outageMs);
      await postgres.start();
      await singles.answered();

      const { simulator } = cluster;
      const repeats = await expectOneOutcomeEach({ backend, simulator, devices, created: singles.created });
      process.stdout.write(`  Postgres away (${mode}, ${outageMs} ms): ${repeats} repeats\n`);
      expect(repeats).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
      await expectToStop(...workers);
    },
  );
});
