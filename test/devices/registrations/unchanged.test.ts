/** A registration that changes nothing writes nothing, and what it then leaves out is made up for. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/db/connect.ts';
import type { Device } from '../../../src/devices/device.ts';
import { recordDeviceEvents } from '../../../src/devices/events/record-events.ts';
import { importDevices } from '../../../src/devices/import/import.ts';
import { readDevice } from '../../../src/devices/read.ts';
import { parseJson } from '../../../src/json/lossless.ts';
import { observeNothing } from '../../../src/observe.ts';
import { insertApp, useTestDatabase } from '../../support/database.ts';
import { newToken } from '../../support/push-token.ts';
import { retireTokens } from '../../support/retire-tokens.ts';
import { tokenKeys } from '../../support/token-keys.ts';
import { chunksOf } from '../import/lines.ts';
import { noon } from '../devices-of-app.ts';
import { hoursAfterNoon, openRegistering, type Registering } from './registering.ts';

const database = useTestDatabase();
/** One connection, so that it can report its own statistics before they are read. */
let db: ReturnType<typeof connectDatabase>;
let appId: string;
let registering: Registering;
beforeAll(() => {
  db = connectDatabase({ connectionString: database.url, observe: observeNothing, connectionsMax: 1 });
});
afterAll(async () => db.destroy());
beforeEach(async () => {
  appId = (await insertApp(db)).id;
  registering = openRegistering(db);
});

const written = [
  'devices',
  'device_targets',
  'device_registrations',
  'device_targets_delta',
  'device_registrations_delta',
  'device_tokens_delta',
  'retired_tokens',
  'custom_columns',
];

/** Every version of every row of the app, and how many rows Postgres has ever written to these tables. */
async function allRows(): Promise<unknown> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows: counts } = await sql`
    select relname, n_tup_ins, n_tup_upd, n_tup_del from pg_stat_user_tables
    where relname = any (${written}) order by relname`.execute(db);
  const versions: unknown[] = [];
  for (const table of written) {
    const { rows } = await sql`
      select xmin::text, ctid::text from ${sql.table(table)} where app_id = ${appId} order by ctid`.execute(
      db,
    );
    versions.push(rows);
  }
  return { counts, versions };
}

async function keepDeltas(): Promise<void> {
  await sql`
    insert into count_bitmap_layouts values (${appId}, array['00000000-0000-0000-0000-000000000000'::uuid])`.execute(
    db,
  );
}

/** A custom attribute with an integer that a double may not hold. */
function bigInteger(digits: string): object {
  return { big: { type: 'integer', value: parseJson(digits) } };
}

async function timesOf(id: string): Promise<unknown> {
  return db
    .selectFrom('devices')
    .select(['registered_at', 'token_registered_at'])
    .where('id', '=', id)
    .executeTakeFirst();
}

const full = {
  locale: 'en_GB',
  time_zone: 'Europe/London',
  badge: 0,
  os_version: '26.1',
  user_id: 'user-1',
  development: true,
  notifications_allowed: 'Enabled',
  tags: ['b', 'a', 'b'],
  location: { latitude: 51.507_2, longitude: -0.127_6 },
  sdk_location: null,
  custom: {
    plan: { type: 'string', value: 'gold' },
    points: { type: 'integer', value: [1, 2] },
    ratio: { type: 'float', value: 0.1 },
    offset: { type: 'float', value: [0] },
    since: { type: 'date', value: '2026-01-01T00:00:00+02:00' },
    paid: { type: 'boolean', value: false },
    constructor: { type: 'string', value: 'name of a method' },
  },
};

describe('a registration that changes nothing', () => {
  test.each<[what: string, again: (device: Device) => object]>([
    ['with the same values', () => full],
    ['with the token alone', () => ({})],
    ['with its id', ({ id }) => ({ ...full, id })],
    ['with its id in capitals', ({ id }) => ({ id: id.toUpperCase() })],
    ['with a previous token', () => ({ ...full, previous_push_token: newToken() })],
    ['with null for what is not set', () => ({ country: null, custom: { absent: null } })],
    ['with the device as it was returned', (device) => device],
    ['with a negative zero', () => ({ custom: { offset: { type: 'float', value: [-0] } } })],
    ['with some of its custom attributes', () => ({ custom: { plan: full.custom.plan } })],
  ])('a registration %s writes no row', async (_what, again) => {
    await keepDeltas();
    const push_token = newToken();
    const { device } = await registering.register(appId, { push_token, ...full });
    const before = await allRows();
    registering.now = hoursAfterNoon(23);
    const repeated = await registering.register(appId, { push_token, ...again(device) });
    expect(repeated).toEqual({ device, created: false });
    expect(await allRows()).toEqual(before);
  });

  test.each<[what: string, again: object]>([
    ['an attribute', { app_version: '2' }],
    ['null', { locale: null }],
    ['the order of tags', { tags: ['a', 'b'] }],
    ['the type of a custom attribute', { custom: { plan: { type: 'integer', value: 1 } } }],
    ['an element of a custom attribute', { custom: { points: { type: 'integer', value: [1, 3] } } }],
    ['fewer elements', { custom: { points: { type: 'integer', value: [1] } } }],
    ['a removed custom attribute', { custom: { plan: null } }],
    ['another custom attribute', { custom: { toString: { type: 'string', value: 'x' } } }],
    ['no custom attributes', { custom: null }],
    [
      'another type of token',
      { platform: 'Android', push_token: 'cAbCdEfGhIjKlMnOpQrStU', push_token_type: 'fid' },
    ],
    ['only the user', { user_id: 'user-2' }],
  ])('a registration that changes %s is written', async (_what, again) => {
    const first = {
      push_token: newToken(),
      ...full,
      ...('push_token' in again && { ...again, push_token_type: 'token' }),
    };
    const { device } = await registering.register(appId, first);
    registering.now = hoursAfterNoon(1);
    const changed = await registering.register(appId, { push_token: first.push_token, ...again });
    expect(changed).toMatchObject({ created: false, device: { id: device.id } });
    expect(changed.device.registered_at).toBe(hoursAfterNoon(1).toISOString());
    expect(changed.device).toEqual(await readDevice(db, appId, device.id));
    expect({ ...changed.device, registered_at: '' }).not.toEqual({ ...device, registered_at: '' });
  });

  test('a registration compares 64-bit integers exactly', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, {
      push_token,
      custom: bigInteger('9223372036854775807'),
    });
    const before = await allRows();
    await registering.register(appId, { push_token, custom: bigInteger('9223372036854775807') });
    expect(await allRows()).toEqual(before);
    await registering.register(appId, { push_token, custom: bigInteger('9223372036854775806') });
    expect(await readDevice(db, appId, device.id)).toMatchObject({
      custom: bigInteger('9223372036854775806'),
    });
  });

  test('a registration that changes nothing is answered with the events of the device', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, { push_token });
    const events = [{ name: 'purchase', source: undefined, date: undefined }];
    await recordDeviceEvents(db, appId, device.id, events, { defaultSource: null }, () => noon);
    const repeated = await registering.register(appId, { push_token });
    expect(repeated.device).toEqual(await readDevice(db, appId, device.id));
    expect(repeated.device.events).toMatchObject({ purchase: { count: 1 } });
  });
});

describe('the times of a registration', () => {
  test('the times of a registration are written again after a day, and no targeting row is', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, { push_token, ...full });
    const targets = (): Promise<unknown> =>
      sql`select xmin::text, ctid::text from device_targets where app_id = ${appId}`.execute(db);
    const before = JSON.stringify(await targets());
    registering.now = hoursAfterNoon(24);
    const repeated = await registering.register(appId, { push_token, ...full });
    const now = registering.now.toISOString();
    expect(repeated).toEqual({ device: { ...device, registered_at: now }, created: false });
    expect(await readDevice(db, appId, device.id)).toEqual(repeated.device);
    expect(await timesOf(device.id)).toEqual({
      registered_at: registering.now,
      token_registered_at: registering.now,
    });
    const { rows } = await sql<{ at: Date }>`
      select registered_at as at from device_registrations where app_id = ${appId}`.execute(db);
    expect(rows).toEqual([{ at: registering.now }]);
    expect(JSON.stringify(await targets())).toBe(before);
  });

  test('the times of a registration are corrected if a wrong clock has set them far ahead', async () => {
    const push_token = newToken();
    registering.now = hoursAfterNoon(24 * 365);
    const { device } = await registering.register(appId, { push_token });
    registering.now = noon;
    await registering.register(appId, { push_token });
    expect(await timesOf(device.id)).toEqual({ registered_at: noon, token_registered_at: noon });
  });

  test('the times of an imported device are written by the first registration that presents its token', async () => {
    const push_token = newToken();
    const line = JSON.stringify({ platform: 'iOS', push_token });
    await importDevices(db, tokenKeys, appId, chunksOf(line), () => noon);
    const { device, created } = await registering.register(appId, { push_token });
    expect(created).toBe(false);
    expect(await timesOf(device.id)).toEqual({ registered_at: noon, token_registered_at: noon });
  });
});

/** Reports a token dead, as delivery does. @returns how many devices lost it */
async function report(id: string, pushToken: string, deadSince: Date): Promise<number> {
  const dead = { appId, deviceId: id, pushToken, deadSince, reason: 'Unregistered' };
  return retireTokens(db, tokenKeys, [dead], hoursAfterNoon(3));
}

describe('a report of a gateway between two registrations', () => {
  test('a gateway may retire a token that the app has presented since, and the next registration gives it back', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, { push_token, ...full });
    // Dead at one, presented again at two without a write: the report comes last and wins.
    registering.now = hoursAfterNoon(2);
    await registering.register(appId, { push_token, ...full });
    expect(await report(device.id, push_token, hoursAfterNoon(1))).toBe(1);
    expect(await readDevice(db, appId, device.id)).toMatchObject({ push_token: null });

    registering.now = hoursAfterNoon(4);
    const returned = await registering.register(appId, { push_token, ...full });
    const now = registering.now.toISOString();
    expect(returned).toEqual({ device: { ...device, registered_at: now }, created: false });
    expect(await readDevice(db, appId, device.id)).toEqual(returned.device);
    // From now on the same report is older than the token.
    expect(await report(device.id, push_token, hoursAfterNoon(1))).toBe(0);
    expect(await sql`select from retired_tokens where app_id = ${appId}`.execute(db)).toMatchObject({
      rows: [],
    });
  });

  test('a registration writes the time of a token, so that a gateway’s earlier report leaves it', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, { push_token });
    registering.now = hoursAfterNoon(2);
    await registering.register(appId, { push_token, app_version: '2' });
    expect(await report(device.id, push_token, hoursAfterNoon(1))).toBe(0);
  });
});

describe('a device located by its address', () => {
  const london = { country: 'GB', location: { latitude: 51.5, longitude: -0.1 } };
  const paris = { country: 'FR', location: { latitude: 48.8, longitude: 2.3 } };

  test('a device located by its address is not written again from the same address, and is from another', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, { push_token }, london);
    expect(device).toMatchObject(london);
    const before = await allRows();
    await registering.register(appId, { push_token }, london);
    await registering.register(appId, { push_token }, {});
    expect(await allRows()).toEqual(before);
    await registering.register(appId, { push_token }, paris);
    expect(await readDevice(db, appId, device.id)).toMatchObject(paris);
  });

  test('a device located by its address keeps values that were set, and is not written for an address', async () => {
    const push_token = newToken();
    const { device } = await registering.register(appId, {
      push_token,
      country: 'DE',
      location: paris.location,
    });
    const before = await allRows();
    await registering.register(appId, { push_token }, london);
    expect(await allRows()).toEqual(before);
    expect(await readDevice(db, appId, device.id)).toEqual(device);
  });

  test('a device is written once when a value from the address is set as such', async () => {
    const push_token = newToken();
    await registering.register(appId, { push_token }, london);
    await registering.register(appId, { push_token, country: 'GB' }, { location: london.location });
    const before = await allRows();
    await registering.register(appId, { push_token }, paris);
    const after = await allRows();
    expect(after).not.toEqual(before);
    const { device } = await registering.register(appId, { push_token }, paris);
    expect(device).toMatchObject({ country: 'GB', location: paris.location });
    expect(await allRows()).toEqual(after);
  });
});
