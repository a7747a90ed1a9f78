/** What Prometheus scrapes. */
import type { FastifyInstance } from 'fastify';

export interface MetricsPage {
  contentType: string;
  write: () => Promise<string>;
}

/** `GET /metrics`: every metric as text, without a key. */
export function addMetricsRoute(server: FastifyInstance, { contentType, write }: MetricsPage): void {
  server.get('/metrics', async (_request, reply) => reply.type(contentType).send(await write()));
}
