/**
 * The core of the API on a database whose targeting rows, registrations and events are partitioned. With `TEST_PARTITIONS=4`, any
 * other test runs on such a database.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/clock.ts';
import { eraseDevice } from '../../../src/devices/erase.ts';
import { prune } from '../../../src/delivery/upkeep/prune.ts';
import { useCluster } from '../../processes/cluster.ts';
import { allAccepted, onceEach } from '../../processes/fan-out.ts';
import { runCommand } from '../../support/command.ts';
import { useTestDatabase } from '../../support/database.ts';
import { expectToStop } from '../../support/processes.ts';
import { describeWithRedis } from '../../support/redis.ts';
import { buildSmallBitmaps } from '../../support/small-bitmaps.ts';

const PARTS = 8;
const DEVICES = 4_000;
const TABLES = ['device_targets', 'device_registrations', 'device_events'];
const timeout = 90_000;
const countSchema = z.object({ device_count: z.number() });
const idSchema = z.object({ device: z.object({ id: z.string() }) });

describeWithRedis({ name: 'with partitioned tables', timeout }, (redis) => {
  const database = useTestDatabase();
  const partition = async (words: readonly string[]) => {
    const environment = { DATABASE_URL: database.url, SECRET_KEY: randomBytes(32).toString('hex') };
    return runCommand(['migrate', ...words], environment);
  };
  beforeAll(async () => {
    expect(await partition(['--partitions', '1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 to 1024'),
    });
    expect(await partition(['--partitions', String(PARTS)])).toMatchObject({ code: 0, stderr: '' });
    expect(await partition(['--partitions', '4'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('partitioned already'),
    });
  });
  const cluster = useCluster(redis, { database });

  test('devices register, are targeted, counted, sent to, erased and pruned in partitioned tables', async () => {
    const { db } = database;
    const { app, backend, devices } = await cluster.makeApp(DEVICES);
    const [worker] = await cluster.startWorkers(1);
    const count = async (...filters: readonly unknown[]): Promise<number> => {
      const { body } = await backend.call('POST', '/v6/audiences/count', { filters });
      return countSchema.parse(body).device_count;
    };
    const device = { platform: 'iOS', tags: ['new'], custom: { plan: { type: 'string', value: 'gold' } } };
    const registered = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const pushToken = randomBytes(32).toString('hex');
        const body = { device: { ...device, push_token: pushToken } };
        // On a busy machine, the server may refuse calls for a moment.
        return vi.waitFor(async () => {
          const reply = await backend.call('POST', '/v6/devices', body);
          return { id: idSchema.parse(reply.body).device.id, pushToken };
        }, timeout);
      }),
    );
    // Uniqueness of push tokens is that of `devices`, which is whole: the same token is the same device.
    const [first] = registered;
    const again = await backend.call('POST', '/v6/devices', {
      device: { ...device, push_token: first?.pushToken },
    });
    expect(idSchema.parse(again.body).device.id).toBe(first?.id);
    expect(
      await backend.call('POST', `/v6/devices/${first?.id}/events`, { events: [{ name: 'bought' }] }),
    ).toMatchObject({
      status: 202,
    });

    const isNew = { name: 'tags', criteria: ['new'] };
    const isGold = { name: 'custom.string.plan', criteria: ['gold'] };
    const hasBought = { name: 'events.Public Api.bought', criteria: [{ gte: 1 }] };
    expect(await count(isNew)).toBe(50);
    const byRows = [await count(isGold), await count({ ...isNew, not_filter: true })];
    await buildSmallBitmaps(db, DEVICES + 50);
    expect([await count(isGold), await count({ ...isNew, not_filter: true })]).toEqual(byRows);
    expect(byRows).toEqual([50, DEVICES]);
    expect(await count(hasBought)).toBe(1);

    const { id } = await backend.notify([{ ...isNew, not_filter: true }]);
    expect(await backend.untilEnded(id, timeout)).toMatchObject(allAccepted(DEVICES));
    expect(cluster.simulator.pushesByToken(id)).toEqual(onceEach(devices));

    await eraseDevice(db, app.id, first?.id ?? '', systemClock);
    expect([await count(isNew), await count(hasBought)]).toEqual([49, 0]);
    expect(await prune({ db, clock: inThreeDays, keepDays: 1 }, new AbortController().signal)).toMatchObject({
      notifications: 1,
    });

    for (const table of TABLES) {
      const { rows } = await sql<{ parts: number; rows: number }>`
        select count(distinct tableoid) as parts, count(*) as rows from ${sql.table(table)} where app_id = ${app.id}`.execute(
        db,
      );
      const [found] = rows;
      if (table === 'device_events') expect(found).toEqual({ parts: 0, rows: 0 });
      else expect(found).toEqual({ parts: PARTS, rows: DEVICES + 49 });
    }
    const { rows } = await sql`select id from device_targets_unindexed`.execute(db);
    expect(rows).toEqual([]);
    if (worker !== undefined) await expectToStop(worker);
  });
});

function inThreeDays(): Date {
  return new Date(Date.now() + 3 * 24 * 60 * 60_000);
}
