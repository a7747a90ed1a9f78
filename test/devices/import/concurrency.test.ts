import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/tables.ts';
import { updateDevice } from '../../../src/devices/update.ts';
import { updateUser } from '../../../src/devices/users.ts';
import { newToken } from '../../support/push-token.ts';
import { untilWaiting } from '../../support/statements.ts';
import { later, noon, useDevices } from '../devices-of-app.ts';
import { lineOf } from './lines.ts';
import { tokenKeys } from '../../support/token-keys.ts';

const { database, app, register, importText, stored, storedOne } = useDevices();

test('a device is inserted once by imports of the same lines at the same time', async () => {
  const lines = Array.from({ length: 2_000 }, () => lineOf({ locale: 'en_GB' }));
  const results = await Promise.all(
    [lines, lines, lines.toReversed()].map((all) => importText(all.join('\n'))),
  );
  const sum = (name: 'imported' | 'updated' | 'unchanged'): number =>
    results.reduce((total, result) => total + result[name], 0);
  expect([sum('imported'), sum('updated'), sum('unchanged')]).toEqual([2_000, 0, 4_000]);
  expect((await stored()).size).toBe(2_000);
});

test('imports, registrations and updates of the same devices all succeed, and no attribute is lost', async () => {
  const tokens = Array.from({ length: 120 }, newToken);
  const ids = await Promise.all(
    tokens.map(async (push_token) => (await register({ push_token, user_id: 'u' })).device.id),
  );
  const { db } = database;
  const lines = tokens.map((push_token) => lineOf({ push_token, custom: flag('imported') }));
  const work = [
    importText(lines.join('\n')),
    importText(lines.toReversed().join('\n')),
    updateUser(db, app.id, 'u', { custom: flag('user') }, () => noon),
    ...tokens.map((push_token) => register({ push_token, custom: flag('registered') })),
    ...ids.map((id) => updateDevice(db, tokenKeys, app.id, id, { custom: flag('updated') }, () => noon)),
  ];
  await Promise.all(work);
  const names = ['imported', 'registered', 'updated', 'user'];
  for (const { custom } of (await stored()).values()) {
    expect(Object.keys(Object(custom)).sort()).toEqual(names);
  }
});

test.each<[what: string, change: (trx: Transaction<Database>, token: string) => Promise<unknown>, object]>([
  [
    'a line inserts a new device while its device is erased',
    (trx, token) => trx.deleteFrom('devices').where('push_token', '=', token).execute(),
    { imported: 1, row: { badge: 2, locale: null } },
  ],
  [
    'a line leaves its device unchanged while another call makes the same change',
    (trx, token) => trx.updateTable('devices').set({ badge: 2 }).where('push_token', '=', token).execute(),
    { unchanged: 1, row: { badge: 2, locale: 'en_GB' } },
  ],
  [
    'a line merges its change while another call makes another change',
    (trx, token) =>
      trx.updateTable('devices').set({ locale: 'de_DE' }).where('push_token', '=', token).execute(),
    { updated: 1, row: { badge: 2, locale: 'de_DE' } },
  ],
  [
    'a line inserts a new device while its device loses the token',
    (trx, token) =>
      trx.updateTable('devices').set({ push_token: null }).where('push_token', '=', token).execute(),
    { imported: 1, row: { badge: 2, locale: null } },
  ],
])('%s', async (_what, change, { row, ...counts }: { row?: object }) => {
  const push_token = newToken();
  await register({ push_token, badge: 1, locale: 'en_GB' });
  const importing = await database.db.transaction().execute(async (trx) => {
    await change(trx, push_token);
    const running = importText(lineOf({ push_token, badge: 2 }), later);
    await untilWaiting(database.db);
    return { running };
  });
  expect(await importing.running).toMatchObject(counts);
  expect(await storedOne(push_token)).toMatchObject(row ?? {});
});

test('a line updates the new device while its token is registered', async () => {
  const push_token = newToken();
  const importing = await database.db.transaction().execute(async (trx) => {
    const row = { app_id: app.id, id: randomUUID(), platform: 'iOS' as const, push_token, locale: 'en_GB' };
    await trx
      .insertInto('devices')
      .values({ ...row, created_at: noon, registered_at: noon, custom: '{}' })
      .execute();
    const running = importText(lineOf({ push_token, badge: 2 }), later);
    await untilWaiting(database.db);
    return { running };
  });
  expect(await importing.running).toMatchObject({ updated: 1 });
  expect(await storedOne(push_token)).toMatchObject({ badge: 2, locale: 'en_GB', registered_at: later });
});

function flag(name: string) {
  return { [name]: { type: 'boolean' as const, value: true } };
}
