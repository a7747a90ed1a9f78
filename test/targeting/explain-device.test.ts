import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { EXPLAINED_CRITERIA_MAX, explainDevice } from '../../src/targeting/explain-device.ts';
import { parsed } from '../filters/parsed.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { appWith, deviceWith, insertDevices } from './insert-devices.ts';
import { naiveMatches } from './naive-evaluator.ts';
import { runs } from '../support/runs.ts';

const database = useTestDatabase();

test('each filter and each criterion is answered as the naive evaluator answers it', async () => {
  await fc.assert(
    fc.asyncProperty(deviceSets, filterLists, async (devices, list) => {
      const { id: appId } = await insertApp(database.db);
      await insertDevices(database.db, appId, devices);
      const filters = parsed(parseJson(stringifyJson(list)));
      for (const device of devices.slice(0, 8)) {
        const explained = await explainDevice(database.db, { appId, filters, now: NOW, deviceId: device.id });
        expect(
          explained?.map(({ matches }) => matches),
          stringifyJson(list),
        ).toEqual(list.map((filter) => naiveMatches(device, [filter], DATE_MEANINGS)));
        for (const { filter, criteria } of explained ?? []) {
          const shown = filter.criteria.slice(0, EXPLAINED_CRITERIA_MAX);
          const alone = shown.map((criterion) => ({ name: filter.name, criteria: [criterion] }));
          expect(criteria, stringifyJson(filter)).toEqual(
            alone.map((one) => naiveMatches(device, [one], DATE_MEANINGS)),
          );
        }
      }
    }),
    { numRuns: runs(12) },
  );
}, 60_000);

describe('the value of the device', () => {
  const deviceId = randomUUID();
  const at = Date.parse('2026-03-01T08:09:10.011Z');
  const device = deviceWith(deviceId, {
    text: { locale: 'fr_FR', app_version: '3.10-beta' },
    dates: { created_at: at, registered_at: at },
    badge: 7,
    tags: ['a', "it's"],
    place: { latitude: 1.5, longitude: 2.5 },
    gps: { latitude: -3.25, longitude: 4.75 },
    custom: { big: { type: 'integer', value: JSON.rawJSON('9223372036854775807') } },
    events: { opened: { count: 3, lastMs: at } },
  });

  test.each<[string, unknown, unknown]>([
    ['locale', 'de_DE', 'fr_FR'],
    ['country', 'FR', null],
    ['app_version', { gte: '3.9' }, '3.10-beta'],
    ['created_at', { gte: 'now-7d' }, '2026-03-01T08:09:10.011Z'],
    ['badge', { gt: 6 }, 7],
    ['tags', 'b', ['a', "it's"]],
    ['development', true, false],
    ['device_id', 'not an id', deviceId],
    [
      'location',
      { point: { latitude: 0, longitude: 0 }, distance: 1, unit: 'km' },
      { latitude: -3.25, longitude: 4.75 },
    ],
    ['custom.integer.big', { gte: 1 }, { type: 'integer', value: JSON.rawJSON('9223372036854775807') }],
    ['custom.string.big', '1', { type: 'integer', value: JSON.rawJSON('9223372036854775807') }],
    ['custom.string.none', '1', null],
    [
      'events.opened',
      true,
      {
        count: 3,
        last_happened_at: '2026-03-01T08:09:10.011Z',
        first_happened_at: '2026-03-01T08:09:10.011Z',
      },
    ],
    ['events.closed', true, null],
  ])('the value that the device has of %s is next to the answer', async (name, criterion, value) => {
    const { id: appId } = await insertApp(database.db);
    await insertDevices(database.db, appId, [device]);
    const filters = parsed([{ name, criteria: [criterion] }]);
    const [explained] = (await explainDevice(database.db, { appId, filters, now: NOW, deviceId })) ?? [];
    expect(stringifyJson(explained?.value)).toBe(stringifyJson(value));
  });
});

test('the first of many criteria are explained, and the filter as a whole', async () => {
  const { appId, ids } = await appWith(database.db, { tags: ['t999'] });
  const [deviceId = ''] = ids;
  const many = Array.from({ length: 1_000 }, (_, index) => `t${String(index).padStart(3, '0')}`);
  const filters = parsed([{ name: 'tags', criteria: many }]);
  const [explained] = (await explainDevice(database.db, { appId, filters, now: NOW, deviceId })) ?? [];
  expect(explained?.matches).toBe(true);
  expect(explained?.criteria).toEqual(Array.from({ length: EXPLAINED_CRITERIA_MAX }, () => false));
  expect(explained?.filter.criteria).toHaveLength(1_000);
});
