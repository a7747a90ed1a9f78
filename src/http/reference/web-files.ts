/** The files that a site copies for Web Push, of the version that runs. A page of another origin may also import them from here. */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

const files = [
  ['carillon-web.js', new URL(import.meta.resolve('@carillon/web'))],
  ['carillon-text.js', new URL(import.meta.resolve('@carillon/web/carillon-text.js'))],
  ['carillon-sw.js', new URL(import.meta.resolve('@carillon/web/carillon-sw.js'))],
] as const;

/** It holds for a worker that is one of them: that of other replies would keep it from reporting anything. */
const POLICY = "object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

export function addWebFiles(server: FastifyInstance): void {
  for (const [name, url] of files) {
    server.get(`/web/${name}`, async (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('content-security-policy', POLICY)
        .header('access-control-allow-origin', '*')
        .header('cache-control', 'public, max-age=3600')
        .send(await readFile(url)),
    );
  }
}
