import { cursorQuery, listQuery } from '../audience-body.ts';
import type { Operation } from './operation.ts';
import { audience, audienceCursor, audienceSummary, device, deviceCursor, filters } from './samples.ts';

export const audienceOperations: readonly Operation[] = [
  {
    id: 'listAudiences',
    method: 'get',
    path: '/v6/audiences',
    tag: 'Audiences',
    summary: 'List audiences, oldest first',
    description: 'Go on with `meta.cursor` until it is null.',
    scopes: ['read'],
    query: { schema: listQuery, example: { per: 10, cursor: audienceCursor, page: 1 } },
    replies: [
      {
        status: 200,
        description: 'A page of them, without counts.',
        content: {
          schema: 'AudienceList',
          example: { audiences: [audienceSummary], meta: { cursor: null } },
        },
      },
    ],
  },
  {
    id: 'readAudience',
    method: 'get',
    path: '/v6/audiences/{audience_id}',
    tag: 'Audiences',
    summary: 'Read an audience with its device count',
    scopes: ['read'],
    replies: [
      { status: 200, description: 'The audience.', content: { schema: 'Audience', example: { audience } } },
    ],
  },
  {
    id: 'createAudience',
    method: 'post',
    path: '/v6/audiences',
    tag: 'Audiences',
    summary: 'Name an audience',
    description: 'Always makes a new one, also where another has the same filters or the same name.',
    scopes: ['write'],
    body: { schema: 'CreateAudience', example: { audience: { name: audience.name, filters } } },
    replies: [
      {
        status: 201,
        description: 'The new audience.',
        content: { schema: 'Audience', example: { audience } },
      },
    ],
  },
  {
    id: 'deleteAudience',
    method: 'delete',
    path: '/v6/audiences/{audience_id}',
    tag: 'Audiences',
    summary: 'Delete an audience',
    description:
      'Notifications that were sent to it stay as they are. The same filters make a new audience, with a new id.',
    scopes: ['write'],
    replies: [{ status: 204, description: 'It is gone.' }],
    errors: ['audience_in_use', 'audience_built_in'],
  },
  {
    id: 'countAudience',
    method: 'post',
    path: '/v6/audiences/count',
    tag: 'Audiences',
    summary: 'Count the devices that filters select',
    description: 'Stores nothing.',
    scopes: ['read'],
    body: { schema: 'CountAudience', example: { filters } },
    replies: [
      {
        status: 200,
        description: 'The count.',
        content: { schema: 'DeviceCount', example: { device_count: 1, reachable_count: 1 } },
      },
    ],
  },
  {
    id: 'listAudienceDevices',
    method: 'get',
    path: '/v6/audiences/{audience_id}/devices',
    tag: 'Audiences',
    summary: 'List the devices of an audience',
    description:
      '100 a page, in the order of their ids. Go on with `meta.cursor` until `devices` is empty; a device that ' +
      'stays is neither skipped nor repeated meanwhile.',
    scopes: ['read'],
    query: { schema: cursorQuery, example: { cursor: deviceCursor } },
    replies: [
      {
        status: 200,
        description: 'A page of them.',
        content: {
          schema: 'AudienceDevices',
          example: { meta: { cursor: deviceCursor, total: 1 }, devices: [device] },
        },
      },
    ],
  },
  {
    id: 'explainDevice',
    method: 'get',
    path: '/v6/audiences/{audience_id}/devices/{device_id}',
    tag: 'Audiences',
    summary: 'Ask why a device is in an audience or not',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'The answer of each filter, in their canonical order.',
        content: {
          schema: 'Explanation',
          example: { matches: true, filters: audience.filters.map(({ name }) => ({ name, matches: true })) },
        },
      },
    ],
  },
];
