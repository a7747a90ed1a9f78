/** The progress of one notification for people: live, and why devices did not get it. */
import { readReport, reportReply } from '../../../results/report/report.ts';
import { noOutcomes } from '../../../delivery/outcomes/packed.ts';
import { progressReply } from '../../../results/report/progress-reply.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { openEventStream } from '../../streams.ts';
import { NOTIFICATION_ID, progress, STARTED_AT } from '../samples.ts';

/** An A/B test whose receipts are sampled. */
const notificationReport = {
  notification_id: NOTIFICATION_ID,
  reasons: [
    {
      outcome: 'rejected',
      reason: 'PayloadTooLarge',
      explanation: 'The payload is over Apple’s limit of 4,096 bytes. Shorten it.',
      devices: 312,
    },
  ],
  uncounted: 0,
  funnel: {
    sample: 0.1,
    accepted: 230_000,
    asked: 23_000,
    received: { reported: 20_700, share: 0.9, low: 0.8963, high: 0.9036, devices: 207_000 },
    shown: { reported: 18_400, share: 0.8, low: 0.7951, high: 0.8049, devices: 184_000 },
    opened: 11_500,
  },
  variants: {
    groups: [
      {
        name: 'A',
        share: 0.45,
        devices: 108_140,
        outcomes: { ...noOutcomes, accepted: 103_500, no_token: 4_640 },
        received: { devices: 9_315, of: 10_350, share: 0.9, low: 0.8941, high: 0.9056 },
        shown: { devices: 8_280, of: 10_350, share: 0.8, low: 0.7922, high: 0.8076 },
        opened: { devices: 5_175, of: 103_500, share: 0.05, low: 0.0487, high: 0.0513 },
      },
      {
        name: 'B',
        share: 0.45,
        devices: 107_860,
        outcomes: { ...noOutcomes, accepted: 103_200, no_token: 4_660 },
        received: { devices: 9_288, of: 10_320, share: 0.9, low: 0.8941, high: 0.9056 },
        shown: { devices: 8_256, of: 10_320, share: 0.8, low: 0.7922, high: 0.8076 },
        opened: { devices: 6_192, of: 103_200, share: 0.06, low: 0.0586, high: 0.0615 },
      },
      {
        name: 'hold_out',
        share: 0.1,
        devices: 24_000,
        outcomes: { ...noOutcomes, dropped: 22_990, no_token: 1_010 },
        received: null,
        shown: null,
        opened: null,
      },
    ],
    comparisons: [
      {
        variant: 'B',
        with: 'A',
        rate: 'opened',
        difference: 0.01,
        low: 0.008,
        high: 0.012,
        may_be_chance: false,
        sentence:
          'B was opened on 6.0% of its devices, A on 5.0%. That is unlikely to be chance: the difference is between +0.8 and +1.2 ' +
          'percentage points, so B is opened more.',
      },
    ],
  },
  curve: { step_seconds: 1, points: [{ at: STARTED_AT, devices: 24_000 }] },
};

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
