/** What a notification needs goes away when its second wave is due: the wave is late, and complete. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { type Cluster, type ClusterApp, useCluster } from '../../processes/cluster.ts';
import {
  expectTheSamePushes,
  IN_FLIGHT_MAX,
  missedOf,
  onceEach,
  repeatsOf,
} from '../../processes/fan-out.ts';
import { useOwnPostgres } from '../../support/own-postgres.ts';
import { describeWithOwnRedis, describeWithRedis } from '../../support/redis.ts';
import { byRun } from '../../support/runs.ts';

const DEVICES = byRun({ change: 2_000, night: 4_000 });
const OUTAGE_MS = 4_000;
const ENDS_WITHIN_MS = 60_000;
const timeout = 150_000;

/** @returns the id of a notification of which one half has been sent, and the other waits */
async function untilHalf(cluster: Cluster, { app, backend, devices }: ClusterApp): Promise<string> {
  await sql`update devices set time_zone = case when id < '80000000-0000-0000-0000-000000000000'
    then 'Pacific/Kiritimati' else 'Etc/GMT+12' end where app_id = ${app.id}`.execute(cluster.db);
  const time = new Date(Date.now() + 60_000).toISOString().slice(0, 19);
  const local = { time, no_time_zone: 'skip', if_past: 'now' };
  const { id } = await backend.notify('*', { deliver_at_local: local });
  const half = devices.filter(({ id: device }) => device < '8').length;
  await vi.waitFor(
    async () =>
      expect(await backend.readNotification(id)).toMatchObject({ accepted: half, held: DEVICES - half }),
    { timeout: ENDS_WITHIN_MS, interval: 50 },
  );
  return id;
}

async function makeDue({ db }: Cluster): Promise<void> {
  await sql`update notification_waves set due_at = now() where state = 'waiting'`.execute(db);
}

async function outage(): Promise<void> {
  const goneAt = performance.now();
  await vi.waitFor(() => expect(performance.now() - goneAt).toBeGreaterThan(OUTAGE_MS), 2 * OUTAGE_MS);
}

const ALL = {
  state: 'sent',
  devices: DEVICES,
  accepted: DEVICES,
  expired: 0,
  dropped: 0,
  pending: 0,
  held: 0,
};

describeWithOwnRedis('with a Redis of its own', (redis) => {
  const cluster = useCluster(redis);

  test(
    'a wave that is due while Redis is away is sent meanwhile, once to each device',
    { timeout },
    async () => {
      const app = await cluster.makeApp(DEVICES);
      await cluster.startWorkers(2);
      const id = await untilHalf(cluster, app);
      await redis.kill();
      try {
        await makeDue(cluster);
        expect(await app.backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(ALL);
      } finally {
        await redis.restart();
      }
      expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(app.devices));
    },
  );

  test(
    'a wave that is due while both gateways refuse everything has its pushes tried again',
    { timeout },
    async () => {
      const app = await cluster.makeApp(DEVICES);
      await cluster.startWorkers(2);
      const id = await untilHalf(cluster, app);
      cluster.simulator.orderFault({ kind: 'answer', status: 503 });
      await makeDue(cluster);
      await outage();
      const during = await app.backend.readNotification(id);
      expect(during).toMatchObject({ state: 'sending', held: 0 });
      expect(during.accepted + during.pending).toBe(DEVICES);
      cluster.simulator.clearFaults();
      expect(await app.backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(ALL);
      expect(missedOf(cluster.simulator, id, app.devices)).toEqual([]);
    },
  );
});

describe('with a Postgres of its own', () => {
  describeWithRedis('and a shared Redis', (redis) => {
    const postgres = useOwnPostgres();
    const cluster = useCluster(redis, { database: postgres });

    test.each(['fast', 'immediate'] as const)(
      'a wave that is due while Postgres is away (%s) starts once, late',
      { timeout },
      async (mode) => {
        const app = await cluster.makeApp(DEVICES);
        await cluster.startWorkers(2);
        const id = await untilHalf(cluster, app);
        await makeDue(cluster);
        await postgres.stop(mode);
        await outage();
        await postgres.start();
        const record = await vi.waitFor(async () => app.backend.untilEnded(id, ENDS_WITHIN_MS), {
          timeout: ENDS_WITHIN_MS,
        });
        expect(record).toMatchObject(ALL);
        expect(missedOf(cluster.simulator, id, app.devices)).toEqual([]);
        expectTheSamePushes(cluster.simulator, id);
        expect(repeatsOf(cluster.simulator, id)).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
      },
    );
  });
});
