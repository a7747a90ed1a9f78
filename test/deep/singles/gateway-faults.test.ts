/** Gateways answer late, refuse, or lose connections, among thousands of single pushes. */
import { expect, test } from 'vitest';
import type { FaultOrder } from '@carillon/simulator';
import { useCluster } from '../../processes/cluster.ts';
import { expectOneOutcomeEach, sendSingles } from '../../processes/singles/singles.ts';
import { describeWithOwnRedis } from '../../support/redis.ts';
import { byRun } from '../../support/runs.ts';

const DEVICES = byRun({ change: 800, night: 3_000 });
const timeout = 150_000;

interface GatewayCase {
  name: string;
  faults: FaultOrder[];
  /** Pushes that a gateway may have taken more than once. */
  repeatsMax: number;
  devices: number;
}

describeWithOwnRedis('among single pushes, a gateway', (redis) => {
  const cluster = useCluster(redis, { workers: 2 });

  test.each<GatewayCase>([
    {
      name: 'answers late',
      faults: [{ kind: 'delay', delayMs: 100 }],
      repeatsMax: 0,
      devices: Math.min(DEVICES, 1_000),
    },
    {
      name: 'closes sessions after 50 requests',
      faults: [{ kind: 'goaway', every: 50 }],
      repeatsMax: 0,
      devices: DEVICES,
    },
    {
      name: 'refuses streams',
      faults: [{ kind: 'refuse', probability: 0.05 }],
      repeatsMax: 0,
      devices: DEVICES,
    },
    {
      name: 'answers 503 for a while',
      faults: [
        {
          kind: 'answer',
          gateway: 'apns',
          status: 503,
          reason: 'ServiceUnavailable',
          headers: { 'retry-after': '1' },
          times: 100,
        },
        {
          kind: 'answer',
          gateway: 'fcm',
          status: 503,
          reason: 'UNAVAILABLE',
          headers: { 'retry-after': '1' },
          times: 100,
        },
      ],
      repeatsMax: 0,
      devices: DEVICES,
    },
    {
      name: 'answers 500 without Retry-After',
      faults: [{ kind: 'answer', gateway: 'apns', status: 500, reason: 'InternalServerError', times: 50 }],
      repeatsMax: 0,
      devices: DEVICES,
    },
    {
      name: 'answers 429 for the whole project',
      faults: [
        {
          kind: 'answer',
          gateway: 'fcm',
          status: 429,
          reason: 'QUOTA_EXCEEDED',
          headers: { 'retry-after': '2' },
          times: 20,
        },
      ],
      repeatsMax: 0,
      devices: DEVICES,
    },
    {
      name: 'answers 429 for single devices',
      faults: [
        {
          kind: 'answer',
          gateway: 'apns',
          status: 429,
          reason: 'TooManyRequests',
          probability: 0.01,
          times: 20,
        },
      ],
      repeatsMax: 0,
      devices: DEVICES,
    },
    {
      name: 'drops connections before it answers',
      faults: [
        { kind: 'drop', received: true, gateway: 'apns', probability: 0.01, times: 3 },
        { kind: 'drop', received: true, gateway: 'fcm', probability: 0.01, times: 3 },
      ],
      repeatsMax: 6 * 250,
      devices: DEVICES,
    },
    {
      name: 'stops answering on a session',
      faults: [
        { kind: 'stall', what: 'connection', received: true, gateway: 'apns', probability: 0.01, times: 1 },
      ],
      repeatsMax: 250,
      devices: DEVICES,
    },
  ])(
    'each single push is sent while a gateway $name',
    { timeout },
    async ({ faults, repeatsMax, devices: count }) => {
      const { backend, devices } = await cluster.makeApp(count);
      const { simulator } = cluster;
      for (const fault of faults) simulator.orderFault(fault);
      const singles = sendSingles(devices, async () => backend);
      await singles.answered();
      const check = { backend, simulator, devices, created: singles.created, timeoutMs: 60_000 };
      const repeats = await expectOneOutcomeEach({ ...check, ambiguousMax: repeatsMax });
      process.stdout.write(`  ${repeats} repeats\n`);
      expect(repeats).toBeLessThanOrEqual(repeatsMax);
    },
  );

  test('a token that a gateway refuses for good is unregistered, and no other', { timeout }, async () => {
    const { backend, devices } = await cluster.makeApp(DEVICES);
    const { simulator } = cluster;
    const refused = devices.filter((_, index) => index % 30 === 7);
    for (const { token, platform } of refused) {
      if (platform === 'iOS')
        simulator.orderFault({ kind: 'answer', token, status: 410, reason: 'Unregistered' });
      else simulator.orderFault({ kind: 'answer', token, status: 404, reason: 'UNREGISTERED' });
    }
    const singles = sendSingles(devices, async () => backend);
    await singles.answered();
    const dead = new Set(refused.map(({ token }) => token));
    const { created } = singles;
    expect(await expectOneOutcomeEach({ backend, simulator, devices, created, dead })).toBe(0);
    // Retired in the statement that saves the outcome.
    for (const { id } of refused) {
      expect(await backend.call('GET', `/v6/devices/${id}`)).toMatchObject({
        status: 200,
        body: { device: { push_token: null } },
      });
    }
  });
});
