/** The call that creates many notifications, each with its own target and payload. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../api/errors.ts';
import { bulkShare } from '../../../scheduling/event-loop-share.ts';
import { BATCH_MAX, createBatch } from '../../../notifications/create-batch.ts';
import { batchBody } from '../../openapi/notification-request.ts';
import { callsWithKey } from '../../call.ts';
import { JSON_TYPE, NDJSON_TYPE, readList } from '../../list-body.ts';
import { entriesReply, openBatchReply } from './batch-reply.ts';
import { batchReply, batchRequest } from '../samples.ts';

/** Enough for 1,000 notifications with the largest payloads. */
const BYTES_MAX = 8 * 1024 * 1024;

export const createNotificationsCall = callsWithKey('Notifications')({
  id: 'createNotifications',
  address: 'POST /v6/notifications/batch',
  repeat: 'keyed',
  summary: 'Send up to 1,000 notifications',
  description:
    'Each notification has its own target and payload, and its own `idempotency_key` instead of ' +
    'the header. The reply has an entry for each, in the same order and the same form: a JSON ' +
    'array or NDJSON. A notification that is refused does not affect the others, and the status ' +
    'of the call is 200 in any case. At most 8 MiB.',
  scopes: ['write'],
  recordedAs: 'notification.created',
  body: {
    schema: batchBody,
    example: batchRequest,
    ndjson: 'One `BatchItem` per line, at most 1 MiB each. Empty lines are ignored.',
    bytesMax: BYTES_MAX,
  },
  replies: [
    {
      status: 200,
      description: 'The result for each notification.',
      schema: entriesReply,
      example: batchReply,
      ndjson: 'One `BatchEntry` per line.',
    },
  ],
  errors: ['invalid_header'],
  handle: async (deps, { caller: { appId, android, quietHours, by }, body, request, reply }) => {
    refuseHeader(request);
    const items = await readList(body, BATCH_MAX, bulkShare);
    const result = openBatchReply();
    const shared = { appId, android, quietHours, requestId: request.id, madeBy: by.id };
    const span = deps.spans.of(request);
    const entries = await createBatch(deps.db, items, shared, { ...deps, span }, result.entryOf);
    result.finish(deps.observe, request);
    if (!body.isNdjson) return reply.type(JSON_TYPE).send(`[${entries.join(',')}]`);
    return reply.type(NDJSON_TYPE).send(`${entries.join('\n')}\n`);
  },
});

/** A caller must not believe that one key covers the batch. */
function refuseHeader({ headers }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined) return;
  throw new ApiError('invalid_header', {
    message: 'A batch takes no Idempotency-Key header: each notification has its own "idempotency_key".',
  });
}
