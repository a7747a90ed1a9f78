/** Every push of a device or of a user: planned, held and past. */
import { z } from 'zod';
import { pageCursor, type Position } from '../../../api/page-cursor.ts';
import { parseBy, text } from '../../../api/parse.ts';
import {
  devicePushesReply,
  PUSHES_PER_PAGE,
  pushesQuery,
  readDevicePushes,
} from '../../../results/history/device-pushes.ts';
import { readUserPushes, userPushesReply } from '../../../results/history/user-pushes.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { CREATED_AT, DEVICE_ID, ENDED_AT, NOTIFICATION_ID, notificationCursor, USER_ID } from '../samples.ts';

/** The longest address of RFC 5321 has 254. */
const EMAIL_CHARACTERS_MAX = 1_000;

const byEmail = z
  .strictObject({
    user_email: text(EMAIL_CHARACTERS_MAX, 1),
    cursor: pageCursor,
  })
  .meta({ id: 'FindUserPushes' });

function parseByEmail(body: unknown): { email: string; after: Position | undefined } {
  const { user_email: email, cursor: after } = parseBy(byEmail, body);
  return { email, after };
}

/** A push as the lists of a device and of a user have it. */
const pushToDevice = {
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

const pushToUser = {
  ...pushToDevice.notification,
  state: 'sent',
  at: ENDED_AT,
  reason: null,
  explanation: 'It was sent; see what became of it on each device.',
};

const MORE = `At most ${PUSHES_PER_PAGE}.`;
const meta = { cursor: null, missing_before: null };
const userReplies = [
  jsonReply(200, MORE, userPushesReply, {
    pushes: [{ ...pushToUser, devices: [{ device_id: DEVICE_ID, ...pushToDevice.onDevice }] }],
    meta,
  }),
];

const ofDevices = callsWithKey('Devices');
const ofUsers = callsWithKey('Users');

export const pushCalls = [
  ofDevices({
    id: 'listDevicePushes',
    address: 'GET /v6/devices/:device_id/pushes',
    readsReplica: true,
    summary: 'List the pushes of a device: planned, held and past, newest notification first',
    description:
      'Those that were addressed to the device, to its user or e-mail address, and to audiences that it was in. A push that was ' +
      'addressed to another user, or whose filters did not select the device, is not listed; an explanation says why.',
    scopes: ['read'],
    query: { schema: pushesQuery, example: { cursor: notificationCursor } },
    replies: [
      jsonReply(200, MORE, devicePushesReply, {
        pushes: [{ ...pushToDevice.notification, ...pushToDevice.onDevice }],
        meta,
      }),
    ],
    handle: async ({ db, clock }, { caller, params, query }) =>
      readDevicePushes(db, caller.appId, params.device_id, { after: query.cursor, now: clock() }),
  }),
  ofUsers({
    id: 'listUserPushes',
    address: 'GET /v6/users/:user_id/pushes',
    readsReplica: true,
    summary: 'List the pushes that were addressed to a user, newest first',
    description:
      `By \`user_id\`, such as ${USER_ID}, or by an e-mail address of the user’s devices; also if the user has no device (\`nobody\`). ` +
      'Pushes to audiences that do not name users are listed by device.',
    scopes: ['read'],
    query: { schema: pushesQuery, example: { cursor: notificationCursor } },
    replies: userReplies,
    handle: async ({ db, clock }, { caller, params, query }) => {
      const user = { by: 'user_id', value: params.user_id } as const;
      return readUserPushes(db, caller.appId, user, { after: query.cursor, now: clock() });
    },
  }),
  ofUsers({
    id: 'findUserPushes',
    address: 'POST /v6/users/pushes',
    repeat: 'reads',
    summary: 'List the pushes that were addressed to an e-mail address, newest first',
    description:
      'And to the users whose devices have the address. The call is a POST, so that the address appears in no URL and in no log.',
    scopes: ['read'],
    body: { schema: byEmail, example: { user_email: 'ada@example.com', cursor: notificationCursor } },
    replies: userReplies,
    parse: parseByEmail,
    handle: async ({ db, clock }, { caller, body: { email, after } }) => {
      const user = { by: 'user_email', value: email } as const;
      return readUserPushes(db, caller.appId, user, { after, now: clock() });
    },
  }),
];
