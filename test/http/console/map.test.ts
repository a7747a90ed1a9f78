import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TILES, WORLD_SIZE } from '../../../src/console/map/draw-outlines.ts';
import { useApi } from '../api.ts';

const api = useApi();
const outlines = z.strictObject({ land: z.string(), borders: z.string() });

const get = async (name: string, headers: Record<string, string> = {}) =>
  api.server.inject({ method: 'GET', url: `/console/map/${name}`, headers });

/** The corners of a path. */
function cornersOf(path: string): [number, number][] {
  expect(path).toMatch(/^(?:[MLZ]|-?\d+(?:,-?\d+)?)*$/);
  return [...path.matchAll(/(-?\d+),(-?\d+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

function shareOf(longitude: number, latitude: number): [number, number] {
  const y = (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2;
  return [((longitude + 180) / 360) * WORLD_SIZE, y * WORLD_SIZE];
}

/** Even-odd, as SVG fills a path of rings. */
function covers(path: string, longitude: number, latitude: number): boolean {
  const [px, py] = shareOf(longitude, latitude);
  let isInside = false;
  for (const ring of path.split('Z').filter((text) => text !== '')) {
    const corners = cornersOf(ring);
    for (const [index, [ax, ay]] of corners.entries()) {
      const [bx, by] = corners[(index + 1) % corners.length] ?? [0, 0];
      if (ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax) isInside = !isInside;
    }
  }
  return isInside;
}

describe('the outlines of the map', () => {
  test('the outlines of the world have land where it is, and none in the sea', async () => {
    const reply = await get('world');
    expect(reply.statusCode).toBe(200);
    const { land, borders } = outlines.parse(reply.json());
    expect([
      covers(land, 2.35, 48.86),
      covers(land, 137, -25),
      covers(land, -100, 40),
      covers(land, -30, 0),
      covers(land, 170, 0),
    ]).toEqual([true, true, true, false, false]);
    for (const [x, y] of [...cornersOf(land), ...cornersOf(borders)]) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(-1);
      expect(Math.max(x, y)).toBeLessThanOrEqual(WORLD_SIZE + 1);
    }
  });

  test('the outlines in detail are within their tiles, and together have every place', async () => {
    const size = WORLD_SIZE / TILES;
    const places: [number, number, boolean][] = [
      [2.35, 48.86, true],
      [178.4, -18.1, true],
      [-0.1, 51.5, true],
      [14.4, 35.9, true],
      [-40, 30, false],
    ];
    for (const [longitude, latitude, isLand] of places) {
      const [x, y] = shareOf(longitude, latitude);
      const [column, row] = [Math.floor(x / size), Math.floor(y / size)];
      const { land } = outlines.parse((await get(`${row}-${column}`)).json());
      expect(covers(land, longitude, latitude), `${longitude}, ${latitude}`).toBe(isLand);
      for (const [cornerX, cornerY] of cornersOf(land)) {
        expect(Math.abs(cornerX - (column + 0.5) * size)).toBeLessThanOrEqual(size / 2 + 1);
        expect(Math.abs(cornerY - (row + 0.5) * size)).toBeLessThanOrEqual(size / 2 + 1);
      }
    }
  });

  test('the outlines of the map may be kept by a browser, and come compressed', async () => {
    const { headers, rawPayload, body } = await get('world', { 'accept-encoding': 'gzip' });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=86400',
    });
    expect(gunzipSync(rawPayload).toString()).toBe((await get('world')).body);
    expect(body.length).toBeLessThan(60_000);
    const again = await get('world', { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test.each(['8-0', '0-8', 'none', '..%2fworld', '1'])('the outlines of %s do not exist', async (name) => {
    expect((await get(name)).statusCode).toBe(404);
  });
});
