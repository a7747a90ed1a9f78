import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { importDevices } from '../../../src/devices/import/import.ts';
import { understandDevice } from '../../../src/devices/understand.ts';
import { registerDevice } from '../../../src/devices/register-device.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { insertApp, useTestDatabase } from '../../support/database.ts';
import { chunksOf } from './lines.ts';
import { tokenKeys } from '../../support/token-keys.ts';
import { runs } from '../../support/runs.ts';

const database = useTestDatabase();
const noon = (): Date => new Date('2026-11-21T12:00:00.000Z');

/** Few tokens and few values, so that lines share tokens, and some change nothing. */
const token = fc.constantFrom('a', 'b', 'c');
const place = fc.constantFrom(null, { latitude: 1.5, longitude: 2 }, { latitude: -1, longitude: 0.1 });
const attribute = fc.constantFrom(
  null,
  { type: 'string', value: 'x"\\{},' },
  { type: 'integer', value: 7 },
  { type: 'float', value: [0.1, 2] },
  { type: 'date', value: '2026-01-01T00:00:00+02:00' },
  { type: 'boolean', value: false },
);
function withTokenOfPlatform<D extends { platform: string; push_token: string }>(device: D): D {
  return device.platform === 'iOS' ? { ...device, push_token: device.push_token.repeat(64) } : device;
}

const manyNames = fc
  .integer({ min: 0, max: 40 })
  .map((first) =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`n${first + index}`, { type: 'integer', value: index }]),
    ),
  );
const text = fc.constantFrom(null, '', 'NULL', '{"a"}', 'ä\t🙂', 'x');
const device = fc
  .record(
    {
      platform: fc.constantFrom('iOS', 'Android'),
      push_token: token,
      locale: fc.constantFrom(null, 'en', 'en_GB', 'english', 'zh_Hans_HK'),
      time_zone: fc.constantFrom(null, 'Europe/Berlin', 'europe/berlin', 'GMT+3', ''),
      badge: fc.constantFrom(null, 0, 1),
      os_name: text,
      os_version: text,
      app_version: text,
      sdk_version: text,
      country: text,
      marketing_name: text,
      user_id: fc.constantFrom(null, 'u', 'v'),
      user_email: text,
      development: fc.constantFrom(null, true, false),
      notifications_allowed: fc.constantFrom(null, 'Enabled', 'Unknown'),
      tags: fc.constantFrom(null, [], ['a'], ['b', 'a', 'b'], ['{"NULL', 'NULL'], ['a\\b', 'c\td', 'é🙂']),
      location: place,
      sdk_location: place,
      quiet_hours: fc.constantFrom(null, { from: '22:00', to: '07:00' }, { from: '22:00', to: '22:00' }),
      custom: fc.oneof(
        fc.constant(null),
        fc.dictionary(fc.constantFrom('p', 'q', 'r', 'custom'), attribute, { maxKeys: 3 }),
        manyNames,
      ),
    },
    { requiredKeys: ['platform', 'push_token'] },
  )
  .map(withTokenOfPlatform);

test('an import has the result of registering its devices one by one', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(device, { minLength: 1, maxLength: 12 }), async (devices) => {
      const [imported, registered] = [await insertApp(database.db), await insertApp(database.db)];
      const lines = chunksOf(devices.map((one) => JSON.stringify(one)).join('\n'), 500);
      const result = await importDevices(database.db, tokenKeys, imported.id, lines, noon);
      const oracle = { created: 0, rejected: new Array<number>(), ignored: new Array<object>() };
      for (const [index, one] of devices.entries()) {
        try {
          const { registration, ignored } = understandDevice(one);
          const stored = await registerDevice(database.db, tokenKeys, registered.id, registration, noon);
          const values = [...ignored, ...(stored.ignored ?? [])];
          oracle.ignored.push(...values.map(({ message }) => ({ line: index + 1, message })));
          if (stored.created) oracle.created += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          oracle.rejected.push(index + 1);
        }
      }
      const { created, rejected } = oracle;
      expect((result.ignored ?? []).map(({ line, message }) => ({ line, message }))).toEqual(oracle.ignored);
      expect(result.imported).toBe(created);
      expect(result.rejected.map(({ line }) => line)).toEqual(rejected);
      expect(result.updated + result.unchanged).toBe(devices.length - created - rejected.length);
      expect(await rowsOf(imported.id)).toEqual(await rowsOf(registered.id));
    }),
    { numRuns: runs(24) },
  );
});

async function rowsOf(appId: string): Promise<unknown> {
  const rows = await database.db
    .selectFrom('devices')
    .selectAll()
    .where('app_id', '=', appId)
    .orderBy('push_token')
    .execute();
  return rows.map(
    ({ app_id: _app, id: _id, token_registered_at: _at, user_verified_at: _vouched, ...rest }) => rest,
  );
}
