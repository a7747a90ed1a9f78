/** The request to create a notification, as strict as the server where JSON Schema can express a rule. */
import { z } from 'zod';
import { instant, WRITTEN_INSTANT } from '../../time/instant.ts';
import { BATCH_MAX } from '../../notifications/create-batch.ts';
import { idempotencyKey } from '../../notifications/idempotency.ts';
import { payloadSchema } from '../../notifications/payload.ts';
import { deliverAtLocal, ownQuietHours, spreadOver } from '../../notifications/moment/parse-moment.ts';
import { notificationKeys } from '../../notifications/request.ts';
import { deviceTarget, storedTarget, userTarget } from '../../notifications/target.ts';
import { idText } from '../../api/reply.ts';
import { filtersShape } from './filter-shape.ts';

export const notificationTarget = z
  .union([
    z.literal('*').describe('Every device of the app.'),
    z.string().describe('The id of a stored audience.'),
    storedTarget,
    deviceTarget,
    userTarget,
    filtersShape,
  ])
  .describe('The devices that the notification is for.')
  .meta({ id: 'NotificationTarget' });

const notificationRequest = notificationKeys
  .extend({
    to: notificationTarget,
    payload: payloadSchema.optional(),
    deliver_at: instant
      .describe(
        'ISO 8601, at most 30 days ahead. Without it, or with a time in the past, the notification is sent at once.',
      )
      .optional(),
    deliver_at_local: deliverAtLocal
      .describe(
        'Sends to each device when its own clock shows this time. The notification then has a wave ' +
          'for each moment. It replaces `deliver_at`.',
      )
      .optional(),
    spread_over: spreadOver.optional(),
    quiet_hours: ownQuietHours
      .describe(
        'Hours of each device’s clock in which nothing is sent to it; `ignore` for none. If left out, the app’s quiet hours apply.',
      )
      .optional(),
  })
  .meta({
    dependentRequired: { hold_out: ['variants'], experiment: ['variants'] },
    dependentSchemas: { deliver_at_local: { not: { required: ['deliver_at'] } } },
    // A generator of clients would make a model of each branch of an `anyOf`.
    if: {
      anyOf: [
        { required: ['live_activity'] },
        {
          required: ['apns'],
          properties: {
            apns: {
              required: ['push_type'],
              properties: { push_type: { enum: ['widgets', 'controls', 'location'] } },
            },
          },
        },
        {
          required: ['apns'],
          properties: { apns: { required: ['badge'], properties: { push_type: { enum: ['alert'] } } } },
        },
      ],
    },
    else: { required: ['payload'] },
  })
  .meta({ id: 'NotificationRequest' });

export const createNotificationBody = z
  .strictObject({ notification: notificationRequest })
  .meta({ id: 'CreateNotification' });

export const previewNotificationBody = z
  .strictObject({
    notification: notificationRequest,
    device_id: idText.describe('The id of a device to preview the notification for.').exactOptional(),
    variant: z
      .string()
      .describe('The variant, or `hold_out`, to show for the device. Needs `device_id`.')
      .exactOptional(),
    at: z
      .string()
      .meta({ pattern: WRITTEN_INSTANT.source })
      .describe('Compile it as of this time (ISO 8601), such as the `due_at` of a sent one; now if left out.')
      .exactOptional(),
  })
  .meta({ id: 'PreviewNotification' });

const batchItem = z
  .strictObject({ notification: notificationRequest, idempotency_key: idempotencyKey.optional() })
  .meta({ id: 'BatchItem' });

export const batchBody = z.array(batchItem).min(1).max(BATCH_MAX).meta({ id: 'CreateNotifications' });
