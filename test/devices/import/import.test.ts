import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { idsOfImport } from '../../../src/devices/import/copy.ts';
import { importDevices } from '../../../src/devices/import/import.ts';
import { insertApp, openTestDatabase } from '../../support/database.ts';
import { PATIENCE } from '../../support/patience.ts';
import { later, noon, useDevices } from '../devices-of-app.ts';
import { chunksOf, lineOf } from './lines.ts';
import { newToken } from '../../support/push-token.ts';
import { tokenKeys } from '../../support/token-keys.ts';

const { database, app, register, importText, retire, stored, storedOne } = useDevices();

function figures(imported: number, updated: number, unchanged: number, rejected: unknown[] = []) {
  return { imported, updated, unchanged, rejected, rejected_count: rejected.length };
}

function customNames(count: number, prefix = 'a'): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${prefix}${index}`, { type: 'integer', value: index }]),
  );
}

test('a statement prepared with few devices uses the index after an import of many', async () => {
  const fresh = await openTestDatabase();
  try {
    const { id } = await insertApp(fresh.db);
    const importMany = async (count: number): Promise<void> => {
      const lines = Array.from({ length: count }, () => lineOf({ push_token: newToken() }));
      await importDevices(fresh.db, tokenKeys, id, chunksOf(lines.join('\n')), () => noon);
    };
    await importMany(3);
    await sql`analyze devices`.execute(fresh.db);
    await fresh.db.connection().execute(async (db) => {
      const explain = async (): Promise<unknown> => {
        const { rows } = await sql`
          explain (format json) execute find_device(${sql.lit(id)}, ${sql.lit(randomUUID())})`.execute(db);
        return rows;
      };
      await sql`set plan_cache_mode = force_generic_plan`.execute(db); // what five executions lead to
      await sql`
        prepare find_device(uuid, uuid) as select from devices where app_id = $1 and id = $2`.execute(db);
      expect(JSON.stringify(await explain())).toContain('Seq Scan');
      await importMany(1_500);
      expect(JSON.stringify(await explain())).toContain('Index');
    });
  } finally {
    await fresh.close();
  }
});

test('an import goes on without statistics, if the statement that makes them is canceled', async () => {
  const fresh = await openTestDatabase();
  const holder = new Client({ connectionString: fresh.url });
  try {
    const { id } = await insertApp(fresh.db);
    // The statement skips a table that autovacuum analyzes.
    await sql`alter table devices set (autovacuum_enabled = false)`.execute(fresh.db);
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table pg_statistic in share mode'); // may be read, and not written
    const lines = Array.from({ length: 1_500 }, () => lineOf({ push_token: newToken() }));
    const importing = importDevices(fresh.db, tokenKeys, id, chunksOf(lines.join('\n')), () => noon);
    // Before it, the import itself may wait for a moment: one of its transactions for another.
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'analyze%'`.execute(
        fresh.db,
      );
      expect(rows).toHaveLength(1);
    }, PATIENCE);
    expect(await importing).toEqual(figures(1_500, 0, 0));
  } finally {
    await holder.end();
    await fresh.close();
  }
});

describe('a line', () => {
  test('a line registers a device, with defaults for attributes that are left out', async () => {
    const [full, minimal] = [newToken(), newToken()];
    const location = { latitude: 1.5, longitude: -2 };
    const custom = { big: { type: 'integer', value: 7 } };
    const attributes = { locale: 'en_GB', badge: 3, tags: ['b', 'a', 'b'], development: true };
    const text = [
      lineOf({ push_token: full.toUpperCase(), ...attributes, location, custom }),
      lineOf({ push_token: minimal }),
    ].join('\n');
    expect(await importText(text)).toEqual(figures(2, 0, 0));
    expect(await storedOne(full)).toMatchObject({
      ...attributes,
      platform: 'iOS',
      tags: ['b', 'a'],
      latitude: 1.5,
      longitude: -2,
      sdk_latitude: null,
      custom,
      created_at: noon,
      registered_at: noon,
    });
    expect(await storedOne(minimal)).toMatchObject({
      locale: null,
      development: false,
      notifications_allowed: 'Unknown',
      tags: [],
      custom: {},
    });
  });

  test('a line keeps integers of 64 bits exact', async () => {
    const big = '{"type":"integer","value":9223372036854775807}';
    await importText(`{"platform":"iOS","push_token":"${newToken()}","custom":{"big":${big}}}`);
    const { rows } = await sql<{ text: string }>`
      select custom::text as text from devices where app_id = ${app.id}`.execute(database.db);
    expect(rows[0]?.text).toContain('9223372036854775807');
  });

  test('a line updates the device that has its token: attributes are set, null clears, the others stay', async () => {
    const push_token = newToken();
    const { device } = await register({
      push_token,
      locale: 'en_GB',
      badge: 1,
      tags: ['a'],
      development: true,
      location: { latitude: 1, longitude: 2 },
      custom: customNames(2),
    });
    const change = {
      badge: 2,
      locale: null,
      tags: null,
      development: null,
      location: null,
      custom: { a0: null, b: { type: 'string', value: 'x' } },
    };
    expect(await importText(lineOf({ push_token, ...change }), later)).toEqual(figures(0, 1, 0));
    expect(await storedOne(push_token)).toMatchObject({
      id: device.id,
      badge: 2,
      locale: null,
      tags: [],
      development: false,
      latitude: null,
      longitude: null,
      custom: { a1: { type: 'integer', value: 1 }, b: { type: 'string', value: 'x' } },
      created_at: noon,
      registered_at: later,
    });
    await importText(lineOf({ push_token, custom: null }), later);
    expect((await storedOne(push_token)).custom).toEqual({});
  });

  test('a line that would leave over 50 custom attributes leaves those that the device has', async () => {
    const full = newToken();
    await register({ push_token: full, custom: customNames(49) });
    const text = [
      lineOf({}),
      lineOf({ push_token: full, badge: 9, custom: customNames(2, 'b') }),
      lineOf({}),
    ];
    const message = 'must leave a device with at most 50 custom attributes';
    expect(await importText(text.join('\n'), later)).toEqual({
      ...figures(2, 1, 0),
      ignored_count: 1,
      ignored: [{ line: 2, path: 'custom', message }],
    });
    expect(await storedOne(full)).toMatchObject({ badge: 9, custom: customNames(49), registered_at: later });
  });

  test('a line creates a separate device in another app', async () => {
    const push_token = newToken();
    const other = await insertApp(database.db);
    const line = lineOf({ push_token });
    expect(await importText(line, noon, { appId: other.id })).toEqual(figures(1, 0, 0));
    expect(await importText(lineOf({ push_token }))).toEqual(figures(1, 0, 0));
  });

  test.each<[what: string, line: string | Buffer, error: string]>([
    [
      'invalid JSON',
      '{"platform":"iOS"',
      'the line is not valid JSON: a comma or "}" was expected at column 18',
    ],
    [
      'invalid UTF-8',
      Buffer.from([0x22, 0xff, 0x22]),
      'the line is not valid UTF-8: convert the file, for instance by "iconv -f WINDOWS-1252 -t UTF-8"',
    ],
    ['a NUL', lineOf({ locale: 'a\0b' }), 'locale must not contain the character U+0000'],
    [
      'half a surrogate pair',
      lineOf({ user_id: '\ud800' }),
      'user_id must not contain half of a surrogate pair',
    ],
    ['a raw NUL', '\0', 'the line is not valid JSON: a value was expected at column 1'],
    ['half of an object', '{"platform":', 'the line is not valid JSON: a value was expected at column 13'],
    [
      'a key twice',
      lineOf({ badge: 1 }).replace('"badge":1', '"badge":1,"badge":2'),
      expect.stringMatching(
        /^the line has the key "badge" twice in one object, the second time at column \d+$/,
      ),
    ],
    [
      'a number that no double can hold',
      lineOf({}).replace('{', '{"custom":{"a":{"type":"float","value":1e999}},'),
      'custom.a.value must be a number that a double can hold, at most 1.8e308',
    ],
    ['a number', '17', 'the device must be an object'],
    ['null', 'null', 'the device must be an object'],
    ['a list', '[]', 'the device must be an object'],
    ['no device', '{}', 'platform must be iOS, Android or Web'],
    ['no token', '{"platform":"iOS"}', 'push_token is required, as text'],
    [
      'two faults',
      lineOf({ badge: -1, colour: 'red' }),
      'badge must not be negative; colour is not a known key',
    ],
    ['over 64 KiB', lineOf({ events: 'x'.repeat(64 * 1024) }), 'the line is longer than 64 KiB'],
    ['deeply nested brackets', '['.repeat(60_000), 'the line must nest at most 100 levels deep'],
    ['a great many values', `[${'0,'.repeat(20_000)}0]`, 'the line must have at most 20000 values'],
    ['a wrapper', JSON.stringify({ device: {} }), 'platform must be iOS, Android or Web'],
  ])('a line with %s is rejected with its number and affects no other', async (_what, line, error) => {
    const [before, after] = [newToken(), newToken()];
    const text = Buffer.concat([
      Buffer.from(`${lineOf({ push_token: before })}\n\n`),
      Buffer.from(line),
      Buffer.from(`\n${lineOf({ push_token: after })}\n`),
    ]);
    expect(await importText(text)).toEqual(figures(2, 0, 0, [{ line: 3, error }]));
    expect(new Set((await stored()).keys())).toEqual(new Set([before, after]));
  });

  test('a line of exactly 64 KiB is accepted', async () => {
    const rest = 64 * 1024 - lineOf({ events: '' }).length;
    const line = lineOf({ events: 'x'.repeat(rest) });
    expect(Buffer.byteLength(line)).toBe(64 * 1024);
    expect(await importText(`${line}\n${line}x`)).toEqual(
      figures(1, 0, 0, [{ line: 2, error: 'the line is longer than 64 KiB' }]),
    );
  });

  test('a rejected line has a long error truncated', async () => {
    const { rejected } = await importText(lineOf({ ['🙂'.repeat(5_000)]: 1 }));
    expect(rejected[0]?.error.length).toBeLessThan(510);
  });

  test('a line may end in CRLF, be empty, or be the last without a newline', async () => {
    const lines = [lineOf({}), '', '  ', lineOf({}), '{', '', lineOf({})];
    const byteOrderMark = '\ufeff';
    expect(await importText(byteOrderMark + lines.join('\r\n'))).toEqual(
      figures(3, 0, 0, [
        {
          line: 5,
          error: 'the line is not valid JSON: a key in double quotes or "}" was expected at column 3',
        },
      ]),
    );
  });
});

describe('an import', () => {
  test('an import that is repeated writes no row', async () => {
    const attributes = {
      locale: 'en_GB',
      tags: ['a'],
      sdk_location: { latitude: 0.1, longitude: 0.2 },
      custom: { f: { type: 'float', value: 1.0 }, d: { type: 'date', value: '2026-01-01' } },
    };
    const lines = Array.from({ length: 2_500 }, () => lineOf(attributes)).join('\n');
    expect(await importText(lines)).toEqual(figures(2_500, 0, 0));
    const before = await rowVersions();
    expect(await importText(lines, later)).toEqual(figures(0, 0, 2_500));
    expect(await rowVersions()).toEqual(before);
  });

  test('an import spreads the ids of its devices, so that equal ranges of ids hold equal numbers of devices', async () => {
    await importText(Array.from({ length: 512 }, () => lineOf({})).join('\n'));
    const counts = Map.groupBy((await stored()).values(), ({ id }) => id.slice(0, 2));
    expect([...counts.values()].map(({ length }) => length)).toEqual(Array.from({ length: 256 }, () => 2));
    const idOf = idsOfImport();
    const ids = Array.from({ length: 131_072 }, (_, line) => idOf(line + 1).slice(0, 4));
    const byStart = Map.groupBy(ids, (start) => start);
    expect(byStart.size).toBe(65_536);
    expect(new Set([...byStart.values()].map(({ length }) => length))).toEqual(new Set([2]));
  });

  test('an import stores the new devices, merges the changed ones and leaves the others, on any page', async () => {
    const tokens = Array.from({ length: 4_000 }, newToken);
    const known = tokens.filter((_token, index) => index < 2_000 || index % 3 === 0);
    await importText(known.map((push_token) => lineOf({ push_token, badge: 1 })).join('\n'));
    const changed = new Set(known.slice(-100));
    const badgeOf = (token: string): number => (changed.has(token) ? 2 : 1);
    const lines = tokens.map((push_token) => lineOf({ push_token, badge: badgeOf(push_token) }));
    expect(await importText(lines.join('\n'), later)).toEqual(
      figures(4_000 - known.length, 100, known.length - 100),
    );
    const devices = await stored();
    expect(tokens.map((token) => devices.get(token)?.badge)).toEqual(tokens.map(badgeOf));
  });

  test('an import with a stream that fails keeps the stored devices, and can be repeated', async () => {
    const lines = Array.from({ length: 5_000 }, () => `${lineOf({})}\n`).join('');
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield* chunksOf(lines.slice(0, lines.length / 2));
      throw new Error('the cable');
    }
    await expect(importDevices(database.db, tokenKeys, app.id, broken(), () => noon)).rejects.toThrow(
      'the cable',
    );
    const kept = (await stored()).size;
    expect(kept).toBeGreaterThanOrEqual(1_000);
    expect(kept).toBeLessThan(2_500);
    expect(await importText(lines)).toEqual(figures(5_000 - kept, 0, kept));
  });

  test('an import lists the first 1,000 rejected lines in order, and counts all', async () => {
    const result = await importText('{\n'.repeat(3_500));
    expect(result).toMatchObject({ imported: 0, rejected_count: 3_500 });
    expect(result.rejected.map(({ line }) => line)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    );
  });

  test('an import applies lines with the same token in order, near or far from each other', async () => {
    const [near, far] = [newToken(), newToken()];
    const lines = [
      lineOf({ push_token: far, badge: 1, locale: 'en_GB' }),
      lineOf({ push_token: near, custom: customNames(30) }),
      lineOf({ push_token: near, custom: customNames(30, 'b') }), // over 50
      lineOf({ push_token: near, custom: null }),
      lineOf({ push_token: near, custom: customNames(1, 'b') }),
      ...Array.from({ length: 1_500 }, () => lineOf({})),
      lineOf({ push_token: far, badge: 2 }),
      lineOf({ push_token: far, badge: 2 }),
    ];
    expect(await importText(lines.join('\n'))).toMatchObject({
      imported: 1_502,
      updated: 3,
      unchanged: 2,
      ignored: [{ line: 3, path: 'custom' }],
    });
    const devices = await stored();
    expect(devices.get(near)?.custom).toEqual(customNames(1, 'b'));
    expect(devices.get(far)).toMatchObject({ badge: 2, locale: 'en_GB' });
  });

  test('an import does not count as the app presenting a token: an older report of a gateway retires it', async () => {
    const [imported, presented] = [newToken(), newToken()];
    await register({ push_token: presented });
    await importText([imported, presented].map((push_token) => lineOf({ push_token, badge: 1 })).join('\n'));
    const devices = await stored();
    const reported = [imported, presented].map(async (token) =>
      retire(devices.get(token)?.id ?? '', token, { deadSince: new Date('2020-01-01') }),
    );
    expect(await Promise.all(reported)).toEqual([1, 0]);
    expect(new Set((await stored()).keys())).toEqual(new Set([presented, null]));
  });
});

/** The row version of each device. */
async function rowVersions(): Promise<unknown> {
  const versions = await sql`select id, xmin::text, ctid::text, registered_at from devices
    where app_id = ${app.id} order by id`.execute(database.db);
  return versions.rows;
}
