/**
 * Every fault of a gateway, under two workers as processes of their own. What one worker does inside a process is
 * in test/delivery/gateway-faults.test.ts; here it is whole sessions and projects that go wrong, at full speed.
 */
import { describe, expect, test } from 'vitest';
import type { FaultOrder } from '@carillon/simulator';
import { useCluster } from '../processes/cluster.ts';
import { allAccepted, expectTheSamePushes, onceEach, repeatsOf } from '../processes/fan-out.ts';
import { describeWithOwnRedis } from '../support/redis.ts';

const DEVICES = 5_000;
const ENDS_WITHIN_MS = 120_000;
const timeout = 150_000;

describeWithOwnRedis({ name: '5,000 devices, by two workers', timeout }, (redis) => {
  const cluster = useCluster(redis, { workers: 2 });

  /** @returns a new app's devices, its notification's id and record, once that has ended, and what may go into a failure's message */
  async function sendToAll(faults: readonly FaultOrder[]) {
    const app = await cluster.makeApp(DEVICES);
    for (const fault of faults) cluster.simulator.orderFault(fault);
    const { id } = await app.backend.notify('*');
    const record = await app.backend.untilEnded(id, ENDS_WITHIN_MS);
    const repeats = repeatsOf(cluster.simulator, id);
    const used = cluster.simulator.faults().map((fault) => `${fault.kind} × ${fault.used}`);
    const { apns, fcm } = cluster.simulator.counts();
    const story = `${repeats} repeats, ${record.ambiguous} ambiguous, ${record.rejected} rejected; connections ${apns.connections} + ${fcm.connections}; faults ${used.join(', ')}`;
    process.stdout.write(`  ${story}\n`);
    expectTheSamePushes(cluster.simulator, id);
    return { devices: app.devices, id, record, story };
  }

  /** How many pushes were retried after a wait, by reason. What was never processed is sent again at once instead. */
  function retries(id: string): Partial<Record<string, number>> {
    const counts: Partial<Record<string, number>> = {};
    for (const line of cluster.workers.flatMap((worker) => worker.lines())) {
      if (!line.includes(id)) continue;
      const reason = /"kind":"push_retried".*"reason":"([^"]+)"/.exec(line)?.[1];
      if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1;
    }
    return counts;
  }

  describe('faults before a push is processed', () => {
    test.each<[string, FaultOrder[]]>([
      ['one stream to Apple at the start of every session', []],
      ['a GOAWAY every 1,000 requests', [{ kind: 'goaway', every: 1_000 }]],
      ['a GOAWAY every 100 requests', [{ kind: 'goaway', every: 100 }]],
      ['two streams in a hundred refused', [{ kind: 'refuse', probability: 0.02, seed: 1 }]],
    ])(
      'a push that was not processed is sent again at once, and reaches its device once: %s',
      async (_name, faults) => {
        const { devices, id, record, story } = await sendToAll(faults);
        expect(record, story).toMatchObject(allAccepted(DEVICES));
        expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
        expect(retries(id)).toEqual({});
      },
    );

    test.each<[string, FaultOrder[]]>([
      [
        'one answer in a hundred a 503 with Retry-After',
        [
          { ...answer('apns', 503, 'ServiceUnavailable', '2'), probability: 0.01, seed: 2 },
          { ...answer('fcm', 503, 'UNAVAILABLE', '2'), probability: 0.01, seed: 3 },
        ],
      ],
      ['a 429 for the whole project', [{ ...answer('fcm', 429, 'QUOTA_EXCEEDED', '3'), times: 50 }]],
      [
        'an HTML 502',
        (['apns', 'fcm'] as const).map((gateway) => ({
          kind: 'answer',
          gateway,
          status: 502,
          body: '<html>Bad gateway</html>',
          headers: { 'content-type': 'text/html', 'retry-after': '1' },
          times: 20,
        })),
      ],
    ])(
      'a push that was refused is sent again when the gateway wants it, and reaches its device once: %s',
      async (_name, faults) => {
        const { devices, id, record, story } = await sendToAll(faults);
        expect(record, story).toMatchObject(allAccepted(DEVICES));
        expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));
        expect(retries(id)).not.toEqual({});
      },
    );
  });

  describe('faults after a push may have been processed', () => {
    test.each<[string, FaultOrder[]]>([
      ['one stream in a hundred reset, after it was taken', [reset(true)]],
      ['one stream in a hundred reset, before it was taken', [reset(false)]],
      [
        'one stream in a hundred never answered, after it was taken',
        [{ kind: 'stall', what: 'stream', received: true, probability: 0.01, seed: 7 }],
      ],
      ['sockets closed five times at each gateway', [drop('apns', 5), drop('fcm', 5)]],
    ])(
      'a push that went wrong twice is ambiguous, and no other push is missing: %s',
      async (_name, faults) => {
        const { id, record, story } = await sendToAll(faults);
        const { state, accepted, ambiguous } = record;
        expect(record, story).toMatchObject({ ...allAccepted(DEVICES), accepted, ambiguous });
        expect({ state, known: accepted + ambiguous }, story).toEqual({ state: 'sent', known: DEVICES });
        const missed = DEVICES - cluster.simulator.pushesByToken(id).size;
        expect(missed, story).toBeLessThanOrEqual(ambiguous);
      },
    );

    test.each<[string, FaultOrder[]]>([
      ['a socket closed at each gateway', [drop('apns', 1), drop('fcm', 1)]],
      // At both gateways at once: to find a silent session takes some 25 s, in which the machine has little to do.
      ['a session to each gateway that stops answering', [stall('apns', 0.002), stall('fcm', 0.002)]],
      [
        'a session to each gateway that never answers, the first of its app',
        [stall('apns', 1), stall('fcm', 1)],
      ],
    ])('every push is accepted on another session: %s', async (_name, faults) => {
      const { id, record, story } = await sendToAll(faults);
      expect(record, story).toMatchObject(allAccepted(DEVICES));
      expect(cluster.simulator.pushesByToken(id).size, story).toBe(DEVICES);
    });
  });
});

function answer(gateway: 'apns' | 'fcm', status: number, reason: string, retryAfter: string) {
  return { kind: 'answer', gateway, status, reason, headers: { 'retry-after': retryAfter } } as const;
}

function reset(received: boolean): FaultOrder {
  return { kind: 'reset', received, probability: 0.01, seed: 4 };
}

function drop(gateway: 'apns' | 'fcm', times: number): FaultOrder {
  return { kind: 'drop', received: true, gateway, probability: 0.002, seed: 6, times };
}

function stall(gateway: 'apns' | 'fcm', probability: number): FaultOrder {
  return { kind: 'stall', what: 'connection', received: true, gateway, probability, seed: 5, times: 1 };
}
