import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from '../api.ts';

const api = useApi();
const found = z.strictObject({
  places: z.array(
    z.strictObject({
      name: z.string(),
      region: z.string(),
      country: z.string(),
      latitude: z.number(),
      longitude: z.number(),
      population: z.int().min(0),
      distance_km: z.number().optional(),
    }),
  ),
});

const get = async (query: Record<string, string>) =>
  api.server.inject({ method: 'GET', url: '/console/map/places', query });
const placesFor = async (query: Record<string, string>) => found.parse((await get(query)).json()).places;
const firstFor = async (find: string): Promise<string | undefined> => {
  const [first] = await placesFor({ find });
  return first && `${first.name}, ${first.country}`;
};

describe('places of the map', () => {
  test.each([
    ['lyo', 'Lyon, France'],
    ['LYON', 'Lyon, France'],
    ['São Pau', 'Sao Paulo, Brazil'],
    ['sao pau', 'Sao Paulo, Brazil'],
    ['Saint Étie', 'Saint-Etienne, France'],
    ['york', 'York, United Kingdom'],
    ['new yor', 'New York, United States of America'],
    ['vienna aus', 'Vienna, Austria'],
    ['springfield miss', 'Springfield, United States of America'],
  ])('the text "%s" finds %s', async (text, name) => {
    expect(await firstFor(text)).toBe(name);
  });

  test('the places that a text finds are at most ten, those that begin with it first, the largest first', async () => {
    const places = await placesFor({ find: 'san' });
    expect(places).toHaveLength(10);
    const populations = places.map(({ population }) => population);
    expect(populations).toEqual(populations.toSorted((left, right) => right - left));
    expect(places.every(({ name }) => name.toLowerCase().startsWith('san'))).toBe(true);
  });

  test.each(['', '  ', "'", 'no such town anywhere', '\u0301', '('])(
    'no place is found for the text "%s"',
    async (find) => {
      expect(await placesFor({ find })).toEqual([]);
    },
  );

  test('a circle is named by the largest places in it', async () => {
    const lyon = { at: '45.75,4.85', within_km: '20' };
    expect((await placesFor(lyon))[0]).toMatchObject({ name: 'Lyon', distance_km: 3 });
    const [first, ...others] = await placesFor({ at: '48.86,2.35', within_km: '250' });
    expect([first?.name, others.length]).toEqual(['Paris', 2]);
  });

  test('a circle without a place in it is named by the nearest one, and none in the middle of the ocean is named', async () => {
    const [nearest, ...others] = await placesFor({ at: '46.2,5.2', within_km: '0.5' });
    expect([typeof nearest?.name, others]).toEqual(['string', []]);
    expect(await placesFor({ at: '-48.9,-123.4', within_km: '5' })).toEqual([]);
  });

  test('a circle across the 180th meridian has the places of both sides', async () => {
    const places = await placesFor({ at: '-17.5,-179.9', within_km: '400' });
    expect(places.map(({ country }) => country)).toContain('Fiji');
  });

  test('the places in a box are at most sixty of those inside it, the largest first', async () => {
    const france = { west: -5, south: 42, east: 8, north: 51 };
    const places = await placesFor({ in: Object.values(france).join(',') });
    expect([places.length, places[0]?.name]).toEqual([60, 'Paris']);
    const populations = places.map(({ population }) => population);
    expect(populations).toEqual(populations.toSorted((left, right) => right - left));
    const isInside = places.every(
      ({ latitude, longitude }) =>
        latitude >= france.south &&
        latitude <= france.north &&
        longitude >= france.west &&
        longitude <= france.east,
    );
    expect(isInside).toBe(true);
    expect(await placesFor({ in: '-124,-49,-123,-48' })).toEqual([]);
  });

  test.each([
    [{}],
    [{ find: 'a', at: '1,2', within_km: '3' }],
    [{ at: '1,2' }],
    [{ within_km: '3' }],
    [{ at: 'here', within_km: '3' }],
    [{ at: '91,2', within_km: '3' }],
    [{ at: '1,2', within_km: 'far' }],
    [{ at: '1,2', within_km: '-1' }],
    [{ find: 'x'.repeat(101) }],
    [{ find: 'a', other: 'b' }],
    [{ in: '1,2,3' }],
    [{ in: '1,2,3,4', find: 'a' }],
    [{ in: '1,2,3,4', within_km: '3' }],
  ])('the query %j is refused', async (query) => {
    expect((await get(query)).statusCode).toBe(422);
  });
});
