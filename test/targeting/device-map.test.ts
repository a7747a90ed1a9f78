import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countCells } from '../../src/targeting/device-map/device-map-store.ts';
import { openDeviceMap } from '../../src/targeting/device-map/device-map.ts';
import { boxOf, cellsOver, middleOf } from '../../src/targeting/device-map/grid.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { deviceWith, insertDevices } from './insert-devices.ts';

const database = useTestDatabase();
const WORLD = { south: -90, west: -180, north: 90, east: 180 };

type Spot = { latitude: number; longitude: number };

async function appWith(...spots: [Spot, number][]): Promise<string> {
  const { id } = await insertApp(database.db);
  const devices = spots.flatMap(([place, many]) =>
    Array.from({ length: many }, () => deviceWith(randomUUID(), { place })),
  );
  await insertDevices(database.db, id, devices);
  return id;
}

const PARIS = { latitude: 48.8566, longitude: 2.3522 };
const OSLO = { latitude: 59.9139, longitude: 10.7522 };

const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });

describe('the grid', () => {
  test('the grid covers every box with at most 48 cells in each direction, and at least one', () => {
    fc.assert(
      fc.property(degrees(90), degrees(90), degrees(180), degrees(180), (a, b, c, d) => {
        const box = {
          south: Math.min(a, b),
          north: Math.max(a, b),
          west: Math.min(c, d),
          east: Math.max(c, d),
        };
        const range = cellsOver(box);
        expect(range.right - range.left).toBeGreaterThan(0);
        expect(range.bottom - range.top).toBeGreaterThan(0);
        expect(range.right - range.left).toBeLessThanOrEqual(49);
        expect(range.bottom - range.top).toBeLessThanOrEqual(49);
        const covered = boxOf(range);
        expect(covered.west).toBeLessThanOrEqual(box.west + 1e-9);
        expect(covered.east).toBeGreaterThanOrEqual(box.east - 1e-9);
        expect(covered.south).toBeLessThanOrEqual(Math.max(box.south, -85.05) + 1e-9);
        expect(covered.north).toBeGreaterThanOrEqual(Math.min(box.north, 85.05) - 1e-9);
      }),
    );
  });

  test('the grid has no cell smaller than a kilometre', () => {
    const range = cellsOver({ south: 48.85, west: 2.35, north: 48.8501, east: 2.3501 });
    expect(360 / 2 ** range.level).toBeGreaterThan(0.01);
  });
});

describe('the counts of cells', () => {
  test('a cell has the count of its devices, and is not shown with fewer than 5', async () => {
    const appId = await appWith([PARIS, 5], [OSLO, 4]);
    const range = cellsOver(WORLD);
    const { cells, oneOf } = await countCells(database.db, appId, range);
    expect(oneOf).toBe(1);
    expect(cells.map(({ devices }) => devices)).toEqual([5]);
    const [cell] = cells;
    const half = 360 / 2 ** range.level / 2;
    expect(Math.abs((cell?.longitude ?? 0) - PARIS.longitude)).toBeLessThanOrEqual(half);
    expect(Math.abs((cell?.latitude ?? 0) - PARIS.latitude)).toBeLessThanOrEqual(half);
  });

  test('the counts of cells are only of the box, and of the app', async () => {
    await appWith([PARIS, 9]);
    const appId = await appWith([PARIS, 6], [OSLO, 7]);
    const { cells } = await countCells(
      database.db,
      appId,
      cellsOver({ south: 55, west: 5, north: 65, east: 15 }),
    );
    expect(cells.map(({ devices }) => devices)).toEqual([7]);
  });

  test('the counts of cells include the poles and both sides of the 180th meridian', async () => {
    const appId = await appWith(
      [{ latitude: 90, longitude: 0 }, 5],
      [{ latitude: -90, longitude: 180 }, 5],
      [{ latitude: 0, longitude: -180 }, 5],
    );
    const { cells } = await countCells(database.db, appId, cellsOver(WORLD));
    expect(cells.map(({ devices }) => devices)).toEqual([5, 5, 5]);
  });

  test('the counts of cells are estimated from a share if there are too many devices', async () => {
    const appId = await appWith([PARIS, 2_000]);
    const { cells, oneOf } = await countCells(database.db, appId, cellsOver(WORLD), 500);
    expect(oneOf).toBe(16);
    // A binomial of 2,000 devices with a chance of 1/16 is within 6 deviations of 125.
    const [cell] = cells;
    expect(cell?.devices).toBeGreaterThan(16 * 60);
    expect(cell?.devices).toBeLessThan(16 * 190);
  });

  test('the middle of every cell is in the cell itself', () => {
    const middle = middleOf(6, 32, 20);
    const box = boxOf({ level: 6, left: 32, right: 33, top: 20, bottom: 21 });
    expect(middle.latitude).toBeGreaterThan(box.south);
    expect(middle.latitude).toBeLessThan(box.north);
    expect(middle.longitude).toBeGreaterThan(box.west);
    expect(middle.longitude).toBeLessThan(box.east);
  });
});

describe('the cache', () => {
  test('the cache serves the same cells for five minutes, to all callers at once, and then counts again', async () => {
    const appId = await appWith([PARIS, 5]);
    let now = new Date('2026-03-01T00:00:00Z');
    let queries = 0;
    const map = openDeviceMap({
      db: database.db,
      clock: () => now,
      run: async (work) => {
        queries += 1;
        return work();
      },
    });
    const [first, second] = await Promise.all([map.read(appId, WORLD), map.read(appId, WORLD)]);
    expect(second).toBe(first);
    await database.db.deleteFrom('devices').where('app_id', '=', appId).execute();
    now = new Date('2026-03-01T00:05:00Z');
    expect((await map.read(appId, WORLD)).cells).toHaveLength(1);
    now = new Date('2026-03-01T00:05:01Z');
    expect((await map.read(appId, WORLD)).cells).toEqual([]);
    expect(queries).toBe(2);
  });

  test('the cache keeps no failure', async () => {
    const appId = await appWith([PARIS, 5]);
    let fails = true;
    const map = openDeviceMap({
      db: database.db,
      clock: () => new Date(0),
      run: async (work) => {
        if (fails) throw new Error('the database is away');
        return work();
      },
    });
    await expect(map.read(appId, WORLD)).rejects.toThrow('away');
    fails = false;
    expect((await map.read(appId, WORLD)).cells).toHaveLength(1);
  });
});
