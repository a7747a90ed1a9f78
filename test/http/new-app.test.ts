/**
 * Postgres takes an app that is newer than its statistics for one of a single row, and may then read all of it for
 * each device. Queries for such an app must read no more than they need (docs/decisions/0011-new-apps.md).
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMatchingDevices } from '../../src/targeting/matching-devices.ts';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { parsed } from '../filters/parsed.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { insertDevices, type StoredDevice } from '../support/simulated-app.ts';
import { callServer } from './api.ts';
import { tokenKeys } from '../support/token-keys.ts';

const DEVICES = 2_000;
/** Rows of the tables and entries of the indexes; to read all devices of the app even once would be more. */
const OF_ONE_DEVICE = 500;
/** A few looks at each device. To look at all of them for each would be four million. */
const OF_THE_APP = 20 * DEVICES;

const VIP = { name: 'tags', criteria: ['vip'] };
const BOUGHT = { name: 'events.bought', criteria: [true] };
const REGISTERED = { name: 'registered_at', criteria: [{ gte: '2020-01-01' }] };
const USER = { name: 'user_id', criteria: ['someone'] };

describe.each(['unindexed', 'indexed'])('An app newer than the statistics, its devices %s', (when) => {
  const database = useTestDatabase();
  /** A single connection, so that the rows it has read can be counted. */
  let db: Kysely<Database>;
  let close: () => Promise<void>;
  let call: (address: string, body?: unknown) => Promise<number>;
  let appId: string;
  let devices: StoredDevice[];

  beforeAll(async () => {
    ({ id: appId } = await insertApp(database.db));
    const known = await insertApp(database.db);
    for (const id of [known.id, appId]) {
      const inserted = await insertDevices(database.db, id, DEVICES);
      await sql`
        insert into device_events (app_id, device_id, name, count, first_happened_at, last_happened_at)
        select app_id, id, 'bought', 3, now(), now() from devices where app_id = ${id}`.execute(database.db);
      if (when === 'indexed') await indexDeferredRows(database.db, new AbortController().signal);
      if (id === known.id) await sql`analyze`.execute(database.db);
      else devices = inserted;
    }
    const { key } = await createApiKey(
      database.db,
      { appId, scopes: ['read', 'write', 'register', 'admin'] },
      systemClock,
    );
    db = connectDatabase({ connectionString: database.url, observe: observeNothing, connectionsMax: 1 });
    const queue = openInProcessQueue({ observe: observeNothing });
    const context = { db, queue, clock: systemClock, secret: testSecret, observe: observeNothing };
    const server = buildServer(context);
    call = async (address, body) => (await callServer(server, address, { key, body })).status;
    close = async () => {
      await server.close();
      await queue.close();
      await db.destroy();
    };
  });
  afterAll(async () => close());

  async function rowsRead(): Promise<number> {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: number }>`
      select (select sum(seq_tup_read) from pg_stat_user_tables)
        + (select sum(idx_tup_read) from pg_stat_user_indexes) as read`.execute(db);
    return Number(rows[0]?.read);
  }

  async function readBy(work: () => Promise<unknown>): Promise<number> {
    const before = await rowsRead();
    await work();
    return (await rowsRead()) - before;
  }

  const deviceId = (index: number): string => devices[index]?.id ?? '';

  test.each<[string, number, () => Promise<number>]>([
    ['is read', 200, async () => call(`GET /v6/devices/${deviceId(0)}`)],
    [
      'is registered again',
      200,
      async () =>
        call('POST /v6/devices', {
          device: { platform: 'iOS', push_token: devices.find(({ platform }) => platform === 'iOS')?.token },
        }),
    ],
    [
      'is registered',
      201,
      async () => call('POST /v6/devices', { device: { platform: 'Android', push_token: randomUUID() } }),
    ],
    ['says more', 200, async () => call(`PUT /v6/devices/${deviceId(1)}`, { device: { badge: 3 } })],
    [
      'gets a user',
      200,
      async () => call(`PUT /v6/devices/${deviceId(1)}`, { device: { user_id: 'someone' } }),
    ],
    [
      'is changed by its user',
      200,
      async () =>
        call('PUT /v6/users/someone', { user: { custom: { plan: { type: 'string', value: 'pro' } } } }),
    ],
    [
      'has an event',
      202,
      async () => call(`POST /v6/devices/${deviceId(1)}/events`, { events: [{ name: 'bought' }] }),
    ],
    ['is erased', 204, async () => call(`DELETE /v6/devices/${deviceId(2)}`)],
    [
      'is sent to',
      201,
      async () =>
        call('POST /v6/notifications', {
          notification: { to: [{ name: 'device_id', criteria: [deviceId(3)] }], payload: { alert: 'Hello' } },
        }),
    ],
  ])('the server reads few rows when a device %s', async (_what, status, work) => {
    // Postgres plans the first runs of a statement for their values, and what its triggers do as well.
    for (let run = 0; run < 2; run++) {
      let seen = 0;
      const read = await readBy(async () => {
        seen = await work();
      });
      expect(seen).toBe(status);
      expect(read).toBeLessThan(OF_ONE_DEVICE);
    }
  });

  test('the server reads few rows when tokens are dead', async () => {
    const dead = devices.slice(10, 12).map(({ id, token }) => ({
      appId,
      deviceId: id,
      pushToken: token,
      deadSince: null,
      reason: 'Unregistered',
    }));
    expect(await readBy(async () => retireTokens(db, tokenKeys, dead, new Date()))).toBeLessThan(
      OF_ONE_DEVICE,
    );
  });

  test.each([
    ['a tag', [VIP]],
    ['an event', [BOUGHT]],
    ['a tag and an event', [VIP, BOUGHT]],
    ['a tag and not an event', [VIP, { ...BOUGHT, not_filter: true }]],
    ['two events', [BOUGHT, { ...BOUGHT, not_filter: true }]],
    ['a tag and a registration', [VIP, REGISTERED]],
    ['a tag and a user', [VIP, USER]],
    ['an event and a registration', [BOUGHT, REGISTERED]],
  ])(
    'the server reads each device a few times at most, to count and list the devices with %s',
    async (_what, filters) => {
      const count = async (): Promise<void> => {
        expect(await call('POST /v6/audiences/count', { filters })).toBe(200);
      };
      expect(await readBy(count)).toBeLessThan(OF_THE_APP);

      const range = {
        firstId: '00000000-0000-0000-0000-000000000000',
        lastId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      };
      const request = { appId, filters: parsed(filters), now: new Date(), ...range, limit: DEVICES };
      for (const isBroad of [false, true]) {
        const page = async (): Promise<unknown> => readMatchingDevices(db, { ...request, isBroad });
        expect(await readBy(page)).toBeLessThan(OF_THE_APP);
      }
    },
  );
});
