/** Serves the outlines of the map to the console: `/console/map/world`, `/console/map/<row>-<column>`. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../api/errors.ts';
import { openOutlines } from '../../console/map/outlines.ts';

/** The outlines change only with a release. */
const CACHED = 'public, max-age=86400';

export function addMapOutlines(server: FastifyInstance): void {
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
