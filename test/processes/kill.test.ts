import { Redis } from 'ioredis';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ReceivedPush } from '../../src/simulator/ledger.ts';
import type { RunningProcess } from '../support/processes.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import type { Backend, StoredDevice } from '../support/simulated-app.ts';
import { useCluster } from './cluster.ts';

/** Five slices, of which one worker takes four at most. */
const DEVICES = 5_000;
/** Most of it is for the leases of a killed worker, which have to run out (30 s). */
const ENDS_WITHIN_MS = 90_000;
const TEST_TIMEOUT_MS = 150_000;

describeWithOwnRedis('in the middle of a fan-out', (redis) => {
  const cluster = useCluster(redis);
  let backend: Backend;
  let devices: StoredDevice[];

  beforeEach(async () => {
    ({ backend, devices } = await cluster.makeApp(DEVICES));
  });

  test(
    'a worker is killed: every device is reached and counted once, and a repeat is the same push again',
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const { id, first } = await reachMiddle();
      first.signal('SIGKILL');
      await first.exited;
      cluster.simulator.clearFaults();

      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted);
      const pushesByToken = cluster.simulator.pushesByToken(id);
      expect([...pushesByToken.keys()].toSorted()).toEqual(tokensOf(devices));
      const pushes = cluster.simulator.received();
      expect(pushes.length).toBeGreaterThan(DEVICES);
      expect(pushes.filter((push) => push.nid !== id || collapseIdOf(push) !== id)).toEqual([]);
      for (const repeats of Map.groupBy(pushes, ({ token }) => token).values()) {
        expect(new Set(repeats.map(({ body }) => body)).size).toBe(1);
      }
    },
  );

  test(
    'a worker is asked to stop: it exits with 0, the other one finishes, nothing is pushed twice',
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const { id, first } = await reachMiddle();
      first.signal('SIGTERM');
      expect(await first.exited).toMatchObject({ code: 0, signal: null });
      expect(await backend.readNotification(id)).toMatchObject({ state: 'sending' });
      cluster.simulator.clearFaults();

      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted);
      expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
    },
  );

  test(
    'Redis loses everything: nothing is lost, nothing is pushed twice',
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const { id } = await reachMiddle();
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
      cluster.simulator.clearFaults();

      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted);
      expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));

      const next = await backend.notify('*');
      expect(await backend.untilEnded(next.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted);
    },
  );

  /**
   * Brings a fan-out to its middle: the first worker has four slices under way, the second has joined with
   * the fifth, and the gateways are so slow that none is done.
   */
  async function reachMiddle(): Promise<{ id: string; first: RunningProcess }> {
    cluster.simulator.orderFault({ kind: 'delay', delayMs: 2_000 });
    const first = cluster.startWorker();
    const { id } = await backend.notify('*');
    await vi.waitFor(() => expect(cluster.simulator.pushesByToken(id).size).toBeGreaterThan(200), {
      timeout: 30_000,
    });
    const second = cluster.startWorker();
    await second.line(/"kind":"session_opened"/);
    const { done } = await cluster.db
      .selectFrom('delivery_slices')
      .select((eb) => eb.fn.countAll<number>().filterWhere('state', '=', 'done').as('done'))
      .where('notification_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(done).toBe(0);
    return { id, first };
  }
});

const allAccepted = {
  state: 'sent',
  devices: DEVICES,
  accepted: DEVICES,
  rejected: 0,
  unregistered: 0,
  no_token: 0,
  ambiguous: 0,
  pending: 0,
};

function tokensOf(devices: readonly StoredDevice[]): string[] {
  return devices.map(({ token }) => token).toSorted();
}

function onceEach(devices: readonly StoredDevice[]): Map<string, number> {
  return new Map(devices.map(({ token }) => [token, 1]));
}

/** The id under which a tray replaces the push by its repeat. */
function collapseIdOf(push: ReceivedPush): string | null | undefined {
  return push.gateway === 'apns' ? push.headers['apns-collapse-id'] : push.nid;
}
