/** The API reference at `/docs`: Swagger UI shows `/openapi.json`. Every file comes from this server. */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The browser loads all files, images and the document from this server, and contacts no other. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

const files = [
  {
    name: 'swagger-ui-bundle.js',
    type: JAVASCRIPT,
    url: new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  { name: 'swagger-ui.css', type: CSS, url: new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css')) },
  { name: 'page.js', type: JAVASCRIPT, url: new URL('page.js', import.meta.url) },
  { name: 'page.css', type: CSS, url: new URL('page.css', import.meta.url) },
  { name: 'mark.svg', type: 'image/svg+xml', url: new URL('mark.svg', import.meta.url) },
];

const PAGE = new URL('page.html', import.meta.url);

/** The files of the page are not calls of the API, so the document does not list them. */
export function addPageFiles(server: FastifyInstance): void {
  for (const { name, type, url } of files) {
    server.get(`/docs/${name}`, async (_request, reply) =>
      guarded(reply)
        .type(type)
        .header('cache-control', 'public, max-age=3600')
        .send(await readFile(url)),
    );
  }
}

export async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
  // The page refers to its files relative to `/docs`; relative to `/docs/` they would not be found.
  if (/^[^?]*\/(?:\?|$)/.test(reply.request.url)) return reply.redirect('../docs', 308);
  return guarded(reply)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .send(await readFile(PAGE));
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply.header('referrer-policy', 'no-referrer');
}
