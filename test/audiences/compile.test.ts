import * as fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { compileFilters } from '../../src/audiences/compile.ts';
import { numberText, parseJson, stringifyJson } from '../../src/json.ts';
import type { Database } from '../../src/db/tables.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { insertDevices } from './insert-devices.ts';
import { type NaiveFilter, naiveMatches } from './naive-evaluator.ts';
import { parsed } from './parsed.ts';

const RUNS = 200;
const LISTS_PER_RUN = 20;

/** Every attribute with every kind of criterion that it accepts. */
const EVERYTHING = [
  ['locale', 'time_zone', 'os_name', 'country', 'marketing_name', 'user_id', 'user_email'].map(
    (name) => `${name} string`,
  ),
  ['notifications_allowed string', 'device_id string', 'tags string', 'development boolean'],
  ['os_version', 'app_version', 'sdk_version'].flatMap((name) => [
    `${name} string`,
    `${name} number`,
    `${name} range`,
  ]),
  ['created_at', 'registered_at', 'custom.date'].flatMap((name) => [`${name} string`, `${name} range`]),
  ['badge', 'custom.integer', 'custom.float'].flatMap((name) => [`${name} number`, `${name} range`]),
  ['custom.string string', 'custom.boolean boolean'],
  ['location circle', 'location polygon', 'sdk_location circle', 'sdk_location polygon'],
  ['events boolean', 'events number', 'events range'],
].flat();

describe('compileFilters', () => {
  const database = useTestDatabase();

  it('selects in Postgres the devices that the naive evaluator selects', async () => {
    const matched = new Set<string>();
    const missed = new Set<string>();
    let pairs = 0;
    await fc.assert(
      fc.asyncProperty(
        deviceSets,
        fc.array(filterLists, { minLength: LISTS_PER_RUN, maxLength: LISTS_PER_RUN }),
        async (devices, lists) => {
          const { id: appId } = await insertApp(database.db);
          await insertDevices(database.db, appId, devices);
          const selected = await selectMatches(database.db, appId, lists);
          for (const [index, list] of lists.entries()) {
            const expected = devices.filter((device) => naiveMatches(device, list, DATE_MEANINGS));
            expect(selected[index], stringifyJson(list)).toEqual(expected.map(({ id }) => id).toSorted());
            pairs++;
            for (const filter of list) {
              for (const criterion of filter.criteria) {
                const alone = [{ name: filter.name, criteria: [criterion] }];
                for (const device of devices) {
                  const matches = naiveMatches(device, alone, DATE_MEANINGS);
                  (matches ? matched : missed).add(labelOf(filter.name, criterion));
                }
              }
            }
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(pairs).toBeGreaterThanOrEqual(2_000);
    // Each kind decided something both ways, or it was not tested.
    expect([...matched].toSorted()).toEqual(EVERYTHING.toSorted());
    expect([...missed].toSorted()).toEqual(EVERYTHING.toSorted());
  }, 120_000);
});

function labelOf(name: string, criterion: unknown): string {
  const attribute = /^(?:custom\.\w+|events|\w+)/.exec(name)?.[0] ?? name;
  if (numberText(criterion) !== undefined) return `${attribute} number`;
  if (typeof criterion !== 'object' || criterion === null) return `${attribute} ${typeof criterion}`;
  if ('polygon' in criterion) return `${attribute} polygon`;
  return `${attribute} ${'point' in criterion ? 'circle' : 'range'}`;
}

/** The ids that each list selects, in one query. */
async function selectMatches(
  db: Kysely<Database>,
  appId: string,
  lists: readonly (readonly NaiveFilter[])[],
): Promise<string[][]> {
  const columns = lists.map((list, index) => {
    const condition = compileFilters(parsed(parseJson(stringifyJson(list))), { now: NOW });
    return sql`array(
      select d.id from devices as d where d.app_id = ${appId} and ${condition} order by d.id
    ) as ${sql.ref(`list_${index}`)}`;
  });
  const { rows } = await sql<Record<string, string[]>>`select ${sql.join(columns)}`.execute(db);
  return Object.values(rows[0] ?? {});
}
