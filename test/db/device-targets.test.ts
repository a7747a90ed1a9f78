import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { countDevices } from '../../src/audiences/count-devices.ts';
import { migrate } from '../../src/db/migrate.ts';
import { deviceWith, insertDevices } from '../audiences/insert-devices.ts';
import { parsed } from '../audiences/parsed.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

test('the devices that were there before the narrow rows are counted as those that come after', async () => {
  const { db } = database;
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  const initial = await readFile(new URL('../../migrations/0001-initial.sql', import.meta.url), 'utf8');
  const before = new Migrator({
    db,
    provider: {
      getMigrations: async () => ({
        '0001-initial': { up: async (schema) => void (await sql.raw(initial).execute(schema)) },
      }),
    },
  });
  expect((await before.migrateToLatest()).error).toBeUndefined();
  const { id: appId } = await insertApp(db);
  const pro = { plan: { type: 'string', value: 'pro' }, seats: { type: 'integer', value: [3, 4] } };
  const device = () => deviceWith(randomUUID(), { custom: pro, tags: ['fan'] });
  await insertDevices(db, appId, [device(), device(), deviceWith(randomUUID())]);

  expect(await migrate(db)).toContain('0002-device-targets');
  const filters = parsed([
    { name: 'custom.string.plan', criteria: ['pro'] },
    { name: 'custom.integer.seats', criteria: [4] },
    { name: 'tags', criteria: ['fan'] },
  ]);
  const now = new Date();
  expect(await countDevices(db, { appId, filters, now })).toBe(2);
  await sql`update devices set push_token = null, registered_at = now() where app_id = ${appId}`.execute(db);
  expect(await countDevices(db, { appId, filters, now })).toBe(2);
  expect(await countDevices(db, { appId, filters: [], now })).toBe(3);
});
