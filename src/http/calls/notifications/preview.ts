/**
 * The call that previews a notification: its faults, its size for both gateways, and the push that each gateway would
 * get.
 */
import { z } from 'zod';
import { messageFrom, parseContent } from '../../../notifications/message.ts';
import { requestsOf } from '../../../notifications/preview/compiled-requests.ts';
import { compiledPreview, PREVIEW_ID, previewNotification } from '../../../notifications/preview/preview.ts';
import { previewNotificationBody } from '../../openapi/notification-request.ts';
import { warningsReply } from '../../../notifications/preview/warning.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { errorBody, errorReply } from '../../error-reply.ts';
import { CREATED_AT, DEVICE_ID, notificationRequest } from '../samples.ts';

const previewReply = z
  .strictObject({
    refusal: errorReply
      .extend({ status: z.int().min(400).max(499) })
      .meta({ id: 'PreviewRefusal' })
      .nullable()
      .describe('The reply with which creation would refuse the notification; null if it would accept it.'),
    compiled: compiledPreview
      .nullable()
      .describe(
        'Null if a fault of the payload or of its options prevents compiling, or if both together have more ' +
          'than 64 KiB, or 16 KiB with several versions.',
      ),
    warnings: warningsReply,
  })
  .meta({ id: 'NotificationPreview' });

const { to: _to, ...sent } = notificationRequest.notification;
const content = parseContent(JSON.stringify(sent));
const message = messageFrom({ id: PREVIEW_ID, due_at: new Date(CREATED_AT) }, content);
const requests = requestsOf(message, 'com.example.app', message.payload);
const example = {
  refusal: null,
  compiled: {
    notification_id: PREVIEW_ID,
    due_at: CREATED_AT,
    bytes_max: 4096,
    ...requests,
    versions: [],
    variants: [],
    variant: null,
    device: {
      id: DEVICE_ID,
      variant: null,
      variant_by: null,
      locale: null,
      encrypted_text: null,
      dropped: null,
      ...requests,
    },
  },
  warnings: [],
};

export const previewNotificationCall = callsWithKey('Notifications')({
  id: 'previewNotification',
  address: 'POST /v6/notifications/preview',
  repeat: 'reads',
  summary: 'Preview a notification: faults, sizes, and what each gateway would get',
  description:
    'Takes the body of a create request and stores nothing. The status is 200 even for a ' +
    'notification that creation would refuse: then `refusal` is the reply of creation. The ' +
    'pushes are compiled by the functions that send them, even if the target is missing. With a ' +
    '`device_id`, the reply has what that device would get, in its language.',
  scopes: ['read'],
  body: { schema: previewNotificationBody, example: { ...notificationRequest, device_id: DEVICE_ID } },
  replies: [jsonReply(200, 'The preview.', previewReply, example)],
  errors: ['not_found'],
  parse: (body) => body, // `previewNotification` parses it, because most faults are part of the reply
  handle: async ({ db, clock }, { caller: { appId, bundleId, android }, body }) => {
    const app = { appId, bundleId, android };
    const { refusal, compiled, warnings } = await previewNotification(db, { app, body }, clock());
    return {
      refusal: refusal === undefined ? null : { status: refusal.status, ...errorBody(refusal) },
      compiled: compiled ?? null,
      warnings,
    };
  },
});
