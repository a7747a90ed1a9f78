/** Postgres goes away under a fan-out, for any time, and comes back: the workers keep what they have sent. */
import { describe, expect, test, vi } from 'vitest';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { expectToStop, type RunningProcess } from '../support/processes.ts';
import { describeWithRedis } from '../support/redis.ts';
import { byRun } from '../support/runs.ts';
import { type ClusterApp, useCluster } from '../processes/cluster.ts';
import { allAccepted, expectTheSamePushes, missedOf, reach, repeatsOf } from '../processes/fan-out.ts';

const DEVICES = byRun({ change: 8_000, night: 12_000 });
const MIDDLE = 2_000;
const ENDS_WITHIN_MS = 120_000;
const timeout = 240_000;

interface Outage {
  mode: 'fast' | 'immediate' | 'frozen';
  outageMs: number;
  count: number;
}

describeWithRedis({ name: 'Postgres is away in the middle of a fan-out', timeout }, (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres });

  // Shorter than a lease, and longer than one.
  const short: Outage[] = [
    { mode: 'immediate', outageMs: 0, count: 2 },
    { mode: 'fast', outageMs: 5_000, count: 2 },
    { mode: 'frozen', outageMs: 12_000, count: 2 },
  ];
  const long: Outage[] = [
    { mode: 'fast', outageMs: 0, count: 2 },
    { mode: 'fast', outageMs: 12_000, count: 2 },
    // Longer than any statement may take.
    { mode: 'immediate', outageMs: 30_000, count: 2 },
  ];
  test.each(byRun({ change: short, night: [...short, ...long] }))(
    'no push is lost while Postgres is away, and only unsaved pushes repeated: $mode, $count workers, $outageMs ms',
    async ({ mode, outageMs, count }) => {
      const { backend, devices, app } = await cluster.makeApp(DEVICES);
      const workers = await cluster.startWorkers(count);
      cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(cluster.simulator, id, MIDDLE);
      const saved = await readAccepted(app, id);
      const back = mode === 'frozen' ? await postgres.freeze() : await stop(mode);
      expect(cluster.simulator.pushesByToken(id).size).toBeLessThan(DEVICES);
      await forMs(outageMs);
      const unsaved = cluster.simulator.pushesByToken(id).size - saved;
      await back();
      await vi.waitFor(async () => backend.readNotification(id), 60_000);
      cluster.simulator.clearFaults();

      const record = await backend.untilEnded(id, ENDS_WITHIN_MS);
      const repeats = repeatsOf(cluster.simulator, id);
      process.stdout.write(
        `  Postgres away (${mode}, ${outageMs} ms, ${count} workers): ${repeats} repeats of ${unsaved} unsaved; ${failuresOf(workers)}\n`,
      );
      expect(record).toMatchObject(allAccepted(DEVICES));
      expect(missedOf(cluster.simulator, id, devices)).toEqual([]);
      expectTheSamePushes(cluster.simulator, id);
      // Mostly none. A worker that gets no processor for long after the outage loses its lease as any other does.
      expect(repeats, failuresOf(workers)).toBeLessThanOrEqual(unsaved);
      await expectToStop(...workers);
    },
  );

  async function stop(mode: 'fast' | 'immediate'): Promise<() => Promise<void>> {
    await postgres.stop(mode);
    return async () => postgres.start();
  }

  async function readAccepted({ id: appId }: ClusterApp['app'], id: string): Promise<number> {
    const { accepted } = await cluster.db
      .selectFrom('notifications')
      .select('accepted')
      .where('app_id', '=', appId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return accepted;
  }

  describe('a worker that is asked to stop meanwhile', () => {
    // It waits for all the time that there is to stop.
    const modes: ('fast' | 'frozen')[] = byRun({ change: ['frozen'], night: ['fast', 'frozen'] });
    test.each(modes)(
      'processes asked to stop end by themselves, and a worker says how many outcomes it could not save (%s)',
      async (mode) => {
        const { backend } = await cluster.makeApp(DEVICES);
        const [worker] = await cluster.startWorkers(1);
        const { api } = await cluster.startApi();
        cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
        const { id } = await backend.notify('*');
        await reach(cluster.simulator, id, MIDDLE);
        const back = mode === 'frozen' ? await postgres.freeze() : await stop(mode);
        try {
          worker?.signal('SIGTERM');
          api.signal('SIGTERM');
          expect(await api.exited).toMatchObject({ signal: null });
          expect(await worker?.exited).toMatchObject({
            code: 1,
            stderr: expect.stringMatching(/"not_drained".*"unsaved":[1-9]/),
          });
        } finally {
          await back();
        }
      },
    );
  });
});

async function forMs(ms: number): Promise<void> {
  const since = performance.now();
  await vi.waitFor(() => expect(performance.now() - since).toBeGreaterThan(ms), 2 * ms + 1_000);
}

/** Which of our lines the jobs failed in. */
function failuresOf(workers: readonly RunningProcess[]): string {
  const lines = workers.flatMap((worker) => worker.lines()).filter((line) => line.includes('job_failed'));
  const places = lines.map((line) => /src\/delivery\/[a-z/-]+\.ts:\d+/.exec(line)?.[0] ?? 'elsewhere');
  return `jobs failed at: ${[...Map.groupBy(places, (place) => place)].map(([place, all]) => `${place} × ${all.length}`).join(', ')}`;
}
