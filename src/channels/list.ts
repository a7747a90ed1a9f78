/** Lists the channels of an app, newest first, in pages, and reads one with its newest broadcasts. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/tables.ts';
import { cursorOf, pageCursor, wholeNumber } from '../api/page-cursor.ts';
import { pageMeta } from '../api/reply.ts';
import { broadcastReply, readBroadcasts } from './broadcast.ts';
import { channelsOf, readChannelRow } from './channel-store.ts';
import { channelJson, channelKey, channelReply, environment } from './channel.ts';

const PER_PAGE_MAX = 100;
const PER_PAGE_DEFAULT = 25;

export const channelListQuery = z.object({
  environment: environment.describe('Only channels of this environment.').optional(),
  key: channelKey.describe('Only the channels with this key: one per environment.').optional(),
  per: wholeNumber(PER_PAGE_MAX, 'Channels per page.').default(PER_PAGE_DEFAULT),
  cursor: pageCursor,
});

export const channelListReply = z
  .strictObject({
    channels: z.array(channelReply),
    meta: pageMeta,
  })
  .meta({ id: 'ChannelList' });

export const channelDetailReply = z
  .strictObject({
    channel: channelReply,
    broadcasts: z
      .array(broadcastReply)
      .describe('The 20 newest broadcasts, newest first. They are kept for 7 days after their end.'),
  })
  .meta({ id: 'ChannelDetail' });

export async function listChannels(
  db: Kysely<Database>,
  appId: string,
  { per, cursor, environment: only, key }: z.output<typeof channelListQuery>,
): Promise<z.output<typeof channelListReply>> {
  let select = channelsOf(db, appId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(per + 1); // one more, to know whether there is a next page
  if (only !== undefined) select = select.where('environment', '=', only);
  if (key !== undefined) select = select.where('key', '=', key);
  if (cursor !== undefined) {
    select = select.where(sql<boolean>`(created_at, id) < (${cursor.createdAt}, ${cursor.id}::uuid)`);
  }
  const rows = await select.execute();
  const page = rows.slice(0, per);
  const last = rows.length > per ? page.at(-1) : undefined;
  return {
    channels: page.map(channelJson),
    meta: { cursor: last === undefined ? null : cursorOf({ createdAt: last.created_at, id: last.id }) },
  };
}

/** @throws {ApiError} `not_found` */
export async function readChannel(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<z.output<typeof channelDetailReply>> {
  const row = await readChannelRow(db, appId, id);
  return { channel: channelJson(row), broadcasts: await readBroadcasts(db, appId, id) };
}
