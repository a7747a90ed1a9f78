/** Registrations that arrive at once share statements, and have the results that they would have one at a time. */
import * as fc from 'fast-check';
import { sql, type Transaction } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApiKey } from '../../../src/apps/api-keys.ts';
import { systemClock } from '../../../src/clock.ts';
import { connectDatabase } from '../../../src/db/connect.ts';
import type { Database } from '../../../src/db/tables.ts';
import { isUnavailable } from '../../../src/db/unavailable.ts';
import { parseRegistration } from '../../../src/devices/device-schema.ts';
import type { Device } from '../../../src/devices/device.ts';
import { readDevice } from '../../../src/devices/read.ts';
import { type Registered, registerDevice } from '../../../src/devices/register-device.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { buildServer } from '../../../src/http/server.ts';
import { observeNothing } from '../../../src/observe.ts';
import { openInProcessQueue } from '../../../src/queue/in-process.ts';
import { insertApp } from '../../support/database.ts';
import { closedPort } from '../../support/ports.ts';
import { newToken } from '../../support/push-token.ts';
import { retireTokens } from '../../support/retire-tokens.ts';
import { testSecret } from '../../support/secret.ts';
import { countStatements, untilWaiting } from '../../support/statements.ts';
import { tokenKeys } from '../../support/token-keys.ts';
import { lineOf } from '../import/lines.ts';
import { noon, useDevices } from '../devices-of-app.ts';
import { openRegistering, type Registering } from './registering.ts';
import { PATIENCE } from '../../support/patience.ts';
import { runs } from '../../support/runs.ts';

const { database, app, read, retire, erase, count: countDevices, importText } = useDevices();
let registering: Registering;
beforeEach(() => {
  registering = openRegistering(database.db);
});

const register = async (device: object): Promise<Registered> => registering.register(app.id, device);

async function newDevice(device: object = {}): Promise<Device & { push_token: string }> {
  const push_token = newToken();
  return { ...(await register({ push_token, ...device })).device, push_token };
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The devices of the app without ids and times, in an order that depends on nothing else. */
async function devicesOf(appId: string): Promise<object[]> {
  const { rows } = await sql<{ id: string }>`select id from devices where app_id = ${appId}`.execute(
    database.db,
  );
  const devices = await Promise.all(rows.map(async ({ id }) => readDevice(database.db, appId, id)));
  return devices
    .map(withoutIdAndTimes)
    .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

/** Leaves a transaction open until the returned function is called. */
async function open(work: (trx: Transaction<Database>) => Promise<unknown>): Promise<() => Promise<void>> {
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ended = database.db.transaction().execute(async (trx) => {
    await work(trx);
    begun.resolve();
    await released.promise;
  });
  await begun.promise;
  const release = async (): Promise<void> => {
    released.resolve();
    await ended;
  };
  onTestFinished(release);
  return release;
}

describe('registrations at once', () => {
  test('registrations at once share a read and a write, whatever their apps', async () => {
    const other = (await insertApp(database.db)).id;
    const counted = countStatements(database.db);
    registering = openRegistering(counted.db);
    const devices = times(60, () => ({ push_token: newToken(), tags: ['a'] }));
    const all = async (change: object): Promise<Registered[]> =>
      Promise.all(
        devices.map((device, index) =>
          registering.register(index % 2 ? other : app.id, { ...device, ...change }),
        ),
      );
    const added = await all({});
    expect(added.every(({ created }) => created)).toBe(true);
    expect(counted.count()).toBe(2);
    const again = await all({});
    expect(again).toEqual(added.map(({ device }) => ({ device, created: false })));
    expect(counted.count()).toBe(4); // one for the devices, one for their events
    const changed = await all({ app_version: '2' });
    expect(changed).toEqual(
      added.map(({ device }) => ({ device: { ...device, app_version: '2' }, created: false })),
    );
    expect(counted.count()).toBe(7);
    for (const [index, { device }] of changed.entries()) {
      expect(await readDevice(database.db, index % 2 ? other : app.id, device.id)).toEqual(device);
    }
  });

  test('registrations with lines that cannot be stored leave their neighbours as they would be alone', async () => {
    const [ios, full, retired, erased, moved, locked] = await Promise.all([
      newDevice(),
      newDevice({
        custom: Object.fromEntries(times(50, (at) => [`n${at}`, { type: 'integer', value: at }])),
      }),
      newDevice({ tags: ['kept'] }),
      newDevice(),
      newDevice(),
      newDevice(),
    ]);
    await retire(retired.id, retired.push_token);
    await erase(erased.id);
    const release = await open(async (trx) =>
      sql`select from devices where app_id = ${app.id} and id = ${locked.id} for update`.execute(trx),
    );
    const good = times(20, () => newToken());
    const lines: object[] = [
      { platform: 'Android', push_token: 'fcm:x', id: ios.id },
      { push_token: full.push_token, custom: { n50: { type: 'integer', value: 50 } } },
      { push_token: retired.push_token },
      { push_token: newToken(), id: erased.id },
      { push_token: newToken(), id: moved.id },
    ];
    const slow = register({ push_token: locked.push_token, locale: 'de_DE' });
    const bad = Promise.allSettled(lines.map(register));
    const stored = await Promise.all(
      good.map(async (push_token) => register({ push_token, locale: 'de_DE' })),
    );
    expect(stored.every(({ created }) => created)).toBe(true);
    const invalid = { status: 'rejected', reason: { code: 'invalid_request' } };
    const leftOut = { created: false, ignored: [{ path: 'device.custom' }], device: { custom: full.custom } };
    expect(await bad).toMatchObject([
      invalid,
      { status: 'fulfilled', value: leftOut },
      { status: 'fulfilled', value: { created: false, device: { id: retired.id, tags: ['kept'] } } },
      { status: 'rejected', reason: { code: 'device_erased' } },
      { status: 'fulfilled', value: { created: false, device: { id: moved.id } } },
    ]);
    const changed = await Promise.all(
      good.map(async (push_token) => register({ push_token, locale: 'en_GB' })),
    );
    expect(changed.every(({ created, device }) => !created && device.locale === 'en_GB')).toBe(true);
    await release();
    expect(await slow).toMatchObject({ device: { id: locked.id, locale: 'de_DE' } });
  });

  test('registrations of a token that is being retired lead to its device, and their neighbours to theirs', async () => {
    const device = await newDevice({ tags: ['kept'] });
    const { id: deviceId, push_token: pushToken } = device;
    const release = await open(async (trx) => retire(deviceId, pushToken, { db: trx }));
    const back = register({ push_token: pushToken, locale: 'de_DE' });
    const others = times(10, async () => register({ push_token: newToken() }));
    await Promise.all(others);
    await untilWaiting(database.db);
    await release();
    expect(await back).toMatchObject({ created: false, device: { id: device.id, tags: ['kept'] } });
    expect(await countDevices()).toBe(11);
  });

  test('registrations do not wait for one whose token another transaction is inserting', async () => {
    await newDevice(); // the first device of an app locks its custom columns
    const pushToken = newToken();
    const release = await open(async (trx) =>
      sql`
      insert into devices (app_id, id, platform, push_token, created_at, registered_at)
      values (${app.id}, gen_random_uuid(), 'iOS', ${pushToken}, ${noon}, ${noon})`.execute(trx),
    );
    const waiting = register({ push_token: pushToken, badge: 1 });
    await untilWaiting(database.db);
    const replies = await Promise.all(times(20, async () => register({ push_token: newToken() })));
    expect(replies.every(({ created }) => created)).toBe(true);
    await release();
    expect(await waiting).toMatchObject({ created: false, device: { badge: 1 } });
  });

  test('registrations of one token are stored in the order of the calls', async () => {
    const push_token = newToken();
    const calls = times(32, (at) => ({
      push_token,
      badge: at,
      custom: { [`n${at}`]: { type: 'integer', value: at } },
    }));
    const replies = await Promise.all(calls.map(register));
    expect(replies.map(({ created }) => created)).toEqual(times(32, (at) => at === 0));
    expect(new Set(replies.map(({ device }) => device.id)).size).toBe(1);
    expect(replies.map(({ device }) => device.badge)).toEqual(times(32, (at) => at));
    expect(replies.at(-1)?.device).toEqual(await read(replies[0]?.device.id ?? ''));
    expect(Object.keys(Object(replies.at(-1)?.device.custom))).toHaveLength(32);
  });

  test('registrations of one device whose token changes are stored in the order of the calls', async () => {
    const { id, push_token } = await newDevice();
    const tokens = times(16, newToken);
    const replies = await Promise.all([
      register({ push_token, badge: 1 }),
      ...tokens.map(async (token, badge) => register({ id, push_token: token, badge })),
    ]);
    expect(replies.every(({ device }) => device.id === id)).toBe(true);
    expect(await read(id)).toMatchObject({ push_token: tokens.at(-1), badge: 15 });
  });

  test('registrations that swap two tokens end with one device each, and every call succeeds', async () => {
    const [left, right] = [await newDevice(), await newDevice()];
    const replies = await Promise.all(
      times(32, async (at) => {
        const [first, second] = at % 2 === 0 ? [left, right] : [right, left];
        return register({ id: first.id, push_token: (at % 4 < 2 ? first : second).push_token, badge: at });
      }),
    );
    expect(replies.map(({ device }) => device.id)).toEqual(
      times(32, (at) => (at % 2 === 0 ? left : right).id),
    );
    expect(await countDevices()).toBe(2);
    const held = [await read(left.id), await read(right.id)]
      .map((device) => device.push_token)
      .filter((token) => token !== null);
    expect(new Set(held).size).toBe(held.length);
    expect(held.length).toBeGreaterThan(0);
  });

  test('registrations in two processes, with an import, make one device per token and fail none', async () => {
    const processes = [openRegistering(database.db), openRegistering(database.db)];
    const tokens = times(12, newToken);
    const shuffled = fc.sample(fc.shuffledSubarray(tokens, { minLength: 12, maxLength: 12 }), 8);
    const calls = shuffled.flatMap((order, round) =>
      order.map(async (push_token) =>
        processes[round % 2]?.register(app.id, { push_token, badge: round, tags: [`${round}`] }),
      ),
    );
    const lines = tokens.map((push_token) => lineOf({ push_token, locale: 'en_GB' }));
    const imported = importText(lines.join('\n'));
    await Promise.all([...calls, imported]);
    expect(await countDevices()).toBe(12);
    expect((await imported).rejected).toEqual([]);
    expect(await devicesOf(app.id)).toMatchObject(
      tokens.toSorted().map((push_token) => ({ push_token, locale: 'en_GB' })),
    );
  });

  const custom = fc.option(
    fc.dictionary(
      fc.constantFrom('p', 'q'),
      fc.constantFrom(null, { type: 'integer', value: 7 }, { type: 'string', value: ['x'] }),
    ),
  );
  const line = fc
    .record(
      {
        platform: fc.constantFrom('iOS', 'iOS', 'iOS', 'Android'),
        push_token: fc.constantFrom('a', 'b', 'c'),
        locale: fc.constantFrom(null, 'en_GB', 'de_DE'),
        badge: fc.constantFrom(null, 0, 1),
        tags: fc.constantFrom(null, [], ['a'], ['b', 'a', 'b']),
        user_id: fc.constantFrom(null, 'u', 'v'),
        development: fc.constantFrom(null, true, false),
        location: fc.constantFrom(null, { latitude: 1.5, longitude: 2 }),
        custom,
      },
      { requiredKeys: ['platform', 'push_token'] },
    )
    .map(withTokenOfPlatform);
  const retiring = fc.record({ retire: fc.constantFrom('a', 'b', 'c').map((letter) => letter.repeat(64)) });
  const steps = fc.array(fc.oneof({ weight: 6, arbitrary: line }, retiring), { minLength: 1, maxLength: 12 });

  test('registrations at once give what they give one at a time, for any lines and any division', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const shared = (await insertApp(database.db)).id;
        const alone = (await insertApp(database.db)).id;
        for (const round of rounds) {
          const lines = round.filter((step) => 'push_token' in step);
          const together = await Promise.allSettled(
            lines.map(async (device) => registering.register(shared, device)),
          );
          const separately = [];
          for (const device of lines) {
            const registration = parseRegistration(device);
            separately.push(
              ...(await Promise.allSettled([
                registerDevice(database.db, tokenKeys, alone, registration, () => noon),
              ])),
            );
          }
          expect(together.map(outcomeOf)).toEqual(separately.map(outcomeOf));
          const dead = round.flatMap((step) => ('retire' in step ? [step.retire] : []));
          for (const appId of [shared, alone]) await retireFrom(appId, dead);
          expect(await devicesOf(shared)).toEqual(await devicesOf(alone));
        }
      }),
      { numRuns: runs(10), endOnFailure: true },
    );
  });
});

function withTokenOfPlatform<D extends { platform: string; push_token: string }>(device: D): D {
  return device.platform === 'iOS' ? { ...device, push_token: device.push_token.repeat(64) } : device;
}

function withoutIdAndTimes(device: Device): Device {
  return { ...device, id: '', created_at: '', registered_at: '' };
}

/** A reply or an error without ids and times. */
function outcomeOf(result: PromiseSettledResult<Registered>): unknown {
  if (result.status === 'rejected') {
    const { reason } = result;
    return reason instanceof ApiError ? { code: reason.code, details: reason.details } : reason;
  }
  const { created, device } = result.value;
  return { created, device: withoutIdAndTimes(device) };
}

async function retireFrom(appId: string, pushTokens: readonly string[]): Promise<void> {
  for (const pushToken of pushTokens) {
    const { rows } = await sql<{ id: string }>`
      select id from devices where app_id = ${appId} and push_token = ${pushToken}`.execute(database.db);
    for (const { id } of rows) {
      const dead = { appId, deviceId: id, pushToken, deadSince: null, reason: 'Unregistered' };
      await retireTokens(database.db, tokenKeys, [dead], noon);
    }
  }
}

describe('failures of the database', () => {
  test('all waiting registrations fail as one alone does while the database is away', async () => {
    const connectionString = `postgres://nobody@127.0.0.1:${await closedPort()}/none`;
    const db = connectDatabase({ connectionString, observe: observeNothing });
    onTestFinished(async () => db.destroy());
    registering = openRegistering(db);
    const alone = registerDevice(
      db,
      tokenKeys,
      app.id,
      parseRegistration({ platform: 'iOS', push_token: newToken() }),
      () => noon,
    );
    await expect(alone).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const results = await Promise.allSettled(times(150, async () => register({ push_token: newToken() })));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    for (const result of results) expect(result).toMatchObject({ reason: { code: 'ECONNREFUSED' } });
  });

  test('registrations fail as unavailable when the database ends their connection, and the next succeed', async () => {
    const release = await open(async (trx) =>
      sql`select from apps where id = ${app.id} for update`.execute(trx),
    );
    const tokens = times(5, newToken);
    const failing = Promise.allSettled(tokens.map(async (push_token) => register({ push_token })));
    const [pid] = await untilWaiting(database.db);
    await sql`select pg_terminate_backend(${pid})`.execute(database.db);
    for (const result of await failing) {
      expect(result.status === 'rejected' && isUnavailable(result.reason)).toBe(true);
    }
    await release();
    const replies = await Promise.all(tokens.map(async (push_token) => register({ push_token })));
    expect(replies.every(({ created }) => created)).toBe(true);
  });
});

test('a server that closes answers the registrations that it has accepted', async () => {
  const queue = openInProcessQueue({ observe: observeNothing });
  onTestFinished(async () => queue.close());
  const server = buildServer({
    db: database.db,
    queue,
    clock: systemClock,
    secret: testSecret,
    observe: observeNothing,
  });
  const { key } = await createApiKey(database.db, { appId: app.id, scopes: ['register'] }, systemClock);
  let accepted = 0;
  server.addHook('preHandler', async () => {
    accepted += 1;
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const release = await open(async (trx) =>
    sql`select from apps where id = ${app.id} for update`.execute(trx),
  );
  const headers = {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
  };
  const replies = times(5, async () =>
    fetch(`${url}/v6/devices`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ device: { platform: 'iOS', push_token: newToken() } }),
    }),
  );
  await vi.waitFor(() => expect(accepted).toBe(5), PATIENCE);
  await untilWaiting(database.db);
  const closed = server.close();
  await release();
  const statuses = await Promise.all(replies.map(async (reply) => (await reply).status));
  expect(statuses).toEqual(times(5, () => 201));
  server.server.closeIdleConnections();
  await closed;
  expect(await countDevices()).toBe(5);
});
