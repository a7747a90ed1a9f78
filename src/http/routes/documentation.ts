/** The API's own description, for programs and for people. Neither asks for a key. */
import type { FastifyInstance } from 'fastify';
import { apiDocument } from '../openapi/document.ts';
import { pagePolicy, renderPage } from '../openapi/page.ts';

/** `GET /openapi.json` and `GET /docs`. */
export function addDocumentationRoutes(server: FastifyInstance): void {
  const document = apiDocument();
  const documentText = JSON.stringify(document);
  const page = renderPage(document);

  server.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(documentText));

  server.get('/docs', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', pagePolicy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(page),
  );
}
