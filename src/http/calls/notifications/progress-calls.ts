/** The progress of one notification for people: live, and why devices did not get it. */
import { readReport, reportReply } from '../../../results/report/report.ts';
import { progressReply } from '../../../results/report/progress-reply.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { openEventStream } from '../../streams.ts';
import { progress } from '../samples.ts';
import { notificationReport } from './report-sample.ts';

const call = callsWithKey('Notifications');

export const notificationProgressCalls = [
  call({
    id: 'watchNotification',
    address: 'GET /v6/notifications/:notification_id/live',
    summary: 'Watch a notification: its progress as server-sent events',
    description:
      'An event `progress` comes at once, and then whenever something has changed, at most once ' +
      'per second; its data is a `NotificationProgress`. The last one has the name `end`, and the ' +
      'reply ends with it. Comments in between keep the connection open at proxies. A process ' +
      'serves 200 such replies at a time, and 100 for one app.',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'Events until the notification has ended.',
        mediaType: 'text/event-stream',
        each: progressReply,
        example: `event: progress\ndata: ${JSON.stringify(progress)}\n\n`,
      },
    ],
    handle: async (
      { live, authentication, streamHeartbeatMs: heartbeatMs },
      { caller: { appId }, params, request, reply },
    ) => {
      const view = await live.open({ appId, notificationId: params.notification_id });
      const stream = openEventStream(request, reply, {
        onClose: () => view.close(),
        heartbeatMs,
        mayGoOn: async () => authentication.stillHas(request, 'read'),
      });
      view.start({
        progress: (data) => stream.send('progress', data),
        end: (data) => stream.end('end', data),
        stop: () => stream.close(),
      });
    },
  }),
  call({
    id: 'readNotificationReport',
    address: 'GET /v6/notifications/:notification_id/report',
    readsReplica: true,
    summary: 'Read why devices did not get a notification, and how fast it was sent',
    description:
      'The reasons of all outcomes but `accepted`, each with the number of its devices and an explanation, and a curve of the ' +
      'sending. The report is made from one row per 1,000 devices: ask for it every few seconds at most.',
    scopes: ['read'],
    replies: [jsonReply(200, 'The report.', reportReply, notificationReport)],
    handle: async ({ db, clock }, { caller: { appId }, params }) =>
      readReport(db, { appId, notificationId: params.notification_id }, clock),
  }),
];
