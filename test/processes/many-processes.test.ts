import { beforeEach, expect, test, vi } from 'vitest';
import type { RunningProcess } from '../support/processes.ts';
import { describeWithRedis } from '../support/redis.ts';
import type { Backend, StoredDevice } from '../support/simulated-app.ts';
import { type Cluster, devicesSentBy, useCluster } from './cluster.ts';

const DEVICES = 5_000;
const ENDS_WITHIN_MS = 60_000;

describeWithRedis('one API process and two workers', (redis) => {
  const cluster = useCluster(redis);
  let workers: RunningProcess[];
  let backend: Backend;
  let devices: StoredDevice[];

  beforeEach(async () => {
    workers = [cluster.startWorker(), cluster.startWorker()];
    ({ backend, devices } = await cluster.makeApp(DEVICES));
  });

  test('reach every device exactly once, both workers with a share, and the counters add up', async () => {
    // One worker holds four of the five slices at most; slow gateways keep it at them until the other joins.
    cluster.simulator.orderFault({ kind: 'delay', delayMs: 2_000 });
    const { id } = await backend.notify('*');
    await Promise.all(workers.map(async (worker) => worker.line(/"kind":"session_opened"/)));
    cluster.simulator.clearFaults();

    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
    const shares = await sharesOf(workers, DEVICES);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });

  test('reach exactly the devices of an audience made on the fly, which can be read back', async () => {
    const targeted = devices.filter(({ tags }) => tags.includes('vip'));
    const { id, to } = await backend.notify([{ name: 'tags', criteria: ['vip'] }]);

    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(targeted.length));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(targeted));
    expect((await backend.call('GET', `/v6/audiences/${to.id}`)).body).toMatchObject({
      audience: { device_count: targeted.length },
    });
  });

  test('push to development devices through the sandbox, to all others never', async () => {
    const { id } = await backend.notify('*');
    await backend.untilEnded(id, ENDS_WITHIN_MS);

    expect(tokensIn(cluster, 'sandbox')).toEqual(iPhones(devices, true));
    expect(tokensIn(cluster, 'production')).toEqual(iPhones(devices, false));
  });
});

function allAccepted(devices: number) {
  const none = { rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0, pending: 0 };
  return { state: 'sent', devices, accepted: devices, ...none };
}

function onceEach(devices: readonly StoredDevice[]): Map<string, number> {
  return new Map(devices.map(({ token }) => [token, 1]));
}

/** What each worker has sent, once their logs tell of all that was sent. */
async function sharesOf(workers: readonly RunningProcess[], total: number): Promise<number[]> {
  return vi.waitFor(
    () => {
      const shares = workers.map(devicesSentBy);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
      return shares;
    },
    { timeout: 10_000 },
  );
}

function tokensIn({ simulator }: Cluster, environment: 'sandbox' | 'production'): string[] {
  return simulator
    .received({ gateway: 'apns' })
    .filter((push) => push.gateway === 'apns' && push.environment === environment)
    .map(({ token }) => token)
    .toSorted();
}

function iPhones(devices: readonly StoredDevice[], development: boolean): string[] {
  return devices
    .filter((device) => device.platform === 'iOS' && device.development === development)
    .map(({ token }) => token)
    .toSorted();
}
