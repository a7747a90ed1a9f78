/** The property that filters select the same devices in Postgres as in the naive evaluator. */
import * as fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { expect } from 'vitest';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import { devicesRow, targetingRow } from '../../src/targeting/rows/row.ts';
import { readColumnMap } from '../../src/targeting/rows/column-map.ts';
import type { Database } from '../../src/db/tables.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { insertApp } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { insertDevices } from './insert-devices.ts';
import { type NaiveDevice, type NaiveFilter, naiveMatches } from './naive-evaluator.ts';
import { parsed } from '../filters/parsed.ts';

/** The oracle's answer for one criterion of a filter and one device, without `not_filter`. */
export interface Decision {
  device: NaiveDevice;
  filter: NaiveFilter;
  criterion: unknown;
  matches: boolean;
}

const LISTS_PER_RUN = 20;

/**
 * Checks both rows of a device: in `devices`, and in `device_targets` or `device_targets_unindexed`.
 * @param pairsMin the least number of pairs of a list and a set of devices
 * @param onDecision is called for each criterion and device
 * @returns the number of pairs
 */
export async function checkFilterLists(
  db: Kysely<Database>,
  pairsMin: number,
  onDecision: (decision: Decision) => void,
): Promise<number> {
  let pairs = 0;
  await fc.assert(
    fc.asyncProperty(
      deviceSets,
      fc.array(filterLists, { minLength: LISTS_PER_RUN, maxLength: LISTS_PER_RUN }),
      async (devices, lists) => {
        const { id: appId } = await insertApp(db);
        await insertDevices(db, appId, devices);
        await unindexHalf(db, appId);
        const selected = await selectMatches(db, appId, lists);
        for (const [index, list] of lists.entries()) {
          const matching = devices.filter((device) => naiveMatches(device, list, DATE_MEANINGS));
          const ids = matching.map(({ id }) => id).toSorted();
          expect(selected[index], stringifyJson(list)).toEqual({ devices: ids, targets: ids });
          pairs++;
          for (const filter of list) reportDecisions(devices, filter, onDecision);
        }
      },
    ),
    { numRuns: Math.ceil(pairsMin / LISTS_PER_RUN) },
  );
  return pairs;
}

/** As if about half of the devices were of a recent import. */
async function unindexHalf(db: Kysely<Database>, appId: string): Promise<void> {
  await sql`
    with moved as (
      delete from only device_targets where app_id = ${appId} and hashtext(id::text) % 2 = 0 returning *
    )
    insert into device_targets_unindexed select * from moved`.execute(db);
}

function reportDecisions(
  devices: readonly NaiveDevice[],
  filter: NaiveFilter,
  onDecision: (decision: Decision) => void,
): void {
  for (const criterion of filter.criteria) {
    const alone = [{ name: filter.name, criteria: [criterion] }];
    for (const device of devices) {
      onDecision({ device, filter, criterion, matches: naiveMatches(device, alone, DATE_MEANINGS) });
    }
  }
}

/** The ids that each list selects from each table, in one query. */
async function selectMatches(
  db: Kysely<Database>,
  appId: string,
  lists: readonly (readonly NaiveFilter[])[],
): Promise<Record<'devices' | 'targets', string[]>[]> {
  const columns = [];
  for (const [index, list] of lists.entries()) {
    const filters = parsed(parseJson(stringifyJson(list)));
    const columnMap = await readColumnMap(db, appId, filters);
    columns.push(sql`
      array(
        select d.id from devices as d
        where d.app_id = ${appId} and ${compileFilters(filters, { row: devicesRow(appId), now: NOW })} order by d.id
      ) as ${sql.ref(`devices_${index}`)},
      array(
        select d.id from device_targets as d
        where d.app_id = ${appId} and ${compileFilters(filters, { row: targetingRow(appId, columnMap), now: NOW })} order by d.id
      ) as ${sql.ref(`targets_${index}`)}`);
  }
  const { rows } = await sql<Record<string, string[]>>`select ${sql.join(columns)}`.execute(db);
  return lists.map((_list, index) => ({
    devices: rows[0]?.[`devices_${index}`] ?? [],
    targets: rows[0]?.[`targets_${index}`] ?? [],
  }));
}
