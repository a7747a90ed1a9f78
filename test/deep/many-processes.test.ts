import { Redis } from 'ioredis';
import { beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { describeWithRedis } from '../support/redis.ts';
import { type Backend, openBackend, type SimulatedApp, type StoredDevice } from '../support/simulated-app.ts';
import { type Cluster, sentSoFar, sharesOf, useCluster } from '../processes/cluster.ts';
import { allAccepted, onceEach } from '../processes/fan-out.ts';

/** Eight slices. */
const DEVICES = 8_000;
const ENDS_WITHIN_MS = 60_000;
const timeout = 150_000;

describeWithRedis({ name: 'one API process and two workers', timeout }, (redis) => {
  const cluster = useCluster(redis, { workers: 2 });
  let backend: Backend;
  let devices: StoredDevice[];
  let app: SimulatedApp;

  beforeEach(async () => {
    ({ app, backend, devices } = await cluster.makeApp(DEVICES));
  });

  test('two workers reach every device exactly once, through the sandbox or not, both with a share, and the counters add up', async () => {
    const before = sentSoFar(cluster.workers);
    // One worker holds six of the eight slices at most; slow gateways keep it at them until the other joins.
    cluster.simulator.orderFault({ kind: 'delay', delayMs: 2_000 });
    const { id } = await backend.notify('*');
    await Promise.all(cluster.workers.map(async (worker) => worker.line(/"kind":"session_opened"/)));
    cluster.simulator.clearFaults();

    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
    expect(Math.min(...(await sharesOf(cluster.workers, DEVICES, before)))).toBeGreaterThan(0);
    expect(tokensIn(cluster, 'sandbox')).toEqual(iPhones(devices, true));
    expect(tokensIn(cluster, 'production')).toEqual(iPhones(devices, false));
  });

  test('two workers reach exactly the devices of an on-the-fly audience, which can be read back', async () => {
    const targeted = devices.filter(({ tags }) => tags.includes('vip'));
    const { id, to } = await backend.notify([{ name: 'tags', criteria: ['vip'] }]);

    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(targeted.length));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(targeted));
    expect((await backend.call('GET', `/v6/audiences/${to.id}`)).body).toMatchObject({
      audience: { device_count: targeted.length },
    });
  });

  test('two API processes make one notification of fifty requests that race under one key', async () => {
    const { url } = await cluster.startApi();
    const backends = [backend, openBackend(url, app.key)];
    const notification = { to: [{ name: 'tags', criteria: ['vip'] }], payload: { alert: 'Once' } };
    const replies = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        backends[index % 2]?.call(
          'POST',
          '/v6/notifications',
          { notification },
          { 'idempotency-key': 'race' },
        ),
      ),
    );
    expect(replies).toEqual(Array.from({ length: 50 }, () => replies[0]));
    expect(replies[0]).toMatchObject({ status: 201, body: { id: expect.any(String) } });

    const targeted = devices.filter(({ tags }) => tags.includes('vip'));
    const { id } = z.object({ id: z.string() }).parse(replies[0]?.body);
    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(targeted.length));
    const { apns, fcm } = cluster.simulator.counts();
    expect(apns.accepted + fcm.accepted).toBe(targeted.length);
  });

  test('two workers leave no job of 200 finished notifications in Redis', async () => {
    const [device] = devices;
    const ids: string[] = [];
    for (let sent = 0; sent < 200; sent++) {
      // Every twentieth is a bulk notification, so both lanes are used.
      const to =
        sent % 20 === 0
          ? [{ name: 'tags', criteria: ['vip'] }]
          : [{ name: 'device_id', criteria: [device?.id] }];
      ids.push((await backend.notify(to)).id);
    }
    for (const id of ids)
      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject({ state: 'sent' });

    const client = new Redis(redis.url);
    try {
      const ofCalls = /^\{carillon\}:rate:/; // counts of seconds, which expire
      const ofQueues =
        /^\{carillon\}:((direct|bulk):(id|meta|events|marker|stalled-check)|periodic:.*|probe)$/;
      await vi.waitFor(async () => {
        const keys = await client.keys('{carillon}:*');
        expect(keys.filter((key) => !ofCalls.test(key) && !ofQueues.test(key))).toEqual([]);
      }, 30_000);
    } finally {
      client.disconnect();
    }
  });
});

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
