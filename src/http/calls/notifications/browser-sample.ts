import { PREVIEW_ID } from '../../../notifications/preview/preview.ts';

/** What a browser gets of the previewed notification. */
export const compiledWebPush = {
  bytes: 183,
  bytes_left: 3810,
  headers: {
    ttl: '3600',
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    urgency: 'high',
  },
  body: JSON.stringify({
    web_push: 8030,
    notification: { title: 'Order 4711', body: 'It is on its way.', tag: PREVIEW_ID, data: {} },
    _nid: PREVIEW_ID,
  }),
};
