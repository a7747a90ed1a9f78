import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { compileFilters } from '../../src/targeting/rows/compile.ts';
import type { ColumnMap } from '../../src/targeting/rows/column-map.ts';
import { devicesRow, targetingRow } from '../../src/targeting/rows/row.ts';
import { matchesDevice } from '../../src/targeting/matching-devices.ts';
import { useTestDatabase } from '../support/database.ts';
import { appWith } from './insert-devices.ts';
import { parsed } from '../filters/parsed.ts';
import { runs } from '../support/runs.ts';

type LatLon = [latitude: number, longitude: number];

const point = ([latitude, longitude]: LatLon): { latitude: number; longitude: number } => ({
  latitude,
  longitude,
});
const circle = (center: LatLon, distance: number, unit: string): object => ({
  point: point(center),
  distance,
  unit,
});
const polygon = (...points: LatLon[]): object => ({ polygon: points.map(point) });

const PARIS: LatLon = [48.8566, 2.3522];
const LONDON: LatLon = [51.5074, -0.1278];
const FIJI_WEST: LatLon = [-17, 179.9];
const FIJI_EAST: LatLon = [-17, -179.9];

/** Across the 180th meridian, 20 degrees wide. */
const FIJI_BOX = polygon([-20, 170], [-20, -170], [-10, -170], [-10, 170]);
const ARCTIC = polygon([66, -120], [66, 0], [66, 120]);
const ANTARCTIC = polygon([-66, 120], [-66, 0], [-66, -120]);
const WORLD = polygon([-90, -180], [-90, 180], [90, 180], [90, -180]);
const STAR = polygon([10, 0], [-8, 6], [3, -10], [3, 10], [-8, -6]);
/** A block of houses of some hundred metres. */
const BLOCK = polygon([48.856, 2.352], [48.857, 2.352], [48.857, 2.353], [48.856, 2.353]);

/** The mean radius of the Earth in kilometres, as the haversine formula is commonly given. */
const EARTH_RADIUS_KM = 6_371.0088;
const NO_COLUMNS: ColumnMap = {
  customColumn: () => ({ column: null, inRest: false }),
  versions: new Map(),
};

/** The point at a distance along a great circle; the bearing is in degrees from north. */
function travel([latitude, longitude]: LatLon, km: number, bearing: number): LatLon {
  const radians = Math.PI / 180;
  const [phi, theta, delta] = [latitude * radians, bearing * radians, km / EARTH_RADIUS_KM];
  const sine = Math.sin(phi) * Math.cos(delta) + Math.cos(phi) * Math.sin(delta) * Math.cos(theta);
  const east = Math.atan2(
    Math.sin(theta) * Math.sin(delta) * Math.cos(phi),
    Math.cos(delta) - Math.sin(phi) * sine,
  );
  const turned = longitude + east / radians;
  return [Math.asin(sine) / radians, ((turned + 540) % 360) - 180];
}

const database = useTestDatabase();

async function inside(place: LatLon, criterion: object): Promise<boolean> {
  const { appId, ids } = await appWith(database.db, { place: point(place) });
  const [deviceId = ''] = ids;
  const filters = parsed([{ name: 'location', criteria: [criterion] }]);
  return matchesDevice(database.db, { appId, filters, now: new Date(0), deviceId });
}

// Paris to London is 343.56 km by the haversine formula on the mean sphere.
it.each<[string, LatLon, object, boolean]>([
  ['London within 344 km of Paris', LONDON, circle(PARIS, 344, 'km'), true],
  ['London not within 343 km of Paris', LONDON, circle(PARIS, 343, 'km'), false],
  ['London within 214 miles of Paris', LONDON, circle(PARIS, 214, 'miles'), true],
  ['London not within 213 mi of Paris', LONDON, circle(PARIS, 213, 'mi'), false],
  ['London within 186 nautical miles of Paris', LONDON, circle(PARIS, 186, 'nauticalmiles'), true],
  ['London not within 185 nautical miles of Paris', LONDON, circle(PARIS, 185, 'nauticalmiles'), false],
  ['a place within an inch of itself', PARIS, circle(PARIS, 1, 'inch'), true],
  ['a place within the least radius of itself', PARIS, circle(PARIS, 5e-324, 'in'), true],
  ['a place 11 m north, within 12 meters', [48.8567, 2.3522], circle(PARIS, 12, 'meters'), true],
  ['a place 11 m north, not within 10 yards', [48.8567, 2.3522], circle(PARIS, 10, 'yards'), false],
  ['the other side of the 180th meridian', FIJI_EAST, circle(FIJI_WEST, 25, 'km'), true],
  ['the other side of the 180th meridian, back', FIJI_WEST, circle(FIJI_EAST, 25, 'km'), true],
  ['not 22 km over the 180th meridian within 20', FIJI_EAST, circle(FIJI_WEST, 20, 'km'), false],
  ['the same meridian by both its names', [10, 180], circle([10, -180], 1, 'in'), true],
  ['over the north pole', [89.9, 10], circle([89.9, -170], 23, 'km'), true],
  ['not over the north pole', [89.9, 10], circle([89.9, -170], 22, 'km'), false],
  ['the south pole by any longitude', [-90, 77], circle([-90, -100], 1, 'm'), true],
  ['the antipodes within half the way round', [0, 180], circle([0, 0], 20_016, 'km'), true],
  ['not the antipodes within less', [0, 180], circle([0, 0], 20_015, 'km'), false],
  ['anywhere within more than the way round', [-45, 100], circle([45, -80], 1e300, 'nauticalmiles'), true],
  ['the middle of a box over the 180th meridian', FIJI_WEST, FIJI_BOX, true],
  ['its other half', FIJI_EAST, FIJI_BOX, true],
  ['not the long way round', [-15, 0], FIJI_BOX, false],
  ['not just west of it', [-15, 169.9], FIJI_BOX, false],
  ['not above it', [-9.9, 180], FIJI_BOX, false],
  ['an edge', [-15, 170], FIJI_BOX, true],
  ['a corner', [-20, -170], FIJI_BOX, true],
  ['an edge along a parallel', [-10, -175], FIJI_BOX, true],
  ['the north pole in a ring around it', [90, 33], ARCTIC, true],
  ['inside a ring around the north pole, by its seam', [70, -120], ARCTIC, true],
  ['not outside a ring around the north pole', [65, 60], ARCTIC, false],
  ['not the other pole', [-90, 0], ARCTIC, false],
  ['the south pole in a ring around it', [-90, 33], ANTARCTIC, true],
  ['not outside a ring around the south pole', [-65, 60], ANTARCTIC, false],
  ['anywhere in the whole world', PARIS, WORLD, true],
  ['the pole in the whole world', [90, 0], WORLD, true],
  ['the 180th meridian in the whole world', [12, -180], WORLD, true],
  ['a tip of a star', [8, 0], STAR, true],
  ['not the middle of a star that crosses itself', [0, 0], STAR, false],
  ['inside a block of houses', [48.8565, 2.3525], BLOCK, true],
  ['not three metres west of it', [48.8565, 2.35196], BLOCK, false],
  ['not three metres above it', [48.85703, 2.3525], BLOCK, false],
  ['a ring that repeats its first point', [1, 1], polygon([0, 0], [0, 2], [2, 2], [2, 0], [0, 0]), true],
  ['a corner of a ring without area', [5, 5], polygon([5, 5], [5, 5], [5, 5]), true],
  ['not next to a ring without area', [5, 6], polygon([5, 5], [5, 5], [5, 5]), false],
  ['so close to zero that products underflow', [1e-300, -1e-300], polygon([-1, -1], [1, 1], [1, -1]), true],
  ['as close, by distance', [1e-300, 1e-300], circle([-1e-300, 0], 1, 'm'), true],
])('a filter on places is right about %s', async (_what, place, criterion, expected) => {
  expect(await inside(place, criterion)).toBe(expected);
});

it('a circle agrees with the haversine formula within 0.5 %, at any point and distance', async () => {
  const latitudes = fc.double({ min: -90, max: 90, noNaN: true });
  const longitudes = fc.double({ min: -180, max: 180, noNaN: true });
  const radii = fc.double({ min: -3, max: Math.log10(19_000), noNaN: true }).map((power) => 10 ** power);
  const bearings = fc.integer({ min: 0, max: 359 });
  await fc.assert(
    fc.asyncProperty(latitudes, longitudes, radii, bearings, async (latitude, longitude, km, bearing) => {
      const filters = parsed([{ name: 'location', criteria: [circle([latitude, longitude], km, 'km')] }]);
      const answers = [0.995, 1.005].map((share) => {
        const [y, x] = travel([latitude, longitude], share * km, bearing);
        return sql`(
          select array[
            coalesce(${compileFilters(filters, { row: devicesRow(randomUUID()), now: new Date(0) })}, false),
            coalesce(${compileFilters(filters, { row: targetingRow(randomUUID(), NO_COLUMNS), now: new Date(0) })}, false)
          ]
          from (values (${y}::float8, ${x}::float8, null::float8, null::float8))
            as d (latitude, longitude, sdk_latitude, sdk_longitude)
        )`;
      });
      const { rows } = await sql<{ near: boolean[]; far: boolean[] }>`
        select ${answers[0]} as near, ${answers[1]} as far`.execute(database.db);
      expect(rows).toEqual([{ near: [true, true], far: [false, false] }]);
    }),
    { numRuns: runs(60) },
  );
});

it('a circle uses the GPS coordinates for both names, and the others for `location` alone', async () => {
  const [place, gps] = [point(PARIS), point(LONDON)];
  const { appId, ids } = await appWith(database.db, { place, gps }, { place }, { gps }, {});
  const matched = async (name: string, center: LatLon, not: boolean): Promise<boolean[]> =>
    Promise.all(
      ids.map(async (deviceId) =>
        matchesDevice(database.db, {
          appId,
          filters: parsed([{ name, criteria: [circle(center, 1, 'km')], not_filter: not }]),
          now: new Date(0),
          deviceId,
        }),
      ),
    );
  expect(await matched('location', PARIS, false)).toEqual([false, true, false, false]);
  expect(await matched('location', LONDON, false)).toEqual([true, false, true, false]);
  expect(await matched('sdk_location', PARIS, false)).toEqual([false, false, false, false]);
  expect(await matched('sdk_location', LONDON, false)).toEqual([true, false, true, false]);
  expect(await matched('sdk_location', LONDON, true)).toEqual([false, true, false, true]);
});
