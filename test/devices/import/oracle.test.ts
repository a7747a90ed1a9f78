import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { importDevices } from '../../../src/devices/import/import.ts';
import { addLine, emptyPage } from '../../../src/devices/import/page.ts';
import { addReport, emptyReport, type ImportReport } from '../../../src/devices/import/report.ts';
import { storePage } from '../../../src/devices/import/store.ts';
import { idsOfImport } from '../../../src/devices/import/copy.ts';
import { understandDevice } from '../../../src/devices/understand.ts';
import { registerDevice } from '../../../src/devices/register-device.ts';
import { bulkShare } from '../../../src/scheduling/event-loop-share.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { insertApp, useTestDatabase } from '../../support/database.ts';
import { chunksOf } from './lines.ts';
import { tokenKey, tokenKeys } from '../../support/token-keys.ts';
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
      await expectAsRegistered(devices, async (appId) => {
        const lines = chunksOf(devices.map((one) => JSON.stringify(one)).join('\n'), 500);
        return importDevices(database.db, tokenKeys, appId, lines, noon);
      });
    }),
    { numRuns: runs(12) },
  );
});

const guess = fc.record({
  preparedFor: fc.constantFrom('copy' as const, 'merge' as const),
  expectation: fc.constantFrom('all_new' as const, 'all_known' as const, 'mixed' as const),
});

test(
  'an import that guesses wrong which devices are new has the result of single registrations',
  { timeout: 120_000 },
  async () => {
    const pages = fc.array(fc.tuple(guess, fc.array(device, { maxLength: 5 })), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(pages, async (parts) => {
        const devices = parts.flatMap(([, part]) => part);
        await expectAsRegistered(devices, async (appId) => {
          const result = emptyReport();
          const context = { appId, tokenKey, newId: idsOfImport(), clock: noon, share: bulkShare };
          let line = 0;
          for (const [{ preparedFor, expectation }, part] of parts) {
            const page = emptyPage(preparedFor);
            for (const one of part) {
              addLine(page, { number: ++line, bytes: Buffer.from(JSON.stringify(one)) });
            }
            addReport(result, await storePage(database.db, context, page, expectation));
          }
          return result;
        });
      }),
      { numRuns: runs(12) },
    );
  },
);

/** @param importAll imports them into the app with that id, in their order */
async function expectAsRegistered(
  devices: readonly unknown[],
  importAll: (appId: string) => Promise<ImportReport>,
): Promise<void> {
  const [imported, registered] = [await insertApp(database.db), await insertApp(database.db)];
  const result = await importAll(imported.id);
  const oracle = { created: 0, rejected: new Array<number>(), ignored: new Array<object>() };
  for (const [index, one] of devices.entries()) {
    try {
      const { registration, ignored } = understandDevice(Object(one));
      const stored = await registerDevice(database.db, tokenKeys, registered.id, registration, noon);
      const values = [...ignored, ...(stored.ignored ?? [])];
      oracle.ignored.push(...values.map(({ message }) => ({ line: index + 1, message })));
      if (stored.created) oracle.created += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      oracle.rejected.push(index + 1);
    }
  }
  expect((result.ignored ?? []).map(({ line, message }) => ({ line, message }))).toEqual(oracle.ignored);
  expect(result.imported).toBe(oracle.created);
  expect(result.rejected.map(({ line }) => line)).toEqual(oracle.rejected);
  expect(result.updated + result.unchanged).toBe(devices.length - oracle.created - oracle.rejected.length);
  expect(await rowsOf(imported.id)).toEqual(await rowsOf(registered.id));
}

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
