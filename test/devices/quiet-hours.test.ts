/** The quiet hours of a device: registration, update and import take them, and reading shows them. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Device } from '../../src/devices/device.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { countStatements } from '../support/statements.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { noon, useDevices } from './devices-of-app.ts';
import { chunksOf, lineOf } from './import/lines.ts';
import { openRegistering, type Registering } from './registrations/registering.ts';

const { database, app, read, importText, stored, ...devices } = useDevices();
let registering: Registering;
beforeEach(() => {
  registering = openRegistering(database.db);
});

const NIGHT = { from: '22:00', to: '07:00' };

async function register(device: object): Promise<Device> {
  return (await registering.register(app.id, device)).device;
}

async function statementsOfImport(device: object): Promise<number> {
  const { db, count } = countStatements(database.db);
  await importDevices(db, tokenKeys, app.id, chunksOf(lineOf(device)), () => noon);
  return count();
}

async function hoursByToken(): Promise<Map<string | null, unknown>> {
  return new Map([...(await stored())].map(([token, row]) => [token, row.quiet_hours]));
}

async function appHasHours(id: string): Promise<boolean | undefined> {
  const row = await database.db
    .selectFrom('apps')
    .select('devices_have_quiet_hours')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.devices_have_quiet_hours;
}

test('an app knows whether any of its devices has had quiet hours: planning looks for them only then', async () => {
  const { id: other } = await insertApp(database.db);
  const { id } = await register({ push_token: newToken(), quiet_hours: null });
  expect(await appHasHours(app.id)).toBe(false);
  await database.db.updateTable('devices').set({ quiet_hours: NIGHT }).where('id', '=', id).execute();
  await registering.register(other, { push_token: newToken() });
  expect([await appHasHours(app.id), await appHasHours(other)]).toEqual([true, false]);
  await registering.register(other, { push_token: newToken(), quiet_hours: NIGHT });
  expect(await appHasHours(other)).toBe(true);
});

describe('a registration', () => {
  test('a registration stores quiet hours, keeps them if it leaves them out, and removes them with null', async () => {
    const push_token = newToken();
    expect((await register({ push_token })).quiet_hours).toBeNull();
    const { id, quiet_hours } = await register({ push_token, quiet_hours: NIGHT });
    expect(quiet_hours).toEqual(NIGHT);
    expect((await register({ push_token, locale: 'de_DE' })).quiet_hours).toEqual(NIGHT);
    expect(await read(id)).toMatchObject({ locale: 'de_DE', quiet_hours: NIGHT });
    const later = { ...NIGHT, to: '09:00' };
    expect((await register({ push_token, quiet_hours: later })).quiet_hours).toEqual(later);
    expect((await register({ push_token, quiet_hours: null })).quiet_hours).toBeNull();
    expect((await read(id)).quiet_hours).toBeNull();
  });

  test('a new device may come with quiet hours', async () => {
    const { id } = await register({ push_token: newToken(), quiet_hours: NIGHT });
    expect((await read(id)).quiet_hours).toEqual(NIGHT);
  });

  test('a registration that repeats quiet hours or leaves them out runs no extra statement', async () => {
    const push_token = newToken();
    await register({ push_token, quiet_hours: { ...NIGHT, days: ['monday'] } });
    const { db, count } = countStatements(database.db);
    const counted = openRegistering(db);
    await counted.register(app.id, { push_token });
    const without = count();
    await counted.register(app.id, { push_token, quiet_hours: { days: ['monday'], ...NIGHT } });
    expect(count()).toBe(2 * without);
  });

  test.each([
    ['a text', 'night'],
    ['no end', { from: '22:00' }],
    ['the same time twice', { from: '22:00', to: '22:00' }],
    ['a time that does not exist', { from: '24:00', to: '07:00' }],
    ['no days', { ...NIGHT, days: [] }],
    ['an unknown day', { ...NIGHT, days: ['Mon'] }],
    ['a key of the app’s', { ...NIGHT, no_time_zone: 'ignore' }],
  ])('a registration is refused for its quiet hours: %s', async (_what, quiet_hours) => {
    await expect(register({ push_token: newToken(), quiet_hours })).rejects.toThrow('quiet_hours');
    expect((await hoursByToken()).size).toBe(0);
  });

  test('the days of quiet hours have one stored form', async () => {
    const days = ['sunday', 'monday', 'sunday'];
    const device = await register({ push_token: newToken(), quiet_hours: { ...NIGHT, days } });
    expect(device.quiet_hours).toEqual({ ...NIGHT, days: ['monday', 'sunday'] });
    const all = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    const every = await register({ push_token: newToken(), quiet_hours: { ...NIGHT, days: all } });
    expect(every.quiet_hours).toEqual(NIGHT);
  });
});

test('an update sets, keeps and removes quiet hours, and takes back what reading returned', async () => {
  const { id } = await register({ push_token: newToken() });
  const update = async (device: object): Promise<Device> => devices.update(id, device);
  expect((await update({ quiet_hours: NIGHT })).quiet_hours).toEqual(NIGHT);
  expect((await update({ badge: 1 })).quiet_hours).toEqual(NIGHT);
  expect((await update(await read(id))).quiet_hours).toEqual(NIGHT);
  expect((await update({ quiet_hours: null })).quiet_hours).toBeNull();
});

describe('an import', () => {
  test('an import stores the quiet hours of new and of known devices, and counts what it changed', async () => {
    const [known = '', same = '', removed = '', kept = ''] = Array.from({ length: 4 }, newToken);
    const [fresh, odd] = [newToken(), newToken()];
    await register({ push_token: known });
    for (const push_token of [same, removed, kept]) await register({ push_token, quiet_hours: NIGHT });
    const lines = [
      { push_token: fresh, quiet_hours: NIGHT },
      { push_token: known, quiet_hours: NIGHT },
      { push_token: same, quiet_hours: NIGHT },
      { push_token: removed, quiet_hours: null },
      { push_token: kept, locale: 'de_DE' },
      { push_token: odd, quiet_hours: { from: '22:00', to: '22:00' } },
    ];
    const report = await importText(lines.map(lineOf).join('\n'));
    expect(report).toMatchObject({ imported: 2, updated: 3, unchanged: 1, rejected_count: 0 });
    expect(report.ignored).toEqual([{ line: 6, path: 'quiet_hours.to', message: expect.any(String) }]);
    expect(await hoursByToken()).toEqual(
      new Map([
        [fresh, NIGHT],
        [known, NIGHT],
        [same, NIGHT],
        [removed, null],
        [kept, NIGHT],
        [odd, null],
      ]),
    );
  });

  test('the quiet hours of the later of two lines with one token count', async () => {
    const push_token = newToken();
    await importText([NIGHT, null].map((quiet_hours) => lineOf({ push_token, quiet_hours })).join('\n'));
    expect(await hoursByToken()).toEqual(new Map([[push_token, null]]));
  });

  test('an import with quiet hours runs no extra statement', async () => {
    expect(await statementsOfImport({ quiet_hours: NIGHT })).toBe(await statementsOfImport({}));
  });
});
