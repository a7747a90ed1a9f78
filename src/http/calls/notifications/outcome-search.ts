/** The devices of one notification by their outcome: in pages, and as a stream. */
import { exportOutcomes, exportQuery } from '../../../results/search/export.ts';
import {
  foundDeliveryReply,
  searchOutcomes,
  searchQuery,
  searchReply,
} from '../../../results/search/search.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { NDJSON_TYPE } from '../../list-body.ts';
import { sendText } from '../../streams.ts';
import { DEVICE_ID, ENDED_AT, outcomeCursor } from '../samples.ts';

const call = callsWithKey('Notifications');

const foundDelivery = {
  device_id: DEVICE_ID,
  outcome: 'rejected',
  reason: 'DeviceTokenNotForTopic',
  at: ENDED_AT,
  platform: 'iOS',
  gateway: 'apns',
  app_version: '2.10.1',
  variant: 'B',
  user_id: 'user-4711',
  marketing_name: 'iPhone 17',
};

const filterExample = {
  outcome: foundDelivery.outcome,
  reason: foundDelivery.reason,
  platform: foundDelivery.platform,
  gateway: foundDelivery.gateway,
  app_version: foundDelivery.app_version,
  variant: foundDelivery.variant,
};

export const outcomeSearchCalls = [
  call({
    id: 'searchDeliveries',
    address: 'GET /v6/notifications/:notification_id/deliveries',
    readsReplica: true,
    summary: 'Find the devices of a notification by their outcome',
    description:
      'Sorted by device id, within each wave if it has waves. Continue with `meta.cursor` until it ' +
      'is null: a page may be short or empty before that, because a call reads a limited number of ' +
      'outcomes. Devices without an outcome yet are left out.',
    scopes: ['read'],
    query: { schema: searchQuery, example: { ...filterExample, per: 100, cursor: outcomeCursor } },
    replies: [
      jsonReply(200, 'A page of devices.', searchReply, {
        deliveries: [foundDelivery],
        meta: { cursor: null },
      }),
    ],
    handle: async ({ db }, { caller: { appId }, params, query }) =>
      searchOutcomes(db, { appId, notificationId: params.notification_id }, query),
  }),
  call({
    id: 'exportDeliveries',
    address: 'GET /v6/notifications/:notification_id/deliveries/export',
    readsReplica: true,
    summary: 'Export the outcomes of a notification',
    description:
      'Streams every device that matches, sorted by id; `format=csv` makes it a table ' +
      '(`text/csv`). If the stream fails halfway, the connection is cut.',
    scopes: ['read'],
    query: { schema: exportQuery, example: { ...filterExample, format: 'ndjson' } },
    replies: [
      {
        status: 200,
        description: 'One device per line, as in the list.',
        mediaType: NDJSON_TYPE,
        each: foundDeliveryReply,
        example: `${JSON.stringify(foundDelivery)}\n`,
      },
    ],
    handle: async ({ db }, { caller: { appId }, params, query, reply }) => {
      const notificationId = params.notification_id.toLowerCase();
      const lines = await exportOutcomes(db, { appId, notificationId }, query);
      const mediaType = query.format === 'csv' ? 'text/csv; charset=utf-8' : NDJSON_TYPE;
      return sendText(reply, { mediaType, fileName: `outcomes-${notificationId}.${query.format}` }, lines);
    },
  }),
];
