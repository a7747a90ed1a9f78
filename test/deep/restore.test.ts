/** A backup made in the middle of a fan-out, restored into a new database. */
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { NotificationKey } from '../../src/delivery/slice-store.ts';
import { observeNothing } from '../../src/observe.ts';
import { outcomesAfter } from '../../src/results/search/search.ts';
import { useCluster, workerStarted } from '../processes/cluster.ts';
import { allAccepted, expectTheSamePushes, reach } from '../processes/fan-out.ts';
import type { TestDatabase } from '../support/database.ts';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import type { StoredDevice } from '../support/simulated-app.ts';
import { makeBaseBackup } from '../backup/base-backup.ts';
import { expectToStop } from '../support/processes.ts';

const DEVICES = 6_000;
const MIDDLE = 1_500;
const AFTER_BACKUP = 500;
const ENDS_WITHIN_MS = 60_000;

describeWithOwnRedis(
  { name: 'a database restored from a backup of the middle of a fan-out', timeout: 150_000 },
  (redis) => {
    const postgres = useOwnPostgres();
    const cluster = useCluster(redis, { database: postgres });
    const restoredDir = useTemporaryDir();

    test('a restored database resumes its notification without the old Redis, and repeats no saved outcome', async () => {
      const { app, backend, devices } = await cluster.makeApp(DEVICES);
      const { simulator } = cluster;
      const worker = await workerStarted(cluster.startWorker());
      simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(simulator, id, MIDDLE);
      await vi.waitFor(
        async () => expect((await backend.readNotification(id)).accepted).toBeGreaterThan(0),
        30_000,
      );
      simulator.orderFault({ kind: 'delay', delayMs: 3_000 });
      const dataDir = restoredDir.path;
      await makeBaseBackup(postgres.url, path.join(dataDir, 'postgres'));

      // Outcomes after the backup are not in it: these devices get their push again.
      const { size } = simulator.pushesByToken(id);
      simulator.clearFaults();
      await reach(simulator, id, Math.min(size + AFTER_BACKUP, DEVICES));
      worker.signal('SIGKILL');
      await worker.exited;
      await redis.kill();
      await redis.restart();

      const restored = await openEmbeddedPostgres(dataDir, observeNothing);
      onTestFinished(async () => restored.close());
      const db = connectDatabase({ connectionString: restored.connectionString, observe: observeNothing });
      onTestFinished(async () => db.destroy());
      const key = { appId: app.id, notificationId: id };
      const before = await readNotification(db, app.id, id, systemClock);
      expect(before).toMatchObject({ state: 'sending', devices: DEVICES });
      const recorded = await recordedOf(db, key, devices);
      expect(recorded.size).toBeGreaterThan(0);
      expect(recorded.size).toBeLessThanOrEqual(size);
      const reachedBefore = new Set(simulator.pushesByToken(id).keys());
      expect(recorded.isSubsetOf(reachedBefore)).toBe(true);

      const successor = cluster.startWorker({ DATABASE_URL: restored.connectionString });
      await vi.waitFor(
        async () => {
          const record = await readNotification(db, app.id, id, systemClock);
          expect(record).toMatchObject(allAccepted(DEVICES));
        },
        { timeout: ENDS_WITHIN_MS, interval: 200 },
      );
      const pushes = simulator.pushesByToken(id);
      const again = devices.filter(({ token }) => pushes.get(token) === 2).map(({ token }) => token);
      const expected = devices
        .map(({ token }) => token)
        .filter((token) => reachedBefore.has(token) && !recorded.has(token));
      process.stdout.write(
        `  ${recorded.size} on record in the backup, ${reachedBefore.size} pushed to when it was lost: ${again.length} again\n`,
      );
      expect([...pushes.keys()].sort()).toEqual(devices.map(({ token }) => token).sort());
      expect(again.sort()).toEqual(expected.sort());
      expect(Math.max(...pushes.values())).toBeLessThanOrEqual(2);
      expectTheSamePushes(simulator, id);
      await expectToStop(successor);
    });
  },
);

/** The tokens of the devices whose push has an outcome. */
async function recordedOf(
  db: TestDatabase['db'],
  key: NotificationKey,
  devices: readonly StoredDevice[],
): Promise<Set<string>> {
  const tokenOf = new Map(devices.map(({ id, token }) => [id, token]));
  const recorded = new Set<string>();
  for await (const { outcomes } of outcomesAfter(db, key, undefined, {})) {
    for (const [deviceId] of outcomes) recorded.add(tokenOf.get(deviceId) ?? deviceId);
  }
  return recorded;
}
