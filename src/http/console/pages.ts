/** Serves the console at `/console`: one page for each of its addresses, and the files that the page loads. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../api/errors.ts';
import { type Assets, openAssets } from './assets.ts';
import { baseOf, makeShell, type Shell } from './shell.ts';

const A_YEAR = 'public, max-age=31536000, immutable';

interface Opened {
  assets: Assets;
  shell: Shell;
}

/** The files are read when the first page is asked for. */
export function addConsolePages(server: FastifyInstance): void {
  let opened: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    opened ??= openAssets().then((assets) => ({ assets, shell: makeShell(assets) }));
    return opened;
  };

  const sendShell = async (url: string, reply: FastifyReply): Promise<FastifyReply> => {
    const { shell } = await open();
    return guarded(reply)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', shell.policy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-store')
      .send(shell.html(baseOf(url)));
  };
  server.get('/console', async (request, reply) => sendShell(request.raw.url ?? '', reply));
  server.get('/console/*', async (request, reply) => {
    // A program that asks for JSON has mistyped the address of a call.
    if (request.headers.accept === 'application/json') throw new ApiError('not_found');
    return sendShell(request.raw.url ?? '', reply);
  });

  server.get<{ Params: { hash: string; '*': string } }>(
    '/console/assets/:hash/*',
    async ({ params, headers }, reply) => {
      const { assets } = await open();
      const asset = await assets.read(params['*']);
      if (asset === undefined) throw new ApiError('not_found');
      // During an upgrade, a page of one release may get files of another one, which the browser must not keep.
      const isCurrent = params.hash === assets.hash;
      const zips = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
      if (zips) void reply.header('content-encoding', 'gzip');
      return guarded(reply)
        .type(asset.type)
        .header('cache-control', isCurrent ? A_YEAR : 'no-store')
        .header('vary', 'accept-encoding')
        .send(zips ? asset.gzipped : asset.bytes);
    },
  );
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
}
