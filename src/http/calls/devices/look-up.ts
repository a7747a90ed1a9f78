/** Calls for support staff: find a device, its push token, its last outcomes, why it did not get a push. */
import { explainDelivery } from '../../../results/explain/explain.ts';
import { noSuchDevice } from '../../../devices/device-errors.ts';
import {
  LOOK_UP_DEVICES_MAX,
  lookUpBody,
  lookUpDevices,
  lookUpReply,
  parseLookUpBody,
} from '../../../devices/look-up.ts';
import { readTokenState, tokenStateReply } from '../../../devices/tokens/token-state.ts';
import { noSuchNotification } from '../../../notifications/look-up/read.ts';
import { isUuid } from '../../../uuid.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { CREATED_AT, device, DEVICE_ID, NOTIFICATION_ID, USER_ID } from '../samples.ts';
import { deliveryExplanationJson, deliveryExplanationReply } from './explanation-reply.ts';

/** The state of the push token of the device. */
const tokenState = {
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

const deliveryExplanation = {
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

const call = callsWithKey('Devices');

export const deviceLookUpCalls = [
  call({
    id: 'lookUpDevices',
    address: 'POST /v6/devices/lookup',
    repeat: 'reads',
    summary: 'Look devices up by id, push token, user or e-mail address',
    description:
      'The text is compared with all of them at once, and with the beginning of user ids. The call is a POST, so that push tokens and ' +
      'personal data appear in no address and in no log. A push token that the device has lost also finds it. Returns at ' +
      `most ${LOOK_UP_DEVICES_MAX} devices, exact matches first.`,
    scopes: ['read'],
    body: { schema: lookUpBody, example: { query: USER_ID } },
    replies: [
      jsonReply(200, 'The devices; the list is empty if there are none.', lookUpReply, {
        devices: [{ match: 'user_id', device }],
        more: false,
        erased_at: null,
      }),
    ],
    parse: parseLookUpBody,
    handle: async ({ db, tokenKeys }, { caller, body: query }) =>
      lookUpDevices(db, tokenKeys, caller.appId, query),
  }),
  call({
    id: 'readPushToken',
    address: 'GET /v6/devices/:device_id/push-token',
    summary: 'Read the state of a device’s push token',
    description:
      'Whether the device has a token, and when and why it has lost others. The token itself is not in the reply.',
    scopes: ['read'],
    replies: [jsonReply(200, 'The state.', tokenStateReply, tokenState)],
    handle: async ({ db }, { caller, params }) => readTokenState(db, caller.appId, params.device_id),
  }),
  call({
    id: 'explainDelivery',
    address: 'GET /v6/notifications/:notification_id/deliveries/:device_id/explanation',
    summary: 'Explain why a device did not get a notification',
    description:
      'Combines the state of the notification, its audience, the outcome, the push token and the ' +
      'route. The first cause is the answer. A device that the app does not have is a cause, not ' +
      'an error.',
    scopes: ['read'],
    replies: [jsonReply(200, 'The causes.', deliveryExplanationReply, deliveryExplanation)],
    handle: async ({ db, clock }, { caller: { appId }, params }) => {
      const notificationId = params.notification_id.toLowerCase();
      const deviceId = params.device_id.toLowerCase();
      if (!isUuid(notificationId)) throw noSuchNotification();
      if (!isUuid(deviceId)) throw noSuchDevice();
      const key = { appId, notificationId, deviceId, now: clock() };
      return deliveryExplanationJson(key, await explainDelivery(db, key));
    },
  }),
];
