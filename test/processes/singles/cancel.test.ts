/** Cancels that race with single pushes: the answer, the record and the gateway agree. */
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { recordSchema, type StoredDevice } from '../../support/simulated-app.ts';
import { describeWithRedis } from '../../support/redis.ts';
import { useCluster, workerStarted } from '../cluster.ts';
import { allAccepted } from '../fan-out.ts';
import { ENDS_WITHIN_MS } from './singles.ts';

const DEVICES = 240;
const CALLERS = 32;
const FLIGHT_MS = 30;
const timeout = 90_000;

const cancelSchema = z.object({ status: z.number(), body: z.unknown() });

describeWithRedis('a cancel at once after each of many single pushes', (redis) => {
  const cluster = useCluster(redis);

  test(
    'a cancel stops a single push, or counts what was in flight, or comes too late and says so',
    { timeout },
    async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES + 1);
      const { simulator } = cluster;
      const [last, ...raced] = devices;
      await workerStarted(cluster.startWorker());
      // Every other push is in flight for some time, and the cancel meets it there.
      simulator.orderFault({ kind: 'delay', delayMs: FLIGHT_MS, probability: 0.5, seed: 1 });

      async function createAndCancel({ id: deviceId }: StoredDevice) {
        const { id } = await backend.notify([{ name: 'device_id', criteria: [deviceId] }]);
        const reply = await backend.call('POST', `/v6/notifications/${id}/cancel`);
        return { id, ...cancelSchema.parse(reply) };
      }
      const waiting = raced.values();
      const cancels: Awaited<ReturnType<typeof createAndCancel>>[] = [];
      await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          for (const device of waiting) cancels.push(await createAndCancel(device));
        }),
      );
      // When this one has ended, all that were claimed before it have been sent.
      const { id: lastId } = await backend.notify([{ name: 'device_id', criteria: [last?.id] }]);
      expect(await backend.untilEnded(lastId, ENDS_WITHIN_MS)).toMatchObject(allAccepted(1));

      const seen = { stopped: 0, inFlight: 0, tooLate: 0 };
      for (const { id, status, body } of cancels) {
        if (status === 409) {
          seen.tooLate += 1;
          expect(await backend.readNotification(id)).toMatchObject(allAccepted(1));
          expect(simulator.pushesByToken(id).size).toBe(1);
          continue;
        }
        expect(status).toBe(200);
        const atCancel = recordSchema.parse(body);
        expect(atCancel).toMatchObject({ state: 'canceled', accepted: 0 });
        seen[atCancel.devices === 0 ? 'stopped' : 'inFlight'] += 1;
        await vi.waitFor(
          async () => {
            const sent = simulator.pushesByToken(id).size;
            expect(sent).toBeLessThanOrEqual(atCancel.devices);
            expect(await backend.readNotification(id)).toMatchObject({
              state: 'canceled',
              devices: atCancel.devices,
              accepted: sent,
              pending: atCancel.devices - sent,
            });
          },
          { timeout: ENDS_WITHIN_MS, interval: 50 },
        );
      }
      process.stdout.write(`  cancels: ${JSON.stringify(seen)}\n`);
      expect(seen.stopped + seen.inFlight).toBeGreaterThan(0);
      const { apns, fcm } = simulator.counts();
      expect(apns.duplicates + fcm.duplicates).toBe(0);
    },
  );
});
