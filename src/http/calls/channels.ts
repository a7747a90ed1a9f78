/** Apple's broadcast channels (docs/channels.md): create, list, compare with Apple, read, delete, broadcast. */
import { z } from 'zod';
import { parseBy } from '../../api/parse.ts';
import { broadcastBody, parseBroadcastBody } from '../../channels/broadcast-body.ts';
import { broadcastReply, createBroadcast } from '../../channels/broadcast.ts';
import { channelBody, channelReply } from '../../channels/channel.ts';
import { compareChannels, compareQuery, comparisonReply } from '../../channels/compare.ts';
import { createChannel } from '../../channels/create.ts';
import { deleteChannel } from '../../channels/delete.ts';
import {
  channelDetailReply,
  channelListQuery,
  channelListReply,
  listChannels,
  readChannel,
} from '../../channels/list.ts';
import { callsWithKey, jsonReply } from '../call.ts';
import { audienceCursor, CHANNEL_ID, CREATED_AT, ENDED_AT, STARTED_AT } from './samples.ts';

const oneChannelReply = z.strictObject({ channel: channelReply }).meta({ id: 'OneChannel' });

const channelBroadcastReply = z.strictObject({ broadcast: broadcastReply }).meta({ id: 'ChannelBroadcast' });

const APNS_CHANNEL_ID = 'dHN0LXNyY2gtY2hubA==';

const newChannel = { key: 'match-4711', environment: 'production', storage: 'latest' };

const channel = {
  id: CHANNEL_ID,
  ...newChannel,
  state: 'open',
  apns_channel_id: APNS_CHANNEL_ID,
  created_at: CREATED_AT,
  used_at: CREATED_AT,
  ended_at: null,
  last_sent_at: null,
};

const newBroadcast = {
  event: 'update',
  content_state: { home: 1, away: 0, minute: 37 },
  stale_date: '2026-11-21T09:45:00Z',
  time_to_live: 3_600,
};

const broadcast = {
  id: '6f2d7c1a-3b58-4a0e-9d1c-5e8f7a6b4c3d',
  event: 'update',
  state: 'waiting',
  priority: 'high',
  timestamp: null,
  created_at: STARTED_AT,
  expires_at: '2026-11-21T10:30:00.241Z',
  attempts: 0,
  reason: null,
  explanation: null,
  ended_at: null,
};

const sentBroadcast = {
  ...broadcast,
  state: 'sent',
  timestamp: '2026-11-21T09:30:00.000Z',
  attempts: 1,
  ended_at: ENDED_AT,
};

const comparison = {
  at_apple: 2,
  here: 1,
  missing: [],
  unknown: ['eCN0LXNyY2gtY2hubA=='],
};

const call = callsWithKey('Channels');

export const channelCalls = [
  call({
    id: 'createChannel',
    address: 'POST /v6/channels',
    summary: 'Create a broadcast channel at Apple',
    description:
      'For Live Activities that many devices show (iOS 18). `key` is your own name for it: if the app has a channel with this ' +
      'key in the environment, it is returned. The app on the device subscribes with `apns_channel_id`.',
    scopes: ['admin'],
    body: { schema: channelBody, example: { channel: newChannel } },
    replies: [
      jsonReply(201, 'The new channel.', oneChannelReply, { channel }),
      jsonReply(200, 'The channel that has this key.', oneChannelReply, { channel }),
    ],
    errors: ['channel_differs', 'channel_limit', 'gateway_refused'],
    parse: (body) => parseBy(channelBody, body).channel,
    handle: async ({ channels: gateways, ...deps }, { caller, body, author, reply }) => {
      const created = await createChannel({ ...deps, gateways }, caller.appId, body, author());
      void reply.code(created.isNew ? 201 : 200);
      return { channel: created.channel };
    },
  }),
  call({
    id: 'listChannels',
    address: 'GET /v6/channels',
    summary: 'List channels, newest first',
    scopes: ['read'],
    query: {
      schema: channelListQuery,
      example: { environment: 'production', key: newChannel.key, per: 25, cursor: audienceCursor },
    },
    replies: [
      jsonReply(200, 'A page of channels.', channelListReply, {
        channels: [channel],
        meta: { cursor: null },
      }),
    ],
    handle: async ({ db }, { caller, query }) => listChannels(db, caller.appId, query),
  }),
  call({
    id: 'compareChannels',
    address: 'GET /v6/channels/compare',
    summary: 'Compare the channels with Apple’s list',
    description: 'Asks Apple now. Channels that are missing or unknown stay as they are.',
    scopes: ['read'],
    query: { schema: compareQuery, example: { environment: 'production' } },
    replies: [jsonReply(200, 'Where the lists differ.', comparisonReply, comparison)],
    errors: ['gateway_refused'],
    handle: async ({ db, channels: gateways, observe }, { caller, query: { environment } }) =>
      compareChannels({ db, gateways, observe }, { appId: caller.appId, environment }),
  }),
  call({
    id: 'readChannel',
    address: 'GET /v6/channels/:channel_id',
    summary: 'Read a channel and its newest broadcasts',
    scopes: ['read'],
    replies: [jsonReply(200, 'The channel.', channelDetailReply, { channel, broadcasts: [sentBroadcast] })],
    handle: async ({ db }, { caller, params }) => readChannel(db, caller.appId, params.channel_id),
  }),
  call({
    id: 'deleteChannel',
    address: 'DELETE /v6/channels/:channel_id',
    summary: 'Delete a channel',
    description: 'At Apple and here, with broadcasts that wait. Its key can be used again.',
    scopes: ['admin'],
    replies: [
      { status: 204, description: 'Deleted.' },
      jsonReply(
        202,
        'Apple did not answer. The channel is marked as `deleting` and will be deleted when Apple answers again.',
        oneChannelReply,
        { channel: { ...channel, state: 'deleting' } },
      ),
    ],
    errors: ['gateway_refused'],
    handle: async ({ channels: gateways, ...deps }, { caller, params, author, reply }) => {
      const left = await deleteChannel({ ...deps, gateways }, caller.appId, params.channel_id, author());
      if (left === undefined) return undefined;
      void reply.code(202);
      return { channel: left };
    },
  }),
  call({
    id: 'broadcastToChannel',
    address: 'POST /v6/channels/:channel_id/broadcasts',
    summary: 'Update or end the Live Activities of a channel',
    description:
      'The broadcast is stored and sent at once, at most one a second per channel. If Apple is not available, it is sent later. ' +
      'A newer broadcast replaces one that waits.',
    scopes: ['write'],
    body: { schema: broadcastBody, example: { broadcast: newBroadcast } },
    replies: [jsonReply(202, 'Stored.', channelBroadcastReply, { broadcast })],
    recordedAs: 'channel.broadcast',
    errors: ['channel_not_open', 'broadcast_outdated', 'payload_too_large'],
    parse: parseBroadcastBody,
    handle: async ({ db, clock, wakeChannels }, { caller, params, body }) => {
      const stored = await createBroadcast(db, caller.appId, params.channel_id, body, clock);
      wakeChannels?.();
      return { broadcast: stored };
    },
  }),
];
