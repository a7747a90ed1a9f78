/** Processes, Postgres, Redis and gateways fail in the middle of thousands of single pushes: none is lost, each has one outcome. */
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { FaultOrder } from '../../../src/simulator/faults.ts';
import { useAlone } from '../../processes/alone.ts';
import { type ClusterApp, useCluster } from '../../processes/cluster.ts';
import { IN_FLIGHT_MAX } from '../../processes/fan-out.ts';
import { killPoints } from '../../processes/kill-point.ts';
import { killServerAmongSingles, killWorkerAmongSingles } from '../../processes/singles/kill.ts';
import {
  expectOneOutcomeEach,
  type Singles,
  sendSingles,
  untilLasted,
  untilPushed,
} from '../../processes/singles/singles.ts';
import { useOwnPostgres } from '../../support/own-postgres.ts';
import type { RunningProcess } from '../../support/processes.ts';
import { describeWithOwnRedis, describeWithRedis } from '../../support/redis.ts';
import { openBackend } from '../../support/simulated-app.ts';

const DEVICES = 3_000;
const MIDDLE = 600;
const OUTAGE_MS = 5_000;
const timeout = 150_000;

describe('a server alone, among single pushes', () => {
  const alone = useAlone();
  const { seed, points } = killPoints(5, DEVICES);
  test.each(points)('killed at push %i loses nothing', { timeout }, async (push) => {
    await killServerAmongSingles(alone, { devices: DEVICES, push, seed });
  });
});

describeWithOwnRedis('single pushes to one API process, sent by workers', (redis) => {
  const cluster = useCluster(redis);
  const { seed, points } = killPoints(8, DEVICES);
  test.each(points)('the worker is killed at push %i: nothing is lost', { timeout }, async (push) => {
    await killWorkerAmongSingles(cluster, { devices: DEVICES, push, seed });
  });

  describe('by two workers, while', () => {
    let app: ClusterApp;
    let workers: RunningProcess[];

    beforeEach(async () => {
      app = await cluster.makeApp(DEVICES);
      workers = [cluster.startWorker(), cluster.startWorker()];
      await Promise.all(workers.map(async (worker) => worker.line(/"kind":"worker_started"/)));
    });

    async function repeatsOf({ created }: Singles): Promise<number> {
      const { backend, devices } = app;
      const repeats = await expectOneOutcomeEach({ backend, simulator: cluster.simulator, devices, created });
      for (const worker of workers) worker.signal('SIGTERM');
      for (const worker of workers) expect(await worker.exited).toMatchObject({ code: 0, signal: null });
      return repeats;
    }

    test(
      'the API process is killed: callers repeat their calls, and each call counts once',
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

    test('the API process is asked to stop: what it has answered is sent', { timeout }, async () => {
      const first = await cluster.startApi();
      let backend = openBackend(first.url, app.app.key);
      const singles = sendSingles(app.devices, async () => backend);
      await untilPushed(cluster.simulator, MIDDLE);
      first.api.signal('SIGTERM');
      ({ backend } = app);
      expect(await first.api.exited).toMatchObject({ code: 0, signal: null });
      await singles.answered();
      expect(await repeatsOf(singles)).toBe(0);
    });

    test('Redis loses its keys every few hundred pushes', { timeout }, async () => {
      const singles = sendSingles(app.devices, async () => app.backend);
      const client = new Redis(redis.url);
      for (let pushed = 300; pushed < DEVICES; pushed += 300) {
        await untilPushed(cluster.simulator, pushed);
        await client.flushall();
      }
      client.disconnect();
      await singles.answered();
      expect(await repeatsOf(singles)).toBe(0);
    });

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
    ])('Redis $outage 5 s later: calls are taken and sent meanwhile', { timeout }, async ({ begin, end }) => {
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
    });
  });
});

describeWithRedis('among single pushes, Postgres', (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres });

  test.each([
    { mode: 'fast', outageMs: 0 },
    { mode: 'immediate', outageMs: 0 },
    { mode: 'fast', outageMs: 5_000 },
    { mode: 'immediate', outageMs: 12_000 },
  ] as const)('stops ($mode) for $outageMs ms: none is lost', { timeout }, async ({ mode, outageMs }) => {
    const { backend, devices } = await cluster.makeApp(DEVICES);
    const workers = [cluster.startWorker(), cluster.startWorker()];
    await Promise.all(workers.map(async (worker) => worker.line(/"kind":"worker_started"/)));
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
    for (const worker of workers) worker.signal('SIGTERM');
    for (const worker of workers) expect(await worker.exited).toMatchObject({ code: 0, signal: null });
  });
});

interface GatewayCase {
  name: string;
  faults: FaultOrder[];
  /** Pushes that a gateway may have taken more than once. */
  repeatsMax: number;
  devices: number;
}

describeWithOwnRedis('among single pushes, a gateway', (redis) => {
  const cluster = useCluster(redis);

  test.each<GatewayCase>([
    { name: 'answers late', faults: [{ kind: 'delay', delayMs: 100 }], repeatsMax: 0, devices: 1_000 },
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
  ])('$name: each is sent', { timeout }, async ({ faults, repeatsMax, devices: count }) => {
    const { backend, devices } = await cluster.makeApp(count);
    const { simulator } = cluster;
    const workers = [cluster.startWorker(), cluster.startWorker()];
    await Promise.all(workers.map(async (worker) => worker.line(/"kind":"worker_started"/)));
    for (const fault of faults) simulator.orderFault(fault);
    const singles = sendSingles(devices, async () => backend);
    await singles.answered();
    const check = { backend, simulator, devices, created: singles.created, timeoutMs: 60_000 };
    const repeats = await expectOneOutcomeEach({ ...check, ambiguousMax: repeatsMax });
    process.stdout.write(`  ${repeats} repeats\n`);
    expect(repeats).toBeLessThanOrEqual(repeatsMax);
  });

  test('refuses every thirtieth token for good: these alone are unregistered', { timeout }, async () => {
    const { backend, devices } = await cluster.makeApp(DEVICES);
    const { simulator } = cluster;
    await cluster.startWorker().line(/"kind":"worker_started"/);
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
    await vi.waitFor(async () => {
      for (const { id } of refused) {
        expect(await backend.call('GET', `/v6/devices/${id}`)).toMatchObject({
          body: { device: { push_token: null } },
        });
      }
    });
  });
});
