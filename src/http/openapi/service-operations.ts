import type { Operation } from './operation.ts';

export const serviceOperations: readonly Operation[] = [
  {
    id: 'readLiveness',
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the process answers',
    scopes: [],
    replies: [
      { status: 200, description: 'It does.', content: { schema: 'Liveness', example: { status: 'up' } } },
    ],
  },
  {
    id: 'readReadiness',
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether calls are taken and pushes delivered',
    description:
      'Without its queue the service is ready all the same: what it would ring for is found within a second or so.',
    scopes: [],
    replies: [
      {
        status: 200,
        description: 'They are.',
        content: { schema: 'Readiness', example: { status: 'up', database: 'up', queue: 'up' } },
      },
      {
        status: 503,
        description: 'They are not; `reason` says why.',
        content: {
          schema: 'Readiness',
          example: {
            status: 'down',
            database: 'down',
            queue: 'up',
            reason: 'The database does not answer.',
          },
        },
      },
    ],
  },
  {
    id: 'readMetrics',
    method: 'get',
    path: '/metrics',
    tag: 'Service',
    summary: 'What Prometheus scrapes',
    description: 'Where the metrics have a port of their own it is on that one alone.',
    scopes: [],
    replies: [
      {
        status: 200,
        description: 'Every metric, as text.',
        content: {
          mediaType: 'text/plain',
          example: '# TYPE carillon_pushes_total counter\ncarillon_pushes_total{gateway="apns"} 4711\n',
        },
      },
    ],
    errors: ['internal'],
  },
  {
    id: 'readApiDocument',
    method: 'get',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This document',
    scopes: [],
    replies: [
      {
        status: 200,
        description: 'OpenAPI 3.1.',
        content: { schema: 'ApiDocument', example: { openapi: '3.1.1' } },
      },
    ],
  },
  {
    id: 'readApiPage',
    method: 'get',
    path: '/docs',
    tag: 'Service',
    summary: 'This document as a page to read',
    scopes: [],
    replies: [
      {
        status: 200,
        description: 'HTML that needs nothing else.',
        content: { mediaType: 'text/html', example: '<!doctype html>' },
      },
    ],
  },
];
