/** The embedded database cuts every connection, as when one of its processes dies, or is killed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { databaseRuns, expectToStop } from '../support/processes.ts';
import { useAlone } from '../processes/alone.ts';
import {
  allAccepted,
  expectTheSamePushes,
  IN_FLIGHT_MAX,
  missedOf,
  reach,
  repeatsOf,
} from '../processes/fan-out.ts';

describe('a server whose embedded database has cut every connection', { timeout: 120_000 }, () => {
  const alone = useAlone();

  test('a server that lost every connection is still the only one of its directory, and no command stops its database', async () => {
    const { app } = await alone.makeApp(100);
    const server = alone.start();
    const backend = await alone.backend(server, app);
    await breakOffEveryConnection(path.join(alone.dataDir, 'postgres'));
    await vi.waitFor(
      async () => expect(await backend.call('GET', '/readyz')).toMatchObject({ status: 200 }),
      30_000,
    );

    expect(await alone.run(['apps', 'list'])).toMatchObject({ code: 0 });
    expect(await databaseRuns(alone.dataDir)).toBe(true);
    const { id } = await backend.notify('*');
    expect(await backend.untilEnded(id, 60_000)).toMatchObject(allAccepted(100));
    expect(await alone.start().exited).toMatchObject({ code: 1 });
    await expectToStop(server);
    expect(await databaseRuns(alone.dataDir)).toBe(false);
  });
});

describe(
  'a server whose embedded database is killed in the middle of a fan-out',
  { timeout: 150_000 },
  () => {
    const alone = useAlone();
    const devicesTold = 6_000;

    test('a server whose embedded database is killed starts it again and loses no device', async () => {
      const { app, devices } = await alone.makeApp(devicesTold);
      const server = alone.start();
      const backend = await alone.backend(server, app);
      alone.simulator.orderFault({ kind: 'delay', delayMs: 300 });
      const { id } = await backend.notify('*');
      await reach(alone.simulator, id, 1_500);
      const [pid] = (await readFile(path.join(alone.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split(
        '\n',
      );
      process.kill(Number(pid), 'SIGKILL');
      const starts = () => server.lines().filter((line) => line.includes('"kind":"database_started"'));
      await vi.waitFor(() => expect(starts()).toHaveLength(2), 60_000);
      alone.simulator.clearFaults();

      await vi.waitFor(
        async () => expect(await backend.readNotification(id)).toMatchObject(allAccepted(devicesTold)),
        { timeout: 60_000, interval: 200 },
      );
      const repeats = repeatsOf(alone.simulator, id);
      process.stdout.write(`  embedded Postgres killed: ${repeats} repeats\n`);
      expect(missedOf(alone.simulator, id, devices)).toEqual([]);
      expectTheSamePushes(alone.simulator, id);
      // The process that sends stayed alive and waited for the database with its unsaved outcomes.
      expect(repeats).toBeLessThanOrEqual(IN_FLIGHT_MAX);
      expect(await alone.start().exited).toMatchObject({ code: 1 });
      await expectToStop(server);
      expect(await databaseRuns(alone.dataDir)).toBe(false);
    });
  },
);

/** Cuts all connections from a client that holds no lock; returns when the server has its locks again. */
async function breakOffEveryConnection(clusterDir: string): Promise<void> {
  const password = await readFile(path.join(clusterDir, 'carillon-password'), 'utf8');
  const [, , , port] = (await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8')).split('\n');
  const client = new Client({
    connectionString: `postgres://carillon:${password}@127.0.0.1:${port}/postgres`,
  });
  await client.connect();
  try {
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`);
    // The server takes its two locks again; until then a command that ends would count as the last user.
    await vi.waitFor(async () => {
      const { rows } = await client.query(`select from pg_locks where locktype = 'advisory'`);
      expect(rows).toHaveLength(2);
    }, 30_000);
  } finally {
    await client.end();
  }
}
