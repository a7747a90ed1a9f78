import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import { devicesRow } from '../../src/targeting/rows/row.ts';
import { countMatching, findOrCreateAudience } from '../support/audiences.ts';
import { readAudience } from '../../src/audiences/audience-store.ts';
import { canonicalFilters } from '../../src/filters/canonical.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { hostile, hostileTexts } from '../filters/hostile-texts.ts';
import { appWith } from './insert-devices.ts';
import { parsed } from '../filters/parsed.ts';
import { runs } from '../support/runs.ts';

const NOW = new Date('2026-11-21T10:00:00Z');

const database = useTestDatabase();

it('hostile names and values select exactly the device that has them', async () => {
  const texts = hostileTexts(runs(100));
  const devices = texts.map((text) => ({
    text: { locale: text, user_id: text, os_version: text },
    tags: [text],
    custom: { [`n${text}`]: { type: 'string', value: [text] } },
    events: { [text]: { count: 1, lastMs: NOW.getTime() } },
  }));
  const { appId, ids } = await appWith(database.db, ...devices);
  for (const [index, text] of texts.entries()) {
    const filters = [
      { name: 'locale', criteria: [text] },
      { name: 'user_id', criteria: [text] },
      { name: 'os_version', criteria: [text] },
      { name: 'tags', criteria: [text] },
      { name: `custom.string.n${text}`, criteria: [text] },
      { name: `events.${text}`, criteria: [true] },
      { name: 'device_id', criteria: [text], not_filter: true },
    ];
    const columns = filters.map((filter, column) => {
      const condition = compileFilters(parsed([filter]), { row: devicesRow(appId), now: NOW });
      return sql`array(
        select d.id from devices as d where d.app_id = ${appId} and ${condition} order by d.id limit 2
      ) as ${sql.ref(`c${column}`)}`;
    });
    const { rows } = await sql<Record<string, string[]>>`select ${sql.join(columns)}`.execute(database.db);
    const own = [ids[index]];
    const { c6: others, ...found } = rows[0] ?? {};
    expect(found, text).toEqual({ c0: own, c1: own, c2: own, c3: own, c4: own, c5: own });
    expect(others).toHaveLength(2);
  }
});

it('hostile names and values are read from the store unchanged', async () => {
  const { id: appId } = await insertApp(database.db);
  for (const text of fc.sample(hostile, { numRuns: 100, seed: 43 })) {
    const filters = parsed([{ name: `custom.string.${text}`, criteria: [text, `${text}.`] }]);
    const { id } = await findOrCreateAudience(database.db, { appId, filters, clock: () => NOW });
    const audience = await readAudience(database.db, appId, id, () => NOW);
    expect(canonicalFilters(audience?.filters ?? [])).toEqual(canonicalFilters(filters));
  }
});

it('hostile names and values are not in the SQL text', () => {
  fc.assert(
    fc.property(
      hostile.filter((text) => text.length > 4),
      (text) => {
        const marked = `~${text}~`;
        const filters = parsed([
          { name: `custom.string.${marked}`, criteria: [marked] },
          { name: `events.${marked}`, criteria: [true] },
          { name: 'tags', criteria: [marked] },
        ]);
        const query =
          sql`select ${compileFilters(filters, { row: devicesRow(randomUUID()), now: NOW })}`.compile(
            database.db,
          );
        expect(query.sql).not.toContain('~');
        expect(JSON.stringify(query.parameters)).toContain('~');
      },
    ),
  );
});

it('hostile names and values are answered in filters of the greatest size', async () => {
  const holder = {
    badge: 500,
    text: { os_version: '500.5' },
    place: { latitude: 1, longitude: 1 },
    custom: {
      n: { type: 'integer', value: [1, 500] },
      d: { type: 'date', value: '1970-01-01T00:08:20.000Z' },
    },
    events: { e: { count: 500, lastMs: 500_000 } },
  };
  const { appId } = await appWith(database.db, holder, {});
  const thousand = Array.from({ length: 1_000 }, (_, index) => index);
  const ranges = thousand.map((n) => ({ gte: n, lt: n + 0.5, gt: n - 1, lte: n + 1 }));
  const moments = thousand.map((n) => ({ gte: `1970-01-01||+${n}s`, lt: `1970-01-01||+${n + 1}s` }));
  const triangle = thousand.map((n) => ({ latitude: (n % 3) - 0.5, longitude: (n % 2) * 2 }));
  const circles = thousand.map((n) => ({
    point: { latitude: 1, longitude: 1 },
    distance: n + 1,
    unit: 'm',
  }));
  const kinds = [
    { name: 'badge', criteria: ranges },
    { name: 'os_version', criteria: thousand.map((n) => ({ gte: n, lt: `${n + 1}` })) },
    { name: 'custom.integer.n', criteria: ranges },
    { name: 'custom.date.d', criteria: moments },
    { name: 'events.e', criteria: [...ranges.slice(0, 600), ...moments.slice(0, 400)] },
    { name: 'location', criteria: circles },
    { name: 'location', criteria: [{ polygon: triangle }, ...circles.slice(1)] },
  ];
  const fifty = Array.from({ length: 50 }, (_, index) => kinds[index % kinds.length]);
  expect(await countMatching(database.db, { appId, filters: parsed(fifty), now: NOW })).toBe(1);
});
