/**
 * A push that kills each process that compiles it, or each that waits for its answer: after two or three deaths it ends with a
 * reason, and the others go on.
 */
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { sql } from 'kysely';
import { describeWithOwnRedis } from '../support/redis.ts';
import { MARKER } from '../processes/die-when-compiling.ts';
import { type Cluster, useCluster } from '../processes/cluster.ts';

const DEVICES = 1_500;
/** Two processes start and die before, which may take long on a busy machine. */
const ENDS_WITHIN_MS = 300_000;
const timeout = 600_000;
const hook = fileURLToPath(new URL('../processes/die-when-compiling.ts', import.meta.url));
const settings = { NODE_OPTIONS: `--import=${hook}` };

/** Ends the leases of dead workers and forgets the jobs that they hold, without the wait of ten seconds. */
async function endLeases({ db, redis }: Cluster): Promise<void> {
  await redis.clear();
  await sql`update delivery_slices set lease_until = now() - interval '1 second' where state = 'leased'`.execute(
    db,
  );
  await sql`update notifications set started_at = started_at - interval '11 seconds'
    where state = 'sending' and slices_left = 0`.execute(db);
}

function reasonFor(poisoned: string): string {
  return `the push to the device ${poisoned} stopped the process twice`;
}

/** A bulk notification that all devices got but some. */
function allBut(rejected: number) {
  return { state: 'sent', devices: DEVICES, accepted: DEVICES - rejected, rejected };
}

/** Starts workers, one after another: some that are killed by the push, and one that goes on. */
async function survive(cluster: Cluster, deaths = 2): Promise<void> {
  for (let death = 0; death < deaths; death++) {
    expect(await cluster.startWorker(settings).exited).toMatchObject({ signal: 'SIGKILL' });
    await endLeases(cluster);
  }
  cluster.startWorker(settings);
}

describeWithOwnRedis('a push that kills the process that compiles it', (redis) => {
  const cluster = useCluster(redis, { settings: { BULK_THREADS: '2' } });

  test(
    'a fatal push to one device fails after two deaths, and pushes to others arrive',
    { timeout },
    async () => {
      const { backend, devices } = await cluster.makeApp(20);
      const to = (index: number) => [{ name: 'device_id', criteria: [devices[index]?.id] }];
      const poison = await backend.notify(to(0), { payload: { alert: MARKER } });
      const others = await Promise.all(
        devices.slice(1).map(async (_, index) => backend.notify(to(index + 1))),
      );
      await survive(cluster);
      for (const { id } of [poison, ...others]) await backend.untilEnded(id, ENDS_WITHIN_MS);
      expect(await backend.readNotification(poison.id)).toMatchObject({
        state: 'failed',
        rejected: 1,
        reason: 'a part was given up, because sending it stopped the process twice',
      });
      for (const { id } of others) {
        expect(await backend.readNotification(id)).toMatchObject({ state: 'sent', accepted: 1 });
      }
    },
  );

  test('a fatal push to everybody fails after three deaths, whatever its slices', { timeout }, async () => {
    const { backend } = await cluster.makeApp(DEVICES);
    const { id } = await backend.notify('*', { payload: { alert: MARKER } });
    await survive(cluster, 3);
    await backend.untilEnded(id, ENDS_WITHIN_MS);
    expect(await backend.readNotification(id)).toMatchObject({
      state: 'failed',
      devices: DEVICES,
      accepted: 0,
      rejected: DEVICES,
      reason: 'a part was given up, because sending it stopped the process twice',
    });
    expect(cluster.simulator.pushesByToken(id).size).toBe(0);
  });

  test(
    'a push that is fatal for one of many devices fails for that device, and all others get it',
    { timeout },
    async () => {
      const { app, backend, devices } = await cluster.makeApp(DEVICES);
      const poisoned = devices[700]?.id ?? '';
      await sql`update devices set custom = ${JSON.stringify({ name: { type: 'string', value: MARKER } })}::jsonb
      where app_id = ${app.id} and id = ${poisoned}`.execute(cluster.db);
      const { id } = await backend.notify('*', {
        payload: { alert: 'Hi {{ custom.name | default: "you" }}' },
        template: { on_missing: 'empty' },
      });
      await survive(cluster);
      await backend.untilEnded(id, ENDS_WITHIN_MS);
      const record = await backend.readNotification(id);
      expect(record).toMatchObject({ ...allBut(1), reason: reasonFor(poisoned) });
      await vi.waitFor(() => expect(cluster.simulator.pushesByToken(id).size).toBe(DEVICES - 1));
    },
  );

  test(
    'a push that is in progress at every death of its process fails for that device',
    { timeout },
    async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const { id: poisoned = '', token = '' } = devices[700] ?? {};
      // No answer comes, as if what would read it died.
      cluster.simulator.orderFault({ kind: 'stall', token, received: true, what: 'stream' });
      const { id } = await backend.notify('*');
      let isOver = false;
      const ended = backend.untilEnded(id, ENDS_WITHIN_MS).then(() => (isOver = true));
      let deaths = 0;
      for (;;) {
        const worker = cluster.startWorker();
        const isReached = (): boolean => cluster.simulator.pushesByToken(id).get(token) === deaths + 1;
        await vi.waitFor(() => expect(isReached() || isOver).toBe(true), {
          timeout: ENDS_WITHIN_MS,
          interval: 1,
        });
        if (isOver) break;
        worker.signal('SIGKILL');
        await worker.exited;
        deaths++;
        await endLeases(cluster);
      }
      await ended;
      // Two if the first worker had saved the outcomes of nearly all others: few devices are noted one by one.
      expect(deaths).toBeGreaterThanOrEqual(2);
      expect(deaths).toBeLessThanOrEqual(3);
      const record = await backend.readNotification(id);
      // A worker that is killed while it hands over its next push has noted that one, which then fails too.
      expect(record.rejected).toBeLessThanOrEqual(2);
      expect(record).toMatchObject(allBut(record.rejected));
      expect(record.reason).toContain(reasonFor(poisoned));
      const reached = (): number => cluster.simulator.pushesByToken(id).size;
      await vi.waitFor(() => expect(reached()).toBeGreaterThan(DEVICES - record.rejected));
    },
  );
});
