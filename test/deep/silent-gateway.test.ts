/** A gateway that takes pushes and answers none, with the waiting times that are in use: a minute and a half. */
import { expect, test } from 'vitest';
import { useCluster, workerStarted } from '../processes/cluster.ts';
import { expectTheSamePushes } from '../processes/fan-out.ts';
import { describeWithOwnRedis } from '../support/redis.ts';

const DEVICES = 30;
const ENDS_WITHIN_MS = 150_000;
const timeout = ENDS_WITHIN_MS + 30_000;

describeWithOwnRedis({ name: 'Google takes every push and answers none', timeout }, (redis) => {
  const cluster = useCluster(redis);

  test('each push to a silent gateway is sent twice and becomes ambiguous; Apple is not held up', async () => {
    const { backend, devices } = await cluster.makeApp(DEVICES);
    await workerStarted(cluster.startWorker());
    cluster.simulator.orderFault({ kind: 'stall', what: 'stream', received: true, gateway: 'fcm' });

    const { id } = await backend.notify('*');
    const record = await backend.untilEnded(id, ENDS_WITHIN_MS);

    const googles = devices.filter(({ platform }) => platform === 'Android');
    const ambiguous = googles.length;
    expect(ambiguous).toBeGreaterThan(0);
    expect(record).toMatchObject({ state: 'sent', accepted: DEVICES - ambiguous, ambiguous, rejected: 0 });
    const isGoogles = new Set(googles.map(({ token }) => token));
    expect(cluster.simulator.pushesByToken(id)).toEqual(
      new Map(devices.map(({ token }) => [token, isGoogles.has(token) ? 2 : 1])),
    );
    expectTheSamePushes(cluster.simulator, id);
  });
});
