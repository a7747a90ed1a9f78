/** Push tokens of a device for other push types than alerts: Live Activities, widgets and others. */
import {
  listNamedTokens,
  namedTokenBody,
  namedTokensReply,
  parseNamedTokenBody,
  registerNamedToken,
  removeNamedToken,
} from '../../../devices/tokens/named-tokens.ts';
import { assertDeviceId } from '../../../devices/device-errors.ts';
import { requireProof } from '../../../devices/proof/proven-user.ts';
import { readUserOf } from '../../../devices/store.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { createdNotification, USER_TOKEN } from '../samples.ts';

const PATH = '/v6/devices/:device_id/tokens/:token_type/:token_name';
const call = callsWithKey('Devices');

export const deviceTokenCalls = [
  call({
    id: 'registerDeviceToken',
    address: `PUT ${PATH}`,
    summary: 'Register a push token for a Live Activity, a widget or another push type',
    description:
      'A token replaces the one of the same type and name. An app may call this whenever iOS reports a token; a call that changes ' +
      'nothing writes nothing.',
    scopes: ['register'],
    recordedAs: 'device.updated',
    body: {
      schema: namedTokenBody,
      example: {
        push_token: '80a1b7e5c93d2f460812ae5b7c4d9e3f6a0b1c2d3e4f5061728394a5b6c7d8e9',
        user_token: USER_TOKEN,
      },
    },
    replies: [{ status: 204, description: 'Stored.' }],
    errors: ['device_erased', 'user_not_verified'],
    parse: parseNamedTokenBody,
    handle: async ({ db, clock, userTokens }, { caller, params, body }) => {
      const device = { appId: caller.appId, deviceId: params.device_id };
      let user: Awaited<ReturnType<typeof readUserOf>>;
      if (caller.identity !== 'off') {
        assertDeviceId(device.deviceId);
        user = await readUserOf(db, device);
        await requireProof(userTokens, caller, body.user_token, user);
      }
      const provenFor = caller.identity === 'required' ? user : undefined;
      await registerNamedToken(db, device, params, body.push_token, clock, provenFor);
    },
  }),
  call({
    id: 'removeDeviceToken',
    address: `DELETE ${PATH}`,
    summary: 'Remove a push token for a Live Activity, a widget or another push type',
    description: 'A token that Apple reports dead is removed without this call.',
    scopes: ['register'],
    recordedAs: 'device.updated',
    replies: [{ status: 204, description: 'Removed by this call or earlier.' }],
    errors: ['device_erased'],
    handle: async ({ db }, { caller: { appId }, params }) =>
      removeNamedToken(db, { appId, deviceId: params.device_id }, params),
  }),
  call({
    id: 'listDeviceTokens',
    address: 'GET /v6/devices/:device_id/tokens',
    summary: 'List the push tokens of a device for other push types than alerts',
    description: 'Their types and names. The tokens themselves are not in the reply.',
    scopes: ['read'],
    replies: [
      jsonReply(200, 'The newest first.', namedTokensReply, {
        tokens: [
          {
            token_type: 'live_activity',
            token_name: 'order-4711',
            registered_at: createdNotification.created_at,
          },
        ],
      }),
    ],
    handle: async ({ db }, { caller, params }) => listNamedTokens(db, caller.appId, params.device_id),
  }),
];
