/** The metrics, and the description of the API: `/openapi.json` for programs, `/docs` for people. */
import { z } from 'zod';
import { callsWithoutKey, jsonReply } from '../call.ts';
import { sendPage } from '../reference/reference-page.ts';

export interface MetricsPage {
  contentType: string;
  write: () => Promise<string>;
}

export const metricsCall = callsWithoutKey<{ metrics: MetricsPage }>('Service')({
  id: 'readMetrics',
  address: 'GET /metrics',
  summary: 'Read the metrics, for Prometheus',
  description: 'If `METRICS_PORT` is set, only on that port.',
  replies: [
    {
      status: 200,
      description: 'All metrics, as text.',
      mediaType: 'text/plain',
      example: '# TYPE carillon_pushes_total counter\ncarillon_pushes_total{gateway="apns"} 4711\n',
    },
  ],
  errors: ['internal'],
  handle: async ({ metrics }, reply) => reply.type(metrics.contentType).send(await metrics.write()),
});

const documentReply = z
  .looseObject({ openapi: z.string() })
  .describe('OpenAPI 3.1')
  .meta({ id: 'ApiDocument' });

const call = callsWithoutKey<{ document: string }>('Service');

export const descriptionCalls = [
  call({
    id: 'readApiDocument',
    address: 'GET /openapi.json',
    summary: 'This document',
    replies: [jsonReply(200, 'OpenAPI 3.1.', documentReply, { openapi: '3.1.1' })],
    handle: async ({ document }, reply) => reply.type('application/json').send(document),
  }),
  call({
    id: 'readApiPage',
    address: 'GET /docs',
    summary: 'This document as a page',
    replies: [
      {
        status: 200,
        description: 'HTML, with scripts and styles from `/docs/`.',
        mediaType: 'text/html',
        example: '<!doctype html>',
      },
    ],
    handle: async (_deps, reply) => sendPage(reply),
  }),
];
