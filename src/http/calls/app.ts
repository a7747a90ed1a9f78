/** The app: whether it can send, its numbers, and what is wrong with it and with the server. */
import { z } from 'zod';
import { readinessOfAppReply, readReadiness } from '../../delivery/routes/readiness.ts';
import { overviewQuery, overviewReply, readOverview } from '../../results/overview/overview.ts';
import { toReply, troubleReply } from '../../status/trouble.ts';
import { callsWithKey, jsonReply } from '../call.ts';
import { device, ENDED_AT } from './samples.ts';

const call = callsWithKey('Service');

const usableRoute = { has_devices: true, has_credentials: true, is_proven: false, pause: null };

export const readAppCall = call({
  id: 'readApp',
  address: 'GET /v6/app',
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
          { route: 'apns_production', ...usableRoute, is_proven: true },
          { route: 'apns_sandbox', ...usableRoute, has_devices: false },
          { route: 'fcm', ...usableRoute, has_credentials: false },
        ],
      },
    }),
  ],
  handle: async ({ db }, { caller }) => readReadiness(db, caller.appId),
});

const overview = {
  days_counted_at: ENDED_AT,
  days: [
    {
      day: '2026-11-21',
      notifications: 3,
      devices: 1204,
      accepted: 1180,
      rejected: 1,
      unregistered: 9,
      no_token: 14,
      ambiguous: 0,
      opens: 212,
      app_devices: 1204,
    },
  ],
  devices: {
    counted_at: ENDED_AT,
    total: 1204,
    reachable: 1190,
    active: 1011,
    by_platform: [{ platform: device.platform, devices: 1204 }],
    by_system: [
      {
        platform: device.platform,
        os_name: device.os_name,
        os_version: device.os_version,
        devices: 1204,
      },
    ],
    by_app_version: [{ platform: device.platform, app_version: device.app_version, devices: 1204 }],
  },
  attention: [
    {
      code: 'credentials_missing',
      message: 'There are devices for Google, but no credentials. They get no pushes. Store credentials.',
      route: 'fcm',
      webhook_id: null,
    },
  ],
};

export const readOverviewCall = call({
  id: 'readOverview',
  address: 'GET /v6/overview',
  readsReplica: true,
  summary: 'Read the numbers of the app by day, and its devices by kind',
  description:
    'Reads what workers have counted: hours and devices about every 15 seconds, and the devices of large apps less often ' +
    '(a count that takes a second, every hundred seconds). Each part says when it was counted.',
  scopes: ['read'],
  query: { schema: overviewQuery, example: { days: 7, time_zone: 'Europe/London' } },
  replies: [jsonReply(200, 'The overview.', overviewReply, { overview })],
  handle: async (deps, { caller, query }) => {
    await deps.status.fresh();
    return readOverview(deps, { appId: caller.appId, troubles: deps.status.ofApp(caller.appId) }, query);
  },
});

export const readStatusCall = call({
  id: 'readStatus',
  address: 'GET /v6/status',
  summary: 'Read what is wrong with the server and with the sending of the app',
  description:
    'Every process of the API looks each second, and serves the list from its memory. While the database does not answer, ' +
    '`/readyz` still serves those of the server.',
  scopes: ['read'],
  replies: [
    jsonReply(
      200,
      'The troubles, the worst first; none if all is well.',
      z
        .strictObject({
          status: z.enum(['ok', 'troubled']).describe('`troubled` if there is any trouble.'),
          troubles: z.array(troubleReply),
        })
        .meta({ id: 'Status' }),
      {
        status: 'troubled',
        troubles: [
          {
            code: 'route_paused',
            since: ENDED_AT,
            what: 'Sending to Apple is paused: credentials that worked before are refused (InvalidProviderToken).',
            effect: 'Its devices wait, until the time to live of their pushes is over.',
            remedy: 'Remove the cause, then resume it.',
            link: 'settings/credentials',
            app: 'com.example.app',
            route: 'apns_production',
            notification_id: null,
            webhook_id: null,
          },
        ],
      },
    ),
  ],
  handle: async ({ status }, { caller }) => {
    await status.fresh();
    const troubles = status.ofApp(caller.appId).map(toReply);
    return { status: troubles.length === 0 ? 'ok' : 'troubled', troubles };
  },
});
