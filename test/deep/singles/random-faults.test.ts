/** Many single pushes per second for a while, with a fault every few seconds: none is lost, each has one outcome. */
import { setInterval as every } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { FaultOrder } from '@carillon/simulator';
import { useCluster } from '../../processes/cluster.ts';
import { IN_FLIGHT_MAX } from '../../processes/fan-out.ts';
import { expectOneOutcomeEach, sendSingles, untilLasted } from '../../processes/singles/singles.ts';
import { useOwnPostgres } from '../../support/own-postgres.ts';
import type { RunningProcess } from '../../support/processes.ts';
import { describeWithOwnRedis } from '../../support/redis.ts';
import { byRun } from '../../support/runs.ts';
import { openBackend, type StoredDevice } from '../../support/simulated-app.ts';

const PER_SECOND = byRun({ change: 50, night: 200 });
const FAULT_EVERY_MS = 4_000;
/** A change meets half of them, drawn at random. */
const FAULTS = byRun({ change: 7, night: 14 });
const SECONDS = (FAULTS * FAULT_EVERY_MS) / 1_000 + 4;
const DROP = 'a dropped connection';
const RETRY_AFTER = { 'retry-after': '1' };

const gatewayFaults: Readonly<Record<string, FaultOrder>> = {
  'late answers': { kind: 'delay', delayMs: 500, times: 300 },
  'closed sessions': { kind: 'goaway', every: 10, times: 20 },
  'a gateway that is unavailable': {
    kind: 'answer',
    status: 503,
    reason: 'ServiceUnavailable',
    headers: RETRY_AFTER,
    times: 50,
  },
  'an exceeded quota': {
    kind: 'answer',
    gateway: 'fcm',
    status: 429,
    reason: 'QUOTA_EXCEEDED',
    headers: RETRY_AFTER,
    times: 10,
  },
  [DROP]: { kind: 'drop', received: true, times: 1 },
};

/** A run that fails names its seed; `FAULT_SEED` repeats its order of faults. */
const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);

describeWithOwnRedis(`single pushes for a while (FAULT_SEED=${seed})`, (redis) => {
  const postgres = useOwnPostgres();
  const cluster = useCluster(redis, { database: postgres });

  test('single pushes have one outcome each, whatever fails meanwhile', { timeout: 300_000 }, async () => {
    const { app, devices } = await cluster.makeApp(PER_SECOND * SECONDS);
    const { simulator } = cluster;
    const workers = await cluster.startWorkers(2);
    let api = await cluster.startApi();
    const happened: string[] = [];
    let kills = 0;

    async function end(running: RunningProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      running.signal(signal);
      const exit = await running.exited;
      if (signal === 'SIGTERM') expect(exit).toMatchObject({ code: 0, signal: null });
      else kills += 1;
    }

    async function replaceWorker(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const [oldest] = workers.splice(0, 1);
      if (oldest !== undefined) await end(oldest, signal);
      workers.push(...(await cluster.startWorkers(1)));
    }

    async function replaceApi(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      await end(api.api, signal);
      api = await cluster.startApi();
    }

    const faults: Readonly<Record<string, () => Promise<void>>> = {
      'a killed worker': async () => replaceWorker('SIGKILL'),
      'a stopped worker': async () => replaceWorker('SIGTERM'),
      'a killed API': async () => replaceApi('SIGKILL'),
      'a stopped API': async () => replaceApi('SIGTERM'),
      'a restart of Postgres': async () => postgres.stop('fast').then(() => postgres.start()),
      'a crash of Postgres': async () => postgres.stop('immediate').then(() => postgres.start()),
      'a crash of Redis': async () => {
        await redis.kill();
        await untilLasted(performance.now(), 1_000);
        await redis.restart();
      },
      'a silent Redis': async () => {
        redis.freeze();
        await untilLasted(performance.now(), 3_000);
        redis.thaw();
      },
      'an emptied Redis': async () => {
        const client = new Redis(redis.url);
        await client.flushall();
        client.disconnect();
      },
    };

    const singles = sendSingles(steadily(devices), async () => openBackend(api.url, app.key));
    const names = [...Object.keys(faults), ...Object.keys(gatewayFaults)];
    const length = { minLength: FAULTS, maxLength: FAULTS };
    const [order = []] = fc.sample(fc.shuffledSubarray(names, length), { seed, numRuns: 1 });
    for (const fault of order) {
      const startedMs = performance.now();
      happened.push(fault);
      await faults[fault]?.();
      const ofGateway = gatewayFaults[fault];
      if (ofGateway !== undefined) simulator.orderFault(ofGateway);
      await untilLasted(startedMs, FAULT_EVERY_MS);
    }
    simulator.clearFaults();
    await singles.answered();

    const story = `FAULT_SEED=${seed}: ${happened.join(', ')}`;
    process.stdout.write(`  ${story}\n`);
    const backend = openBackend(api.url, app.key);
    const { created } = singles;
    // A connection that is dropped takes what is in flight with it; a second one may take the same push again.
    const ambiguousMax = happened.filter((fault) => fault === DROP).length * IN_FLIGHT_MAX;
    const repeats = await expectOneOutcomeEach({ backend, simulator, devices, created, ambiguousMax });
    process.stdout.write(`  ${repeats} repeats after ${kills} kills\n`);
    expect(repeats, story).toBeLessThanOrEqual(happened.length * IN_FLIGHT_MAX);
    for (const running of [...workers, api.api]) await end(running, 'SIGTERM');
  });
});

/** At a steady rate, ten at a time. */
async function* steadily(devices: readonly StoredDevice[]): AsyncGenerator<StoredDevice> {
  let next = 0;
  for await (const _ of every((1_000 * 10) / PER_SECOND)) {
    const group = devices.slice(next, next + 10);
    if (group.length === 0) return;
    yield* group;
    next += group.length;
  }
}
