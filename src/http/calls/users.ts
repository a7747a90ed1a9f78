/** Users: set attributes and report events for every device of a user. */
import { parseUserEventsBody, recordUserEvents, userEventsBody } from '../../devices/events/record-events.ts';
import { requireProof } from '../../devices/proof/proven-user.ts';
import { parseUserBody, updateUser, userBody, userReply } from '../../devices/users.ts';
import { nothing } from '../../api/reply.ts';
import { callsWithKey, jsonReply } from '../call.ts';
import { eventSourceOf, refuseForeignSources } from './event-source.ts';
import { customPlan, deviceEvents, USER_ID, USER_TOKEN } from './samples.ts';

const call = callsWithKey('Users');

export const userCalls = [
  call({
    id: 'updateUser',
    address: 'PUT /v6/users/:user_id',
    summary: 'Set custom attributes on every device of a user',
    description: `Updates all devices of the user, or none. These are the devices with this \`user_id\`, such as ${USER_ID}: at most 1,000.`,
    scopes: ['write'],
    usersNeed: 'admin', // audiences, and so who gets what, follow from attributes and events
    recordedAs: 'users.updated',
    body: { schema: userBody, example: { user: { custom: customPlan } } },
    replies: [jsonReply(200, 'The number of updated devices.', userReply, { devices: 1 })],
    parse: parseUserBody,
    handle: async ({ db, clock }, { caller, params, body }) =>
      updateUser(db, caller.appId, params.user_id, body, clock),
  }),
  call({
    id: 'reportUserEvents',
    address: 'POST /v6/users/:user_id/events',
    summary: 'Report events for every current device of a user',
    scopes: ['register', 'write'],
    usersNeed: 'admin',
    recordedAs: 'users.events_reported',
    body: { schema: userEventsBody, example: { ...deviceEvents, user_token: USER_TOKEN } },
    replies: [jsonReply(202, 'Stored.', nothing, {})],
    errors: ['user_not_verified'],
    parse: parseUserEventsBody,
    handle: async ({ db, clock, userTokens }, { caller, params, body: { events, user_token: token } }) => {
      refuseForeignSources(caller, events);
      await requireProof(userTokens, caller, token, { user_id: params.user_id, user_email: null });
      const options = { defaultSource: eventSourceOf(caller) };
      await recordUserEvents(db, caller.appId, params.user_id, events, options, clock);
      return {};
    },
  }),
];
