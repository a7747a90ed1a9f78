import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { countAllDevices, countDevices } from '../../src/targeting/count-devices.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { countMatching } from '../support/audiences.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { DATE_MEANINGS, deviceSets, filterLists, NOW } from './arbitraries.ts';
import { appWith, deviceWith, hasToken, insertDevices } from './insert-devices.ts';
import { naiveMatches } from './naive-evaluator.ts';
import { parsed } from '../filters/parsed.ts';
import { runs } from '../support/runs.ts';

const RUNS = runs(6);
const LISTS_PER_RUN = 12;
/** More than the columns for custom attributes of one type. */
const ATTRIBUTES = 40;

const had = (...names: string[]): { events: Record<string, { count: number; lastMs: number }> } => ({
  events: Object.fromEntries(names.map((name, index) => [name, { count: index + 1, lastMs: 0 }])),
});
const event = (name: string, ...criteria: unknown[]) => ({ name: `events.${name}`, criteria });
const valued = (type: string, value: string): object => ({ n: { type, value: parseJson(value) } });
const not = (filter: object) => ({ ...filter, not_filter: true });

const database = useTestDatabase();

const count = async (appId: string, ...filters: unknown[]): Promise<number> =>
  countMatching(database.db, { appId, filters: parsed(filters), now: NOW });

it('a count of any list or of one filter, and of its devices with a token, is that of the naive evaluator', async () => {
  await fc.assert(
    fc.asyncProperty(
      deviceSets,
      fc.array(filterLists, { minLength: LISTS_PER_RUN, maxLength: LISTS_PER_RUN }),
      async (devices, lists) => {
        const { id: appId } = await insertApp(database.db);
        await insertDevices(database.db, appId, devices);
        await database.db.transaction().execute(async (transaction) => {
          for (const list of [...lists, ...lists.map((each) => each.slice(0, 1))]) {
            const request = { appId, filters: parsed(parseJson(stringifyJson(list))), now: NOW };
            const matches = devices.map((device) => naiveMatches(device, list, DATE_MEANINGS));
            const expected = matches.filter(Boolean).length;
            expect(await countAllDevices(transaction, request), stringifyJson(list)).toBe(expected);
            expect(await countDevices(database.db, request), stringifyJson(list)).toEqual({
              devices: expected,
              reachable: matches.filter((match, index) => match && hasToken(index)).length,
            });
          }
        });
      },
    ),
    { numRuns: RUNS },
  );
}, 120_000);

it('a count may be by events alone, also negated', async () => {
  const devices = [had('a', 'b'), had('b', 'a'), had('a', 'b', 'c'), had('c'), had()];
  const { appId } = await appWith(database.db, ...devices);
  expect(await count(appId, event('a', true))).toBe(3);
  expect(await count(appId, event('a', 1), event('b', { gte: 2 }))).toBe(2);
  expect(await count(appId, not(event('c', true)), event('a', 1), event('b', true))).toBe(1);
  expect(await count(appId, not(event('a', true)), not(event('c', true)))).toBe(1);
});

it.each([
  ['no device has lost its token', []],
  ['some have lost it', [1, 4, 5]],
  ['all have lost it', [0, 1, 2, 3, 4, 5, 6, 7]],
])('reachable devices are counted in each table where %s', async (_what, lost) => {
  const parts = Array.from({ length: 8 }, (_, index) => ({
    tags: index < 5 ? ['fan'] : [],
    ...had(...(index < 6 ? ['open'] : ['never'])),
  }));
  const { appId, ids } = await appWith(database.db, ...parts);
  const ofApp = database.db.updateTable('devices').where('app_id', '=', appId);
  for (const [index, id] of ids.entries()) {
    await ofApp
      .set({ push_token: lost.some((one) => one === index) ? null : id })
      .where('id', '=', id)
      .execute();
  }
  const reachable = (below: number): number => below - lost.filter((index) => index < below).length;
  const fans = { name: 'tags', criteria: ['fan'] };
  const long = { name: 'registered_at', criteria: [{ lte: 'now' }] };
  const lists = [
    { list: [], below: 8 },
    { list: [fans], below: 5 },
    { list: [event('open', true)], below: 6 },
    { list: [event('open', true), not(event('never', true))], below: 6 },
    { list: [fans, event('open', true)], below: 5 },
    { list: [long], below: 8 },
    { list: [long, fans], below: 5 },
    { list: [{ name: 'device_id', criteria: ids.slice(0, 2) }], below: 2 },
  ];
  for (const { list, below } of lists) {
    const counted = await countDevices(database.db, {
      appId,
      filters: list.length === 0 ? [] : parsed(list),
      now: NOW,
    });
    expect(counted, stringifyJson(list)).toEqual({ devices: below, reachable: reachable(below) });
  }
});

it.each([
  ['few have lost their token', 40],
  ['few have a token left', 10_100],
])('reachable devices among many are counted in each table where %s', async (_what, lost) => {
  const { db } = database;
  const { id: appId } = await insertApp(db);
  const devices = 10_200;
  // As autovacuum does: the plans of triggers that were made for an empty table would read all of it for each device.
  await sql`analyze devices, device_targets, device_events`.execute(db);
  await sql`
    with made as (
      insert into devices (app_id, id, platform, push_token, tags, created_at, registered_at)
      select ${appId}, gen_random_uuid(), 'iOS', case when n > ${lost} then 'token ' || n end, '{fan}', ${NOW}, ${NOW}
      from generate_series(1, ${devices}::integer) as n
      returning app_id, id
    )
    insert into device_events (app_id, device_id, name, count, first_happened_at, last_happened_at)
    select app_id, id, 'open', 1, ${NOW}, ${NOW} from made`.execute(db);
  for (const filter of [
    { name: 'tags', criteria: ['fan'] },
    { name: 'registered_at', criteria: [{ lte: 'now' }] },
    event('open', true),
  ]) {
    const counted = await countDevices(db, { appId, filters: parsed([filter]), now: NOW });
    expect(counted, filter.name).toEqual({ devices, reachable: devices - lost });
  }
});

it('a count sees every change of a device immediately', async () => {
  const { appId, ids } = await appWith(database.db, {}, {});
  const [id = ''] = ids;
  const plan = { name: 'custom.string.plan', criteria: ['pro'] };
  const tagged = { name: 'tags', criteria: ['fan'] };
  expect(await count(appId, plan)).toBe(0);
  const update = database.db.updateTable('devices').where('app_id', '=', appId).where('id', '=', id);
  await update.set({ custom: '{"plan": {"type": "string", "value": "pro"}}', tags: ['fan'] }).execute();
  expect([await count(appId, plan), await count(appId, tagged), await count(appId, plan, tagged)]).toEqual([
    1, 1, 1,
  ]);
  await update.set({ custom: '{"plan": {"type": "string", "value": ["free", "pro"]}}', tags: [] }).execute();
  expect([await count(appId, plan), await count(appId, tagged)]).toEqual([1, 0]);
  await update.set({ custom: '{"plan": {"type": "integer", "value": 1}}' }).execute();
  expect([await count(appId, plan), await count(appId, { ...plan, not_filter: true })]).toEqual([0, 2]);
  await database.db.deleteFrom('devices').where('app_id', '=', appId).where('id', '=', id).execute();
  expect(await count(appId, { ...plan, not_filter: true })).toBe(1);
});

it('a count may use attributes that have no column left', async () => {
  const custom = Object.fromEntries(
    Array.from({ length: ATTRIBUTES }, (_, n) => [`n${n}`, { type: 'integer', value: n }]),
  );
  const { appId } = await appWith(database.db, { custom }, {});
  for (let n = 0; n < ATTRIBUTES; n++) {
    const name = `custom.integer.n${n}`;
    expect(await count(appId, { name, criteria: [{ gte: n, lt: n + 1 }] })).toBe(1);
    expect(await count(appId, { name, criteria: [n + 1] })).toBe(0);
  }
});

it('an attribute gets one column, also in concurrent calls', async () => {
  const { id: appId } = await insertApp(database.db);
  const calls = Array.from({ length: 8 }, (_, call) => {
    const custom = {
      shared: { type: 'integer', value: 1 },
      [`own ${call}`]: { type: 'integer', value: 2 },
    };
    return insertDevices(database.db, appId, [deviceWith(randomUUID(), { custom })]);
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

it('a count may use values at the limits of the columns', async () => {
  const customs = [
    ...['9223372036854775807', '9007199254740993', '0', '-9223372036854775808'].map((value) =>
      valued('integer', value),
    ),
    ...['0.1', '1.5e300', '-5e-324'].map((value) => valued('float', value)),
  ];
  const { appId } = await appWith(database.db, ...customs.map((custom) => ({ custom: Object(custom) })));
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
