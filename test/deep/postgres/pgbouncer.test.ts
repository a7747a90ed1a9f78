/** Carillon behind a real PgBouncer in transaction mode, with fewer connections to Postgres than one process would open. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { LEASE_MS } from '../../../src/delivery/slice-store.ts';
import { connectDatabase } from '../../../src/db/connect.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useCluster, workerStarted } from '../../processes/cluster.ts';
import { allAccepted, onceEach } from '../../processes/fan-out.ts';
import { killPoints, killWorker } from '../../processes/kill-point.ts';
import { expectOneOutcomeEach, sendSingles } from '../../processes/singles/singles.ts';
import { runCommand } from '../../support/command.ts';
import { buildSmallBitmaps } from '../../support/small-bitmaps.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { PATIENCE } from '../../support/patience.ts';
import { describeWithPgBouncer, keepsPreparedStatements, type PgBouncer } from '../../support/pgbouncer.ts';
import { expectToStop } from '../../support/processes.ts';
import { describeWithRedis, type TestRedis } from '../../support/redis.ts';

const DEVICES = 3_000;
const SINGLES = 300;
const ENDS_WITHIN_MS = 60_000;
const timeout = 120_000;
const SECRET_KEY = randomBytes(32).toString('hex');
const { seed, points } = killPoints(1);
const [push = 1] = points;

const findingsSchema = z.object({
  findings: z.array(z.object({ check: z.string(), level: z.string(), message: z.string() })),
});

describeWithPgBouncer(
  'behind PgBouncer in transaction mode',
  () => inject('postgresUrl'),
  (pgBouncer) => {
    const poolers = keepsPreparedStatements
      ? (['transaction', 'transaction_prepared'] as const)
      : (['transaction'] as const);
    for (const pooler of poolers) {
      describeWithRedis({ name: `with DATABASE_POOLER=${pooler}`, timeout }, (redis) =>
        journeys(pgBouncer, redis, pooler),
      );
    }

    test('two processes migrate an empty database at once', { timeout }, async () => {
      await onEmptyDatabase(async (direct) => {
        const environment = {
          DATABASE_URL: pgBouncer.through(direct),
          SECRET_KEY,
          DATABASE_POOLER: 'transaction',
        };
        const migrations = await Promise.all([1, 2].map(async () => runCommand(['migrate'], environment)));
        expect(migrations.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
          { code: 0, stderr: '' },
          { code: 0, stderr: '' },
        ]);
        expect(await poolerFindings(environment)).toEqual([
          { check: 'pooler', level: 'ok', message: expect.stringMatching(/^in transaction mode/) },
          { check: 'pooler', level: 'warning', message: 'statements have no time limit' },
        ]);
      });
    });

    test('a start without DATABASE_POOLER fails at once and names the setting', async () => {
      const environment = { DATABASE_URL: pgBouncer.through(inject('postgresUrl')), SECRET_KEY };
      const start = await runCommand(['migrate'], environment);
      expect(start.code).toBe(78);
      expect(start.stderr).toContain('set DATABASE_POOLER');
      const doctor = await runCommand(['doctor'], environment);
      expect(doctor.stdout).toMatch(/postgres: unsupported startup parameter: .*\n.*set DATABASE_POOLER/);
    });

    test('the doctor knows whether the pooler keeps prepared statements', async () => {
      await onEmptyDatabase(async (direct) => {
        const environment = {
          DATABASE_URL: pgBouncer.through(direct),
          SECRET_KEY,
          DATABASE_POOLER: 'transaction_prepared',
        };
        expect((await poolerFindings(environment))[0]).toEqual(
          keepsPreparedStatements
            ? { check: 'pooler', level: 'ok', message: 'keeps prepared statements' }
            : { check: 'pooler', level: 'fault', message: 'the pooler does not keep prepared statements' },
        );
      });
    });
  },
);

function journeys(
  pgBouncer: PgBouncer,
  redis: TestRedis,
  pooler: 'transaction' | 'transaction_prepared',
): void {
  const database = useTestDatabase();
  const pooled: Pick<TestDatabase, 'db' | 'url'> = {
    get db() {
      return database.db;
    },
    get url() {
      return pgBouncer.through(database.url);
    },
  };
  const cluster = useCluster(redis, {
    database: pooled,
    settings: { DATABASE_POOLER: pooler, BULK_THREADS: '2' },
  });

  test('devices register, are counted, and get single pushes and a bulk notification, once each', async () => {
    const { app, backend, devices } = await cluster.makeApp(DEVICES);
    const workers = await cluster.startWorkers(2);
    const registered = await Promise.all(
      Array.from({ length: 100 }, async (_, index) =>
        backend.call('POST', '/v6/devices', {
          device: { platform: 'Android', push_token: `registered-${index}-${randomUUID()}`, tags: ['new'] },
        }),
      ),
    );
    expect(new Set(registered.map(({ status }) => status))).toEqual(new Set([201]));
    const filters = [{ name: 'tags', criteria: ['new'] }];
    const named = await backend.call('POST', '/v6/audiences', { audience: { name: 'New', filters } });
    expect(named).toMatchObject({ status: 201, body: { audience: { device_count: 100 } } });
    // Bitmaps are built through temporary tables.
    const db = connectDatabase({ connectionString: pooled.url, observe: observeNothing, pooler });
    try {
      await buildSmallBitmaps(db, DEVICES + 100);
    } finally {
      await db.destroy();
    }
    expect(
      await backend.call('POST', '/v6/audiences', {
        audience: { name: 'VIPs', filters: [{ name: 'tags', criteria: ['vip'] }] },
      }),
    ).toMatchObject({
      body: { audience: { device_count: devices.filter(({ tags }) => tags.includes('vip')).length } },
    });

    const some = devices.slice(0, SINGLES);
    const beganMs = performance.now();
    const singles = sendSingles(some, async () => backend);
    await singles.answered();
    const { simulator } = cluster;
    const check = { backend, simulator, devices: some, created: singles.created };
    const repeats = await expectOneOutcomeEach(check);
    // Where a machine takes longer than a lease or a time limit lasts, a push may be repeated.
    if (performance.now() - beganMs < LEASE_MS) expect(repeats).toBe(0);

    const { id } = await backend.notify([{ name: 'tags', criteria: ['new'], not_filter: true }]);
    expect(await backend.untilEnded(id, ENDS_WITHIN_MS)).toMatchObject(allAccepted(DEVICES));
    expect(simulator.pushesByToken(id)).toEqual(onceEach(devices));
    await expectToStop(...workers);
    expect(app.id).not.toBe('');
  });

  test('a worker killed in a bulk notification loses nothing, and repeats only what has no saved outcome', async () => {
    await killWorker(cluster, { push, seed, endsLeases: true, threads: 2 });
  });

  test('a worker that runs periodic jobs leaves no lock behind when it stops', async () => {
    await expectToStop(await workerStarted(cluster.startWorker()));
    // The API process may hold one for the length of a statement.
    await vi.waitFor(async () => {
      const { rows } = await sql`select count(*) as locks from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`.execute(database.db);
      expect(rows).toEqual([{ locks: 0 }]);
    }, PATIENCE);
  });
}

async function poolerFindings(environment: Record<string, string>) {
  const { stdout } = await runCommand(['doctor', '--json'], environment);
  return findingsSchema.parse(JSON.parse(stdout)).findings.filter(({ check }) => check === 'pooler');
}

async function onEmptyDatabase(use: (url: string) => Promise<void>): Promise<void> {
  const admin = connectDatabase({ connectionString: inject('postgresUrl'), observe: observeNothing });
  const name = `empty_${randomUUID().replaceAll('-', '')}`;
  try {
    await sql`create database ${sql.id(name)}`.execute(admin);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    await use(url.href);
    await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
  } finally {
    await admin.destroy();
  }
}
