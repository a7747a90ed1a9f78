import { listQuery } from '../../notifications/list.ts';
import { idempotencyKey } from '../../notifications/idempotency.ts';
import type { Operation } from './operation.ts';
import {
  createdNotification,
  DEVICE_ID,
  ENDED_AT,
  NOTIFICATION_ID,
  notificationCursor,
  notificationRequest,
  sentNotification,
  stats,
} from './samples.ts';

export const notificationOperations: readonly Operation[] = [
  create('createNotification', '/v6/notifications', 'Send a notification'),
  {
    id: 'listNotifications',
    method: 'get',
    path: '/v6/notifications',
    tag: 'Notifications',
    summary: 'List notifications, newest first',
    scopes: ['read'],
    query: { schema: listQuery, example: { per: 10, cursor: notificationCursor } },
    replies: [
      {
        status: 200,
        description: 'A page of them.',
        content: {
          schema: 'NotificationList',
          example: { notifications: [sentNotification], meta: { cursor: null } },
        },
      },
    ],
  },
  {
    id: 'readNotification',
    method: 'get',
    path: '/v6/notifications/{notification_id}',
    tag: 'Notifications',
    summary: 'Read a notification: its state and how far it has come',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'The notification.',
        content: { schema: 'Notification', example: sentNotification },
      },
    ],
  },
  {
    id: 'cancelNotification',
    method: 'post',
    path: '/v6/notifications/{notification_id}/cancel',
    tag: 'Notifications',
    summary: 'Cancel a notification',
    description:
      'One that is scheduled goes to nobody. Of one that is being sent, the slices under way (of about 1,000 ' +
      'devices each) are finished and no further one is begun.',
    scopes: ['write'],
    replies: [
      {
        status: 200,
        description: 'The notification as it is then.',
        content: {
          schema: 'Notification',
          example: { ...sentNotification, state: 'canceled', started_at: null, devices: 0, accepted: 0 },
        },
      },
    ],
    errors: ['already_ended'],
  },
  {
    id: 'readDelivery',
    method: 'get',
    path: '/v6/notifications/{notification_id}/deliveries/{device_id}',
    tag: 'Notifications',
    summary: 'Ask what became of one device',
    description:
      'Outcomes by device are kept for a time after the end of a notification: 90 days, unless set.',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'Its outcome.',
        content: {
          schema: 'Delivery',
          example: {
            notification_id: NOTIFICATION_ID,
            device_id: DEVICE_ID,
            outcome: 'accepted',
            reason: null,
            at: ENDED_AT,
          },
        },
      },
    ],
  },
  {
    id: 'reportOpen',
    method: 'post',
    path: '/v6/notifications/{notification_id}/opens',
    tag: 'Notifications',
    summary: 'Report that a device opened a notification',
    description:
      'The app finds the id of the notification in the push, as `_nid`. A device counts once, and only where the ' +
      'push was sent to it; any other device of the app is answered alike.',
    scopes: ['register'],
    body: { schema: 'ReportOpen', example: { device_id: DEVICE_ID } },
    replies: [{ status: 202, description: 'It was taken.', content: { schema: 'Nothing', example: {} } }],
  },
  {
    id: 'readNotificationStats',
    method: 'get',
    path: '/v6/stats/notifications/{notification_id}/events',
    tag: 'Notifications',
    summary: 'Read the numbers of a notification: pushes and opens',
    scopes: ['read'],
    replies: [
      { status: 200, description: 'The numbers.', content: { schema: 'NotificationStats', example: stats } },
    ],
  },
  create('createNotificationV5', '/v5/notifications', 'Send a notification, as by `/v6`'),
  create('createNotificationV3', '/v3/notifications', 'Send a notification, as by `/v6`'),
];

function create(id: string, path: string, summary: string): Operation {
  return {
    id,
    method: 'post',
    path,
    tag: 'Notifications',
    summary,
    description:
      'Answered as soon as the notification is stored; sending goes on behind it. The audience is resolved when ' +
      'it is sent. The same filters, in whatever order, are the same audience.',
    scopes: ['write'],
    headers: { 'Idempotency-Key': { schema: idempotencyKey, example: 'order-4711-shipped' } },
    body: { schema: 'CreateNotification', example: notificationRequest },
    replies: [
      {
        status: 201,
        description: 'What was stored; `to.id` is the audience.',
        content: { schema: 'CreatedNotification', example: createdNotification },
      },
    ],
    errors: ['invalid_header', 'not_found', 'idempotency_key_reused', 'payload_too_large'],
  };
}
