import { expect, test } from 'vitest';
import { createApp, findApp, listApps } from '../../src/apps/apps.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const noon = new Date('2026-11-21T12:00:00.000Z');
const clock = () => noon;

test('createApp makes an app that is found by its id, in any case of letters, and by its bundle id', async () => {
  const app = await createApp(database.db, { bundleId: 'com.example.shop', name: 'Shop' }, clock);
  expect(app).toMatchObject({ bundleId: 'com.example.shop', name: 'Shop', createdAt: noon });
  for (const name of [app.id, app.id.toUpperCase(), 'com.example.shop']) {
    expect(await findApp(database.db, name)).toEqual(app);
  }
});

test('createApp refuses a bundle id that is taken, also when twenty ask at once', async () => {
  const asked = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      createApp(database.db, { bundleId: 'com.example.race', name: 'R' }, clock),
    ),
  );
  expect(asked.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  for (const one of asked) {
    if (one.status === 'rejected') expect(String(one.reason)).toContain('already an app');
  }
});

test.each(['', 'a b', 'a:b', 'é', 'a'.repeat(256), 'a\n'])(
  'createApp refuses the bundle id %j',
  async (bundleId) => {
    await expect(createApp(database.db, { bundleId, name: 'X' }, clock)).rejects.toThrow(/bundle id/);
  },
);

test.each(['', '  ', 'a'.repeat(256), 'a\0', '\ud800'])('createApp refuses the name %j', async (name) => {
  await expect(createApp(database.db, { bundleId: 'com.example.name', name }, clock)).rejects.toThrow(/name/);
});

test.each(['com.example.nothing', '00000000-0000-4000-8000-000000000000', '', '\0', '\ud800'])(
  'findApp finds nothing for %j',
  async (name) => {
    expect(await findApp(database.db, name)).toBeUndefined();
  },
);

test('findApp finds an app whose bundle id looks like an id', async () => {
  const bundleId = '11111111-2222-4333-8444-555555555555';
  const app = await createApp(database.db, { bundleId, name: 'Odd' }, clock);
  expect(await findApp(database.db, bundleId)).toEqual(app);
});

test('apps are listed by bundle id', async () => {
  await createApp(database.db, { bundleId: 'a.first', name: 'First' }, clock);
  const bundleIds = (await listApps(database.db)).map((app) => app.bundleId);
  expect(bundleIds).toContain('a.first');
  expect(bundleIds).toContain('com.example.shop');
  expect(bundleIds.indexOf('a.first')).toBeLessThan(bundleIds.indexOf('com.example.shop'));
});
