/** A broadcast channel as the API shows it, and the body that creates one. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { ChannelsTable } from '../db/feature-tables/channel-tables.ts';
import { isChannelId } from '../gateways/apns/channels-at-apple.ts';
import { text } from '../api/parse.ts';
import { idText, timeText } from '../api/reply.ts';

const environments = ['production', 'sandbox'] as const;
export type Environment = (typeof environments)[number];

const KEY_CHARACTERS_MAX = 255;
const ENVIRONMENT_RULE = 'must be production or sandbox';
const STORAGE_RULE = 'must be none or latest';
const APNS_ID_RULE = 'must be the id of a channel at Apple';

export const environment = z.enum(environments, ENVIRONMENT_RULE);
export const channelKey = text(KEY_CHARACTERS_MAX, 1);

export const channelBody = z
  .strictObject({
    channel: z
      .strictObject({
        key: channelKey.describe(
          'Your own name for the channel, such as the id of a match. Creating a channel with the same key returns the existing one.',
        ),
        environment: environment
          .describe('Apple’s environment: `sandbox` for development builds.')
          .default('production'),
        storage: z
          .enum(['none', 'latest'], STORAGE_RULE)
          .describe(
            'What Apple keeps for devices that are offline: nothing, or the latest broadcast. It cannot be changed later. ' +
              '`latest` if left out.',
          )
          .optional(),
        apns_channel_id: z
          .string(APNS_ID_RULE)
          .refine(isChannelId, APNS_ID_RULE)
          .describe(
            'Apple’s id of a channel that another program has created: Carillon adopts it and creates nothing.',
          )
          .optional(),
      })
      .meta({ id: 'NewChannel' }),
  })
  .meta({ id: 'CreateChannel' });

export type ChannelRequest = z.output<typeof channelBody>['channel'];

export const channelReply = z
  .strictObject({
    id: idText,
    key: z.string(),
    environment: z.enum(environments),
    storage: z.enum(['none', 'latest']),
    state: z
      .enum(['open', 'ended', 'deleting'])
      .describe(
        '`ended`: an `end` was broadcast. `deleting`: Apple has not confirmed yet that it is deleted.',
      ),
    apns_channel_id: z.string().describe('Apple’s id, which the app needs to subscribe.'),
    created_at: timeText,
    used_at: timeText.describe('When it was last created again or broadcast to.'),
    ended_at: timeText.nullable().describe('When its `end` was accepted; null before.'),
    last_sent_at: timeText
      .nullable()
      .describe('When a broadcast was last handed to Apple; null if none was.'),
  })
  .meta({ id: 'Channel' });

export type ChannelJson = z.output<typeof channelReply>;
export type ChannelRow = Omit<Selectable<ChannelsTable>, 'app_id' | 'last_timestamp'>;

export const channelColumns = [
  'id',
  'key',
  'environment',
  'storage',
  'state',
  'apns_channel_id',
  'created_at',
  'used_at',
  'ended_at',
  'last_sent_at',
] as const;

export function channelJson(row: ChannelRow): ChannelJson {
  const { created_at: createdAt, used_at: usedAt, ended_at: endedAt, last_sent_at: sentAt, ...rest } = row;
  return {
    ...rest,
    created_at: createdAt.toISOString(),
    used_at: usedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    last_sent_at: sentAt?.toISOString() ?? null,
  };
}
