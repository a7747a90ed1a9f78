/** Postgres restarts under a fan-out by two workers. */
import { expect, test, vi } from 'vitest';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { expectToStop, type RunningProcess } from '../support/processes.ts';
import { describeWithRedis } from '../support/redis.ts';
import { useCluster } from '../processes/cluster.ts';
import { allAccepted, expectTheSamePushes, missedOf, reach, repeatsOf } from '../processes/fan-out.ts';

const DEVICES = 12_000;
const MIDDLE = 2_000;
/** Of a worker: the gateways take their time here, and the windows grow with it. */
const IN_FLIGHT_MAX = 1_000;
const ENDS_WITHIN_MS = 90_000;
const timeout = 150_000;

describeWithRedis('Postgres restarts in the middle of a fan-out', (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres });

  test.each([
    { mode: 'fast', outageMs: 0 },
    { mode: 'immediate', outageMs: 0 },
    { mode: 'fast', outageMs: 5_000 },
  ] as const)(
    '$mode, away for $outageMs ms: nothing is lost, and every process lives on',
    { timeout },
    async ({ mode, outageMs }) => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const workers = await cluster.startWorkers(2);
      cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(cluster.simulator, id, MIDDLE);
      await postgres.stop(mode);
      expect(cluster.simulator.pushesByToken(id).size).toBeLessThan(DEVICES);
      const goneAt = performance.now();
      await vi.waitFor(
        () => expect(performance.now() - goneAt).toBeGreaterThan(outageMs),
        2 * outageMs + 1_000,
      );
      await postgres.start();
      await vi.waitFor(async () => backend.readNotification(id), 30_000);
      cluster.simulator.clearFaults();

      const record = await backend.untilEnded(id, ENDS_WITHIN_MS);
      const repeats = repeatsOf(cluster.simulator, id);
      process.stdout.write(
        `  Postgres away (${mode}, ${outageMs} ms): ${repeats} repeats; ${failuresOf(workers)}\n`,
      );
      expect(record).toMatchObject(allAccepted(DEVICES));
      expect(missedOf(cluster.simulator, id, devices)).toEqual([]);
      expectTheSamePushes(cluster.simulator, id);
      // The worker was alive all the time and keeps its outcomes until the database is back: mostly no repeats.
      expect(repeats, failuresOf(workers)).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
      await expectToStop(...workers);
    },
  );
});

/** Which of our lines the jobs failed in. */
function failuresOf(workers: readonly RunningProcess[]): string {
  const lines = workers.flatMap((worker) => worker.lines()).filter((line) => line.includes('job_failed'));
  const places = lines.map((line) => /src\/delivery\/[a-z-]+\.ts:\d+/.exec(line)?.[0] ?? 'elsewhere');
  return `jobs failed at: ${[...Map.groupBy(places, (place) => place)].map(([place, all]) => `${place} × ${all.length}`).join(', ')}`;
}
