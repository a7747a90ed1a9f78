/** Notifications: create (the same in versions 3, 5 and 6), list, read, cancel, outcome of a device, opens, statistics. */
import { z } from 'zod';
import { type DeviceDelivery, readDelivery } from '../../../results/history/device-outcome.ts';
import { recordOpen } from '../../../results/history/opens.ts';
import { noSuchDevice } from '../../../devices/device-errors.ts';
import { cancelNotification } from '../../../notifications/cancel.ts';
import { createNotification } from '../../../notifications/create.ts';
import { idempotencyKey } from '../../../notifications/idempotency.ts';
import {
  countNewer,
  listNotifications,
  listQuery,
  listReply,
  newerQuery,
  newerReply,
} from '../../../notifications/look-up/list.ts';
import { noSuchNotification, readNotification } from '../../../notifications/look-up/read.ts';
import { notificationStats, statsReply } from '../../../notifications/look-up/stats.ts';
import type { Status } from '../../../status/status.ts';
import { holdsPushes } from '../../../status/trouble.ts';
import { parseBy } from '../../../api/parse.ts';
import { isUuid } from '../../../uuid.ts';
import { outcomeKinds } from '../../../delivery/outcomes/packed.ts';
import { apnsUniqueId } from '../../../results/history/unique-id.ts';
import { createNotificationBody } from '../../openapi/notification-request.ts';
import {
  createdReply,
  type NotificationReply,
  notificationReply,
} from '../../../notifications/look-up/notification-reply.ts';
import { idText, nothing, timeText } from '../../../api/reply.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import {
  createdNotification,
  DEVICE_ID,
  ENDED_AT,
  NOTIFICATION_ID,
  notificationCursor,
  notificationRequest,
  sentNotification,
  stats,
} from '../samples.ts';

const openBody = z
  .strictObject({ device_id: z.string('must be the id of a device') })
  .meta({ id: 'ReportOpen' });

const deliveryReply: z.ZodType<DeviceDelivery> = z
  .strictObject({
    notification_id: idText,
    device_id: idText,
    outcome: z.enum([...outcomeKinds, 'pending', 'not_targeted']),
    reason: z.string().nullable().describe('The code or text with which the gateway refused the push.'),
    variant: z
      .string()
      .nullable()
      .describe(
        'The variant of the device, or `hold_out`; null without an outcome, or if the notification is no A/B test.',
      ),
    at: timeText.nullable().describe('Null until there is an outcome.'),
    apns_unique_id: apnsUniqueId,
  })
  .meta({ id: 'Delivery' });

const call = callsWithKey('Notifications');

export const notificationCalls = [
  create('createNotification', '/v6/notifications', 'Send a notification'),
  call({
    id: 'listNotifications',
    address: 'GET /v6/notifications',
    readsReplica: true,
    summary: 'List notifications, newest first',
    scopes: ['read'],
    description:
      'A notification must match all parameters. There is no index by state or by words, so such a ' +
      'search reads 10,000 notifications per page and says in `meta.searched_until` how far it ' +
      'got. A page of more than 2 million characters of JSON ends early.',
    query: {
      schema: listQuery,
      example: { per: 10, cursor: notificationCursor, state: 'sent', id: 'a0cb688f', text: 'order 4711' },
    },
    replies: [
      jsonReply(200, 'A page of notifications.', listReply, {
        notifications: [sentNotification],
        meta: { cursor: null, newest: notificationCursor, searched_until: null },
      }),
    ],
    handle: async ({ db, clock, status }, { caller, query }) => {
      const page = await listNotifications(db, caller.appId, query, clock);
      return { ...page, notifications: withKnownEnds(status, caller.appId, page.notifications) };
    },
  }),
  call({
    id: 'countNewerNotifications',
    address: 'GET /v6/notifications/newer',
    readsReplica: true,
    summary: 'Count the notifications that are newer than a page',
    description:
      'For a list that shows "3 new" without moving. It counts at most 100; with `state` or `text` it searches only the newest 1,000.',
    scopes: ['read'],
    query: {
      schema: newerQuery,
      example: { than: notificationCursor, state: 'sent', id: 'a0cb688f', text: 'order 4711' },
    },
    replies: [jsonReply(200, 'The number of newer notifications.', newerReply, { count: 3, more: false })],
    handle: async ({ db }, { caller, query }) => countNewer(db, caller.appId, query),
  }),
  call({
    id: 'readNotification',
    address: 'GET /v6/notifications/:notification_id',
    summary: 'Read a notification: its state and progress',
    scopes: ['read'],
    replies: [jsonReply(200, 'The notification.', notificationReply, sentNotification)],
    handle: async ({ db, clock, status }, { caller, params }) => {
      const notification = await readNotification(db, caller.appId, params.notification_id, clock);
      return withKnownEnds(status, caller.appId, [notification])[0];
    },
  }),
  call({
    id: 'cancelNotification',
    address: 'POST /v6/notifications/:notification_id/cancel',
    summary: 'Cancel a notification',
    description:
      'A scheduled notification is sent to nobody. If it is being sent, no further slice is started, and workers stop ' +
      'slices in progress when they next renew a lease or save outcomes; pushes in flight still finish.',
    scopes: ['write'],
    replies: [
      jsonReply(200, 'The canceled notification.', notificationReply, {
        ...sentNotification,
        state: 'canceled',
        started_at: null,
        devices: 0,
        accepted: 0,
      }),
    ],
    errors: ['already_ended'],
    handle: async ({ db, clock, observe }, { caller, params, author }) => {
      const options = { clock, observe, author: author() };
      return cancelNotification(db, caller.appId, params.notification_id, options);
    },
  }),
  call({
    id: 'readDelivery',
    address: 'GET /v6/notifications/:notification_id/deliveries/:device_id',
    summary: 'Read the outcome for one device',
    description:
      'Outcomes by device are kept for 90 days after the end of a notification (`KEEP_DELIVERIES_DAYS`).',
    scopes: ['read'],
    replies: [
      jsonReply(200, 'The outcome.', deliveryReply, {
        notification_id: NOTIFICATION_ID,
        device_id: DEVICE_ID,
        outcome: 'accepted',
        reason: null,
        variant: null,
        at: ENDED_AT,
        apns_unique_id: null,
      }),
    ],
    handle: async ({ db, clock }, { caller: { appId }, params }) => {
      const notificationId = params.notification_id.toLowerCase();
      const deviceId = params.device_id.toLowerCase();
      if (!isUuid(notificationId)) throw noSuchNotification();
      if (!isUuid(deviceId)) throw noSuchDevice();
      return readDelivery(db, { appId, notificationId, deviceId, now: clock() });
    },
  }),
  call({
    id: 'reportOpen',
    address: 'POST /v6/notifications/:notification_id/opens',
    repeat: 'idempotent',
    summary: 'Report that a device opened a notification',
    description:
      'The push carries the id of the notification as `_nid`. A device counts once, and only if ' +
      'the push was sent to it (`accepted`, `ambiguous`, or being sent); the reply is the same for ' +
      'any other device of the app. Opens that come later than `KEEP_DELIVERIES_DAYS` after the ' +
      'end do not count.',
    scopes: ['register'],
    recordedAs: 'device.open_reported',
    body: { schema: openBody, example: { device_id: DEVICE_ID } },
    replies: [jsonReply(202, 'Accepted.', nothing, {})],
    parse: (body) => parseBy(openBody, body),
    handle: async ({ db, clock }, { caller, params, body }) => {
      await recordOpen(db, caller.appId, params.notification_id, body.device_id, clock);
      return {};
    },
  }),
  call({
    id: 'readNotificationStats',
    address: 'GET /v6/stats/notifications/:notification_id/events',
    summary: 'Read the statistics of a notification: pushes and opens',
    scopes: ['read'],
    replies: [jsonReply(200, 'The statistics.', statsReply, stats)],
    handle: async ({ db }, { caller, params }) => notificationStats(db, caller.appId, params.notification_id),
  }),
  create('createNotificationV5', '/v5/notifications', 'Send a notification (the same call as in v6)'),
  create('createNotificationV3', '/v3/notifications', 'Send a notification (the same call as in v6)'),
];

function create(id: string, path: string, summary: string) {
  return call({
    id,
    address: `POST ${path}`,
    repeat: 'keyed',
    summary,
    description:
      'Replies when the notification is stored; sending follows. The audience is resolved when it ' +
      'is sent. The same filters in any order are the same audience. For `device_id` and `user_id` ' +
      'no audience is stored.',
    scopes: ['write'],
    recordedAs: 'notification.created',
    headers: { 'Idempotency-Key': { schema: idempotencyKey, example: 'order-4711-shipped' } },
    body: { schema: createNotificationBody, example: notificationRequest },
    replies: [
      jsonReply(
        201,
        'The stored notification; `to` is its audience, or the device or user that was submitted.',
        createdReply,
        createdNotification,
      ),
    ],
    errors: ['invalid_header', 'not_found', 'idempotency_key_reused', 'payload_too_large'],
    parse: (body) => body, // `createNotification` parses it, because it also hashes the body as sent
    handle: async (
      { db, clock, queue, observe, spans, intake, tokenKeys },
      { caller: { appId, android, quietHours, by }, body, request },
    ) => {
      const key = request.headers['idempotency-key']?.toString(); // Node joins a repeated header with commas
      const creation = {
        appId,
        android,
        quietHours,
        body,
        idempotencyKey: key,
        requestId: request.id,
        madeBy: by.id,
      };
      const span = spans.of(request);
      return createNotification(db, creation, { clock, queue, observe, intake, tokenKeys, span });
    },
  });
}

/** Nobody knows when a notification ends while a trouble of the server or of its app holds pushes. */
function withKnownEnds(
  status: Pick<Status, 'ofApp'>,
  appId: string,
  notifications: readonly NotificationReply[],
): readonly NotificationReply[] {
  const isKnown = notifications.every(({ estimated_seconds_left: left }) => left === null);
  if (isKnown || !status.ofApp(appId).some(holdsPushes)) return notifications;
  return notifications.map((notification) => ({ ...notification, estimated_seconds_left: null }));
}
