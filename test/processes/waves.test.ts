/** A notification in waves outlives `kill -9` of its worker in a wave, and devices that change their time zone meanwhile. */
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { describeWithOwnRedis } from '../support/redis.ts';
import { useCluster, workerStarted } from './cluster.ts';
import { expectTheSamePushes, IN_FLIGHT_MAX, missedOf, reach, repeatsOf } from './fan-out.ts';
import { killPoints } from './kill-point.ts';

const DEVICES = 9_000;
const timeout = 150_000;
/** A third of the devices is in each wave, and the last ones are left out. */
const { seed, points } = killPoints(2, DEVICES / 4);
const [inFirstWave = 1, inSecondWave = 1] = points;

describeWithOwnRedis('a worker killed in each wave of a notification', (redis) => {
  const cluster = useCluster(redis);

  test(
    'a notification in waves loses no device and sends to none in two waves, although its worker is killed',
    { timeout },
    async () => {
      const { backend, devices } = await cluster.makeApp(DEVICES);
      const { db, simulator } = cluster;
      const first = devices.filter(({ id }) => id < '55555555-5555-5555-5555-555555555555');
      const none = devices.filter(({ id }) => id >= 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa');
      const second = devices.filter((device) => !first.includes(device) && !none.includes(device));
      const story = `KILL_SEED=${seed}, pushes ${inFirstWave} and ${inSecondWave}`;
      await sql`update devices set time_zone = case when id < '55555555-5555-5555-5555-555555555555'
      then 'Pacific/Kiritimati' when id < 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa' then 'Etc/GMT+12' end`.execute(
        db,
      );
      const time = new Date(Date.now() + 60_000).toISOString().slice(0, 19);
      let worker = cluster.startWorker();
      // In Kiritimati the time is past, in UTC-12 it comes in twelve hours.
      const { id } = await backend.notify('*', {
        deliver_at_local: { time, no_time_zone: 'skip', if_past: 'now' },
      });
      await reach(simulator, id, inFirstWave);
      worker.signal('SIGKILL');
      await worker.exited;

      // Devices change wave in both directions while nobody works.
      await sql`update devices set time_zone = case time_zone when 'Etc/GMT+12' then 'Pacific/Kiritimati' else 'Etc/GMT+12' end
      where get_byte(uuid_send(id), 15) % 3 = 0`.execute(db);
      worker = cluster.startWorker();
      await workerStarted(worker);
      await vi.waitFor(
        async () =>
          expect(await backend.readNotification(id)).toMatchObject({
            accepted: first.length,
            dropped: none.length,
          }),
        { timeout: 60_000 },
      );
      expect(await backend.readNotification(id)).toMatchObject({ state: 'sending', held: second.length });

      await sql`update notification_waves set due_at = now() where state = 'waiting'`.execute(db);
      await reach(simulator, id, first.length + inSecondWave);
      worker.signal('SIGKILL');
      await worker.exited;
      await workerStarted(cluster.startWorker());
      const ended = await backend.untilEnded(id, 90_000);
      expect(ended, story).toMatchObject({
        state: 'sent',
        devices: DEVICES,
        accepted: first.length + second.length,
        dropped: none.length,
        pending: 0,
      });
      const reached = [...first, ...second];
      expect(missedOf(simulator, id, reached), story).toEqual([]);
      expect(simulator.pushesByToken(id).size, story).toBe(reached.length);
      expectTheSamePushes(simulator, id);
      expect(repeatsOf(simulator, id), story).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
    },
  );
});
