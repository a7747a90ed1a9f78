/**
 * A push that kills each process that compiles it, or each that reads its answer: after two deaths it ends with a reason, and
 * the others go on.
 */
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { sql } from 'kysely';
import { describeWithOwnRedis } from '../support/redis.ts';
import { FATAL_REASON, FATAL_TEXT } from '../processes/fatal-texts.ts';
import { type Cluster, useCluster } from '../processes/cluster.ts';

const DEVICES = 1_500;
/** Two processes start and die before, which may take long on a busy machine. */
const ENDS_WITHIN_MS = 300_000;
const timeout = 600_000;
const hook = fileURLToPath(new URL('../processes/fatal-texts.ts', import.meta.url));
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

/** A bulk notification that all devices got but one. */
const ALL_BUT_ONE = { state: 'sent', devices: DEVICES, accepted: DEVICES - 1, ambiguous: 1 };

/** Starts workers, one after another: two that are killed by the push, and one that goes on. */
async function survive(cluster: Cluster): Promise<void> {
  for (let death = 0; death < 2; death++) {
    expect(await cluster.startWorker(settings).exited).toMatchObject({ signal: 'SIGKILL' });
    await endLeases(cluster);
  }
  cluster.startWorker(settings);
}

describeWithOwnRedis({ name: 'a push that kills its process', timeout }, (redis) => {
  const cluster = useCluster(redis, { settings: { BULK_THREADS: '2' } });

  test('a fatal push to one device fails after two deaths, and pushes to others arrive', async () => {
    const { backend, devices } = await cluster.makeApp(20);
    const to = (index: number) => [{ name: 'device_id', criteria: [devices[index]?.id] }];
    const poison = await backend.notify(to(0), { payload: { alert: FATAL_TEXT } });
    const others = await Promise.all(devices.slice(1).map(async (_, index) => backend.notify(to(index + 1))));
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
  });

  test('a fatal push to everybody fails after two deaths, whatever its slices', async () => {
    const { backend } = await cluster.makeApp(DEVICES);
    const { id } = await backend.notify('*', { payload: { alert: FATAL_TEXT } });
    await survive(cluster);
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

  test('a push that is fatal for one of many devices fails for that device, and all others get it', async () => {
    const { app, backend, devices } = await cluster.makeApp(DEVICES);
    const poisoned = devices[700]?.id ?? '';
    await sql`update devices set custom = ${JSON.stringify({ name: { type: 'string', value: FATAL_TEXT } })}::jsonb
      where app_id = ${app.id} and id = ${poisoned}`.execute(cluster.db);
    const { id } = await backend.notify('*', {
      payload: { alert: 'Hi {{ custom.name | default: "you" }}' },
      template: { on_missing: 'empty' },
    });
    await survive(cluster);
    await backend.untilEnded(id, ENDS_WITHIN_MS);
    const record = await backend.readNotification(id);
    expect(record).toMatchObject({ ...ALL_BUT_ONE, reason: reasonFor(poisoned) });
    await vi.waitFor(() => expect(cluster.simulator.pushesByToken(id).size).toBe(DEVICES - 1));
  });

  test('a push whose answer is fatal ends in doubt after two deaths, and all others are decided', async () => {
    const { backend, devices } = await cluster.makeApp(DEVICES);
    const { id: poisoned = '', token = '' } = devices[700] ?? {};
    cluster.simulator.orderFault({ kind: 'answer', token, status: 400, reason: FATAL_REASON });
    const { id } = await backend.notify('*');
    await survive(cluster);
    await backend.untilEnded(id, ENDS_WITHIN_MS);
    const record = await backend.readNotification(id);
    expect(record).toMatchObject({ ...ALL_BUT_ONE, reason: reasonFor(poisoned) });
    expect(cluster.simulator.pushesByToken(id).size).toBe(DEVICES - 1);
  });
});
