import type { Operation } from './operation.ts';
import { customPlan, device, registration, USER_ID } from './samples.ts';

const events = {
  events: [{ name: 'purchase', date: '2026-11-20T18:30:00Z' }, { name: 'viewed_offer' }],
};

const importLines = [
  { platform: 'Android', push_token: 'imported-1', locale: 'de_DE', tags: ['news'] },
  { platform: 'Android', push_token: 'imported-2', locale: 'Deutsch' },
];

export const deviceOperations: readonly Operation[] = [
  {
    id: 'registerDevice',
    method: 'post',
    path: '/v6/devices',
    tag: 'Devices',
    summary: 'Register a device',
    description:
      'An app may call this at every start. A key with `register` alone is the one to embed in an app. What is ' +
      'left out of a known device stays as it is, `null` clears.',
    scopes: ['register'],
    body: { schema: 'RegisterDevice', example: registration },
    replies: [
      {
        status: 201,
        description: 'Nothing leads to a device that the app has: it is new.',
        content: { schema: 'ToldDevice', example: { device } },
      },
      {
        status: 200,
        description:
          'A device has the `id`, has or had the push token, or the one before it; it is updated and keeps its id.',
        content: { schema: 'ToldDevice', example: { device } },
      },
    ],
    errors: ['device_erased'],
  },
  {
    id: 'importDevices',
    method: 'post',
    path: '/v6/devices/import',
    tag: 'Devices',
    summary: 'Import devices',
    description:
      'Every line counts for itself; a bad one loses no other. Where the import breaks off, what was stored ' +
      'stays, and all of it may be sent again. 10,000 rejected lines in a row break it off.',
    scopes: ['admin'],
    body: {
      mediaType: 'application/x-ndjson',
      description: 'A `DeviceRegistration` a line, at most 64 KiB each; any number of lines.',
      example: importLines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    },
    replies: [
      {
        status: 200,
        description: 'What became of the lines.',
        content: {
          schema: 'ImportResult',
          example: {
            imported: 1,
            updated: 0,
            unchanged: 0,
            rejected_count: 1,
            rejected: [{ line: 2, error: 'locale: must be a language and a country such as en_GB' }],
          },
        },
      },
    ],
  },
  {
    id: 'readDevice',
    method: 'get',
    path: '/v6/devices/{device_id}',
    tag: 'Devices',
    summary: 'Read a device',
    scopes: ['read'],
    replies: [
      { status: 200, description: 'The device.', content: { schema: 'OneDevice', example: { device } } },
    ],
  },
  {
    id: 'updateDevice',
    method: 'put',
    path: '/v6/devices/{device_id}',
    tag: 'Devices',
    summary: 'Update a device',
    description:
      'What is left out stays as it is, `null` clears. A push token that another device has is taken from it.',
    scopes: ['register'],
    body: { schema: 'UpdateDevice', example: { device: { app_version: '2.11', tags: ['news'] } } },
    replies: [
      {
        status: 200,
        description: 'The device as it is now.',
        content: {
          schema: 'ToldDevice',
          example: { device: { ...device, app_version: '2.11', tags: ['news'] } },
        },
      },
    ],
    errors: ['device_erased'],
  },
  {
    id: 'eraseDevice',
    method: 'delete',
    path: '/v6/devices/{device_id}',
    tag: 'Devices',
    summary: 'Erase a device and all that is known of it',
    description: 'Its id stays erased: updates and events of it are refused from then on.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'It is erased, now or before.' }],
  },
  {
    id: 'reportDeviceEvents',
    method: 'post',
    path: '/v6/devices/{device_id}/events',
    tag: 'Devices',
    summary: 'Report what happened on a device',
    scopes: ['register', 'write'],
    body: { schema: 'ReportEvents', example: events },
    replies: [{ status: 202, description: 'They count.', content: { schema: 'Nothing', example: {} } }],
    errors: ['device_erased'],
  },
  {
    id: 'updateUser',
    method: 'put',
    path: '/v6/users/{user_id}',
    tag: 'Users',
    summary: 'Set custom attributes on every device of a user',
    description: `On all of them or none. The user is whoever the devices name as \`user_id\`, say ${USER_ID}.`,
    scopes: ['write'],
    body: { schema: 'UpdateUser', example: { user: { custom: customPlan } } },
    replies: [
      {
        status: 200,
        description: 'How many devices were updated.',
        content: { schema: 'UserDevices', example: { devices: 1 } },
      },
    ],
  },
  {
    id: 'reportUserEvents',
    method: 'post',
    path: '/v6/users/{user_id}/events',
    tag: 'Users',
    summary: 'Report what happened, on every device that a user has now',
    scopes: ['register', 'write'],
    body: { schema: 'ReportEvents', example: events },
    replies: [{ status: 202, description: 'They count.', content: { schema: 'Nothing', example: {} } }],
  },
];
