/** Users of the console with a role in the app: list, invite, change, remove, end their sessions. */
import {
  appUsersReply,
  changeRole,
  changeUserBody,
  endUserSessions,
  inviteAgain,
  invitedUserReply,
  inviteUser,
  inviteUserBody,
  listAppUsers,
  listUserSessions,
  newInviteReply,
  oneUserReply,
  removeAppUser,
  resetSecondFactor,
  userSessionsReply,
} from '../../../console/accounts/app-users.ts';
import { parseBy } from '../../../api/parse.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { consoleInvite, consoleSession, consoleUser } from '../samples.ts';

const call = callsWithKey('Console');

export const consoleUserCalls = [
  call({
    id: 'listConsoleUsers',
    address: 'GET /v6/console-users',
    summary: 'List the users of the console',
    description: 'All users with a role in the app, by name.',
    scopes: ['admin'],
    replies: [jsonReply(200, 'The users.', appUsersReply, { users: [consoleUser] })],
    handle: async ({ db }, { caller }) => ({ users: await listAppUsers(db, caller.appId) }),
  }),
  call({
    id: 'inviteConsoleUser',
    address: 'POST /v6/console-users',
    summary: 'Give someone a role in the app',
    description:
      'A new user gets a link that works once, within three days, to choose a password. A role cannot include a ' +
      'permission that the caller lacks.',
    scopes: ['admin'],
    body: { schema: inviteUserBody, example: { user: { name: 'ben@example.com', role: 'viewer' } } },
    replies: [
      jsonReply(201, 'The user, and the token of the link.', invitedUserReply, {
        user: { ...consoleUser, signs_in: 'not_yet' },
        invite: consoleInvite,
      }),
    ],
    parse: (body) => parseBy(inviteUserBody, body).user,
    handle: async ({ db, clock }, { caller, body, author }) =>
      inviteUser(db, caller, body, { author: author(), clock }),
  }),
  call({
    id: 'changeConsoleUser',
    address: 'PUT /v6/console-users/:console_user_id',
    summary: 'Change the role of a user',
    description:
      'The new role applies at once, in other processes within two seconds. An app keeps at least one admin.',
    scopes: ['admin'],
    body: { schema: changeUserBody, example: { user: { role: 'sender' } } },
    replies: [jsonReply(200, 'The user.', oneUserReply, { user: { ...consoleUser, role: 'sender' } })],
    errors: ['last_admin'],
    parse: (body) => parseBy(changeUserBody, body).user.role,
    handle: async ({ db, clock, forgetCallers }, { caller, params, body, author }) => {
      const by = { author: author(), clock };
      const user = await changeRole(db, { caller, userId: params.console_user_id, role: body }, by);
      forgetCallers();
      return { user };
    },
  }),
  call({
    id: 'removeConsoleUser',
    address: 'DELETE /v6/console-users/:console_user_id',
    summary: 'Remove the role of a user',
    description: 'A user without a role in any other app is removed, together with all sessions.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'Removed.' }],
    errors: ['last_admin'],
    handle: async ({ db, clock, forgetCallers }, { caller, params, author }) => {
      const by = { author: author(), clock };
      await removeAppUser(db, { caller, userId: params.console_user_id }, by);
      forgetCallers();
    },
  }),
  call({
    id: 'inviteConsoleUserAgain',
    address: 'POST /v6/console-users/:console_user_id/invite',
    summary: 'Make another link to choose a password',
    description:
      'For a forgotten password or a lost link. Earlier links of the user stop working. Only for ' +
      'users who have no role in another app; for other users, the operator runs `carillon console ' +
      'invite`.',
    scopes: ['admin'],
    replies: [jsonReply(201, 'The token of the link.', newInviteReply, { invite: consoleInvite })],
    errors: ['user_elsewhere'],
    handle: async ({ db, clock }, { caller, params, author }) => {
      const by = { author: author(), clock };
      return { invite: await inviteAgain(db, { caller, userId: params.console_user_id }, by) };
    },
  }),
  call({
    id: 'listConsoleUserSessions',
    address: 'GET /v6/console-users/:console_user_id/sessions',
    summary: 'List the browsers in which a user is signed in',
    scopes: ['admin'],
    replies: [
      jsonReply(200, 'The sessions, the last used first.', userSessionsReply, { sessions: [consoleSession] }),
    ],
    handle: async ({ db, clock }, { caller, params }) => ({
      sessions: await listUserSessions(db, { caller, userId: params.console_user_id }, clock),
    }),
  }),
  call({
    id: 'endConsoleUserSessions',
    address: 'DELETE /v6/console-users/:console_user_id/sessions',
    summary: 'Sign a user out everywhere',
    description: 'All sessions end at once, in other processes within two seconds.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'The user has no session any more.' }],
    handle: async ({ db, clock, forgetCallers }, { caller, params, author }) => {
      const by = { author: author(), clock };
      await endUserSessions(db, { caller, userId: params.console_user_id }, by);
      forgetCallers();
    },
  }),
  call({
    id: 'resetConsoleUserSecondFactor',
    address: 'DELETE /v6/console-users/:console_user_id/second-factor',
    summary: 'Remove the second factor of a user',
    description:
      'For a lost phone: the password alone signs in again. Only for users who have no role in another app; for other ' +
      'users, the operator runs `carillon console reset-second-factor`.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'There is none any more.' }],
    errors: ['user_elsewhere'],
    handle: async ({ db, clock, forgetCallers }, { caller, params, author }) => {
      const by = { author: author(), clock };
      await resetSecondFactor(db, { caller, userId: params.console_user_id }, by);
      forgetCallers();
    },
  }),
];
