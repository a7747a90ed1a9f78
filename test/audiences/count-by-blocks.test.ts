import * as fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { compileBitmap, readBlocks } from '../../src/audiences/compile-blocks.ts';
import { readTargets } from '../../src/audiences/compile-targets.ts';
import { countDevices, countDevicesByPlatform } from '../../src/audiences/count-devices.ts';
import { seal } from '../../src/devices/seal.ts';
import { parseJson, stringifyJson } from '../../src/json.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { insertDevices } from './insert-devices.ts';
import { type NaiveDevice, naiveMatches } from './naive-evaluator.ts';
import { parsed } from './parsed.ts';

/** Every app is large, and most have several blocks. */
const LIMITS = { devicesMin: 1, devicesPerBlock: 5 };
const RUNS = 25;
const LISTS_PER_RUN = 20;

/** What bitmaps answer; the rest of a list's attributes are counted by rows. */
const HELD = new Set([
  'locale',
  'time_zone',
  'os_name',
  'country',
  'marketing_name',
  'notifications_allowed',
  'tags',
  'os_version',
  'app_version',
  'sdk_version',
  'created_at',
  'badge',
  'development',
  'location',
  'sdk_location',
  'custom.string',
  'custom.integer',
  'custom.float',
  'custom.date',
  'custom.boolean',
]);

describe('counting by blocks', () => {
  const database = useTestDatabase();

  const sealAll = async (): Promise<unknown> => seal(database.db, new AbortController().signal, LIMITS);

  it('counts what the naive evaluator selects, whatever has changed since the blocks were sealed', async () => {
    const matched = new Set<string>();
    const missed = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        deviceSets,
        deviceSets,
        fc.array(filterLists, { minLength: LISTS_PER_RUN, maxLength: LISTS_PER_RUN }),
        async (before, after, lists) => {
          const { db } = database;
          const { id: appId } = await insertApp(db);
          await insertDevices(db, appId, before);
          await sealAll();
          const devices = await change(appId, before, after);
          const onIos = await idsOnIos(appId);
          const blocks = await readBlocks(db, appId);
          if (blocks === undefined) throw new Error('the app has no blocks');
          for (const list of [...lists, ...lists.flat().map((filter) => [filter])]) {
            const matching = devices.filter((device) => naiveMatches(device, list, DATE_MEANINGS));
            const expected = matching.length;
            const filters = parsed(parseJson(stringifyJson(list)));
            const request = { appId, filters, now: NOW };
            expect(await countDevices(db, request), stringifyJson(list)).toBe(expected);
            const iOS = matching.filter(({ id }) => onIos.has(id)).length;
            expect(await countDevicesByPlatform(db, request)).toEqual({ iOS, Android: expected - iOS });
            const targets = await readTargets(db, appId, filters);
            const [only, ...others] = list;
            const held = compileBitmap(filters, { now: NOW, targets, blocks }) !== undefined;
            if (!held || only === undefined || others.length > 0) continue;
            const attribute = /^(?:custom\.\w+|\w+)/.exec(only.name)?.[0] ?? only.name;
            if (expected > 0) matched.add(attribute);
            if (expected < devices.length) missed.add(attribute);
          }
        },
      ),
      { numRuns: RUNS },
    );
    // Each attribute was counted by bitmaps and decided something both ways, or it was not tested.
    expect(matched).toEqual(HELD);
    expect(missed).toEqual(HELD);
  }, 120_000);

  async function idsOnIos(appId: string): Promise<ReadonlySet<string>> {
    const rows = await database.db
      .selectFrom('devices')
      .select('id')
      .where('app_id', '=', appId)
      .where('platform', '=', 'iOS')
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Removes some devices, and brings others, some of them under the ids of those; about a third of all are then as if
   * they had come with many others. @returns all there are then
   */
  async function change(
    appId: string,
    before: readonly NaiveDevice[],
    after: readonly NaiveDevice[],
  ): Promise<NaiveDevice[]> {
    const { db } = database;
    const coming = new Set(after.map(({ id }) => id));
    const kept = before.filter(({ id }, index) => !coming.has(id) && index % 5 !== 0);
    const keptIds = kept.map(({ id }) => id);
    await sql`delete from devices where app_id = ${appId} and id <> all (${keptIds}::uuid[])`.execute(db);
    await sql`update devices set push_token = id::text where app_id = ${appId}`.execute(db);
    await insertDevices(db, appId, after);
    await sql`
      with moved as (
        delete from only device_targets where app_id = ${appId} and hashtext(id::text) % 3 = 0 returning *
      )
      insert into device_targets_fresh select * from moved`.execute(db);
    return [...kept, ...after];
  }
});
