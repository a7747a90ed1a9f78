/** The app itself, and whether it can send. */
import { readinessOfAppReply, readReadiness } from '../../delivery/routes/readiness.ts';
import { callsWithKey, jsonReply } from '../call.ts';

const call = callsWithKey('Service');

export const readAppCall = call({
  id: 'readApp',
  method: 'GET',
  path: '/v6/app',
  summary: 'Read the app, and whether it can send',
  description:
    'Says for each route to devices (Apple’s production and sandbox, Google) whether there are ' +
    'devices and credentials, and whether sending is paused.',
  scopes: ['read'],
  replies: [
    jsonReply(200, 'The app of the key.', readinessOfAppReply, {
      app: {
        bundle_id: 'com.example.app',
        name: 'Example',
        routes: [
          {
            route: 'apns_production',
            has_devices: true,
            has_credentials: true,
            is_proven: true,
            pause: null,
          },
          {
            route: 'apns_sandbox',
            has_devices: false,
            has_credentials: true,
            is_proven: false,
            pause: null,
          },
          { route: 'fcm', has_devices: true, has_credentials: false, is_proven: false, pause: null },
        ],
      },
    }),
  ],
  handle: async ({ db }, { caller }) => readReadiness(db, caller.appId),
});
