/** The call with which devices report that they received and showed notifications. */
import { z } from 'zod';
import type { Receipt } from '../../../results/receipts/packed-receipts.ts';
import { ApiError, faultSentence } from '../../../api/errors.ts';
import { bulkShare } from '../../../scheduling/event-loop-share.ts';
import { parseBy } from '../../../api/parse.ts';
import { count } from '../../../api/reply.ts';
import { isUuid } from '../../../uuid.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { type Item, readList } from '../../list-body.ts';
import { DEVICE_ID, NOTIFICATION_ID } from '../samples.ts';

export const RECEIPTS_MAX = 1_000;
/** Five times as much as 1,000 receipts take. */
const BYTES_MAX = 1024 * 1024;

const id = (of: string) =>
  z
    .string(`must be the id of ${of}`)
    .refine(isUuid, `must be the id of ${of}`)
    .toLowerCase()
    .meta({ format: 'uuid' });

const receiptBody = z
  .strictObject({
    notification: id('a notification').describe('The `_nid` of the push.'),
    device: id('a device').describe('The id from the registration of the device.'),
    shown: z.boolean().describe('Whether the push was shown.').exactOptional(),
    opened: z
      .boolean()
      .describe('Whether the user has opened it; the same as `POST /v6/notifications/<id>/opens`.')
      .exactOptional(),
  })
  .meta({ id: 'Receipt' });

const receiptsBody = z.array(receiptBody).min(1).max(RECEIPTS_MAX).meta({ id: 'ReportReceipts' });

const receiptsReply = z
  .strictObject({
    accepted: count.describe('Receipts that were stored, to be counted within seconds.'),
    rejected: z
      .array(
        z
          .strictObject({
            line: z
              .int()
              .min(1)
              .describe(
                'The line of the request, from 1; empty lines count. For a JSON array the position, from 1.',
              ),
            error: z.string(),
          })
          .meta({ id: 'RejectedReceipt' }),
      )
      .describe('Receipts that are not valid. Sending them again does not help.'),
  })
  .meta({ id: 'ReportedReceipts' });

type Rejected = z.output<typeof receiptsReply>['rejected'][number];

export const reportReceiptsCall = callsWithKey('Notifications')({
  id: 'reportReceipts',
  address: 'POST /v6/receipts',
  repeat: 'idempotent',
  summary: 'Report that devices received, showed and opened notifications',
  description:
    'Up to 1,000 receipts, as a JSON array or NDJSON; the reply has one form for both. They are ' +
    'stored before the call is answered, and counted within seconds. A repeated receipt counts ' +
    'once. Receipts of unknown notifications and devices, and of devices that are not asked, are ' +
    'accepted and do not count: the reply does not say which exist.',
  scopes: ['register'],
  recordedAs: 'devices.receipts_reported',
  body: {
    schema: receiptsBody,
    example: [{ notification: NOTIFICATION_ID, device: DEVICE_ID, shown: true }],
    ndjson: 'One `Receipt` per line. Empty lines are ignored.',
    bytesMax: BYTES_MAX,
  },
  replies: [
    jsonReply(202, 'Stored, except those in `rejected`.', receiptsReply, { accepted: 1, rejected: [] }),
  ],
  handle: async ({ receipts, observe }, { caller: { appId }, body }) => {
    const valid: Receipt[] = [];
    const rejected: Rejected[] = [];
    for (const item of await readList(body, RECEIPTS_MAX, bulkShare)) {
      const free = bulkShare.whenFree();
      if (free !== undefined) await free;
      const parsed = parseItem(item);
      if ('error' in parsed) rejected.push(parsed);
      else valid.push(parsed);
    }
    if (valid.length > 0) await receipts.store(appId, valid);
    observe({ kind: 'receipts_stored', stored: valid.length, refused: rejected.length });
    return { accepted: valid.length, rejected };
  },
});

function parseItem(item: Item): Receipt | Rejected {
  const { line } = item;
  try {
    if (item.error !== undefined) throw item.error;
    const { notification, device, shown = false, opened = false } = parseBy(receiptBody, item.value);
    return { notificationId: notification, deviceId: device, shown, opened };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const faults = error.details.map((fault) => faultSentence(fault, 'The receipt'));
    return { line, error: faults.length === 0 ? error.message : faults.join('; ') };
  }
}
