/** Resources that notifications and workers share: slots, and Google's quota for a project. */
import { describe, expect, test, vi } from 'vitest';
import type { Simulator } from '@carillon/simulator';
import { describeWithRedis } from '../support/redis.ts';
import { sharesOf, useCluster } from '../processes/cluster.ts';
import { allAccepted, onceEach, reach } from '../processes/fan-out.ts';

const ENDS_WITHIN_MS = 90_000;
const timeout = 150_000;
/** Of the large notification: it must still be in progress when two smaller ones have ended. With 20,000 it is over sometimes. */
const MANY = 40_000;

describeWithRedis({ name: 'two workers', timeout }, (redis) => {
  const cluster = useCluster(redis, { realTimes: true });

  test('two workers send the next notification of the same app, and of another app, during a large one', async () => {
    const large = await cluster.makeApp(MANY);
    const small = await cluster.makeApp(2_000);
    await cluster.startWorkers(2);
    cluster.simulator.orderFault({ kind: 'delay', delayMs: 100 });
    const { id: largeId } = await large.backend.notify('*');
    await reach(cluster.simulator, largeId, 2_000);

    const [same, other] = await Promise.all([
      large.backend.notify([{ name: 'tags', criteria: ['vip'] }]),
      small.backend.notify('*'),
    ]);
    const vips = large.devices.filter(({ tags }) => tags.includes('vip'));
    expect(await large.backend.untilEnded(same.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(vips.length));
    expect(await small.backend.untilEnded(other.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(2_000));
    expect(await large.backend.readNotification(largeId)).toMatchObject({ state: 'sending' });
    cluster.simulator.clearFaults();
    expect(await large.backend.untilEnded(largeId, ENDS_WITHIN_MS)).toMatchObject(allAccepted(MANY));
  });

  describe('of one Firebase project', () => {
    const PUSHES_PER_SECOND = 500;
    const DEVICES = 8_000;
    const settings = { FCM_PUSHES_PER_MINUTE: String(60 * PUSHES_PER_SECOND) };
    /** The quota that each of the two may have drawn in one second and use in the next. */
    const DRAWN_AHEAD = 2 * 250;

    test('two workers of one Firebase project keep to its quota together', async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const workers = await cluster.startWorkers(2, settings);
      const { id } = await backend.notify('*');
      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
      expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
      expect(Math.min(...(await sharesOf(workers, DEVICES)))).toBeGreaterThan(0);

      const timesMs = androidTimesMs(cluster.simulator, id);
      const mostInASecond = Math.max(
        ...timesMs.map((startMs, first) => timesMs.findLastIndex((ms) => ms < startMs + 1_000) - first + 1),
      );
      // A bucket for one second, the second that refills it, and one by which the machine may be late.
      const bound = 3 * PUSHES_PER_SECOND + DRAWN_AHEAD;
      process.stdout.write(`  ${mostInASecond} pushes in a second at most, of ${bound}\n`);
      expect(mostInASecond).toBeLessThanOrEqual(bound);
      const tookMs = (timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0);
      // The full bucket and what was drawn ahead are spent at once, and the rest at the rate of the quota.
      const atTheRate = timesMs.length - PUSHES_PER_SECOND - DRAWN_AHEAD;
      expect(tookMs).toBeGreaterThan((atTheRate / PUSHES_PER_SECOND) * 1_000 - 100);
    });

    test('two workers of one Firebase project both pause for as long as Google asks one of them', async () => {
      const PAUSE_MS = 6_000;
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const workers = await cluster.startWorkers(2, settings);
      const { id } = await backend.notify('*');
      await reach(cluster.simulator, id, DEVICES / 2 + 1_500);
      cluster.simulator.orderFault({
        kind: 'answer',
        status: 429,
        reason: 'QUOTA_EXCEEDED',
        gateway: 'fcm',
        times: 1,
        headers: { 'retry-after': String(PAUSE_MS / 1_000) },
      });
      await vi.waitFor(() => expect(cluster.simulator.counts().fcm.errors).toEqual({ QUOTA_EXCEEDED: 1 }), {
        timeout: 10_000,
        interval: 5,
      });
      const askedAtMs = Date.now();

      expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
      expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
      expect(Math.min(...(await sharesOf(workers, DEVICES)))).toBeGreaterThan(0);
      // The other worker learns of it within a second, and its requests in flight may take another.
      const during = androidTimesMs(cluster.simulator, id)
        .map((ms) => ms - askedAtMs)
        .filter((ms) => ms > 2_000 && ms < PAUSE_MS - 100);
      const story = `${during.length} pushes from ${during[0]} to ${during.at(-1)} ms after Google asked for ${PAUSE_MS} ms`;
      expect(during.length, story).toBe(0);
    });
  });
});

/** The arrival times of a notification's Android pushes, in Unix milliseconds, in order. */
function androidTimesMs(simulator: Simulator, id: string): number[] {
  return simulator.received({ gateway: 'fcm', nid: id }).map(({ at }) => at.getTime());
}
