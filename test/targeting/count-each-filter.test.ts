import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { countEachFilter } from '../../src/targeting/count-each-filter.ts';
import { parsed } from '../filters/parsed.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { hasToken, insertDevices } from './insert-devices.ts';
import { runs } from '../support/runs.ts';
import { type NaiveDevice, naiveMatches, type NaiveFilter } from './naive-evaluator.ts';

const database = useTestDatabase();

function countOf(devices: readonly NaiveDevice[], filters: readonly NaiveFilter[]): number {
  return devices.filter((device) => naiveMatches(device, filters, DATE_MEANINGS)).length;
}

test('each filter is counted alone and with those before it, as the naive evaluator counts', async () => {
  await fc.assert(
    fc.asyncProperty(
      deviceSets,
      fc.array(filterLists, { minLength: 5, maxLength: 5 }),
      async (devices, lists) => {
        const { id: appId } = await insertApp(database.db);
        await insertDevices(database.db, appId, devices);
        for (const list of lists) {
          const filters = parsed(parseJson(stringifyJson(list)));
          const matches = devices.map((device) => naiveMatches(device, list, DATE_MEANINGS));
          const request = { appId, filters, now: NOW };
          expect(await countEachFilter(database.db, request, 60_000), stringifyJson(list)).toEqual({
            total: {
              devices: matches.filter(Boolean).length,
              reachable: matches.filter((match, index) => match && hasToken(index)).length,
            },
            filters: list.map((filter, index) => ({
              alone: countOf(devices, [filter]),
              left: countOf(devices, list.slice(0, index + 1)),
            })),
          });
        }
      },
    ),
    { numRuns: runs(8) },
  );
}, 60_000);

test('the total alone is counted without time for more, and is what is left after the last filter', async () => {
  const { id: appId } = await insertApp(database.db);
  const filters = parsed([
    { name: 'tags', criteria: ['a'] },
    { name: 'locale', criteria: ['fr_FR'] },
  ]);
  expect(await countEachFilter(database.db, { appId, filters, now: NOW }, 0)).toEqual({
    total: { devices: 0, reachable: 0 },
    filters: [
      { alone: undefined, left: undefined },
      { alone: undefined, left: 0 },
    ],
  });
});

test('an aborted caller gets no counts', async () => {
  const { id: appId } = await insertApp(database.db);
  const filters = parsed([{ name: 'tags', criteria: ['a'] }]);
  const signal = AbortSignal.abort();
  await expect(countEachFilter(database.db, { appId, filters, now: NOW, signal })).rejects.toMatchObject({
    code: 'unavailable',
  });
});
