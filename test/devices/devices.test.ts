import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDevices } from '../../src/devices/read.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { runs } from '../support/runs.ts';
import { later, noon, nowhere, useDevices } from './devices-of-app.ts';

const { database, app, register, update, read, erase, record, count } = useDevices();

function namesOf(custom: unknown): string[] {
  return typeof custom === 'object' && custom !== null ? Object.keys(custom) : [];
}

describe('registering', () => {
  test('a registration stores the attributes that were sent, and null for the others', async () => {
    const push_token = newToken();
    const sent = {
      locale: 'en_GB',
      badge: 3,
      tags: ['b', 'a', 'b'],
      development: true,
      location: { latitude: 51.5, longitude: -0.12 },
      custom: { plan: { type: 'string', value: 'gold' } },
    };
    const { device, created } = await register({ push_token, ...sent });
    expect(created).toBe(true);
    expect(device).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      platform: 'iOS',
      push_token,
      push_token_type: 'token',
      encryption_key: null,
      created_at: noon.toISOString(),
      registered_at: noon.toISOString(),
      script: null,
      time_zone: null,
      quiet_hours: null,
      os_name: null,
      os_version: null,
      app_version: null,
      sdk_version: null,
      country: null,
      marketing_name: null,
      user_id: null,
      user_email: null,
      notifications_allowed: 'Unknown',
      sdk_location: null,
      events: {},
      ...sent,
      tags: ['b', 'a'],
    });
    expect(await read(device.id)).toEqual(device);
  });

  test('a token that the app has updates its device, and attributes that are left out stay', async () => {
    const push_token = newToken();
    const first = await register({ push_token, locale: 'en_GB', badge: 1 });
    const second = await register(
      { push_token: push_token.toUpperCase(), badge: null, tags: ['new'] },
      later,
    );
    expect(second.created).toBe(false);
    expect(second.device).toEqual({
      ...first.device,
      badge: null,
      tags: ['new'],
      registered_at: later.toISOString(),
    });
  });

  test('a token of another app creates a separate device', async () => {
    const push_token = newToken();
    const other = await insertApp(database.db);
    const [mine, theirs] = [await register({ push_token }), await register({ push_token }, noon, other.id)];
    expect(theirs.created).toBe(true);
    expect(theirs.device.id).not.toBe(mine.device.id);
    await expect(read(theirs.device.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(update(theirs.device.id, { badge: 1 })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('twenty concurrent calls with one token create one device with the attributes of each', async () => {
    const push_token = newToken();
    const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
    const results = await Promise.all(
      names.map((name) => register({ push_token, custom: { [name]: { type: 'boolean', value: true } } })),
    );
    expect(results.filter((result) => result.created)).toHaveLength(1);
    const ids = new Set(results.map((result) => result.device.id));
    expect(ids.size).toBe(1);
    const device = await read(results[0]?.device.id ?? nowhere);
    expect(namesOf(device.custom).sort()).toEqual([...names].sort());
    expect(await count()).toBe(1);
  });

  test('a registration returns the events of a known device', async () => {
    const push_token = newToken();
    const { device } = await register({ push_token });
    await record(device.id, 'opened');
    expect((await register({ push_token }, later)).device.events).toEqual({
      opened: { count: 1, first_happened_at: noon.toISOString(), last_happened_at: noon.toISOString() },
    });
  });
});

describe('updating', () => {
  test('a device that was read can be sent back, which changes only the time of update', async () => {
    const { device } = await register({
      user_id: 'u1',
      sdk_location: { latitude: 1, longitude: 2 },
      custom: { big: { type: 'integer', value: 7 }, dates: { type: 'date', value: ['2026-01-01'] } },
    });
    const sentBack = Object(parseJson(stringifyJson(device)));
    expect(await update(device.id, sentBack)).toEqual({ ...device, registered_at: later.toISOString() });
  });

  test('an update accepts a stored time zone that is not known back, and no other of that kind', async () => {
    const { device } = await register({});
    await database.db
      .updateTable('devices')
      .set({ time_zone: 'GMT+3' })
      .where('id', '=', device.id)
      .execute();
    expect((await update(device.id, { time_zone: 'GMT+3' })).time_zone).toBe('GMT+3');
    await expect(update(device.id, { time_zone: 'GMT+4' })).rejects.toMatchObject({
      details: [{ path: 'device.time_zone' }],
    });
    expect((await update(device.id, { time_zone: 'europe/berlin' })).time_zone).toBe('Europe/Berlin');
  });

  test('an update accepts a stored locale of an older form back, and no other of that form', async () => {
    const { device } = await register({});
    await database.db.updateTable('devices').set({ locale: 'english' }).where('id', '=', device.id).execute();
    const stored = await read(device.id);
    expect(await update(device.id, stored)).toEqual({ ...stored, registered_at: later.toISOString() });
    await expect(update(device.id, { platform: 'Android', locale: 'french' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'device.platform' }, { path: 'device.locale' }],
    });
    expect((await update(device.id, { locale: 'fr-fr' })).locale).toBe('fr_FR');
  });

  test('null clears an attribute, and attributes that are left out stay', async () => {
    const { device } = await register({
      locale: 'en_GB',
      time_zone: 'Europe/London',
      development: true,
      notifications_allowed: 'Enabled',
      tags: ['a'],
      location: { latitude: 1, longitude: 2 },
      custom: { a: { type: 'string', value: 'x' } },
    });
    const cleared = { locale: null, development: null, notifications_allowed: null, tags: null };
    expect(await update(device.id, { ...cleared, location: null, custom: null })).toEqual({
      ...device,
      registered_at: later.toISOString(),
      locale: null,
      development: false,
      notifications_allowed: 'Unknown',
      tags: [],
      location: null,
      custom: {},
    });
  });

  test('an update keeps 64-bit integers exact when writing and reading', async () => {
    const custom = '{"a":{"type":"integer","value":9223372036854775807}}';
    const { device } = await register({ custom: parseJson(custom) });
    expect(stringifyJson((await read(device.id)).custom)).toContain('9223372036854775807');
    expect(stringifyJson((await update(device.id, { badge: 1 })).custom)).toContain('9223372036854775807');
  });

  test('an update counts the 50 custom attributes after the merge, and changes nothing if there would be more', async () => {
    const attribute = { type: 'boolean', value: true };
    const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a${index}`, attribute]));
    const push_token = newToken();
    const { device } = await register({ push_token, custom: fifty });
    const tooMany = { badge: 9, custom: { one_more: attribute } };
    const refusal = { code: 'invalid_request', details: [{ path: 'device.custom' }] };
    await expect(update(device.id, tooMany)).rejects.toMatchObject(refusal);
    expect(await read(device.id)).toEqual(device);
    const registered = await register({ push_token, ...tooMany }, later);
    expect(registered).toMatchObject({ created: false, ignored: refusal.details });
    expect(registered.device).toEqual({ ...device, badge: 9, registered_at: later.toISOString() });
    const swapped = await update(device.id, { custom: { a0: null, one_more: attribute } });
    expect(namesOf(swapped.custom)).toHaveLength(50);
  });

  test('an update reports another platform and a token of another platform together', async () => {
    const { device } = await register({});
    await expect(update(device.id, { platform: 'Android', push_token: 'fcm:x' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'device.platform' }, { path: 'device.push_token' }],
    });
    expect(await read(device.id)).toEqual(device);
  });

  test.each(['no-id', nowhere, '\0'])('an update finds nothing at %j', async (id) => {
    await expect(read(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(update(id, { badge: 1 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(erase(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an update merges custom attributes as objects merge', async () => {
    const names = fc.constantFrom('a', 'b', 'A', "quote's", 'ключ', 'constructor', '{}', '');
    const value = fc.oneof(
      fc.record({ type: fc.constant('integer'), value: fc.integer() }),
      fc.record({
        type: fc.constant('string'),
        value: fc.array(fc.string({ maxLength: 5 }), { minLength: 1 }),
      }),
    );
    const change = fc.dictionary(
      names.filter((name) => name !== ''),
      fc.option(value, { nil: null }),
      { noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(change, { nil: null }), { maxLength: 6 }), async (changes) => {
        const { device } = await register({});
        let expected: Record<string, unknown> = {};
        for (const custom of changes) {
          const merged = custom === null ? {} : { ...expected, ...custom };
          expected = Object.fromEntries(Object.entries(merged).filter(([, one]) => one !== null));
          expect((await update(device.id, { custom })).custom).toEqual(expected);
        }
        expect((await read(device.id)).custom).toEqual(expected);
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('a push token', () => {
  test('a push token presented by an update is taken from the device that had it', async () => {
    const [first, second] = [(await register({})).device, (await register({})).device];
    const updated = await update(first.id, { push_token: second.push_token?.toUpperCase() });
    expect(updated.push_token).toBe(second.push_token);
    expect(await read(second.id)).toEqual({ ...second, push_token: null });
  });

  test('a push token that was given up is free for a new device', async () => {
    const push_token = newToken();
    const { device } = await register({ push_token });
    expect((await update(device.id, { push_token: null })).push_token).toBeNull();
    const next = await register({ push_token });
    expect(next.created).toBe(true);
    expect(next.device.id).not.toBe(device.id);
  });

  test('a push token belongs to one device at a time under concurrent calls, which all succeed', async () => {
    const devices = await Promise.all(Array.from({ length: 5 }, async () => (await register({})).device));
    const tokens = devices.map((device) => device.push_token ?? '');
    const calls = Array.from({ length: 60 }, (_, index) => {
      const device = devices[(index * 7) % devices.length];
      const push_token = tokens[(index * 3 + Math.floor(index / 5)) % tokens.length];
      return index % 3 === 0 ? register({ push_token }) : update(device?.id ?? nowhere, { push_token });
    });
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toEqual([]);
    for (const [index, push_token] of tokens.entries()) {
      const owner = (await register({ push_token })).device;
      const others = devices.filter((device) => device.id !== owner.id);
      const taker = others[index % others.length]?.id ?? nowhere;
      expect((await update(taker, { push_token })).push_token).toBe(push_token);
      expect((await read(owner.id)).push_token).toBeNull();
    }
  });
});

describe('erasing', () => {
  test('erasing leaves only the id: a read finds nothing, updates and events fail with device_erased', async () => {
    const { device } = await register({ user_id: 'u1' });
    await record(device.id, 'opened');
    await erase(device.id, noon);
    await erase(device.id, later);
    await expect(read(device.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(update(device.id, { badge: 1 })).rejects.toMatchObject({ code: 'device_erased' });
    await expect(update(device.id, { push_token: newToken() })).rejects.toMatchObject({
      code: 'device_erased',
    });
    await expect(record(device.id, 'opened')).rejects.toMatchObject({ code: 'device_erased' });
    const left = await database.db
      .selectFrom('device_events')
      .selectAll()
      .where('app_id', '=', app.id)
      .execute();
    expect(left).toEqual([]);
    const tombstones = await database.db.selectFrom('erased_devices').selectAll().execute();
    expect(tombstones).toEqual([{ app_id: app.id, id: device.id, erased_at: noon }]);
  });

  test('erasing frees the token for a new device', async () => {
    const push_token = newToken();
    const { device } = await register({ push_token });
    await erase(device.id);
    const next = await register({ push_token });
    expect(next.created).toBe(true);
    expect(next.device.id).not.toBe(device.id);
  });

  test('erasing at the same time as updates and events leaves no data behind', async () => {
    const { device } = await register({});
    const calls = Array.from({ length: 24 }, (_, index) => {
      if (index === 9) return erase(device.id);
      if (index % 2 === 0) return update(device.id, { badge: index, push_token: newToken() });
      return record(device.id, 'a', 'b');
    });
    for (const outcome of await Promise.allSettled(calls)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'device_erased' });
    }
    expect(await count()).toBe(0);
  });
});

test('many devices are read in the requested order, each with its events, without unknown ids', async () => {
  const devices = await Promise.all(Array.from({ length: 4 }, async () => (await register({})).device));
  for (const { id } of devices) await record(id, id);
  const ids = devices.map((device) => device.id).toReversed();
  const found = await readDevices(database.db, app.id, [...ids, nowhere, randomUUID()]);
  expect(found.map((device) => device.id)).toEqual(ids);
  expect(found.map((device) => Object.keys(device.events))).toEqual(ids.map((id) => [id]));
  expect(await readDevices(database.db, app.id, [])).toEqual([]);
});
