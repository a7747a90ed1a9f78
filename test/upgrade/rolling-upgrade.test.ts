/** Processes of the last release keep working next to ours, on the schema that ours has migrated under them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connectDatabase } from '../../src/db/connect.ts';
import { observeNothing } from '../../src/observe.ts';
import { type Simulator, startSimulator, writeSimulatorFiles } from '@carillon/simulator';
import { sharesOf } from '../processes/cluster.ts';
import { allAccepted, onceEach, reach } from '../processes/fan-out.ts';
import { slotClock } from '../processes/slot-clock.ts';
import { useTestDatabase } from '../support/database.ts';
import { listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import { describeWithRedis } from '../support/redis.ts';
import { gatewaySettings, insertDevices, openBackend } from '../support/simulated-app.ts';
import { findLastRelease, type UnpackedRelease, unpackRelease } from './last-release.ts';

const DEVICES = 12_000;
const MIDDLE = 2_000;
const ENDS_WITHIN_MS = 60_000;
const BUNDLE_ID = 'com.example.upgrade';

const NAME = 'an upgrade in the middle of a fan-out';

const release = await findLastRelease();
if (release.tag === undefined) {
  process.stderr.write(`The rolling upgrade is not tested: ${release.reason}\n`);
  test.skip(`${NAME} loses no device`, () => undefined);
} else {
  testUpgradeFrom(release.tag);
}

function testUpgradeFrom(tag: string): void {
  describeWithRedis(NAME, (redis) => {
    const carillon = useCarillon();
    const server = useTestDatabase();
    const name = `upgrade_${randomUUID().replaceAll('-', '')}`;
    let previous: UnpackedRelease;
    let simulator: Simulator;
    let environment: Record<string, string>;
    let filesDir: string;
    /** A database that our own code has not touched yet. */
    let db: ReturnType<typeof connectDatabase>;

    beforeAll(async () => {
      previous = await unpackRelease(tag, await carillon.makeDir());
      filesDir = await carillon.makeDir();
      simulator = await startSimulator({
        certificateDir: filesDir,
        keep: 50_000,
        limitTokenUpdates: true,
        clock: slotClock(),
      });
      await sql`create database ${sql.id(name)}`.execute(server.db);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      environment = {
        ...gatewaySettings(simulator),
        DATABASE_URL: url.href,
        REDIS_URL: redis.url,
        SECRET_KEY: randomBytes(32).toString('hex'),
        LOG_LEVEL: 'debug',
      };
      db = connectDatabase({ connectionString: url.href, observe: observeNothing });
    });
    afterAll(async () => {
      await carillon.killAll();
      await simulator.close();
      await db.destroy();
      await sql`drop database ${sql.id(name)} with (force)`.execute(server.db);
    });

    const runOld = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await carillon.run(words, environment, previous.program);
      expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    const startOld = (role: string): RunningProcess =>
      carillon.start(['start'], { ...environment, ROLE: role, PORT: '0' }, previous.program);
    const startNew = (role: string): RunningProcess =>
      carillon.start(['start'], { ...environment, ROLE: role, PORT: '0' });

    /** With the commands of the last release, on its own schema. */
    async function makeApp(): Promise<{ id: string; key: string }> {
      const files = await writeSimulatorFiles(simulator, filesDir, { bundleId: BUNDLE_ID });
      const created = await runOld(
        'apps',
        'create',
        '--bundle-id',
        BUNDLE_ID,
        '--name',
        'Upgraded',
        '--json',
      );
      const scopes = ['--scopes', 'read,write,register'];
      const key = await runOld('keys', 'create', '--app', BUNDLE_ID, ...scopes, '--json');
      const { apnsKeyFile, keyId, teamId, serviceAccountFile } = files;
      const apple = ['--key-file', apnsKeyFile, '--key-id', keyId, '--team-id', teamId];
      await runOld('credentials', 'apns', '--app', BUNDLE_ID, ...apple);
      await runOld('credentials', 'fcm', '--app', BUNDLE_ID, '--service-account', serviceAccountFile);
      return {
        id: z.object({ id: z.string() }).parse(JSON.parse(created)).id,
        key: z.object({ key: z.string() }).parse(JSON.parse(key)).key,
      };
    }

    test(
      'a rolling upgrade loses no device and pushes to none twice; then both releases work side by side',
      { timeout: 150_000 },
      async () => {
        await runOld('migrate');
        const app = await makeApp();
        const devices = await insertDevices(db, app.id, DEVICES);
        const oldApi = startOld('api');
        const oldWorker = startOld('worker');
        await oldWorker.line(/"kind":"worker_started"/);
        const oldBackend = openBackend(await listeningUrl(oldApi), app.key);
        simulator.orderFault({ kind: 'delay', delayMs: 300 });
        const first = await oldBackend.notify('*');
        await reach(simulator, first.id, MIDDLE);
        // So far away that the fan-out outlasts the migration, also while other tests run.
        simulator.orderFault({ kind: 'delay', delayMs: 3_000 });

        const { newMigrations } = previous;
        const migrated = await carillon.run(['migrate'], environment);
        expect(migrated).toMatchObject({
          code: 0,
          stderr: '',
          stdout: newMigrations.length === 0 ? 'up to date\n' : `applied ${newMigrations.join(', ')}\n`,
        });
        expect(await oldBackend.readNotification(first.id)).toMatchObject({ state: 'sending' });
        const newApi = startNew('api');
        const newWorker = startNew('worker');
        await newWorker.line(/"kind":"worker_started"/);
        const newBackend = openBackend(await listeningUrl(newApi), app.key);
        simulator.clearFaults();
        expect(await newBackend.untilEnded(first.id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
        expect(simulator.pushesByToken(first.id)).toEqual(onceEach(devices));

        // Each release registers a device, and both find both devices and deliver to them.
        const tokens = { old: `android:${randomUUID()}`, new: `android:${randomUUID()}` };
        for (const [backend, token] of [
          [oldBackend, tokens.old],
          [newBackend, tokens.new],
        ] as const) {
          const device = { platform: 'Android', push_token: token, locale: 'fr_FR', tags: ['upgraded'] };
          expect(await backend.call('POST', '/v6/devices', { device })).toMatchObject({ status: 201 });
        }
        for (const backend of [oldBackend, newBackend]) {
          const { id } = await backend.notify([
            { name: 'tags', criteria: ['upgraded'] },
            { name: 'locale', criteria: ['fr_FR'] },
          ]);
          expect(await oldBackend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(2));
          expect([...simulator.pushesByToken(id).keys()].sort()).toEqual(Object.values(tokens).sort());
        }
        const { id } = await oldBackend.notify([{ name: 'tags', criteria: ['upgraded'], not_filter: true }]);
        expect(await newBackend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
        expect(simulator.pushesByToken(id)).toEqual(onceEach(devices));
        const shares = await sharesOf([oldWorker, newWorker], 2 * DEVICES + 4);
        expect(
          Math.min(...shares),
          `the old and the new worker sent to ${shares.join(' and ')}`,
        ).toBeGreaterThan(0);

        for (const old of [oldWorker, oldApi]) old.signal('SIGTERM');
        for (const old of [oldWorker, oldApi])
          expect(await old.exited).toMatchObject({ code: 0, signal: null });
        const failed = [oldWorker, newWorker].flatMap((worker) =>
          worker.lines().filter((line) => /"kind":"(job_failed|database_error)"/.test(line)),
        );
        expect(failed).toEqual([]);
      },
    );
  });
}
