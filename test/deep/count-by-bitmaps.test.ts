import * as fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../../src/targeting/bitmaps/blocks.ts';
import { compileBitmap } from '../../src/targeting/bitmaps/compile-bitmaps.ts';
import { readColumnMap } from '../../src/targeting/rows/column-map.ts';
import { countAllDevices, countDevices } from '../../src/targeting/count-devices.ts';
import { buildBitmaps } from '../../src/targeting/bitmaps/build.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from '../targeting/arbitraries.ts';
import { insertDevices } from '../targeting/insert-devices.ts';
import { type NaiveDevice, naiveMatches } from '../targeting/naive-evaluator.ts';
import { parsed } from '../filters/parsed.ts';
import { runs } from '../support/runs.ts';

/** Every app is large, and most have several blocks. */
const LIMITS = { devicesMin: 1, devicesPerBlock: 5 };
const RUNS = runs(5);
/** Some attributes are drawn a few times in a round, and now and then not at all. */
const ROUNDS_MAX = 20;
const LISTS_PER_RUN = 20;

/** Attributes that bitmaps answer; lists with others are counted by rows. */
const HELD = new Set(
  `locale time_zone os_name country marketing_name notifications_allowed tags os_version app_version sdk_version
  created_at badge development custom.string custom.integer custom.float custom.date custom.boolean registered_at events`.split(
    /\s+/,
  ),
);

/** Parts of a block that are built separately. */
const BUILT_SEPARATELY = ['registrations', 'events', 'tokens'].map((part) => `build_count_bitmap_${part}`);

describe('counting by bitmaps', () => {
  const database = useTestDatabase();

  const buildAll = async (): Promise<unknown> =>
    buildBitmaps(database.db, new AbortController().signal, LIMITS);

  it('bitmaps count the devices that the naive evaluator selects, after any changes since they were built', async () => {
    const matched = new Set<string>();
    const missed = new Set<string>();
    const property = fc.asyncProperty(
      deviceSets,
      deviceSets,
      fc.tuple(deviceSets, deviceSets),
      fc.array(fc.constantFrom(...BUILT_SEPARATELY), { minLength: 4, maxLength: 4 }),
      fc.array(filterLists, { minLength: LISTS_PER_RUN, maxLength: LISTS_PER_RUN }),
      async (before, after, sources, builtParts, lists) => {
        const { db } = database;
        const { id: appId } = await insertApp(db);
        await insertDevices(db, appId, before);
        await buildAll();
        let devices = await changeSeparately(appId, before, sources[0], 2);
        await buildSeparately(appId, builtParts);
        devices = await change(appId, devices, after);
        devices = await changeSeparately(appId, devices, sources[1], 3);
        const withToken = await idsOf(appId, sql`push_token is not null`);
        for (const list of [...lists, ...lists.flat().map((filter) => [filter])]) {
          const matching = devices.filter((device) => naiveMatches(device, list, DATE_MEANINGS));
          const expected = matching.length;
          const filters = parsed(parseJson(stringifyJson(list)));
          const request = { appId, filters, now: NOW };
          const reachable = matching.filter(({ id }) => withToken.has(id)).length;
          expect(await countDevices(db, request), stringifyJson(list)).toEqual({
            devices: expected,
            reachable,
          });
          expect(await countAllDevices(db, request)).toBe(expected);
          const columns = await readColumnMap(db, appId, filters);
          const [only, ...others] = list;
          const blocks = await readBlocks(db, appId, filters);
          if (blocks === undefined) throw new Error('the app has no blocks');
          const held = compileBitmap(filters, { now: NOW, columns, blocks }) !== undefined;
          if (!held || only === undefined || others.length > 0) continue;
          const attribute = /^(?:custom\.\w+|\w+)/.exec(only.name)?.[0] ?? only.name;
          if (expected > 0) matched.add(attribute);
          if (expected < devices.length) missed.add(attribute);
        }
      },
    );
    const isEachTested = (): boolean => matched.size === HELD.size && missed.size === HELD.size;
    for (let round = 0; round < ROUNDS_MAX && !isEachTested(); round++) {
      await fc.assert(property, { numRuns: RUNS });
    }
    // Each attribute must have matched and missed by bitmaps, or it was not tested.
    expect(matched).toEqual(HELD);
    expect(missed).toEqual(HELD);
  });

  async function idsOf(appId: string, condition: RawBuilder<unknown>): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ id: string }>`
      select id from devices where app_id = ${appId} and ${condition}`.execute(database.db);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Gives each n-th device the events and the registration time of another one.
   * @returns all devices after that
   */
  async function changeSeparately(
    appId: string,
    devices: readonly NaiveDevice[],
    others: readonly NaiveDevice[],
    every: number,
  ): Promise<NaiveDevice[]> {
    const { db } = database;
    const result: NaiveDevice[] = [];
    for (const [index, device] of devices.entries()) {
      const other = others[index];
      if (other === undefined || index % every !== 0) {
        result.push(device);
        continue;
      }
      const { registered_at } = other.dates;
      const events = Object.entries(other.events).map(([name, { count, lastMs }]) => ({
        app_id: appId,
        device_id: device.id,
        name,
        count,
        first_happened_at: new Date(lastMs),
        last_happened_at: new Date(lastMs),
      }));
      const ofDevice = db.deleteFrom('device_events').where('device_id', '=', device.id);
      const names = Object.keys(other.events);
      await (names.length === 0 ? ofDevice : ofDevice.where('name', 'not in', names)).execute();
      for (const event of events) {
        await db
          .insertInto('device_events')
          .values(event)
          .onConflict((conflict) => conflict.columns(['app_id', 'device_id', 'name']).doUpdateSet(event))
          .execute();
      }
      await db
        .updateTable('devices')
        .set({ registered_at: new Date(registered_at) })
        .where('app_id', '=', appId)
        .where('id', '=', device.id)
        .execute();
      result.push({ ...device, dates: { ...device.dates, registered_at }, events: other.events });
    }
    return result;
  }

  /** Builds one part of each of the first blocks. */
  async function buildSeparately(appId: string, parts: readonly string[]): Promise<void> {
    for (const [index, part] of parts.entries()) {
      await sql`
        select ${sql.raw(part)}(app_id, ${index + 1}, first_ids[${index + 1}::integer], first_ids[${index + 2}::integer])
        from count_bitmap_layouts
        where app_id = ${appId} and cardinality(first_ids) > ${index}`.execute(database.db);
    }
  }

  /**
   * Deletes some devices and inserts others, some with the same ids; the rows of about a third are then unindexed.
   * @returns all devices after that
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
    // Frees the tokens: some devices lose theirs, and some that had none get one.
    await sql`
      update devices set push_token = case when hashtext(id::text) % 3 <> 0 then id::text end
      where app_id = ${appId}`.execute(db);
    await insertDevices(db, appId, after);
    await sql`
      with moved as (
        delete from only device_targets where app_id = ${appId} and hashtext(id::text) % 3 = 0 returning *
      )
      insert into device_targets_unindexed select * from moved`.execute(db);
    return [...kept, ...after];
  }
});
