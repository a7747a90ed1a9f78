/** The overview of an app: its days, its devices by kind, and what needs attention. */
import { overviewQuery, overviewReply, readOverview } from '../../results/overview/overview.ts';
import { callsWithKey, jsonReply } from '../call.ts';
import { device, ENDED_AT } from './samples.ts';

const call = callsWithKey('Service');

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
  method: 'GET',
  path: '/v6/overview',
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
