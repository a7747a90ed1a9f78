/** Values for the examples of the look-up calls. They extend the values of all calls. */
import { createdNotification, DEVICE_ID, ENDED_AT, NOTIFICATION_ID } from '../samples.ts';

const CREATED_AT = createdNotification.created_at;

/** The state of the push token of the device. */
export const tokenState = {
  state: 'live',
  route: 'fcm',
  push_token_type: 'token',
  presented_at: CREATED_AT,
  retired: [
    {
      push_token_type: 'token',
      reason: 'UNREGISTERED',
      retired_at: '2026-11-02T08:00:00.000Z',
      presented_at: '2026-10-30T17:12:00.000Z',
      kept: true,
    },
  ],
};

export const deliveryExplanation = {
  notification_id: NOTIFICATION_ID,
  device_id: DEVICE_ID,
  outcome: null,
  apns_unique_id: null,
  variant: null,
  causes: [
    {
      code: 'not_in_audience',
      sentence:
        'The device is not in the audience. This filter does not select it: tags. Wanted is not news; the device has beta, news.',
      at: null,
    },
  ],
  audience: {
    matches: false,
    filters: [
      {
        name: 'tags',
        matches: false,
        not_filter: true,
        value: ['beta', 'news'],
        criteria: [{ criterion: 'news', matches: true }],
        criteria_count: 1,
      },
    ],
  },
};

/** A push as the lists of a device and of a user have it. */
export const pushToDevice = {
  notification: {
    notification_id: NOTIFICATION_ID,
    created_at: CREATED_AT,
    title: 'Order 4711',
    alert: 'It is on its way.',
  },
  onDevice: {
    state: 'accepted',
    at: ENDED_AT,
    reason: null,
    explanation: 'The gateway took the push.',
    variant: null,
    opened_at: null,
  },
};

export const pushToUser = {
  ...pushToDevice.notification,
  state: 'sent',
  at: ENDED_AT,
  reason: null,
  explanation: 'It was sent; see what became of it on each device.',
};
