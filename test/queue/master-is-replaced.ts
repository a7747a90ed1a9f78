/** The promise of `redis+sentinel://`: work goes on after a failover. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { checkRedis } from '../../src/doctor/check-redis.ts';
import { openRedisCounts } from '../../src/http/rate-limit/counts.ts';
import type { Observation } from '../../src/observe.ts';
import { openBullmqQueue } from '../../src/queue/bullmq-queue.ts';
import { PATIENCE } from '../support/patience.ts';
import { describeWithSentinel, PASSWORD, type Sentinel, SENTINEL_PASSWORD } from '../support/sentinel.ts';
import { atATime, jobOf, noting } from './conformance.ts';

export function masterIsReplaced(by: 'SIGKILL' | 'SIGSTOP', { isEncrypted = false } = {}): void {
  const title = `Behind Sentinel${isEncrypted ? ' over TLS' : ''}, a master that gets ${by}`;
  const define = (sentinel: Sentinel): void => {
    beforeAll(() => {
      if (sentinel.authority === undefined) return;
      // As `NODE_EXTRA_CA_CERTS` does at the start of a process.
      const usual = getCACertificates('default');
      setDefaultCACertificates([...usual, sentinel.authority]);
      return () => setDefaultCACertificates(usual);
    });
    it('a master is replaced by its replica: jobs run on, counts are shared, no password is logged', async () => {
      const observed: Observation[] = [];
      const queue = openBullmqQueue({
        redisUrl: sentinel.url,
        clock: systemClock,
        observe: (observation) => observed.push(observation),
      });
      const counts = openRedisCounts(sentinel.url);
      const add = async (name: string): Promise<void> =>
        vi.waitFor(async () => queue.add([jobOf(name)]), PATIENCE);
      const count = async (): Promise<number[]> =>
        vi.waitFor(async () => counts.add([{ name: 'key', by: 1, keptMs: 600_000 }]), PATIENCE);
      try {
        const { handler, names } = noting(() => 'done');
        queue.work(handler, atATime(4));
        const ran = async (name: string): Promise<void> =>
          vi.waitFor(() => expect(names()).toContain(name), PATIENCE);
        await add('before');
        await ran('before');
        await count();
        await sentinel.failOver(by);
        await add('after');
        await ran('after');
        expect((await count())[0]).toBeGreaterThan(0);
        expect(await checkRedis(sentinel.url)).toEqual([expect.objectContaining({ level: 'ok' })]);
        await vi.waitFor(() => expect(observed.at(-1)).toMatchObject({ kind: 'queue_back' }), PATIENCE);
        const logged = JSON.stringify(observed);
        for (const password of [PASSWORD, SENTINEL_PASSWORD]) expect(logged).not.toContain(password);
      } finally {
        counts.close();
        await queue.close();
      }
    });
  };
  describeWithSentinel(title, define, { isEncrypted });
}
