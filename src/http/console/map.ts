/**
 * Serves the map to the console: its outlines, `/console/map/world` and `/console/map/<row>-<column>`, and names of places,
 * `/console/map/places` with `?find=<text>`, `?at=<latitude>,<longitude>&within_km=<radius>` or `?in=<west>,<south>,<east>,<north>`.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../api/errors.ts';
import { openOutlines } from '../../console/map/outlines.ts';
import { type Places, readPlaces } from '../../console/map/places.ts';
import { parseBy } from '../../api/parse.ts';

/** The outlines change only with a release. */
const CACHED = 'public, max-age=86400';

const FIND_CHARACTERS_MAX = 100;
const RADIUS_KM_MAX = 20_100;

/** So many degrees with commas between them. */
function degrees(count: number, message: string) {
  const each = String.raw`-?\d{1,3}(?:\.\d{1,20})?`;
  const text = z.string().regex(new RegExp(`^${each}(?:,${each}){${count - 1}}$`), message);
  return text.transform((written) => written.split(',').map(Number)).optional();
}

const placesQuery = z
  .strictObject({
    find: z.string().max(FIND_CHARACTERS_MAX).optional(),
    at: degrees(2, 'must be a latitude, a comma and a longitude').refine(
      ([latitude = 0] = []) => Math.abs(latitude) <= 90,
      'must begin with a latitude of -90 to 90',
    ),
    within_km: z.coerce.number('must be a number').min(0).max(RADIUS_KM_MAX).optional(),
    in: degrees(4, 'must be four degrees: west, south, east, north'),
  })
  .refine(
    ({ find, at, in: box }) => [find, at, box].filter((one) => one !== undefined).length === 1,
    'must have one of find, at and in',
  )
  .refine(
    ({ at, within_km: radius }) => (at === undefined) === (radius === undefined),
    'must have at and within_km together',
  );

export function addMap(server: FastifyInstance): void {
  let places: Promise<Places> | undefined;
  server.get('/console/map/places', async ({ query }, reply) => {
    const { find = '', at, within_km: radiusKm = 0, in: box } = parseBy(placesQuery, query);
    places ??= readPlaces();
    const known = await places.catch((error: unknown) => {
      places = undefined; // the next request tries again
      throw error;
    });
    void reply.header('cache-control', CACHED);
    if (box !== undefined) {
      const [west = 0, south = 0, east = 0, north = 0] = box;
      return { places: known.inside({ west, south, east, north }) };
    }
    const [latitude = 0, longitude = 0] = at ?? [];
    return { places: at === undefined ? known.find(find) : known.near({ latitude, longitude }, radiusKm) };
  });

  const outlines = openOutlines();
  server.addHook('onClose', async () => outlines.close());
  server.get<{ Params: { name: string } }>('/console/map/:name', async ({ params, headers }, reply) => {
    const outline = await outlines.read(params.name);
    if (outline === undefined) throw new ApiError('not_found');
    void reply.header('etag', outline.etag).header('cache-control', CACHED).header('vary', 'accept-encoding');
    if (headers['if-none-match'] === outline.etag) return reply.code(304).send();
    const zips = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
    if (zips) void reply.header('content-encoding', 'gzip');
    return reply.type('application/json').send(zips ? outline.gzipped : outline.json);
  });
}
