/** Serves the console at `/console`: one page for each of its addresses, and the files that the page loads. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../api/errors.ts';
import { BUNDLE, readBundledFile, readManifest } from './bundle.ts';
import { POLICY, shellHtml } from './shell.ts';

const A_YEAR = 'public, max-age=31536000, immutable';

const zipped = promisify(gzip);

/** @param folder the path of the bundle, which may be made again while the server runs */
export function addConsolePages(server: FastifyInstance, folder = BUNDLE): void {
  server.get('/console', async (request, reply) => sendShell(folder, request, reply));
  server.get('/console/*', async (request, reply) => {
    // A program that asks for JSON has mistyped the address of a call.
    if (request.headers.accept === 'application/json') throw new ApiError('not_found');
    return sendShell(folder, request, reply);
  });

  server.get<{ Params: { name: string } }>('/console/assets/:name', async ({ params, headers }, reply) => {
    const file = await readBundledFile(folder, params.name, headers['accept-encoding'] ?? '');
    if (file === undefined) throw new ApiError('not_found');
    if (file.encoding !== undefined) void reply.header('content-encoding', file.encoding);
    return reply
      .type(file.type)
      .header('cache-control', file.isExact ? A_YEAR : 'no-store')
      .header('vary', 'accept-encoding')
      .send(file.bytes);
  });
}

async function sendShell(
  folder: string,
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) {
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The console has not been bundled. Run "npm run bundle" in the folder of Carillon.\n');
  }
  const html = shellHtml(raw.url ?? '', manifest);
  const zips = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  if (zips) void reply.header('content-encoding', 'gzip');
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('vary', 'accept-encoding')
    .send(zips ? await zipped(html) : html);
}
