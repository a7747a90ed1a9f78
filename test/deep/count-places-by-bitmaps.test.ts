import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import { compileBitmap } from '../../src/targeting/bitmaps/compile-bitmaps.ts';
import type { ColumnMap } from '../../src/targeting/rows/column-map.ts';
import { targetingRow } from '../../src/targeting/rows/row.ts';
import type { Filter } from '../../src/filters/filter.ts';
import { buildBitmaps } from '../../src/targeting/bitmaps/build.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { parsed } from '../filters/parsed.ts';

interface Point {
  latitude: number;
  longitude: number;
}
type Shape = { point: Point; distance: number; unit: 'm' } | { polygon: readonly Point[] };

const RUNS = 30;
/** Every app has several blocks; the last one has few devices. */
const LIMITS = { devicesMin: 1, devicesPerBlock: 150 };
const METRES_PER_DEGREE = 111_195;
const NO_COLUMNS: ColumnMap = {
  customColumn: () => ({ column: null, inRest: false }),
  versions: new Map(),
};
const NOW = new Date(0);
const OPTIONS = {
  now: NOW,
  columns: NO_COLUMNS,
  blocks: { missing: new Set<string>(), events: [], someUnreachable: false },
};

/** Brings coordinates back onto the globe. */
function wrap({ latitude, longitude }: Point): Point {
  return {
    latitude: Math.min(Math.max(latitude, -90), 90),
    longitude: Math.abs(longitude) <= 180 ? longitude : longitude - 360 * Math.round(longitude / 360),
  };
}

const degrees = (limit: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    // The edges of squares of the globe, and values next to them.
    fc.constantFrom(
      0,
      -0,
      limit,
      -limit,
      limit / 2,
      limit / 4,
      -limit / 8,
      (limit / 4) * (1 - 2 ** -52),
      1e-10,
    ),
    fc.integer({ min: -limit, max: limit }),
  );
const points = fc.record({ latitude: degrees(90), longitude: degrees(180) });
/** From a centimetre to more than half of the globe. */
const metres = fc.double({ min: -2, max: 7.4, noNaN: true }).map((power) => 10 ** power);
const parts = fc.double({ min: -1, max: 1, noNaN: true });

const circles = fc.record({ point: points, distance: metres, unit: fc.constant('m' as const) });
/** Corners around a point in random order: most such rings cross themselves. */
const tangles = fc
  .tuple(points, metres, fc.array(fc.tuple(parts, parts), { minLength: 3, maxLength: 40 }))
  .map(([middle, size, corners]) => ({
    polygon: corners.map(([north, east]) =>
      wrap({
        latitude: middle.latitude + (north * size) / METRES_PER_DEGREE,
        longitude: middle.longitude + (east * size) / METRES_PER_DEGREE,
      }),
    ),
  }));
/** A coast around a point; a long one surrounds a pole. */
const coasts = fc
  .tuple(
    points,
    metres,
    fc.array(fc.double({ min: 0.5, max: 1, noNaN: true }), { minLength: 3, maxLength: 300 }),
  )
  .map(([middle, size, reaches]) => ({
    polygon: reaches.map((reach, index) => {
      const angle = (2 * Math.PI * index) / reaches.length;
      return wrap({
        latitude: middle.latitude + (Math.sin(angle) * reach * size) / METRES_PER_DEGREE,
        longitude: middle.longitude + (Math.cos(angle) * reach * size) / METRES_PER_DEGREE,
      });
    }),
  }));
const roundPoles = fc
  .tuple(fc.array(degrees(90), { minLength: 3, maxLength: 12 }), fc.boolean())
  .map(([latitudes, eastwards]) => ({
    polygon: latitudes.map((latitude, index) => ({
      latitude,
      longitude: (eastwards ? 1 : -1) * (-180 + (360 * index) / latitudes.length),
    })),
  }));
const shapes: fc.Arbitrary<Shape> = fc.oneof(
  circles,
  tangles,
  coasts,
  roundPoles,
  fc.array(points, { minLength: 3, maxLength: 9 }).map((polygon) => ({ polygon })),
  fc.constant({
    polygon: [
      { latitude: -90, longitude: -180 },
      { latitude: -90, longitude: 180 },
      { latitude: 90, longitude: 180 },
      { latitude: 90, longitude: -180 },
    ],
  }),
);

/** The position of a point relative to a shape. */
const draws = fc.tuple(
  fc.constantFrom('corner', 'edge', 'meridian', 'parallel', 'near', 'anywhere'),
  fc.nat(),
  fc.double({ min: 0, max: 1, noNaN: true }),
  parts,
  fc.constantFrom(0, 0, 1e-12, -1e-12, 1e-9, -1e-7, 1e-6, 1e-5, -1e-4, 0.01, -1),
);

type Draw = typeof draws extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function placeBy([kind, number, share, part, offset]: Draw, some: readonly Shape[]): Point {
  const shape = some[number % some.length];
  if (shape === undefined) throw new Error('no shapes');
  const corners = 'polygon' in shape ? shape.polygon : pointsOnCircle(shape);
  const from = corners[number % corners.length];
  const to = corners[(number + 1) % corners.length];
  if (from === undefined || to === undefined) throw new Error('a shape without corners');
  switch (kind) {
    case 'corner':
      return wrap({ latitude: from.latitude + offset, longitude: from.longitude });
    case 'edge':
      return wrap({
        latitude: from.latitude + share * (to.latitude - from.latitude) + offset,
        longitude: from.longitude + share * (to.longitude - from.longitude),
      });
    case 'meridian':
      return wrap({ latitude: from.latitude + part * 20, longitude: from.longitude });
    case 'parallel':
      return wrap({ latitude: from.latitude, longitude: from.longitude + part * 20 });
    case 'near':
      return wrap({
        latitude: from.latitude + part * Math.abs(to.latitude - from.latitude),
        longitude: from.longitude + (2 * share - 1) * Math.abs(to.longitude - from.longitude),
      });
    case 'anywhere':
      return { latitude: part * 90, longitude: (2 * share - 1) * 180 };
  }
}

/** Points on a circle. */
function pointsOnCircle({ point, distance }: Extract<Shape, { distance: number }>): Point[] {
  const radians = Math.PI / 180;
  const angle = Math.min(distance / 6_371_008.8, Math.PI);
  return Array.from({ length: 24 }, (_, index) => {
    const bearing = index * 15 * radians;
    const phi = point.latitude * radians;
    const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
    const latitude = Math.asin(Math.min(Math.max(sine, -1), 1));
    const east = Math.atan2(
      Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
      Math.cos(angle) - Math.sin(phi) * Math.sin(latitude),
    );
    return wrap({ latitude: latitude / radians, longitude: point.longitude + east / radians });
  });
}

const LISTS = fc
  .array(
    fc.record({
      name: fc.constantFrom('location', 'location', 'sdk_location'),
      not_filter: fc.boolean(),
      some: fc.array(shapes, { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 4, maxLength: 4 },
  )
  .map((filters) => filters.map(({ some, ...filter }) => ({ ...filter, criteria: some })));

describe('counting places by bitmaps', () => {
  const database = useTestDatabase();

  it('bitmaps of places select the same devices as rows do', async () => {
    let inside = 0;
    let outside = 0;
    await fc.assert(
      fc.asyncProperty(LISTS, fc.array(draws, { minLength: 200, maxLength: 300 }), async (lists, drawn) => {
        const { id: appId } = await insertApp(database.db);
        const some = lists.flatMap(({ criteria }) => criteria);
        await insertTargets(
          appId,
          drawn.map((draw) => placeBy(draw, some)),
        );
        await buildBitmaps(database.db, new AbortController().signal, LIMITS);
        for (const list of lists) {
          const filters = parsed([list]);
          const byRows = await selectByRows(appId, filters);
          expect(await selectByBitmaps(appId, filters), JSON.stringify(list)).toEqual(byRows);
          inside += byRows.length;
          outside += drawn.length - byRows.length;
        }
      }),
      { numRuns: RUNS },
    );
    // Enough devices must be inside, and enough outside.
    expect(Math.min(inside, outside)).toBeGreaterThan(RUNS * 50);
  }, 120_000);

  it('shapes that take too long to cover have no bitmap', () => {
    const crossing = Array.from({ length: 1_000 }, (_, index) => ({
      latitude: index % 2 === 0 ? -60 : 60,
      longitude: ((index * 7) % 340) - 170,
    }));
    const filters = parsed([
      { name: 'location', criteria: Array.from({ length: 50 }, () => ({ polygon: crossing })) },
    ]);
    expect(compileBitmap(filters, { ...OPTIONS, placeSample: [] })).toBeUndefined();
  });

  it.each([
    ['a small circle without a device of the sample is counted by rows', false, [20, 20], 40, 0, false],
    [
      'a small circle with many devices of the sample is not counted by rows',
      false,
      [-89.9, -179.9],
      40,
      0,
      true,
    ],
    ['a small circle with an empty sample is not counted by rows', false, [20, 20], 0, 0, true],
    ['a negated small circle is not counted by rows', true, [20, 20], 40, 0, true],
    [
      'a large circle without a device of the sample is not counted by rows',
      false,
      [40, 20],
      40,
      5_000,
      true,
    ],
  ])('%s', (_what, not, [latitude = 0, longitude = 0], devices, km, hasBitmap) => {
    const circle = { point: { latitude, longitude }, distance: 60 + km, unit: 'km' };
    const filters = parsed([{ name: 'location', criteria: [circle], not_filter: not }]);
    // All at place code 0: at the south pole, on the 180th meridian.
    const placeSample = Array.from({ length: devices }, () => 0);
    const bitmap = compileBitmap(filters, { ...OPTIONS, placeSample });
    expect(bitmap !== undefined).toBe(hasBitmap);
  });

  /** Every ninth has no location, and every third of the others has it by GPS. */
  async function insertTargets(appId: string, places: readonly Point[]): Promise<void> {
    const rows = places.map((place, index) => ({
      app_id: appId,
      id: randomUUID(),
      created_at: NOW,
      on_ios: index % 2 === 0,
      development: false,
      notifications_allowed: 'Unknown',
      gps: index % 9 !== 0 && index % 3 === 1,
      latitude: index % 9 === 0 ? null : place.latitude,
      longitude: index % 9 === 0 ? null : place.longitude,
    }));
    await sql`
      insert into device_targets (
        app_id, id, created_at, on_ios, development, notifications_allowed, gps, latitude, longitude)
      select app_id, id, created_at, on_ios, development, notifications_allowed, gps, latitude, longitude
      from jsonb_populate_recordset(null::device_targets, ${JSON.stringify(rows)})`.execute(database.db);
  }

  async function selectByRows(appId: string, filters: readonly Filter[]): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select d.id from device_targets as d
      where d.app_id = ${appId} and ${compileFilters(filters, { row: targetingRow(appId, NO_COLUMNS), now: NOW })}
      order by d.id`.execute(database.db);
    return rows.map(({ id }) => id);
  }

  async function selectByBitmaps(appId: string, filters: readonly Filter[]): Promise<string[]> {
    const bitmap = compileBitmap(filters, { ...OPTIONS, placeSample: [] });
    if (bitmap === undefined) throw new Error('the filters have no bitmap');
    const { rows } = await sql<{ id: string }>`
      select d.id
      from (select b.number, ${bitmap} as bits from count_bitmap_blocks as b where b.app_id = ${appId}) as built
      join (
        select id, width_bucket(id, first_ids) as number, row_number() over (
          partition by width_bucket(id, first_ids) order by place_code(latitude, longitude), id
        ) as place
        from device_targets join count_bitmap_layouts using (app_id)
        where app_id = ${appId}
      ) as d using (number)
      where get_bit(built.bits::"bit", d.place::integer - 1) = 1
      order by d.id`.execute(database.db);
    return rows.map(({ id }) => id);
  }
});
