/** `kill -9` under frequency caps, waves and cancels: a cap holds, and no device is forgotten. */
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { type ClusterApp, useCluster, workerStarted } from '../../processes/cluster.ts';
import {
  expectTheSamePushes,
  IN_FLIGHT_MAX,
  reach,
  repeatsOf,
  untilCounted,
} from '../../processes/fan-out.ts';
import { endLeases, killBetweenNotes, killPoints } from '../../processes/kill-point.ts';
import type { RunningProcess } from '../../support/processes.ts';
import { describeWithOwnRedis } from '../../support/redis.ts';
import { byRun } from '../../support/runs.ts';

const DEVICES = byRun({ change: 3_000, night: 6_000 });
const ENDS_WITHIN_MS = 60_000;
const timeout = 180_000;
const GROUP = { group: 'marketing' };
/** Half of the ids. The other half is in the second wave. */
const MIDDLE = '80000000-0000-0000-0000-000000000000';
const isVip = [{ name: 'tags', criteria: ['vip'] }];

describeWithOwnRedis({ name: 'one marketing push a day to a device', timeout }, (redis) => {
  const cluster = useCluster(redis);
  const { seed, points } = killPoints(8, DEVICES / 3);
  const story = `KILL_SEED=${seed}, points ${points.join(', ')}`;
  let app: ClusterApp;
  let workers: RunningProcess[];

  beforeEach(async () => {
    app = await cluster.makeApp(DEVICES);
    const limits = [{ at_most: 1, per: 'P1D' }];
    const caps = { frequency_caps: [{ ...GROUP, by: 'device', limits }] };
    expect(await app.backend.call('PUT', '/v6/app/frequency-caps', caps)).toMatchObject({ status: 200 });
    workers = await cluster.startWorkers(2);
  });

  /** Kills the worker that was started first, and starts another. */
  async function killOne(): Promise<void> {
    const killed = workers.shift();
    if (killed !== undefined) await killBetweenNotes(cluster.db, killed);
    await endLeases(cluster, app.app.id);
    workers.push(await workerStarted(cluster.startWorker()));
  }

  async function killAll(): Promise<void> {
    const killed = workers;
    workers = [];
    for (const worker of killed) worker.signal('SIGKILL');
    await Promise.all(killed.map(async (worker) => worker.exited));
  }

  function tokensOf(id: string): Set<string> {
    return new Set(cluster.simulator.pushesByToken(id).keys());
  }

  /** The first half of the devices is due now, and the other in some hours. */
  async function notifyInWaves(): Promise<string> {
    await sql`update devices set time_zone = case when id < ${MIDDLE} then 'Pacific/Kiritimati' else 'Etc/GMT+12' end
      where app_id = ${app.app.id}`.execute(cluster.db);
    const time = new Date(Date.now() + 60_000).toISOString().slice(0, 19);
    const local = { time, no_time_zone: 'skip', if_past: 'now' };
    return (await app.backend.notify('*', { ...GROUP, deliver_at_local: local })).id;
  }

  async function startSecondWave(id: string): Promise<void> {
    await sql`update notification_waves set due_at = now()
      where notification_id = ${id} and state = 'waiting'`.execute(cluster.db);
  }

  test('a bulk notification whose workers are killed reaches all, and the next one nobody', async () => {
    const { id } = await app.backend.notify('*', GROUP);
    await reach(cluster.simulator, id, points[0] ?? 1);
    await killOne();
    await reach(cluster.simulator, id, DEVICES / 2 + (points[1] ?? 1));
    await killOne();
    const record = await app.backend.untilEnded(id, ENDS_WITHIN_MS);
    expect(record, story).toMatchObject({ state: 'sent', accepted: DEVICES, capped: 0, pending: 0 });
    expect(tokensOf(id).size, story).toBe(DEVICES);
    expectTheSamePushes(cluster.simulator, id);
    expect(repeatsOf(cluster.simulator, id), story).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
    const next = await app.backend.notify('*', GROUP);
    const capped = await app.backend.untilEnded(next.id, ENDS_WITHIN_MS);
    expect(capped, story).toMatchObject({ state: 'sent', accepted: 0, capped: DEVICES });
    expect(tokensOf(next.id).size).toBe(0);
  });

  async function waitingWaves(id: string): Promise<number | undefined> {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from notification_waves
      where notification_id = ${id} and state = 'waiting'`.execute(cluster.db);
    return rows[0]?.waiting;
  }

  test('two bulk notifications at once never exceed the cap, and use all of it', async () => {
    const [one, other] = await Promise.all([app.backend.notify('*', GROUP), app.backend.notify('*', GROUP)]);
    await untilCounted(() => tokensOf(one.id).size + tokensOf(other.id).size, points[2] ?? 1);
    await killOne();
    await killOne();
    const records = [
      await app.backend.untilEnded(one.id, ENDS_WITHIN_MS),
      await app.backend.untilEnded(other.id, ENDS_WITHIN_MS),
    ];
    for (const { accepted, capped } of records) expect(accepted + capped, story).toBe(DEVICES);
    expect(tokensOf(one.id).intersection(tokensOf(other.id)), story).toEqual(new Set());
    expect(tokensOf(one.id).union(tokensOf(other.id)).size, story).toBe(DEVICES);
    expect(records.map(({ accepted }) => accepted)).toEqual([tokensOf(one.id).size, tokensOf(other.id).size]);
  });

  test('a worker killed in each wave leaves out the devices that had a push before', async () => {
    const vips = app.devices.filter(({ tags }) => tags.includes('vip')).length;
    const before = await app.backend.notify(isVip, GROUP);
    await app.backend.untilEnded(before.id, ENDS_WITHIN_MS);
    const id = await notifyInWaves();
    await reach(cluster.simulator, id, points[3] ?? 1);
    await killOne();
    // The devices change places while they wait: the time zone at planning counts.
    await sql`update devices set time_zone = 'Etc/GMT+12' where app_id = ${app.app.id}`.execute(cluster.db);
    await vi.waitFor(
      async () => {
        const { held, pending } = await app.backend.readNotification(id);
        expect(pending, story).toBe(held);
        expect(held).toBeGreaterThan(0);
      },
      { timeout: ENDS_WITHIN_MS },
    );
    const inFirst = tokensOf(id).size;
    await startSecondWave(id);
    await reach(cluster.simulator, id, inFirst + (points[4] ?? 1));
    await killOne();
    const record = await app.backend.untilEnded(id, ENDS_WITHIN_MS);
    const accepted = DEVICES - vips;
    expect(record, story).toMatchObject({ state: 'sent', accepted, capped: vips, pending: 0, held: 0 });
    expect(tokensOf(id).size, story).toBe(accepted);
    expect(tokensOf(id).intersection(tokensOf(before.id)), story).toEqual(new Set());
    expectTheSamePushes(cluster.simulator, id);
    expect(repeatsOf(cluster.simulator, id), story).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
  });

  test.each([
    { when: 'in its first wave', point: points[5] ?? 1 },
    { when: 'while its second wave starts', point: points[6] ?? 1 },
  ])(
    'the cap still holds for a notification canceled $when while all workers are killed',
    async ({ when, point }) => {
      const id = await notifyInWaves();
      const inFirst = app.devices.filter((device) => device.id < MIDDLE).length;
      const isSecond = when.includes('second');
      await reach(cluster.simulator, id, isSecond ? inFirst : point);
      if (isSecond) {
        await startSecondWave(id);
        await reach(cluster.simulator, id, inFirst + 1);
      }
      const [canceled] = await Promise.all([
        app.backend.call('POST', `/v6/notifications/${id}/cancel`),
        killAll(),
      ]);
      expect(canceled).toMatchObject({ status: 200 });
      await endLeases(cluster, app.app.id);
      workers = await cluster.startWorkers(2);
      // The pushes of the killed processes have arrived by now, and no more may follow.
      const reached = tokensOf(id);
      const next = await app.backend.notify('*', GROUP);
      const record = await app.backend.untilEnded(next.id, ENDS_WITHIN_MS);
      expect(tokensOf(id), story).toEqual(reached);
      expect(reached.intersection(tokensOf(next.id)), story).toEqual(new Set());
      expect(record.accepted, story).toBe(tokensOf(next.id).size);
      expect(record.accepted + record.capped, story).toBe(DEVICES);
      const left = await app.backend.readNotification(id);
      expect(left.state).toBe('canceled');
      expect(left.accepted + left.capped + left.pending, story).toBe(DEVICES);
      expect(left.accepted, story).toBeLessThanOrEqual(reached.size);
      // The wave that still waits is over when it comes due.
      await startSecondWave(id);
      await vi.waitFor(async () => expect(await waitingWaves(id)).toBe(0), { timeout: 30_000 });
      expect(tokensOf(id), story).toEqual(reached);
    },
  );
});
