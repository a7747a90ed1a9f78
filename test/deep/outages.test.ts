/** What goes away in the middle of a fan-out by two workers, and comes back: nothing is lost, nothing doubled. */
import { Redis } from 'ioredis';
import { beforeEach, expect, test, vi } from 'vitest';
import { describeWithOwnRedis } from '../support/redis.ts';
import { byRun } from '../support/runs.ts';
import { expectToStop, type RunningProcess } from '../support/processes.ts';
import { type ClusterApp, useCluster } from '../processes/cluster.ts';
import { allAccepted, onceEach, reach } from '../processes/fan-out.ts';

const DEVICES = byRun({ change: 8_000, night: 12_000 });
const MIDDLE = 2_000;
const OUTAGE_MS = 5_000;
const ENDS_WITHIN_MS = 90_000;
const timeout = 150_000;

describeWithOwnRedis('in the middle of a fan-out', (redis) => {
  const cluster = useCluster(redis);
  let app: ClusterApp;
  let workers: RunningProcess[];
  let id: string;

  beforeEach(async () => {
    app = await cluster.makeApp(DEVICES);
    workers = await cluster.startWorkers(2);
    // Gateways as far away as the real ones, so that there is a middle.
    cluster.simulator.orderFault({ kind: 'delay', delayMs: 300 });
    ({ id } = await app.backend.notify('*'));
    await reach(cluster.simulator, id, MIDDLE);
  });

  /** The gateways say it: what the API answers may be some seconds old on a busy machine. */
  function expectMiddle(): void {
    expect(cluster.simulator.pushesByToken(id).size).toBeLessThan(DEVICES);
  }

  async function expectOnceEach(): Promise<void> {
    cluster.simulator.clearFaults();
    expect(await app.backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(app.devices));
  }

  test(
    'a worker that is asked to stop lets its pushes finish, hands on, exits with 0',
    { timeout },
    async () => {
      const [first] = workers;
      expectMiddle();
      first?.signal('SIGTERM');
      // It would exit with 1 if it ended because its time was over.
      expect(await first?.exited).toMatchObject({ code: 0, signal: null });
      await expectOnceEach();
    },
  );

  test(
    'a worker that is started later finishes after every worker was asked to stop',
    { timeout },
    async () => {
      await expectToStop(...workers);
      const { state, accepted, pending } = await app.backend.readNotification(id);
      // Whatever a gateway took is on record, for nobody was killed.
      expect({ state, accepted, pending }).toEqual({
        state: 'sending',
        accepted: cluster.simulator.pushesByToken(id).size,
        pending: DEVICES - cluster.simulator.pushesByToken(id).size,
      });
      cluster.startWorker();
      await expectOnceEach();
    },
  );

  test('a notification reaches every device once though Redis loses everything', { timeout }, async () => {
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    expectMiddle();
    await expectOnceEach();
    const next = await app.backend.notify('*');
    expect(await app.backend.untilEnded(next.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
  });

  test(
    'a notification is sent while Redis is dead, and after it is back empty, and so are new ones',
    { timeout },
    async () => {
      await redis.kill();
      expectMiddle();
      const goneAt = performance.now();
      let meanwhile: string;
      try {
        ({ id: meanwhile } = await app.backend.notify([{ name: 'tags', criteria: ['vip'] }]));
        await vi.waitFor(() => expect(performance.now() - goneAt).toBeGreaterThan(OUTAGE_MS), {
          timeout: 2 * OUTAGE_MS,
        });
      } finally {
        await redis.restart();
      }
      await expectOnceEach();
      const targeted = app.devices.filter(({ tags }) => tags.includes('vip'));
      expect(await app.backend.untilEnded(meanwhile, ENDS_WITHIN_MS)).toMatchObject(
        allAccepted(targeted.length),
      );
      expect(cluster.simulator.pushesByToken(meanwhile)).toEqual(onceEach(targeted));
      await expectToStop(...workers);
    },
  );
});
