import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDevices, countDevicesByPlatform } from '../../src/audiences/count-devices.ts';
import { parseJson, stringifyJson } from '../../src/json.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { deviceWith, insertDevices } from './insert-devices.ts';
import { naiveMatches } from './naive-evaluator.ts';
import { parsed } from './parsed.ts';

const RUNS = 60;
const LISTS_PER_RUN = 20;
/** More than there are columns for custom attributes of one type. */
const ATTRIBUTES = 40;

const customNumber = (type: string, value: string): string => `{"n": {"type": "${type}", "value": ${value}}}`;

const had = (...names: string[]): { events: Record<string, { count: number; lastMs: number }> } => ({
  events: Object.fromEntries(names.map((name, index) => [name, { count: index + 1, lastMs: 0 }])),
});
const event = (name: string, ...criteria: unknown[]) => ({ name: `events.${name}`, criteria });
const not = (filter: object) => ({ ...filter, not_filter: true });

describe('counting devices', () => {
  const database = useTestDatabase();

  const count = async (appId: string, ...filters: unknown[]): Promise<number> =>
    countDevices(database.db, { appId, filters: parsed(filters), now: NOW });

  it('counts the devices that the naive evaluator selects', async () => {
    await fc.assert(
      fc.asyncProperty(
        deviceSets,
        fc.array(filterLists, { minLength: LISTS_PER_RUN, maxLength: LISTS_PER_RUN }),
        async (devices, lists) => {
          const { id: appId } = await insertApp(database.db);
          await insertDevices(database.db, appId, devices);
          await database.db.transaction().execute(async (transaction) => {
            for (const list of lists) {
              const filters = parsed(parseJson(stringifyJson(list)));
              const matches = devices.map((device) => naiveMatches(device, list, DATE_MEANINGS));
              const counts = await countDevicesByPlatform(transaction, { appId, filters, now: NOW });
              expect(counts, stringifyJson(list)).toEqual({
                iOS: matches.filter((match, index) => match && index % 2 === 0).length,
                Android: matches.filter((match, index) => match && index % 2 === 1).length,
              });
            }
          });
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('counts a lone filter as the naive evaluator does, negated or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        deviceSets,
        fc.array(filterLists, { minLength: 10, maxLength: 10 }),
        async (devices, lists) => {
          const { id: appId } = await insertApp(database.db);
          await insertDevices(database.db, appId, devices);
          for (const [filter] of lists) {
            if (filter === undefined) continue;
            const list = [filter];
            const expected = devices.filter((device) => naiveMatches(device, list, DATE_MEANINGS)).length;
            const filters = parsed(parseJson(stringifyJson(list)));
            expect(await countDevices(database.db, { appId, filters, now: NOW }), stringifyJson(list)).toBe(
              expected,
            );
          }
        },
      ),
      { numRuns: 30 },
    );
  }, 120_000);

  it('counts by events alone, had and not had', async () => {
    const { id: appId } = await insertApp(database.db);
    const devices = [had('a', 'b'), had('b', 'a'), had('a', 'b', 'c'), had('c'), had()];
    await insertDevices(
      database.db,
      appId,
      devices.map((parts) => deviceWith(randomUUID(), parts)),
    );
    expect(await count(appId, event('a', true))).toBe(3);
    expect(await count(appId, event('a', 1), event('b', { gte: 2 }))).toBe(2);
    expect(await count(appId, not(event('c', true)), event('a', 1), event('b', true))).toBe(1);
    expect(await count(appId, not(event('a', true)), not(event('c', true)))).toBe(1);
  });

  it('sees every change of a device at once', async () => {
    const { id: appId } = await insertApp(database.db);
    const [id, other] = [randomUUID(), randomUUID()];
    const plan = { name: 'custom.string.plan', criteria: ['pro'] };
    const tagged = { name: 'tags', criteria: ['fan'] };
    await insertDevices(database.db, appId, [deviceWith(id), deviceWith(other)]);
    expect(await count(appId, plan)).toBe(0);
    const update = database.db.updateTable('devices').where('app_id', '=', appId).where('id', '=', id);
    await update.set({ custom: '{"plan": {"type": "string", "value": "pro"}}', tags: ['fan'] }).execute();
    expect([await count(appId, plan), await count(appId, tagged), await count(appId, plan, tagged)]).toEqual([
      1, 1, 1,
    ]);
    await update
      .set({ custom: '{"plan": {"type": "string", "value": ["free", "pro"]}}', tags: [] })
      .execute();
    expect([await count(appId, plan), await count(appId, tagged)]).toEqual([1, 0]);
    await update.set({ custom: '{"plan": {"type": "integer", "value": 1}}' }).execute();
    expect([await count(appId, plan), await count(appId, { ...plan, not_filter: true })]).toEqual([0, 2]);
    await database.db.deleteFrom('devices').where('app_id', '=', appId).where('id', '=', id).execute();
    expect(await count(appId, { ...plan, not_filter: true })).toBe(1);
  });

  it('counts by attributes that came after all columns were taken', async () => {
    const { id: appId } = await insertApp(database.db);
    const custom = Object.fromEntries(
      Array.from({ length: ATTRIBUTES }, (_, n) => [`n${n}`, { type: 'integer', value: n }]),
    );
    await insertDevices(database.db, appId, [deviceWith(randomUUID(), { custom }), deviceWith(randomUUID())]);
    for (let n = 0; n < ATTRIBUTES; n++) {
      const name = `custom.integer.n${n}`;
      expect(await count(appId, { name, criteria: [{ gte: n, lt: n + 1 }] })).toBe(1);
      expect(await count(appId, { name, criteria: [n + 1] })).toBe(0);
    }
  });

  it('gives an attribute one column, however many calls bring it at once', async () => {
    const { id: appId } = await insertApp(database.db);
    const calls = Array.from({ length: 8 }, (_, call) => {
      const custom = {
        shared: { type: 'integer', value: 1 },
        [`own ${call}`]: { type: 'integer', value: 2 },
      };
      const row = {
        app_id: appId,
        id: randomUUID(),
        platform: 'iOS' as const,
        created_at: NOW,
        registered_at: NOW,
      };
      return database.db
        .insertInto('devices')
        .values({ ...row, custom: JSON.stringify(custom) })
        .execute();
    });
    await Promise.all(calls);
    expect(await count(appId, { name: 'custom.integer.shared', criteria: [1] })).toBe(8);
    const columns = await database.db
      .selectFrom('custom_columns')
      .select('whole')
      .where('app_id', '=', appId)
      .executeTakeFirstOrThrow();
    expect(new Set(columns.whole).size).toBe(9);
    expect(columns.whole).toHaveLength(9);
  });

  it('counts by values at the edges of what the columns hold', async () => {
    const { id: appId } = await insertApp(database.db);
    const values = ['9223372036854775807', '9007199254740993', '0', '-9223372036854775808'];
    const rows = values.map((value) => ({ custom: customNumber('integer', value) }));
    const floats = ['0.1', '1.5e300', '-5e-324'].map((value) => ({ custom: customNumber('float', value) }));
    for (const row of [...rows, ...floats]) {
      const device = {
        app_id: appId,
        id: randomUUID(),
        platform: 'iOS' as const,
        created_at: NOW,
        registered_at: NOW,
      };
      await database.db
        .insertInto('devices')
        .values({ ...device, ...row })
        .execute();
    }
    const number = async (type: string, criterion: string): Promise<number> =>
      count(appId, { name: `custom.${type}.n`, criteria: [parseJson(criterion)] });
    expect(await number('integer', '9007199254740992')).toBe(0);
    expect(await number('integer', '9007199254740993')).toBe(1);
    expect(await number('integer', '{"gt": 9007199254740992.5}')).toBe(2);
    expect(await number('integer', '{"gt": 9223372036854775807}')).toBe(0);
    expect(await number('integer', '{"lt": 1e300}')).toBe(4);
    expect(await number('integer', '{"gt": -0.5, "lt": 0.5}')).toBe(1);
    expect(await number('float', '{"gt": 0.1}')).toBe(1);
    expect(await number('float', '{"gte": 0.1}')).toBe(2);
    expect(await number('float', '{"lt": 0}')).toBe(1);
    expect(await number('float', '{"lt": -5e-324}')).toBe(0);
  });
});
